"""Actions of draws: the forms of their pages."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils.translation import gettext_lazy as _

from backoffice.installation.installation import installation
from backoffice.kit.page import Act, PageRequest, Stage
from backoffice.people.choices import _in_roles
from backoffice.surveillance.draws.draws import draw_of, visible
from backoffice.wording import formats
from events.draws.decider import INSPECTING, Draw, may_inspect, moment_of
from projections.floor.models import InstalledTable

OF_DRAWS = (Act("draws", "draw.commit", _("Commit draw")),)
OF_A_DRAW = (
    Act("draws", "draw.reveal", _("Reveal draw"), fixed=("draw",), is_tried=False),
    Act("draws", "inspection.record", _("Record inspection"), fixed=("draw",), is_tried=False),
)
LEAD, PERIOD = timedelta(minutes=15), timedelta(hours=6)


def at_draws(request: PageRequest) -> Stage:
    """Propose a draw of all tables for six hours from the next full hour that leaves time for the draw."""
    draw_at = moment_of(installation().store.clock()).astimezone(UTC).replace(microsecond=0) + LEAD
    since = draw_at.replace(minute=0, second=0) + timedelta(hours=1)
    tables = [*InstalledTable.objects.order_by("table").values_list("table", flat=True)]
    proposal: dict[str, Any] = {
        "draw": f"{since:%Y-%m-%d-%H%M}",
        "since": _told(since),
        "until": _told(since + PERIOD),
        "tables": [{"table": table, "weight": 1} for table in tables],
        "slot_minutes": 60,
        "number": 3,
        "draw_at": _told(draw_at),
    }
    choices: dict[str, Any] = {"table": tables, "inspectors": _in_roles(INSPECTING, request.reader)}
    return Stage(choices=choices, proposals={"draw.commit": proposal})


def at_draw(request: PageRequest) -> Stage:
    """Offer a draw; an inspector chooses among the drawn entries that were not inspected."""
    draw = draw_of(str(request.places["draw"]))
    name = draw.terms.draw
    proposals = {"draw.reveal": {"draw": name}, "inspection.record": {"draw": name}}
    return Stage(title=name, choices={"entry": _open_entries(draw, request)}, proposals=proposals)


def _open_entries(draw: Draw, request: PageRequest) -> list[tuple[str, str]]:
    if not may_inspect(draw, request.reader.person, request.reader.roles):
        return []
    entries = [number for number in visible(draw, request.reader) if number not in draw.inspected]
    return [(str(number), _words(draw, number)) for number in entries]


def _words(draw: Draw, number: int) -> str:
    entry = draw.entry(number)
    times = (formats.at(moment_of(time), "short") for time in (entry.since, entry.until))
    return f"{number}: {entry.table}, {' – '.join(times)}"


def _told(time: datetime) -> str:
    return time.isoformat(timespec="seconds").replace("+00:00", "Z")
