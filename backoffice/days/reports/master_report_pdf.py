"""The report of a gaming day on paper: the master game report (MS 4.14), with lines to sign."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from django.utils.translation import gettext as _
from reportlab.graphics.charts.barcharts import VerticalBarChart
from reportlab.graphics.charts.legends import Legend
from reportlab.graphics.shapes import Drawing
from reportlab.lib import colors
from reportlab.lib.units import mm
from reportlab.platypus import Flowable, Paragraph, Spacer

from backoffice.days.discrepancies_in_words import figure_words
from backoffice.days.reports.report_and_column_structs import period_words
from backoffice.printing.printable_characters import SANS
from backoffice.printing.report_layout import (
    FELT,
    HEADING,
    LINE,
    WORDS,
    PrintCopy,
    Stamp,
    paper,
    rows,
    signatures,
    text,
)
from backoffice.wording import formats
from backoffice.wording.code_to_word_translation import status, word
from backoffice.wording.error_code_sentences import coded_sentence
from events.money.single_currency_rule import DEFAULT

DayFigures = dict[str, Any]
Money = Callable[[int | None], str]


def title() -> str:
    """Return the report's title."""
    return _("Master game report")


def period(figures: DayFigures) -> str:
    """Return the gaming day and its status in words."""
    return period_words(figures["day"], figures["status"], figures["restatement"], figures["currency"] or DEFAULT)


def day_pdf(figures: DayFigures, print_copy: PrintCopy) -> bytes:
    """The canonical figures with their digest; the same, printed by the same at the same moment, is the same file."""
    stamp = Stamp(title(), period(figures), print_copy.words, figures["as_of"], figures["digest"])
    currency = figures["currency"] or DEFAULT

    def money(minor: int | None) -> str:
        return formats.money(minor, currency)

    reprint = [Paragraph(text(print_copy.reprint), HEADING)] if print_copy.reprint else []
    parts = (_wins, _trays, _slips, _discrepancies, _cage, _progressives, _journal, _checklist, _left_out)
    story = [flowable for part in parts for flowable in part(figures, money)]
    return paper(stamp, [*reprint, *story, signatures([_("Accounting"), _("Pit boss"), _("Surveillance")])])


def _list(heading: str, head: Sequence[str], body: Sequence[Sequence[str]], widths: Sequence[float], right: int) -> Any:
    """A heading and its table; nothing where there are no lines."""
    return [Paragraph(text(heading), HEADING), rows(head, body, widths, right)] if body else []


def _wins(figures: DayFigures, money: Money) -> Iterator[Flowable]:
    head = [_("Table"), _("Shift"), _("Drop"), _("Table win"), _("Recorded win"), _("Mispay"), _("Vouchers")]
    head += [_("Box difference"), _("Tray difference"), _("No known cause")]
    body = [_win_cells(*line, money) for line in _shift_lines(figures)]
    body += [_house(figures, money)] if len(figures["tables"]) > 1 else []
    yield from _list(_("Wins"), head, body, (14, 20, 20, 22, 20, 16, 16, 15, 16, 15), 2)
    if body:
        yield from (Spacer(1, 3 * mm), both_wins(figures))


def _shift_lines(figures: DayFigures) -> Iterator[tuple[str, str, DayFigures]]:
    """Each table's shifts, and its day where there is more than one."""
    for table in figures["tables"]:
        for shift in table["shifts"]:
            yield table["table"], word(shift["shift"]), shift
        if len(table["shifts"]) > 1:
            yield table["table"], _("day"), table["day"]


def _win_cells(table: str, shift: str, line: DayFigures, money: Money) -> list[str]:
    drop, parts = line["drop"], line["parts"]
    net = drop["cash_minor"] + drop["marker_minor"] + drop["chips_minor"]
    net_text = f"{money(net)}{'' if drop['counted'] else ' *'}"  # * not counted: as recorded
    wins = (line["inventory_win_minor"], line["event_win_minor"])
    differences = [parts[f"{name}_minor"] for name in ("mispay", "promotional", "drop", "inventory", "rest")]
    return [table, shift, net_text, *map(money, (*wins, *differences))]


def _house(figures: DayFigures, money: Money) -> list[str]:
    """Return the total of the tables; a figure unknown for one table is unknown in total."""
    days = [table["day"] for table in figures["tables"]]
    drop = {name: sum(day["drop"][name] for day in days) for name in ("cash_minor", "marker_minor", "chips_minor")}
    wins = {name: _sum([day[name] for day in days]) for name in ("inventory_win_minor", "event_win_minor")}
    parts = {name: _sum([day["parts"][name] for day in days]) for name in days[0]["parts"]}
    counted = all(day["drop"]["counted"] for day in days)
    return _win_cells(_("House"), _("day"), {**wins, "drop": {**drop, "counted": counted}, "parts": parts}, money)


def _sum(amounts: Sequence[int | None]) -> int | None:
    present = [amount for amount in amounts if amount is not None]
    return sum(present) if len(present) == len(amounts) else None


def _trays(figures: DayFigures, money: Money) -> Any:
    names = ("begin_minor", "fills_minor", "credits_minor", "expected_minor", "end_minor")
    body = [[table, shift, *(money(line[name]) for name in names)] for table, shift, line in _shift_lines(figures)]
    head = [_("Table"), _("Shift"), _("Opening"), _("Fills"), _("Credits"), _("Expected"), _("Counted")]
    return _list(_("Table inventory"), head, body, (20, 24, 26, 26, 26, 26, 26), 2)


