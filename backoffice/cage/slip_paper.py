"""A fill or credit slip on paper: the issued chips, and signature lines for the four people who carry it out."""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from reportlab.platypus import Flowable, Paragraph

from backoffice.cage.cage_overview import SlipSeen
from backoffice.printing.legal_titles import titled
from backoffice.printing.report_layout import HEADING, PrintCopy, Stamp, paper, rows, signatures, text
from backoffice.wording import formats


def slip_pdf(slip: SlipSeen, printed: PrintCopy) -> bytes:
    """Return the issued slip. From the second copy on it is marked REPRINT. The same print gives the same file."""
    kind = _("Fill") if slip.kind == "fill" else _("Credit")
    name = _("%(kind)s %(number)d, series %(year)s") % {"kind": kind, "number": slip.number, "year": slip.year}
    title = titled(name, slip.kind)
    period = _("Gaming day %(day)s, table %(table)s") % {"day": slip.gaming_day, "table": slip.table}
    stamp = Stamp(title, period, printed.words, slip.position, slip.digest)
    return paper(stamp, [*_story(slip, printed), signatures([_("Cashier"), _("Runner"), _("Dealer"), _("Supervisor")])])


def _story(slip: SlipSeen, printed: PrintCopy) -> Iterator[Flowable]:
    if printed.reprint:
        yield Paragraph(text(printed.reprint), HEADING)
    people = [(_("Requested by"), slip.asked_by), (_("Issued by"), slip.issued_by), (_("Carried by"), slip.runner)]
    named = [[whose, printed.named(person)] for whose, person in people if person]
    yield rows(["", ""], [*named, [_("Issued at"), formats.at(slip.issued_at, "full")]], (40, 100), 2)
    yield Paragraph(_("Chips"), HEADING)
    yield rows([_("Denomination"), _("Count"), _("Value")], [*_chips(slip)], (40, 30, 40), 1)


def _chips(slip: SlipSeen) -> Iterator[list[str]]:
    for value, number in sorted(slip.chips.items(), reverse=True):
        yield [_money(value, slip), formats.number(number), _money(value * number, slip)]
    yield [_("Total"), "", _money(slip.amount_minor, slip)]


def _money(minor: int, slip: SlipSeen) -> str:
    return formats.money(minor, slip.currency)
