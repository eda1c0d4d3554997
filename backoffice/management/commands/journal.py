"""`./manage.py journal`: show the double-entry journal of a gaming day."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
from django.core.management.base import CommandError, CommandParser

from backoffice.days import report_json_and_csv
from backoffice.days.journal import journal_and_trial_balance_rows
from backoffice.days.journal.journal_and_trial_balance_rows import Row
from backoffice.freshness.history_mismatch import warn
from backoffice.management.gaming_day_argument import gaming_day
from backoffice.management.house_command import HouseCommand, exit_code
from backoffice.wording.books_as_terminal_tables import grid
from events import catalogue
from events.accounting.report import day_reports
from events.accounting.report.day_reports import MadeReport
from events.house.property_currency_lookup import left_out
from events.house.setting_and_chip_issue_decider import stream_of
from events.house.setting_and_chip_structs import SettingChanged
from events.money.posting_rules import in_force, rules_text
from events.settings.settings_from_environment import settings
from events.store import EventStore, everything, open_store

_BALANCES = ("account", "begin", "debits", "credits", "end")


class Command(HouseCommand):
    """Reads only."""

    help = (
        "Show the double-entry journal of a gaming day, computed exactly from the events: the trial balance, and "
        "the entries by table, shift and rule. A closed day shows the journal of its report. Exit code 2: "
        "something cannot be read, the day has no events, or a file format has no name for an account."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("day", type=gaming_day, nargs="?", metavar="DAY", help="the gaming day, as 2026-11-20")
        parser.add_argument("--per-event", action="store_true", help="show each entry with its event")
        exclusive_options = parser.add_mutually_exclusive_group()
        exclusive_options.add_argument("--csv", action="store_true", help="print the entries as CSV")
        exclusive_options.add_argument(
            "--json", action="store_true", help="print the entries as JSON, amounts as decimal text"
        )
        exclusive_options.add_argument("--beancount", action="store_true", help="print a Beancount file")
        exclusive_options.add_argument(
            "--post", action="store_true", help="post the missing entries to the read models"
        )
        exclusive_options.add_argument(
            "--rules", action="store_true", help="print the rules in force, as in the setting journal_rules"
        )
        exclusive_options.add_argument(
            "--xlsx",
            nargs="?",
            type=Path,
            const=Path(),
            metavar="FILE",
            help="write a workbook (default: journal-DAY.xlsx)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["day"] is None and not options["rules"] and not options["post"]:
            raise CommandError("Name a gaming day: journal DAY, as 2026-11-20", returncode=2)
        warn(self.stderr.write)
        with closing(open_store(settings().store)) as store, exit_code(2):
            if options["rules"]:
                self.stdout.write(rules_text(in_force(_rules(store)).values()))
            elif options["post"]:
                self._post(store)
            else:
                self._show(store, options)

    def _post(self, store: EventStore) -> None:
        from projections.journal.journal_rows_from_events import Posting  # here: the figures alone need no read model

        posting = Posting(store, settings().property_)
        self.stdout.write(f"{posting.catch_up():,} entries posted, up to event {posting.position:,}")

    def _show(self, store: EventStore, options: dict[str, Any]) -> None:
        name, property_ = options["day"], settings().property_
        report = day_reports.make(store, property_, name, store.position())
        if note := left_out(store, property_):
            self.stderr.write(note)
        day, currency = journal_and_trial_balance_rows.day_journal(report)
        trial = journal_and_trial_balance_rows.trial(day, currency)
        if options["per_event"]:
            posted = journal_and_trial_balance_rows.each(
                day_reports.entries(store, property_, name, report.basis), currency
            )
        else:
            posted = journal_and_trial_balance_rows.summed(day.posted, currency)
        if options["csv"]:
            self.stdout.write(report_json_and_csv.sheet(posted), ending="")
        elif options["json"]:
            answer = {"property": property_, "day": name, "as_of": report.figures["as_of"], "currency": currency}
            answer |= {"status": report.basis.status, "digest": report.digest}
            answer |= {"trial": trial, "posted": posted}
            self.stdout.write(msgspec.json.encode(answer).decode())
        elif options["beancount"]:
            from backoffice.days.journal import beancount

            self.stdout.write("\n".join(beancount.render(name, currency, day, posted)))
        elif options["xlsx"] is not None:
            from backoffice.days.journal import workbook  # here: most calls write no workbook

            file = options["xlsx"] if options["xlsx"].name else Path(f"journal-{name}.xlsx")
            file.write_bytes(workbook.workbook(_title(report), trial, posted))
            self.stdout.write(str(file))
        else:
            self.stdout.write("\n".join(_terminal_lines(_title(report), trial, posted)))


def _rules(store: EventStore) -> str:
    """The property's own, as they were last set."""
    changes = everything(store, types=(SettingChanged.TYPE,))
    setting_changes = [
        catalogue.decode(change.type, change.raw).data
        for change in changes
        if change.stream == stream_of(settings().property_)
    ]
    return next((str(change.value) for change in reversed(setting_changes) if change.setting == "journal_rules"), "")


def _title(report: MadeReport) -> str:
    figures = report.figures
    return f"Journal of {figures['day']}, {report.basis.status}, as of {figures['as_of']}; digest {report.digest}"


def _terminal_lines(title: str, trial: Sequence[Row], rows: Sequence[Row]) -> Iterator[str]:
    """Yield the trial balance, and then the postings."""
    yield title
    yield ""
    yield "Trial balance: debits count up, credits down; income and expenses begin at zero"
    yield from grid([*_BALANCES], [[row[name] for name in _BALANCES] for row in trial])
    yield ""
    yield "Posted"
    names = [*rows[0]] if rows else []
    yield from grid(names, [[str(row[name]) for name in names] for row in rows])
