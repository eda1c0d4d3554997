"""The cage: its counts, its window, and the slips between it and the tables."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from reportlab.platypus import Flowable, Paragraph

from backoffice.access.issued_documents import SLIP as GIVEN_SLIP
from backoffice.access.issued_documents import IssuedDocument, copies
from backoffice.access.personal_data_access_log import PERSON
from backoffice.cage import cage_overview
from backoffice.cage.cage_overview import CageSeen, SlipSeen
from backoffice.days import caught_up_cage_and_count_books as rooms
from backoffice.kit.access_log_rules import AccessLogRule
from backoffice.kit.page_declaration import (
    Act,
    DownloadFile,
    Format,
    LiveUpdate,
    MenuEntry,
    Page,
    PageRequest,
    Stage,
    approval_acts,
)
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.people.people_choices import partners
from backoffice.people.roles_allowed_per_page import CAGE as WHO
from backoffice.people.roles_allowed_per_page import SLIPS
from backoffice.people.staff_list_and_name_lookup import names_for
from backoffice.printing.legal_titles import titled
from backoffice.printing.report_layout import HEADING, PrintCopy, Stamp, paper, rows, signatures, text
from backoffice.wording import formats
from events.controls.discrepancy_event_and_severity import DiscrepancyFound
from events.controls.slip_issued_event import name_of
from events.error_codes import coded
from events.errors import Unknown
from events.fields import is_day
from events.runtime import clock
from events.tables.required_witness_checks import COUNTING

CARRYING = ("security",)  # people who carry chips between the cage and a table
_CAGE_COUNTED = {DiscrepancyFound.TYPE: _("Counted. The count differs from the expected amounts below.")}


def _slip_page(events: Sequence[Mapping[str, Any]]) -> str:
    """Return the address of the slip that was issued."""
    [slip] = [event["data"] for event in events if event["type"] == "slip.issued.v1"]
    return reverse("slip", kwargs={"kind": slip["kind"], "year": slip["year"], "number": slip["slip"]})


OF_THE_CAGE = (
    Act("cage", "cage.open", _("Open cage"), is_tried=False, says=_CAGE_COUNTED),
    Act("cage", "cage.cash_out", _("Cash out chips")),
    Act("cage", "cage.cash_in", _("Sell chips for cash")),
    Act("cage", "marker.redeem", _("Redeem marker")),
    Act("cage", "marker.carry", _("Carry over marker")),
    Act("cage", "cage.count", _("Count cage"), is_tried=False, says=_CAGE_COUNTED),
    Act("cage", "cage.close", _("Close cage"), is_tried=False, says=_CAGE_COUNTED),
    Act("cage", "slip.issue", _("Issue slip"), is_offered=False, fixed=("request",), leads=_slip_page),
    Act("cage", "credit.receive", _("Receive credit"), is_offered=False, fixed=("slip", "year")),
    Act("cage", "slip.void", _("Void slip"), is_offered=False, fixed=("slip", "year")),
)
OF_A_CAGE_S_DAY = approval_acts("cage")


def in_the_cage(request: PageRequest) -> Stage:
    """The cage, on the day that is open; or on the one that the address names."""
    books = rooms.books()
    people = {"witness": partners(COUNTING, request.reader), "runner": partners(CARRYING, request.reader)}
    pieces = {"chips": rooms.chips_of(books)}
    return Stage("", request.places.get("gaming_day"), rooms.currency(), people, pieces)


def _of_a_day(request: PageRequest) -> CageSeen:
    """Return the cage on a gaming day."""
    day = request.places["gaming_day"]
    if not is_day(day):
        raise Unknown(coded("gaming-day-unknown", day=day))
    return cage_overview.cage(day, request.reader.person)


def _buttons(visit: Visit, cage: CageSeen) -> dict[str, Any]:
    """A closed cage is opened, and nothing else."""
    return {"buttons": [button for button in visit.buttons if (button.type == "cage.open") != cage.is_open]}


def _slip(request: PageRequest) -> SlipSeen:
    """Return a slip by its series and number."""
    kind, year, number = (request.places[key] for key in ("kind", "year", "number"))
    slip = cage_overview.slip(kind, year, number)
    if slip is None:
        raise Unknown(coded("slip-not-found", paper=kind, number=number, year=year))
    return slip


def _paper(request: PageRequest) -> DownloadFile:
    """Return the slip on paper. It is listed as an issued document, so that a second copy is marked as a reprint."""
    slip, reader = _slip(request), request.reader
    listed = IssuedDocument(GIVEN_SLIP, name_of(slip.kind, slip.year, slip.number), slip.position, slip.digest)
    copy = copies(listed.kind, listed.about) + 1
    content = slip_pdf(slip, PrintCopy(reader.person, clock.moment(), names_for(reader), copy))
    return DownloadFile(content, "application/pdf", f"{listed.about}.pdf", listed)


CAGE = Page(
    name="cage",
    path="cage",
    title=_("Cage"),
    open_to=WHO,
    template="pages/cage.html",
    query=lambda request: cage_overview.cage(person=request.reader.person),
    shown_as="cage",
    add_context=_buttons,
    menu=MenuEntry(_("Cage"), "c", _("go to cage")),
    follows=LiveUpdate("pages/cage_live.html"),
    acts=OF_THE_CAGE,
    stage=in_the_cage,
)
CAGE_DAY = Page(
    name="cage-day",
    path="cage/<str:gaming_day>",
    title=_("Cage"),
    open_to=WHO,
    template="pages/cage.html",
    query=_of_a_day,
    shown_as="cage",
    under="cage",
    follows=LiveUpdate("pages/cage_live.html"),
    acts=OF_A_CAGE_S_DAY,
    stage=in_the_cage,
)
SLIP = Page(
    name="slip",
    path="cage/slips/<str:kind>/<str:year>/<int:number>",
    title=_("Slip"),
    open_to=SLIPS,
    template="pages/slip.html",
    query=_slip,
    shown_as="slip",
    under="cage",
    looks=AccessLogRule(PERSON),
    formats=(Format("pdf", _paper, is_kept=False),),
)


def slip_pdf(slip: SlipSeen, printed: PrintCopy) -> bytes:
    """Return the issued slip. From the second copy on it is marked REPRINT. The same print gives the same file."""
    kind = gettext("Fill") if slip.kind == "fill" else gettext("Credit")
    name = gettext("%(kind)s %(number)d, series %(year)s") % {"kind": kind, "number": slip.number, "year": slip.year}
    title = titled(name, slip.kind)
    period = gettext("Gaming day %(day)s, table %(table)s") % {"day": slip.gaming_day, "table": slip.table}
    stamp = Stamp(title, period, printed.words, slip.position, slip.digest)
    return paper(
        stamp,
        [
            *_story(slip, printed),
            signatures([gettext("Cashier"), gettext("Runner"), gettext("Dealer"), gettext("Supervisor")]),
        ],
    )


def _story(slip: SlipSeen, printed: PrintCopy) -> Iterator[Flowable]:
    if printed.reprint:
        yield Paragraph(text(printed.reprint), HEADING)
    people = [
        (gettext("Requested by"), slip.asked_by),
        (gettext("Issued by"), slip.issued_by),
        (gettext("Carried by"), slip.runner),
    ]
    named = [[whose, printed.person_text(person)] for whose, person in people if person]
    yield rows(["", ""], [*named, [gettext("Issued at"), formats.moment_text(slip.issued_at, "full")]], (40, 100), 2)
    yield Paragraph(gettext("Chips"), HEADING)
    yield rows([gettext("Denomination"), gettext("Count"), gettext("Value")], [*_chips(slip)], (40, 30, 40), 1)


def _chips(slip: SlipSeen) -> Iterator[list[str]]:
    for value, number in sorted(slip.chips.items(), reverse=True):
        yield [_money(value, slip), formats.number(number), _money(value * number, slip)]
    yield [gettext("Total"), "", _money(slip.amount_minor, slip)]


def _money(minor: int, slip: SlipSeen) -> str:
    return formats.money(minor, slip.currency)
