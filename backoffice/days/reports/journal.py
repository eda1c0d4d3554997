"""The journal of a gaming day as it was posted, and what its accounts moved by."""

from collections import Counter
from collections.abc import Iterator

from django.db.models import F, Sum

from backoffice.days.journal.rows import meaning
from backoffice.days.reports.report_day import ReportSubject, Row
from projections.journal.models import MICRO, JournalEntry

# Sums of minor units and of what is left of them: 64 bits hold both.
_SUMS = {"whole": Sum(F("minor") + F("micro") / MICRO), "rest": Sum(F("micro") - F("micro") / MICRO * MICRO)}


def journal(of: ReportSubject) -> Iterator[Row]:
    """By table, shift and rule; what belongs to another day has lines of its own. One query."""
    by = ("day", "table", "shift", "rule", "debit", "credit")
    entries = JournalEntry.objects.filter(dated=of.day).values_list(*by).annotate(**_SUMS).order_by(*by)
    for day, table, shift, rule, debit, credit, whole, rest in entries:
        if micro := int(whole) * MICRO + int(rest):
            sides = (debit, credit) if micro > 0 else (credit, debit)
            yield day, table, shift, meaning(rule), *sides, abs(micro)


def trial(of: ReportSubject) -> Iterator[Row]:
    """Debits and credits of each account; together they are the same."""
    debits, credits_ = Counter[str](), Counter[str]()
    for row in journal(of):
        debits[str(row[4])] += int(str(row[6]))
        credits_[str(row[5])] += int(str(row[6]))
    for account in sorted(debits | credits_):
        yield account, debits[account], credits_[account], debits[account] - credits_[account]
    yield "", debits.total(), credits_.total(), 0
