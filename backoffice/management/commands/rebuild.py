"""`./manage.py rebuild NAME`: build a read model again from the store, compare it with the live one, and switch."""

from collections.abc import Sequence
from contextlib import closing
from typing import Any

import msgspec
from django.core.management.base import CommandError, CommandParser

from backoffice.freshness.history_mismatch import obstacles
from backoffice.management.house_command import HouseCommand, exit_code
from backoffice.running import status_files
from backoffice.running.open_files_locks_full_disk import hold_file_lock
from events.settings.settings_from_environment import settings
from events.store import EventStore, open_store
from projections.engine.rebuild import Rebuild, RebuildDiffers, RebuildProgress, RebuildResult
from projections.registry import PROJECTORS

PEOPLE = "people"  # posted beside the read models (docs/adr/0138)
_AT_WORK = "another rebuild is at work here, and both would fill the same copies: wait until it has ended"


class Command(HouseCommand):
    """The live projection continues meanwhile; readers see one or the other, never a mixture."""

    help = (
        "Build a read model again from the event store beside the live one, compare the two, and switch. The same "
        "version must be equal. If another version differs, the difference is shown and --approve is needed. No "
        "tasks are sent."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "name",
            choices=[*PROJECTORS, PEOPLE, "all"],
            metavar="NAME",
            help="a read model, or all in one pass over the store; people: results of dealers and players, not in all",
        )
        parser.add_argument("--approve", action="store_true", help="switch even if the two differ")
        parser.add_argument("--json", action="store_true", help="print the result as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        names = list(PROJECTORS) if options["name"] == "all" else [options["name"]]
        with closing(open_store()) as store, exit_code(1):
            try:
                with hold_file_lock(status_files.run_folder() / "rebuild.lock", or_else=_AT_WORK):
                    results = self._rebuilt(names, store, approve=options["approve"])
            except RebuildDiffers as differs:
                for difference in differs.differences:
                    self.stderr.write(f"  {difference}")
                raise
            if options["json"]:
                self.stdout.write(msgspec.json.encode([_result_as_json(rebuilt) for rebuilt in results]).decode())
            else:
                for rebuilt in results:
                    self._report_result(rebuilt)
            status_files.ask_again()
            if blocked := obstacles(store, self.stderr.write):
                raise CommandError(f"Rebuilt. {'; '.join(blocked)}")

    def _rebuilt(self, names: list[str], store: EventStore, *, approve: bool) -> Sequence[RebuildResult]:
        property_ = settings().property_
        results: list[RebuildResult] = []
        if kinds := [PROJECTORS[name] for name in names if name != PEOPLE]:
            results += Rebuild(kinds, store, property_, tell=self._progress).run(approve=approve)
        if PEOPLE in names:
            from projections.people.rebuild import rebuild  # here: it loads every game

            results.append(rebuild(store, property_, self._progress, approve=approve))
        return results

    def _progress(self, progress: RebuildProgress) -> None:
        share = 100 * progress.position // max(progress.aim, 1)
        rate = progress.events / max(progress.seconds, 0.001)
        self.stderr.write(
            f"{progress.name}: {progress.doing}, {progress.position:,} of {progress.aim:,} ({share} %), "
            f"{progress.events:,} events, {rate:,.0f}/s"
        )

    def _report_result(self, rebuilt: RebuildResult) -> None:
        rows = ", ".join(f"{count:,} {name}" for name, count in rebuilt.rows.items())
        same = f"{len(rebuilt.differences)} differences approved" if rebuilt.differences else "equal to the live one"
        aside = f"; {rebuilt.poisoned} put aside" if rebuilt.poisoned else ""
        how = f"{rebuilt.events:,} events in {rebuilt.seconds:.1f} s up to position {rebuilt.position}"
        self.stdout.write(f"{rebuilt.name}: {how}, {same}; {rows}{aside}")


def _result_as_json(rebuilt: RebuildResult) -> dict[str, Any]:
    plain = {name: getattr(rebuilt, name) for name in rebuilt.__struct_fields__}
    return {
        **plain,
        "seconds": round(rebuilt.seconds, 3),
        "differences": [str(difference) for difference in rebuilt.differences],
    }
