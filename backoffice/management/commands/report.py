"""`./manage.py report`: show the report of a gaming day."""

from contextlib import closing
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from backoffice.access import personal_data_access_log as access_log
from backoffice.days import report_json_and_csv, system_state_for_day_close
from backoffice.freshness.history_mismatch import warn
from backoffice.management.gaming_day_argument import gaming_day
from backoffice.management.house_command import HouseCommand, exit_code
from events.accounting.report import day_reports
from events.house.property_currency_lookup import left_out
from events.settings.settings_from_environment import settings
from events.store import EventStore, open_store
from events.store.position_at_time import position_of

SHAPES = ("json", "csv", "xlsx", "pdf")


class Command(HouseCommand):
    """Reads only."""

    help = (
        "Show the report of a gaming day, computed from the events: both wins of each table by shift, slips, "
        "discrepancies, cage, chips, progressives and checklist. A closed day shows its close and its "
        "restatements. --export writes a file with the figures and their events, and lists it under issued "
        "documents. tools/verify_day.py checks the file without Pitledger. Exit code 1: a closed day now differs "
        "from its close. Exit code 2: something cannot be read, or the day has no events."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("day", type=gaming_day, metavar="DAY", help="the gaming day, as 2026-11-20")
        when = parser.add_mutually_exclusive_group()
        when.add_argument(
            "--as-of", metavar="POSITION|TIME", help="as reported at this position or time (default: now)"
        )
        when.add_argument(
            "--between", nargs=2, metavar=("A", "B"), help="show the changes from one position or time to another"
        )
        format_options = parser.add_mutually_exclusive_group()
        format_options.add_argument("--json", action="store_true", help="print JSON, amounts in minor units")
        format_options.add_argument("--csv", type=Path, metavar="DIR", help="write CSV files into this folder")
        format_options.add_argument(
            "--xlsx", type=Path, metavar="FILE", help="write a workbook with a chart of both wins"
        )
        format_options.add_argument("--pdf", type=Path, metavar="FILE", help="write a PDF with lines to sign")
        parser.add_argument(
            "--export", type=Path, metavar="FILE", help="write a file that proves the report, with its events"
        )
        parser.add_argument(
            "--whole",
            action="store_true",
            help="with --export: every event since the house began, so that all chips are covered",
        )
        parser.add_argument("--by", default="", metavar="PERSON", help="the person who issues the file")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["whole"] and not options["export"]:
            raise CommandError("--whole needs --export FILE", returncode=2)
        warn(self.stderr.write)
        with closing(open_store(settings().store)) as store, exit_code(2, OSError):
            if options["between"]:
                self._compare_positions(store, options)
                return
            if options["export"]:
                self._export(store, options)
            if not options["export"] or any(options[name] for name in SHAPES):
                self._report(store, options)

    def _report(self, store: EventStore, options: dict[str, Any]) -> None:
        report = day_reports.make(store, settings().property_, options["day"], _position(store, options))
        if note := left_out(store, settings().property_):
            self.stderr.write(note)
        report_ = report_json_and_csv.report_json(report, system_state_for_day_close.read_system_state())
        if options["json"]:
            self.write_json(report_)
        elif options["csv"]:
            self._write(options["csv"], report_)
        elif options["xlsx"] or options["pdf"]:
            self._file(store, report_, options)
        else:
            from backoffice.days import console_report  # here: files and JSON need no wording of figures

            self.stdout.write("\n".join(console_report.render(report_)))
        if not report.is_as_said:
            raise CommandError("The digest differs from that of the close. Run `verify`.", returncode=1)

    def _export(self, store: EventStore, options: dict[str, Any]) -> None:
        from backoffice.days import proof_export  # here: the figures alone need no proof
        from tools import verify_day

        day, position, path = options["day"], _position(store, options), options["export"]
        # Besides the figures, the events themselves, with the people in them.
        access_log.from_terminal(access_log.EXPORT, f"report {day} --export", self.stderr.write, options["by"])
        made_ = proof_export.export(store, day, position, path, options["by"], is_whole=options["whole"])
        try:
            out = self.stderr if options["json"] else self.stdout
            out.write("\n".join(made_))
        except verify_day.DayProofError as why:
            raise CommandError(f"The file would not be valid: {why}", returncode=1) from why

    def _write(self, folder: Path, report_: dict[str, Any]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in report_json_and_csv.sheets(report_):
            (folder / name).write_text(content, encoding="utf-8", newline="")
            self.stdout.write(str(folder / name))

    def _file(self, store: EventStore, report_: dict[str, Any], options: dict[str, Any]) -> None:
        """A closed day's is on the list before it is there."""
        # Imported here: reading does not wait for the printing library.
        from backoffice.days.reports.master_report_files import report_file

        suffix, by = ("pdf" if options["pdf"] else "xlsx"), options["by"]
        made_, path = report_file(suffix, report_, store.position(), by), options[suffix]
        if made_.paper is not None:
            made_.paper.record(by)
        path.write_bytes(made_.content)
        self.stdout.write(str(path))

    def _compare_positions(self, store: EventStore, options: dict[str, Any]) -> None:
        if any(options[name] for name in (*SHAPES[1:], "export")):
            raise CommandError("--between prints text or JSON only. Leave out the other formats.", returncode=2)
        first, last = sorted(position_of(store, moment) for moment in options["between"])
        steps = list(day_reports.report_steps(store, settings().property_, options["day"], first, last))
        if options["json"]:
            changes = {"from": first, "to": last, "changed": day_reports.summed(steps), "events": steps}
            self.write_json(changes)
        else:
            from backoffice.days import console_report  # here: JSON needs no wording of figures

            self.stdout.write("\n".join(console_report.steps(steps, day_reports.summed(steps))))


def _position(store: EventStore, options: dict[str, Any]) -> int:
    """Return the position of --as-of; the last one without it."""
    as_of = options["as_of"]
    return store.position() if as_of is None else position_of(store, as_of)
