"""The journal of a gaming day as posted, and the movements of its accounts."""

from collections import Counter
from collections.abc import Iterator

from django.db.models import F, Sum

from backoffice.days.journal.journal_and_trial_balance_rows import meaning
from backoffice.days.reports.variance_cash_hold_report_lines import ReportSubject, Row
from projections.journal.models import MICRO, JournalEntry

# Totals of minor units and of their remainders: 64 bits hold both.
_SUMS = {"whole": Sum(F("minor") + F("micro") / MICRO), "rest": Sum(F("micro") - F("micro") / MICRO * MICRO)}


def journal(of: ReportSubject) -> Iterator[Row]:
    """Yield lines by table, shift and rule; postings of another day have their own lines. One query."""
    by = ("day", "table", "shift", "rule", "debit", "credit")
    entries = JournalEntry.objects.filter(dated=of.day).values(*by).annotate(**_SUMS).order_by(*by)
    for entry in entries:
        if micro := int(entry["whole"]) * MICRO + int(entry["rest"]):
            debit, credit = ("debit", "credit") if micro > 0 else ("credit", "debit")
            yield {
                "belongs_to": entry["day"],
                "table": entry["table"],
                "shift": entry["shift"],
                "what": meaning(entry["rule"]),
                "debit": entry[debit],
                "credit": entry[credit],
                "amount_micro": abs(micro),
            }


def trial_balance_rows(of: ReportSubject) -> Iterator[Row]:
    """Debits and credits of each account; together they are the same."""
    debits, credits_ = Counter[str](), Counter[str]()
    for row in journal(of):
        amount_micro = int(str(row["amount_micro"]))
        debits[str(row["debit"])] += amount_micro
        credits_[str(row["credit"])] += amount_micro
    for account in sorted(debits | credits_):
        yield _account_line(account, debits[account], credits_[account])
    yield _account_line("", debits.total(), credits_.total())


def _account_line(account: str, debits_micro: int, credits_micro: int) -> Row:
    moved_micro = debits_micro - credits_micro
    return {
        "account": account,
        "debits_micro": debits_micro,
        "credits_micro": credits_micro,
        "moved_micro": moved_micro,
    }
