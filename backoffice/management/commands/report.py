"""`./manage.py report`: the report of a gaming day."""

from pathlib import Path
from typing import Any

import msgspec
from django.core.management.base import BaseCommand, CommandError, CommandParser

from backoffice.days import csv_sheets, program_states, status_lines, terminal_report
from backoffice.freshness.continuity import warn
from backoffice.management.arguments import gaming_day
from events.accounting.report import day_reports
from events.accounting.report.places import position_of
from events.errors import PitledgerError
from events.house.currency import left_out
from events.settings.settings import settings
from events.store import EventStore, open_store

SHAPES = ("json", "csv", "xlsx", "pdf")


class Command(BaseCommand):
    """Reads only."""

    help = (
        "Show the report of a gaming day from the events themselves: both wins of each table by shift, slips, "
        "discrepancies, the cage, where the chips are, progressives, and what stands in the way of its close. A closed "
        "day is shown as it was closed, with what was named for it since. Exit code: 0; 1 for a closed day that comes "
        "out otherwise than its closing says; 2 for what cannot be read, and a day of which there is nothing. "
        "--export writes the figures with the events behind them, one file that proves itself, when it stands on the "
        "list of what was given out; tools/verify_day.py checks it without this system."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("day", type=gaming_day, metavar="DAY", help="the gaming day, as 2026-11-20")
        when = parser.add_mutually_exclusive_group()
        when.add_argument("--as-of", metavar="POSITION|TIME", help="as it was said then (default: now)")
        when.add_argument(
            "--between", nargs=2, metavar=("A", "B"), help="what changed from one position or time to another"
        )
        how = parser.add_mutually_exclusive_group()
        how.add_argument("--json", action="store_true", help="as JSON, amounts in minor units")
        how.add_argument("--csv", type=Path, metavar="DIR", help="as sheets, into this folder")
        how.add_argument("--xlsx", type=Path, metavar="FILE", help="as a workbook, with a chart of both wins")
        how.add_argument("--pdf", type=Path, metavar="FILE", help="on paper, with lines to sign")
        parser.add_argument("--export", type=Path, metavar="FILE", help="with its events, as a file that proves it")
        parser.add_argument(
            "--whole", action="store_true", help="with --export: every event since the house's first, so all chips"
        )
        parser.add_argument(
            "--by", default="", metavar="PERSON", help="who gives the file out: its head and the list say so"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["whole"] and not options["export"]:
            raise CommandError("--whole says what is in the file of --export FILE", returncode=2)
        warn(self.stderr.write)
        store = open_store(settings().store)
        try:
            if options["between"]:
                self._between(store, options)
                return
            if options["export"]:
                self._export(store, options)
            if not options["export"] or any(options[name] for name in SHAPES):
                self._report(store, options)
        except (PitledgerError, OSError) as error:
            raise CommandError(str(error), returncode=2) from error
        finally:
            store.close()

    def _report(self, store: EventStore, options: dict[str, Any]) -> None:
        report = day_reports.make(store, settings().property_, options["day"], _position(store, options))
        if note := left_out(store, settings().property_):
            self.stderr.write(note)
        whole = status_lines.whole(report, program_states.say())
        if options["json"]:
            self.stdout.write(msgspec.json.format(msgspec.json.encode(whole)).decode())
        elif options["csv"]:
            self._write(options["csv"], whole)
        elif options["xlsx"] or options["pdf"]:
            self._file(store, whole, options)
        else:
            self.stdout.write("\n".join(terminal_report.render(whole)))
        if not report.is_as_said:
            raise CommandError("the day was closed with another digest: run `verify`", returncode=1)

    def _export(self, store: EventStore, options: dict[str, Any]) -> None:
        from backoffice.days import proofs  # here: the figures alone need no proof
        from tools import verify_day

        day, position, path = options["day"], _position(store, options), options["export"]
        made_ = proofs.export(store, day, position, path, options["by"], is_whole=options["whole"])
        try:
            out = self.stderr if options["json"] else self.stdout
            out.write("\n".join(made_))
        except verify_day.Wrong as why:
            raise CommandError(f"no proof would hold: {why}", returncode=1) from why

    def _write(self, folder: Path, whole: dict[str, Any]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in csv_sheets.sheets(whole):
            (folder / name).write_text(content, encoding="utf-8", newline="")
            self.stdout.write(str(folder / name))

    def _file(self, store: EventStore, whole: dict[str, Any], options: dict[str, Any]) -> None:
        """A closed day's is on the list before it is there."""
        from backoffice.access.issued_documents import note
        from backoffice.days.reports.master_report import report_file  # who only looks does not wait for what prints

        suffix, by = ("pdf" if options["pdf"] else "xlsx"), options["by"]
        made_, path = report_file(suffix, whole, store.position(), by), options[suffix]
        if made_.paper is not None:
            note(by, made_.paper)
        path.write_bytes(made_.content)
        self.stdout.write(str(path))

    def _between(self, store: EventStore, options: dict[str, Any]) -> None:
        if any(options[name] for name in (*SHAPES[1:], "export")):
            raise CommandError("what changed is text or JSON: leave out what else there is", returncode=2)
        first, last = sorted(position_of(store, moment) for moment in options["between"])
        steps = list(day_reports.between(store, settings().property_, options["day"], first, last))
        if options["json"]:
            changes = {"from": first, "to": last, "changed": day_reports.summed(steps), "events": steps}
            self.stdout.write(msgspec.json.format(msgspec.json.encode(changes)).decode())
        else:
            self.stdout.write("\n".join(terminal_report.steps(steps, day_reports.summed(steps))))


def _position(store: EventStore, options: dict[str, Any]) -> int:
    """Return the position of --as-of; the last one without it."""
    as_of = options["as_of"]
    return store.position() if as_of is None else position_of(store, as_of)