def _slips(figures: DayFigures, money: Money) -> Any:
    body = [
        [word(slip["kind"]), str(slip["number"]), slip["table"] or "", status(slip["status"]),
         money(slip["issued_minor"]), money(slip["received_minor"])]
        for slip in figures["slips"]
    ]  # fmt: skip
    head = [_("Slip"), _("Number"), _("Table"), _("Status"), _("Issued"), _("Received")]
    return _list(_("Slips"), head, body, (34, 20, 28, 32, 30, 30), 4)


def _discrepancies(figures: DayFigures, money: Money) -> Any:
    body = [
        [_discrepancy(entry["kind"]), entry["table"] or "", word(entry["band"], "band"),
         _("yes") if entry["explained"] else _("no"), money(entry["expected_minor"]), money(entry["found_minor"]),
         money(entry["found_minor"] - entry["expected_minor"])]
        for entry in figures["discrepancies"]
    ]  # fmt: skip
    head = [_("Discrepancy"), _("Table"), _("Band"), _("Explained"), _("Expected"), _("Found"), _("Difference")]
    return _list(_("Discrepancies"), head, body, (32, 20, 26, 20, 26, 26, 24), 4)


def _discrepancy(kind: str) -> str:
    """Return the words for a kind; where neither figure was expected, with the names of both."""
    names = ", ".join(map(str, figure_words(kind)))
    return f"{word(kind, 'kind')}: {names}" if kind == "counters" else word(kind, "kind")


def _cage(figures: DayFigures, money: Money) -> Iterator[Flowable]:
    body = [
        [word(name.removesuffix("_minor")), money(both["expected_minor"]), money(both["counted_minor"])]
        for name, both in figures["cage"].items()
    ]
    yield from _list(_("Cage"), [_("Tender"), _("Expected"), _("Counted")], body, (60, 57, 57), 1)
    names = {"issued_minor": _("total issued"), "tables_minor": _("at tables"), "cage_minor": _("in the cage")}
    names |= {"transit_minor": _("in transit"), "players_minor": _("with players")}
    words = ", ".join(f"{words} {money(figures['chips'][name])}" for name, words in names.items())
    yield Paragraph(text(_("Chips: %s") % words), WORDS)


def _progressives(figures: DayFigures, _money: Money) -> Any:
    names = ("begin", "fed", "seeds", "adjusted", "locked", "meter")
    body = [
        [progressive["progressive"], word(level["level"], "level"), *(level[name] for name in names)]
        for progressive in figures.get("progressives", ())
        for level in progressive["levels"]
    ]
    head = [_("Progressive"), _("Level"), _("Opening"), _("Contributions"), _("Seeds"), _("Adjusted"), _("Awarded")]
    return _list(_("Progressives"), [*head, _("Meter")], body, (26, 18, 24, 22, 22, 20, 20, 22), 2)


def _journal(figures: DayFigures, _money: Money) -> Any:
    body = [[account, balance] for account, balance in (figures.get("journal") or {}).items()]
    return _list(_("Journal"), [_("Account"), _("Balance")], body, (120, 54), 1)


def _checklist(figures: DayFigures, _money: Money) -> Any:
    held = {True: _("Done"), False: _("Blocking"), None: _("checked at close")}
    body = []
    for check in figures.get("checklist", ()):
        # A check without a code has its stored text alone.
        why = coded_sentence(check.get("code", ""), check.get("params", {}), figures["currency"]) or check["detail"]
        body.append([word(check["item"], "item"), held[check["holds"]], why])
    return _list(_("Checklist"), [_("Item"), "", _("Blocked by")], body, (50, 30, 94), 3)


def left_out(figures: DayFigures) -> str:
    """Return the names of the figures that the digest covers and the paper omits; "" for none."""
    return "" if "journal" in figures else _("Progressives and journal are not included.")


def _left_out(figures: DayFigures, _money: Money) -> list[Flowable]:
    words = left_out(figures)
    return [Spacer(1, 2 * mm), Paragraph(text(words), WORDS)] if words else []


_COLOURS = (FELT, colors.HexColor("#c99a3b"))
_CHART = (174 * mm, 52 * mm)
_TABLES_DRAWN = 24


def both_wins(figures: dict[str, Any]) -> Drawing:
    """Return the chart of both wins, in whole units of the currency."""
    tables, drawing = figures["tables"][:_TABLES_DRAWN], Drawing(*_CHART)
    scale = 10 ** formats.exponent(figures["currency"] or DEFAULT)
    chart: Any = VerticalBarChart()  # (its stubs know whole points only)
    chart.x, chart.y, chart.width, chart.height = 14 * mm, 8 * mm, _CHART[0] - 16 * mm, _CHART[1] - 16 * mm
    names = ("inventory_win_minor", "event_win_minor")
    chart.data = [[(table["day"][name] or 0) / scale for table in tables] for name in names]
    chart.categoryAxis.categoryNames = [table["table"] for table in tables]
    for axis in (chart.categoryAxis, chart.valueAxis):
        axis.labels.fontName, axis.labels.fontSize, axis.strokeColor = SANS, 7, LINE
    chart.categoryAxis.labelAxisMode, chart.categoryAxis.visibleTicks = "low", 0
    chart.valueAxis.labelTextFormat = lambda value: formats.number(round(value))
    for number, colour in enumerate(_COLOURS):
        chart.bars[number].fillColor, chart.bars[number].strokeColor = colour, None
    drawing.add(chart)
    drawing.add(_legend())
    return drawing


def _legend() -> Legend:
    legend: Any = Legend()
    legend.x, legend.y, legend.alignment, legend.columnMaximum = _CHART[0] - 60 * mm, _CHART[1], "right", 1
    legend.fontName, legend.fontSize, legend.deltax = SANS, 7, 28 * mm
    legend.colorNamePairs = [*zip(_COLOURS, (_("Table win"), _("Recorded win")), strict=True)]
    return cast(Legend, legend)
