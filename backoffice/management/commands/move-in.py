"""`./manage.py move-in`: set up a real house from a folder of CSV files."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec
from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser

from backoffice.house.opening import folder_reading, import_checks, move_in_outcome_in_words
from backoffice.house.opening.csv_columns import EXAMPLE_DAY, SHEETS, template
from backoffice.house.opening.csv_reader import Fault
from backoffice.house.opening.dry_run_copy_in_memory import memory_copy
from backoffice.house.opening.folder_reading import OpeningPlan
from backoffice.house.opening.house_state_reader_for_import import HouseState, read
from backoffice.house.opening.opening_run_from_terminal import carry_out
from backoffice.house.opening.plan_step_execution import StepResult
from backoffice.management.house_command import HouseCommand, exit_code
from backoffice.models import Person
from backoffice.people import staff_change_access_log_line
from events.error_codes import coded, json_params
from events.runtime import clock
from events.settings.settings_from_environment import settings
from events.store import EventStore, open_store
from events.store.guard_trigger_check import prepare
from events.store.property_owner_check import must_be_of

FAULTY, UNFINISHED = 2, 3
FAULTS_SHOWN = 100


class Command(HouseCommand):
    """Every change goes through the desk, as an ordinary action of a named person."""

    help = (
        "Set up a real house from a folder of CSV files: property, staff, tables, progressives, monthly history, "
        "chips, opening balances and open markers. Every line is checked before anything is written. --by names "
        "the people at this terminal. Each does the actions of their role and approves the requests of the others. "
        "Other approvals wait in the inboxes. Run the command again to continue; nothing is done twice. Exit code "
        "2: the files have faults. Exit code 3: something is still open."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, metavar="FOLDER", help="folder of the CSV files")
        parser.add_argument("--template", action="store_true", help="write example files into FOLDER and stop")
        parser.add_argument("--dry-run", action="store_true", help="check everything and write nothing")
        parser.add_argument(
            "--by",
            action="append",
            default=[],
            metavar="ID",
            help="a person at this terminal; repeat for each. After the first closed day only one person",
        )
        parser.add_argument("--encoding", default="", help="encoding of files that are not UTF-8, such as cp1253")
        parser.add_argument("--json", action="store_true", help="print the result as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["template"]:
            return self._write_templates(options["folder"])
        if not options["folder"].is_dir():
            raise CommandError(
                f"The folder {options['folder']} does not exist. `move-in FOLDER --template` creates one.", returncode=2
            )
        with exit_code(FAULTY), _house(dry=options["dry_run"]) as store:
            plan, results = self._move_in(store, options)
        self._say(plan, results, options)

    def _write_templates(self, folder: Path) -> None:
        files = {folder / sheet.file: template(sheet) for sheet in SHEETS}
        if there := [path.name for path in files if path.exists()]:
            raise CommandError(f"{there[0]} is in {folder} already. Name an empty folder.", returncode=2)
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in files.items():
            text = text.replace(EXAMPLE_DAY, clock.moment().date().isoformat())
            path.write_text(text, encoding="utf-8-sig", newline="")
        self.stdout.write(
            f"Wrote {len(files)} files to {folder}. Replace the example lines, and delete what you do not need."
        )

    def _move_in(self, store: EventStore, options: dict[str, Any]) -> tuple[OpeningPlan, list[StepResult]]:
        files, strangers = folder_reading.files_of(options["folder"])
        before = read(store, settings().property_)
        plan = folder_reading.read(files, before.currency, options["encoding"])
        if not files:
            strangers = [Fault(str(options["folder"]), 0, "", coded("import-folder-empty"))]
        faults = [*strangers, *import_checks.faults(plan, before), *_people_at_hand(options["by"], before, plan)]
        if faults:
            self._refuse(faults, as_json=options["json"])
        if not options["dry_run"]:
            for person in options["by"]:
                staff_change_access_log_line.record_staff_change(person, "move-in", str(options["folder"]))
        results = carry_out(store, settings().property_, plan, options["by"])
        if not options["dry_run"]:
            _call_by_name(plan, results)
        return plan, results

    def _refuse(self, faults: Sequence[Fault], *, as_json: bool) -> None:
        """Print every fault and stop before anything is written."""
        if as_json:
            body = {"faults": list(map(_as_json, faults))}
            self.stdout.write(msgspec.json.encode(body).decode())
        else:
            self.stdout.write("\n".join(map(str, faults[:FAULTS_SHOWN])))
            if len(faults) > FAULTS_SHOWN:
                self.stdout.write(f"... and {len(faults) - FAULTS_SHOWN} more")
        count = f"{len(faults)} fault{'s' if len(faults) > 1 else ''}"
        raise CommandError(f"{count} in the files. Nothing was written.", returncode=FAULTY)

    def _say(self, plan: OpeningPlan, results: list[StepResult], options: dict[str, Any]) -> None:
        is_dry, open_groups = options["dry_run"], move_in_outcome_in_words.open_steps(results)
        if options["json"]:
            body = {"dry_run": is_dry, "groups": move_in_outcome_in_words.groups(results), "open": open_groups}
            body["balances"] = dict(move_in_outcome_in_words.balances(plan)) if plan.balances else {}
            self.stdout.write(msgspec.json.encode(body).decode())
        else:
            self.stdout.write("\n".join(move_in_outcome_in_words.outcome_lines(plan, results, is_dry=is_dry)))
            self.stdout.write("This was a dry run: nothing was written." if is_dry else _end(open_groups))
        if open_groups and (not is_dry or any(line.is_refused for line in open_groups)):
            raise SystemExit(UNFINISHED)


def _as_json(fault: Fault) -> dict[str, Any]:
    place = {"file": fault.file, "line": fault.line, "column": fault.column}
    return {**place, "message": fault.message, "code": fault.text.code, "params": json_params(fault.text)}


def _end(left: Sequence[move_in_outcome_in_words.OpenSteps]) -> str:
    return "Not finished: run it again when the open steps can be done." if left else "The house has moved in."


@contextmanager
def _house(*, dry: bool) -> Iterator[EventStore]:
    """Yield the house's store, made if missing; for a dry run a copy in memory."""
    if dry:
        with memory_copy(settings().store) as store:
            must_be_of(store, settings().property_)
            yield store
        return
    call_command("migrate", interactive=False, verbosity=0)
    with closing(open_store(settings().store)) as store:
        prepare(store)
        must_be_of(store, settings().property_)
        yield store


def _people_at_hand(by: Sequence[str], state: HouseState, plan: OpeningPlan) -> Iterator[Fault]:
    """Yield faults of --by: unknown people, and a second person after the first closed day."""
    staff_names = {*state.roles, *(employee.person for employee in plan.staff)}
    for person in by:
        if person not in staff_names:
            yield Fault("--by", 0, "", coded("import-person-unknown", person=person))
    if len(by) > 1 and state.books.closed:
        yield Fault("--by", 0, "", coded("import-people-count"))


def _call_by_name(plan: OpeningPlan, results: Sequence[StepResult]) -> None:
    """Store people's names in the directory. A name that was changed or erased meanwhile stays as it is."""
    held = {result.step.data["person"] for result in results if result.step.group == "staff"}
    rows = [Person(id=employee.person, name=employee.name) for employee in plan.staff if employee.person in held]
    Person.objects.bulk_create(rows, ignore_conflicts=True, batch_size=500)
