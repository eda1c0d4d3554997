"""The reports of a gaming day, in one list: the order of their page."""

from django.utils.translation import gettext_lazy as _

from backoffice.days.reports.declaration import Report, ReportColumn
from backoffice.days.reports.exceptions import adjustments, exceptions
from backoffice.days.reports.journal import journal, trial
from backoffice.days.reports.payouts import paid
from backoffice.days.reports.progressive_pools import pools
from backoffice.days.reports.report_day import cash, count_variance, discrepancies, hold_to_date, hours
from backoffice.days.reports.slips import slips
from backoffice.days.reports.trays import trays
from backoffice.kit.page import Words
from backoffice.people.readable_by import CASH, DAYS

_EVENT, _TIME = ReportColumn("event", _("Event"), "event"), ReportColumn("time", _("Time"), "time")
_TABLE, _SHIFT = ReportColumn("table", _("Table")), ReportColumn("shift", _("Shift"))
_TENDER, _BY = ReportColumn("tender", _("Tender"), codes="tender"), ReportColumn("by", _("By"))


def _amount(name: str, words: Words) -> ReportColumn:
    return ReportColumn(f"{name}_minor", words, "minor")


REPORTS = (
    Report(
        name="inventory",
        title=_("Table inventory sheet"),
        meaning=_("each tray by denomination: opener, fills, credits, closer; with lines to sign"),
        open_to=DAYS,
        columns=(
            _TABLE,
            _SHIFT,
            _amount("chip", _("Chip")),
            ReportColumn("opener_pieces", _("Opener, pieces"), "number"),
            ReportColumn("fills_pieces", _("Fills, pieces"), "number"),
            ReportColumn("credits_pieces", _("Credits, pieces"), "number"),
            ReportColumn("closer_pieces", _("Closer, pieces"), "number"),
            _amount("opener", _("Opener")),
            _amount("fills", _("Fills")),
            _amount("credits", _("Credits")),
            _amount("closer", _("Closer")),
            ReportColumn("opener_counted_by", _("Opener counted by")),
            ReportColumn("closer_counted_by", _("Closer counted by")),
        ),
        rows=trays,
        signed=(_("Opener, dealer"), _("Opener, supervisor"), _("Closer, dealer"), _("Closer, supervisor")),
        apart=True,
        is_also=("opener", "closer"),
    ),
    Report(
        name="slips",
        title=_("Slip accountability"),
        meaning=_("every number from the first to the last of the day, and what became of each"),
        open_to=DAYS,
        columns=(
            ReportColumn("kind", _("Kind"), codes="kind"),
            ReportColumn("series", _("Series")),
            ReportColumn("number", _("Number"), "number"),
            ReportColumn("gaming_day", _("Gaming day")),
            _TABLE,
            ReportColumn("status", _("Status"), codes="status"),
            _amount("issued", _("Issued")),
            _amount("received", _("Received")),
            _amount("transit", _("In transit")),
            ReportColumn("runner", _("Carried by")),
        ),
        rows=slips,
        signed=(_("Accounting"), _("Cage")),
    ),
    Report(
        name="discrepancies",
        title=_("Discrepancies"),
        meaning=_("what was counted was not what was expected, and who has explained it"),
        open_to=DAYS,
        columns=(
            _EVENT,
            ReportColumn("kind", _("Kind"), codes="kind"),
            _TABLE,
            _SHIFT,
            _TENDER,
            _amount("expected", _("Expected")),
            _amount("found", _("Found")),
            _amount("difference", _("Difference")),
            ReportColumn("band", _("Band"), codes="band"),
            ReportColumn("explained_by", _("Explained by")),
            ReportColumn("reason", _("Reason")),
        ),
        rows=discrepancies,
    ),
    Report(
        name="boxes",
        title=_("Count variance"),
        meaning=_("drop boxes: what was counted against what was bought in, by tender"),
        open_to=DAYS,
        columns=(
            _TABLE,
            ReportColumn("box", _("Drop box")),
            _SHIFT,
            ReportColumn("state", _("State")),
            _TENDER,
            _amount("recorded", _("Recorded")),
            _amount("counted", _("Counted")),
            _amount("difference", _("Difference")),
            ReportColumn("difference_permille", _("Share"), "permille"),
        ),
        rows=count_variance,
        signed=(_("Count room"), _("Accounting")),
    ),
    Report(
        name="exceptions",
        title=_("Exceptions"),
        meaning=_("every override, void and correction, every fact that a rule forbids"),
        open_to=DAYS,
        columns=(
            _EVENT,
            _TIME,
            ReportColumn("what", _("What")),
            _TABLE,
            ReportColumn("detail", _("Detail")),
            ReportColumn("clause", _("Clause")),
            _BY,
        ),
        rows=exceptions,
    ),
    Report(
        name="adjustments",
        title=_("Adjustments over 2,000"),
        meaning=_("meters, payments of the house, corrected bets, restatements (NJ 1.34)"),
        open_to=DAYS,
        columns=(
            _EVENT,
            _TIME,
            ReportColumn("what", _("What")),
            _TABLE,
            ReportColumn("detail", _("Detail")),
            _amount("before", _("Before")),
            _amount("after", _("After")),
            _amount("amount", _("Amount")),
            _BY,
        ),
        rows=adjustments,
    ),
    Report(
        name="paid",
        title=_("Jackpots and envy paid"),
        meaning=_("gross, withheld by law and net, with the slip and the number of the form"),
        open_to=DAYS,
        columns=(
            _EVENT,
            _TIME,
            ReportColumn("kind", _("Kind"), codes="kind"),
            ReportColumn("progressive", _("Progressive")),
            ReportColumn("slip", _("Slip")),
            _TABLE,
            ReportColumn("player", _("Player")),
            _TENDER,
            _amount("gross", _("Gross")),
            _amount("withheld", _("Withheld")),
            _amount("net", _("Net")),
            ReportColumn("form", _("Form")),
        ),
        rows=paid,
        signed=(_("Cage"), _("Accounting")),
    ),
    Report(
        name="cash",
        title=_("Cash by player"),
        meaning=_("pit and cage together, in and out apart, by opaque id"),
        open_to=CASH,
        columns=(
            ReportColumn("player", _("Player")),
            _amount("in", _("Cash in")),
            _amount("out", _("Cash out")),
            ReportColumn("level", _("Is"), codes="level"),
        ),
        rows=cash,
        tells_boxes=True,
    ),
    Report(
        name="progressives",
        title=_("Progressive reconciliation and liability"),
        meaning=_("each meter from its first event to now, and what is owed with it"),
        open_to=DAYS,
        columns=(
            ReportColumn("progressive", _("Progressive")),
            ReportColumn("level", _("Level"), codes="level"),
            *(
                ReportColumn(f"{name}_micro", words, "micro")
                for name, words in (
                    ("start", _("Start")),
                    ("fed", _("Fed")),
                    ("seeds", _("Seeds")),
                    ("corrected", _("Corrected")),
                    ("locked", _("Locked")),
                    ("meter", _("Meter")),
                    ("rest", _("Rest")),
                    ("reserve", _("Reserve")),
                    ("unpaid", _("Locked, not paid")),
                    ("liability", _("Liability")),
                )
            ),
        ),
        rows=pools,
        signed=(_("Accounting"), _("Progressives")),
    ),
    Report(
        name="hold",
        title=_("Hold analysis"),
        meaning=_("each table's drop, win and hold: day, month and year to date"),
        open_to=DAYS,
        columns=(
            _TABLE,
            ReportColumn("period", _("Period")),
            _amount("drop", _("Drop")),
            _amount("win", _("Win")),
            ReportColumn("hold_millionths", _("Hold"), "millionths"),
            _amount("handle", _("Handle")),
            _amount("event_win", _("Event win")),
            ReportColumn("win_by_handle_millionths", _("Win by handle"), "millionths"),
        ),
        rows=hold_to_date,
        tells_boxes=True,
    ),
    Report(
        name="journal",
        title=_("Journal"),
        meaning=_("what was posted, by table, shift and rule"),
        open_to=DAYS,
        columns=(
            ReportColumn("belongs_to", _("Day")),
            _TABLE,
            _SHIFT,
            ReportColumn("what", _("What")),
            ReportColumn("debit", _("Debit")),
            ReportColumn("credit", _("Credit")),
            ReportColumn("amount_micro", _("Amount"), "micro"),
        ),
        rows=journal,
        tells_boxes=True,
    ),
    Report(
        name="trial",
        title=_("Trial balance"),
        meaning=_("debits and credits of each account on the day; together they are the same"),
        open_to=DAYS,
        columns=(
            ReportColumn("account", _("Account")),
            ReportColumn("debits_micro", _("Debits"), "micro"),
            ReportColumn("credits_micro", _("Credits"), "micro"),
            ReportColumn("moved_micro", _("Moved by"), "micro"),
        ),
        rows=trial,
        tells_boxes=True,
    ),
    Report(
        name="hours",
        title=_("Hour by hour"),
        meaning=_("all tables, by the clock of the events"),
        open_to=DAYS,
        columns=(
            ReportColumn("from", _("From"), "time"),
            _amount("buyins", _("Buy-ins")),
            _amount("fills", _("Fills")),
            _amount("credits", _("Credits")),
            _amount("event_win", _("Event win")),
            _amount("mispay", _("Mispay")),
            _amount("sum", _("Event win so far")),
        ),
        rows=hours,
    ),
)
BY_NAME = {report.name: report for report in REPORTS}
