"""The reports of a gaming day, in one list: the order of their page."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from backoffice.days.reports.exception_report import adjustments, exceptions
from backoffice.days.reports.jackpot_payouts import payment_rows
from backoffice.days.reports.journal import journal, trial_balance_rows
from backoffice.days.reports.progressive_meter_reconciliation import pools
from backoffice.days.reports.report_and_column_structs import Report, ReportColumn
from backoffice.days.reports.slips import slips
from backoffice.days.reports.trays import trays
from backoffice.days.reports.variance_cash_hold_report_lines import (
    cash,
    count_variance,
    discrepancies,
    hold_to_date,
    hours,
)
from backoffice.kit.page_declaration import Words
from backoffice.people.roles_allowed_per_page import CASH, DAYS

_EVENT, _TIME = ReportColumn("event", _("Event"), "event"), ReportColumn("time", _("Time"), "time")
_TABLE, _SHIFT = ReportColumn("table", _("Table")), ReportColumn("shift", _("Shift"))
_TENDER, _BY = ReportColumn("tender", _("Tender"), codes="tender"), ReportColumn("by", _("By"))


def _amount(name: str, words: Words) -> ReportColumn:
    return ReportColumn(f"{name}_minor", words, "minor")


REPORTS = (
    Report(
        name="inventory",
        title=_("Table inventory sheet"),
        meaning=_("tray by denomination: opener, fills, credits, closer; with signature lines"),
        open_to=DAYS,
        columns=(
            _TABLE,
            _SHIFT,
            _amount("chip", _("Denomination")),
            ReportColumn("opener_pieces", _("Opener, chips"), "number"),
            ReportColumn("fills_pieces", _("Fills, chips"), "number"),
            ReportColumn("credits_pieces", _("Credits, chips"), "number"),
            ReportColumn("closer_pieces", _("Closer, chips"), "number"),
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
        meaning=_("every slip number of the day with its status"),
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
        meaning=_("counts that differ from expected, with their explanation"),
        open_to=DAYS,
        columns=(
            _EVENT,
            ReportColumn("kind", _("Kind"), codes="kind"),
            _TABLE,
            _SHIFT,
            _TENDER,
            _amount("expected", _("Expected or first count")),
            _amount("found", _("Found or verification count")),
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
        meaning=_("drop boxes: counted amounts against recorded buy-ins, by tender"),
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
            ReportColumn("difference_permille", pgettext_lazy("ratio", "Share"), "permille"),
        ),
        rows=count_variance,
        signed=(_("Count room"), _("Accounting")),
    ),
    Report(
        name="exceptions",
        title=_("Exceptions"),
        meaning=_("overrides, voids, corrections and irregularities"),
        open_to=DAYS,
        columns=(
            _EVENT,
            _TIME,
            ReportColumn("what", _("Exception")),
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
        meaning=_("meters, house payments, corrected bets, restatements (NJ 1.34)"),
        open_to=DAYS,
        columns=(
            _EVENT,
            _TIME,
            ReportColumn("what", _("Adjustment")),
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
        meaning=_("gross, tax withheld and net, with slip and form number"),
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
        rows=payment_rows,
        signed=(_("Cage"), _("Accounting")),
    ),
    Report(
        name="cash",
        title=_("Cash by player"),
        meaning=_("cash in and cash out by player id, pit and cage combined"),
        open_to=CASH,
        columns=(
            ReportColumn("player", _("Player")),
            _amount("in", _("Cash in")),
            _amount("out", _("Cash out")),
            ReportColumn("level", _("Status"), codes="level"),
        ),
        rows=cash,
        tells_boxes=True,
    ),
    Report(
        name="progressives",
        title=_("Progressive reconciliation and liability"),
        meaning=_("each meter from opening to now, with its liability"),
        open_to=DAYS,
        columns=(
            ReportColumn("progressive", _("Progressive")),
            ReportColumn("level", _("Level"), codes="level"),
            *(
                ReportColumn(f"{name}_micro", words, "micro")
                for name, words in (
                    ("start", _("Start")),
                    ("fed", _("Contributions")),
                    ("seeds", _("Seeds")),
                    ("corrected", _("Corrected")),
                    ("locked", _("Awarded")),
                    ("meter", _("Meter")),
                    ("rest", _("Out of balance")),
                    ("reserve", _("Reserve")),
                    ("unpaid", _("Awarded, unpaid")),
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
            _amount("win", pgettext_lazy("win of the house", "Win")),
            ReportColumn("hold_millionths", _("Hold"), "millionths"),
            _amount("handle", _("Handle")),
            _amount("event_win", _("Recorded win")),
            ReportColumn("win_by_handle_millionths", _("Win / handle"), "millionths"),
        ),
        rows=hold_to_date,
        tells_boxes=True,
    ),
    Report(
        name="journal",
        title=_("Journal"),
        meaning=_("postings by table, shift and rule"),
        open_to=DAYS,
        columns=(
            ReportColumn("belongs_to", _("Day")),
            _TABLE,
            _SHIFT,
            ReportColumn("what", _("Posting")),
            ReportColumn("debit", pgettext_lazy("journal", "Debit")),
            ReportColumn("credit", pgettext_lazy("journal", "Credit")),
            ReportColumn("amount_micro", _("Amount"), "micro"),
        ),
        rows=journal,
        tells_boxes=True,
    ),
    Report(
        name="trial",
        title=_("Trial balance"),
        meaning=_("debits and credits of each account on the day; both totals are equal"),
        open_to=DAYS,
        columns=(
            ReportColumn("account", _("Account")),
            ReportColumn("debits_micro", pgettext_lazy("journal", "Debits"), "micro"),
            ReportColumn("credits_micro", pgettext_lazy("journal", "Credits"), "micro"),
            ReportColumn("moved_micro", _("Moved by"), "micro"),
        ),
        rows=trial_balance_rows,
        tells_boxes=True,
    ),
    Report(
        name="hours",
        title=_("Hour by hour"),
        meaning=_("all tables, by event time"),
        open_to=DAYS,
        columns=(
            ReportColumn("from", _("From"), "time"),
            _amount("buyins", _("Buy-ins")),
            _amount("fills", _("Fills")),
            _amount("credits", _("Credits")),
            _amount("event_win", _("Recorded win")),
            _amount("mispay", _("Mispay")),
            _amount("sum", _("Recorded win so far")),
        ),
        rows=hours,
    ),
)
BY_NAME = {report.name: report for report in REPORTS}
