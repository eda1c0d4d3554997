"""Places for the palette: loaded when it is first opened, and only those that the reader may open."""

import re
from collections.abc import Iterator

import msgspec
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from backoffice.kit import response_builders
from backoffice.kit.page_declaration import Page
from backoffice.kit.page_frame import PageFrame
from backoffice.kit.reader_and_read_rule_types import KNOWN
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.tables.floor_page_content import days as played_days
from events.controls.slip_issued_event import SlipIssued
from projections.eventlog.models import EventLog
from projections.floor.models import InstalledTable
from projections.progressives.models import Hit, Progressive

_PLACE = re.compile(r"<(?:\w+:)?(\w+)>")
_A_DAY = r"(\d{4}-\d\d-\d\d)"
AT_MOST = 30  # hits, and slips


class PalettePlace(msgspec.Struct, frozen=True, omit_defaults=True):
    """A place: its name, its address, its part of the house, and the key that follows `g`.

    `also`: other words that find it. `typed`: a regular expression for typed text, whose groups replace `{}` in name
    and address.
    """

    words: str
    url: str
    part: str = ""
    key: str = ""
    also: str = ""
    typed: str = ""


class PalettePlaces(msgspec.Struct, frozen=True):
    """All places, in the order in which they are offered before the reader types."""

    places: tuple[PalettePlace, ...]


def places(visit: Visit) -> PalettePlaces:
    """Return the places that the reader may open."""
    closed, reader = visit.frame.closed, visit.reader
    return PalettePlaces(tuple(place for place in _all_places(visit.frame) if closed.is_open_to(_path(place), reader)))


def _path(place: PalettePlace) -> str:
    return place.url.partition("?")[0].replace("{}", "0")


def _all_places(frame: PageFrame) -> Iterator[PalettePlace]:
    parts = {page.name: str(page.menu.words) for page in frame.pages if page.menu}
    pages = [(page, parts[page.place]) for page in frame.pages if page.place]
    yield from _pages([(page, part) for page, part in pages if not _names(page)])
    yield from _table_places(parts)
    yield from _progressive_places(
        [(page, part) for page, part in pages if page.path.startswith("progressives/<str:name>")]
    )
    yield from _day_places([(page, part) for page, part in pages if _names(page) == ["gaming_day"]], parts["floor"])
    yield from _document_places(parts)
    yield PalettePlace(_("Event {}"), "/events/{}", parts["events"], typed=r"^(\d{1,18})$")
    yield PalettePlace(
        _("Events of slip {}"), f"{reverse('events')}?q=slip:{{}}", parts["events"], typed=r"^slip\s+(\d{1,18})$"
    )


def _names(page: Page) -> list[str]:
    return _PLACE.findall(page.path)


def _pages(pages: list[tuple[Page, str]]) -> Iterator[PalettePlace]:
    """Yield the pages, those of the menu first."""
    for page, _part in pages:
        if page.menu:
            yield PalettePlace(str(page.menu.words), reverse(page.name), key=page.menu.key)
    for page, part in pages:
        if not page.menu:
            yield PalettePlace(str(page.title), reverse(page.name), part)


def _table_places(parts: dict[str, str]) -> Iterator[PalettePlace]:
    for table in InstalledTable.objects.order_by("pit", "table"):
        words = _("Table %(table)s") % {"table": table.table}
        yield PalettePlace(
            words, reverse("table-latest", args=[table.table]), parts["floor"], also=f"{table.pit} {table.game}"
        )
        yield PalettePlace(
            words, reverse("pit-table", args=[table.table]), parts["pit"], also=f"{table.pit} {table.game}"
        )


def _progressive_places(pages: list[tuple[Page, str]]) -> Iterator[PalettePlace]:
    """Every page of each progressive."""
    for name in Progressive.objects.order_by("progressive").values_list("progressive", flat=True):
        for page, part in pages:
            if _names(page) == ["name"]:
                yield PalettePlace(f"{page.title} {name}", reverse(page.name, args=[name]), part)


def _day_places(pages: list[tuple[Page, str]], floor: str) -> Iterator[PalettePlace]:
    """The last gaming days, and any that is typed."""
    paths = [(f"/{_PLACE.sub('{}', page.path)}", str(page.title), part) for page, part in pages]
    paths.append((f"{reverse('floor')}?gaming_day={{}}", floor, floor))
    for day, alias in zip(played_days(limit=2).days, (_("today"), _("yesterday")), strict=False):
        for path, title, part in paths:
            yield PalettePlace(f"{title} {day}", path.replace("{}", day), part, also=alias)
    for path, title, part in paths:
        yield PalettePlace(f"{title} {{}}", path, part, typed=_A_DAY)


def _document_places(parts: dict[str, str]) -> Iterator[PalettePlace]:
    """The last hits and slips, and any slip whose name is typed."""
    for stream, hit in Hit.objects.order_by("-position").values_list("stream", "hit")[:AT_MOST]:
        url = reverse("hit", args=[stream.rpartition("/")[2], hit])
        yield PalettePlace(_("Hit %(hit)s") % {"hit": hit}, url, parts["progressives"])
    issued = EventLog.objects.filter(type=SlipIssued.TYPE).order_by("-position")
    for slip in filter(None, issued.values_list("correlation", flat=True)[:AT_MOST]):
        yield PalettePlace(
            _("Slip %(slip)s") % {"slip": slip}, reverse("slip", args=slip.rsplit("-", 2)), parts["cage"]
        )
    yield PalettePlace(
        _("Slip {}-{}-{}"), "/cage/slips/{}/{}/{}", parts["cage"], typed=r"^([a-z]+)-(\d{4})-(\d{1,18})$"
    )


PLACES = Page(
    name="places",
    path="places",
    title=gettext_lazy("Pages"),
    open_to=KNOWN,
    view=lambda visit: response_builders.json(places(visit)),
)
