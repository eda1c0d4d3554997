"""`./manage.py cases`: list the cases of surveillance, all of them or those that a person may see."""

from typing import TYPE_CHECKING, Any

import msgspec
from django.core.management.base import CommandParser

from backoffice.access.personal_data_access_log import CASE, from_terminal
from backoffice.freshness.history_mismatch import warn
from backoffice.kit.reader_and_read_rule_types import Reader
from backoffice.management.house_command import HouseCommand, closable_output, exit_code
from backoffice.people.current_roles import roles_of

if TYPE_CHECKING:
    from backoffice.cases.case_list_and_detail_content import CaseSummary


class Command(HouseCommand):
    """Reads only."""

    help = (
        "List cases, oldest first. The command decrypts them with the house case key. With --as PERSON it lists the "
        "cases that this person may see. With --destroyed it lists the cases whose key is destroyed, with their issued "
        "exports. Exit code 1: a database does not answer."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--status", choices=("open", "closed"), help="only open or closed cases")
        parser.add_argument("--as", dest="person", default="", metavar="PERSON", help="only cases of this person")
        parser.add_argument("--destroyed", action="store_true", help="cases whose key is destroyed")
        parser.add_argument("--json", action="store_true", help="print one JSON object per line")

    def handle(self, *args: Any, **options: Any) -> None:
        from backoffice.case_files.case_queries import cases_of, every_case, unreadable_cases
        from backoffice.cases.case_list_and_detail_content import summary  # here: `completion` loads every command

        warn(self.stderr.write)
        if options["destroyed"]:
            self._list_destroyed(is_json=options["json"])
            return
        with exit_code(1):
            person = options["person"]
            files = cases_of(Reader(person, roles_of(person)))[::-1] if person else every_case()
            unreadable = () if person else unreadable_cases()
        cases = [summary(file) for file in files if options["status"] in (None, file.status)]
        what = "".join(f" --{name} {value}" for name, value in (("as", person), ("status", options["status"])) if value)
        from_terminal(CASE, f"cases{what}", self.stderr.write, count=len(cases))
        if unreadable:
            self.stderr.write(f"{len(unreadable)} cases have no key, or one of another house case key.")
        with closable_output():
            for row in cases:
                self.stdout.write(msgspec.json.encode(row).decode() if options["json"] else _case_line(row))

    def _list_destroyed(self, *, is_json: bool) -> None:
        """List the destroyed cases. They cannot be read, so their subjects are unknown."""
        from backoffice.case_files.destroyed_case_listing import destroyed_cases

        with exit_code(1):
            cases = destroyed_cases()
        from_terminal(CASE, "cases --destroyed", self.stderr.write, count=len(cases))
        for case in cases:
            people = ", ".join(person for person, _role in case.approvals)
            issued = [f"export\t{export.event}\t{export.at}\t{export.by}" for export in case.exports]
            line = "\t".join((case.id, case.destroyed, case.reason, people))
            self.stdout.write(msgspec.json.encode(case).decode() if is_json else "\n".join((line, *issued)))


def _case_line(case: "CaseSummary") -> str:
    """A case as one reads it: id, opening, severity, category, state, title."""
    return "\t".join((case.id, case.opened, case.severity, case.category, case.status, case.title))
