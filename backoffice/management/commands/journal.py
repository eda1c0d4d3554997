"""`./manage.py journal`: show the double-entry journal of a gaming day."""

from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
from django.core.management.base import CommandError, CommandParser

from backoffice.days import report_json_and_csv
from backoffice.days.journal import journal_and_trial_balance_rows
from backoffice.freshness.history_mismatch import warn
from backoffice.management.gaming_day_argument import gaming_day
from backoffice.management.house_command import HouseCommand, exit_code
from events.accounting.report import day_reports
from events.house.current_settings import settings_of
from events.house.property_currency_lookup import left_out
from events.money.posting_rules import rules_from_setting, rules_text
from events.settings.settings_from_environment import settings
from events.store import EventStore, open_store


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
                self.stdout.write(
                    rules_text(rules_from_setting(settings_of(store, settings().property_).journal_rules).values())
                )
            elif options["post"]:
                self._post(store)
            else:
                self._show(store, options)

    def _post(self, store: EventStore) -> None:
        from projections.journal.journal_rows_from_events import (
            JournalPosting,  # here: the figures alone need no read model
        )

        posting = JournalPosting(store, settings().property_)
        self.stdout.write(f"{posting.catch_up():,} entries posted, up to event {posting.position:,}")

    def _show(self, store: EventStore, options: dict[str, Any]) -> None:
        name, property_ = options["day"], settings().property_
        report = day_reports.make(store, property_, name, store.position())
        if note := left_out(store, property_):
            self.stderr.write(note)
        day, currency = journal_and_trial_balance_rows.day_journal(report)
        trial = journal_and_trial_balance_rows.trial_balance(day, currency)
        if options["per_event"]:
            posted = journal_and_trial_balance_rows.entry_rows(
                day_reports.entries(store, property_, name, report.basis), currency
            )
        else:
            posted = journal_and_trial_balance_rows.summed(day.posted, currency)
        if options["csv"]:
            self.stdout.write(report_json_and_csv.sheet(posted), ending="")
        elif options["json"]:
            answer = journal_and_trial_balance_rows.journal_json(report, property_, currency, trial, posted)
            self.stdout.write(msgspec.json.encode(answer).decode())
        elif options["beancount"]:
            from backoffice.days.journal import beancount

            self.stdout.write("\n".join(beancount.render(name, currency, day, posted)))
        elif options["xlsx"] is not None:
            from backoffice.days.journal import workbook  # here: most calls write no workbook

            file = options["xlsx"] if options["xlsx"].name else Path(f"journal-{name}.xlsx")
            file.write_bytes(workbook.workbook(journal_and_trial_balance_rows.title(report), trial, posted))
            self.stdout.write(str(file))
        else:
            self.stdout.write("\n".join(journal_and_trial_balance_rows.journal_text(report, trial, posted)))
