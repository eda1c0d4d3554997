"""Actions at a table and on the floor: the forms of their pages."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from django.utils.translation import gettext_lazy as _
from msgspec.structs import replace

from backoffice.days import caught_up_cage_and_count_books as rooms
from backoffice.kit.page_declaration import Act, Choice, PageRequest, Stage, approval_acts
from backoffice.kit.reader_and_read_rule_types import Reader
from backoffice.people.people_choices import Choices, partners, people_in_roles
from backoffice.tables.floor_page_content import TableOnFloor
from backoffice.wording.stream_currencies import currency_at
from events import catalogue
from events.controls.discrepancy_event_and_severity import DiscrepancyFound
from events.error_codes import coded
from events.errors import PitledgerError, Unknown
from events.house import gaming_day_by_house_clock
from events.house.settings import DEFAULTS, HouseSettings
from events.rules.game_declaration_and_registry import at_tables, game_of, rules_of_games
from events.runtime import clock
from events.settings.settings_from_environment import settings
from events.tables.actions.progressive_stake_and_hit_structs import DeclareHitLate
from events.tables.actions.session_action_structs import VoidSession
from events.tables.main_table_decider import LATE
from events.tables.required_witness_checks import COUNTING, SECURITY
from events.tables.valid_wager_and_limit_names import names_of
from projections.accounts.models import DayAccount
from projections.eventlog.models import EventLog
from projections.floor.models import InstalledTable

People = tuple[tuple[str, str], ...]  # each person's id, with the words for readers
AT_A_POST = ("dealer", "inspector", "pit boss")  # roles that may have a post at a table
_TRAY_COUNTED = {DiscrepancyFound.TYPE: _("Counted. The count differs from the expected inventory below.")}
_NOT_THE_SLIP = {DiscrepancyFound.TYPE: _("Received. The amount differs from the slip: a discrepancy is recorded.")}
_NOT_THE_CLOSER = {
    DiscrepancyFound.TYPE: _("Table opened. The opener differs from the last closer: a discrepancy is recorded.")
}
OF_A_TABLE = (
    Act("tables", "limits.post", _("Post limits")),
    Act("tables", "staff.assign", _("Assign staff")),
    Act("tables", "staff.leave", _("Relieve staff")),
    Act("tables", "limit.mark", _("Set personal limit")),
    Act("tables", "bet.correct", _("Correct bet"), corrects=True),
    Act("tables", "settlement.correct", _("Correct settlement")),
    Act("tables", "payment.report", _("Report payment")),
    Act("tables", "hit.declare_late", _("Declare late hit")),
    Act("tables", "round.void", _("Void round")),
    Act("tables", "session.void", _("Void gaming day")),
    Act("tables", "shoe.count", _("Count shoe")),
    Act("tables", "shoe.rule", _("Rule on shoe")),
    Act("tables", "dice.put", _("Place dice")),
    Act("tables", "dice.take_away", _("Take dice from shooter")),
    Act("tables", "fill.request", _("Request fill"), is_offered=False),
    Act("tables", "credit.request", _("Request credit"), is_offered=False),
    Act("tables", "fill.receive", _("Receive fill"), is_offered=False, fixed=("slip", "year"), says=_NOT_THE_SLIP),
    Act("tables", "credit.send", _("Send credit"), is_offered=False, fixed=("slip", "year")),
    Act("tables", "chips.exchange", _("Exchange chips"), is_offered=False),
    Act("tables", "table.count", _("Interim count"), is_offered=False, says=_TRAY_COUNTED),
    Act("tables", "shift.count", _("End shift"), is_offered=False, says=_TRAY_COUNTED),
    Act("tables", "session.roll", _("Roll to next gaming day"), is_offered=False, says=_TRAY_COUNTED),
    Act("tables", "session.close", _("Close table"), is_offered=False, says=_TRAY_COUNTED),
    Act("tables", "drop.put", _("Place drop box"), is_offered=False),
    Act("tables", "drop.remove", _("Remove drop box"), is_offered=False, fixed=("drop_box",)),
    Act("tables", "drop.count", _("Enter box count"), is_offered=False),
    *approval_acts("tables"),
)
OPEN_TABLE = Act("tables", "session.open", _("Open table"), is_offered=False, says=_NOT_THE_CLOSER)
OF_THE_FLOOR = (Act("floor", "table.install", _("Install table")), *approval_acts("floor"))


def at_hand(acts: Sequence[Act], head: TableOnFloor) -> list[Act]:
    """Return the actions that fit the table: of its own game, and of its status. A day with rounds cannot be voided,
    and a late hit needs a progressive."""
    own = at_tables().get(game_of(head.ruleset))
    out = rules_of_games().keys() - (own.rules.keys() if own else set())
    out |= {VoidSession.TYPE} if head.rounds or head.status not in ("open", "closed") else set()
    out |= set() if head.progressive else {DeclareHitLate.TYPE}
    late = {VoidSession.TYPE, *(action.TYPE for action in LATE)} if head.status in ("closed", "counted") else set()
    return [act for act in acts if act.type not in out and (head.status == "open" or act.type in late)]


def at_table(request: PageRequest) -> Stage:
    """The table of this name, on this gaming day."""
    name, day = request.places["name"], request.places["gaming_day"]
    choices = {**_choices_at_a_table(request.reader), **_wagers(name)}
    proposals = {"session.roll": roll_form_values(day)}
    return Stage(name, day, currency_at(f"tables/{name}"), choices, _tray(name), proposals=proposals)


def _wagers(name: str) -> dict[str, Sequence[str]]:
    """Return the kinds of bets of the game at this table, where it is known."""
    row = InstalledTable.objects.filter(table=name).first()
    try:
        return {"wager": names_of(row.game, row.ruleset).wagers} if row else {}
    except (PitledgerError, KeyError):
        return {}


def at_the_pit(request: PageRequest) -> Stage:
    """Return an installed table, also one that was never opened."""
    name = request.places["name"]
    row = InstalledTable.objects.filter(table=name).first()
    if row is None:
        raise Unknown(coded("table-unknown", table=name))
    proposals = {"session.open": proposed(name)}
    return Stage(name, None, row.currency, _choices_at_a_table(request.reader), _tray(name), proposals=proposals)


def _choices_at_a_table(reader: Reader) -> Choices:
    """Return the shifts of the house, and the people who may have a post or be the second person. One of the two people
    who remove a box is from security."""
    counting_partners, of_security = partners(COUNTING, reader), partners(SECURITY, reader)
    alone = reader.roles.intersection(SECURITY)
    replacing = counting_partners if alone else _by_box(counting_partners, of_security)
    return {
        "shift": tuple(rooms.books().settings.shift_begins),
        "witness": counting_partners,
        "shift.count witness": replacing,
        "session.roll witness": replacing,
        "drop.remove witness": counting_partners if alone else of_security,
        "drop.count witness": partners(("count",), reader),
        "person": people_in_roles(AT_A_POST, reader),
    }


def _by_box(counting: People, of_security: People) -> Sequence[Choice]:
    """Separate the witnesses to a new drop box, of security, from the witnesses to the count alone."""
    others = tuple(person for person in counting if person not in of_security)
    groups = ((_("Security: the drop box may be replaced"), of_security), (_("Others: the drop box stays"), others))
    return tuple((str(heading), people) for heading, people in groups if people)


def _tray(name: str) -> Mapping[str, Sequence[int]]:
    """The denominations of a table: those of its last opener, or of the house."""
    chips = rooms.chips_of(rooms.books(), rooms.opener_of(name))
    return dict.fromkeys(("chips", "opener", "closer", "chips_in", "chips_out"), chips)


CLOSERS = ("session.closed.v1", "session.rolled.v1")


def proposed(table: str) -> Mapping[str, Any]:
    """Return the values of the form by which a table is opened."""
    values: dict[str, Any] = {"gaming_day": gaming_day()} | _shift()
    if closer := last_closer(table):
        values["opener"] = closer
    return values


def roll_form_values(day: str) -> Mapping[str, Any]:
    """Return the values of the form by which a table is rolled: the next day, and its first shift."""
    return {"gaming_day": next_day(day)} | _shift()


def gaming_day() -> str:
    """Return the last gaming day if it is not closed; else the property's gaming day, or the day after the last."""
    last = DayAccount.objects.order_by("-id").values_list("id", "is_closed").first()
    today = gaming_day_by_house_clock.gaming_day(_settings(), clock.moment()).isoformat()
    if last is None:
        return today
    return max(today, next_day(last[0])) if last[1] else last[0]


def next_day(day: str) -> str:
    """Return the day after a day."""
    return gaming_day_by_house_clock.next_day(_settings(), date.fromisoformat(day)).isoformat()


def last_closer(table: str) -> dict[int, int]:
    """Return the chips that were counted when the table was closed last; none for a table that never was."""
    rows = EventLog.objects.filter(table=table, type__in=CLOSERS).order_by("-position")
    row = rows.first()
    if row is None:
        return {}
    event: Any = catalogue.decode(row.type, bytes(row.raw)).data
    return dict(getattr(event, "closer", None) or getattr(event, "chips", None) or {})


def _shift() -> dict[str, str]:
    """The shift of the house that runs now: the one that began last."""
    return {"shift": gaming_day_by_house_clock.shift_at(_settings(), clock.moment())}


def _settings() -> HouseSettings:
    """The settings of the house; its zone is that of the pages where the house has set none."""
    house: HouseSettings = rooms.books().settings
    return house if house.zone != DEFAULTS.zone else replace(house, zone=settings().time_zone)
