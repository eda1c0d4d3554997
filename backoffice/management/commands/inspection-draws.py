"""`./manage.py inspection-draws`: list the draws of tables to inspect, or export the proof of one."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from django.core.management.base import CommandError, CommandParser

from backoffice.access.personal_data_access_log import EXPORT, from_terminal
from backoffice.kit.reader_and_read_rule_types import NOBODY
from backoffice.management.house_command import HouseCommand, exit_code
from events.settings.settings_from_environment import settings
from events.signing import house_signing_key
from events.store import open_store

if TYPE_CHECKING:
    from backoffice.surveillance.inspection_draws.draw_list_and_detail_content import DrawLine, DrawShown


class Command(HouseCommand):
    """Read only: the terminal shows only the public entries of a result."""

    help = (
        "List the draws of tables to inspect, show one with its public entries, or export the proof of a published "
        "draw. People commit, reveal and record inspections on the pages or by the API. Exit code 1: the draw is "
        "unknown, or not published yet."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_subparsers(dest="what", metavar="WHAT")
        parser.add_argument("--json", action="store_true", help="print one JSON object per line")
        show = what.add_parser("show", help="show a draw with the entries that are public")
        show.add_argument("draw", metavar="DRAW")
        show.add_argument("--json", action="store_true", help="print JSON")
        export = what.add_parser("export", help="write the proof of a published draw; `verify-draw` checks it")
        export.add_argument("draw", metavar="DRAW")
        export.add_argument("file", type=Path, metavar="FILE")

    def handle(self, *args: Any, **options: Any) -> None:
        with exit_code(1):
            getattr(self, f"_{options['what'] or 'list'}")(options)

    def _list(self, options: dict[str, Any]) -> None:
        from backoffice.surveillance.inspection_draws.draw_list_and_detail_content import (
            draw_list,  # here: `completion` loads every command
        )

        for line in draw_list().draws:
            self.stdout.write(msgspec.json.encode(line).decode() if options["json"] else _line(line))

    def _show(self, options: dict[str, Any]) -> None:
        from backoffice.surveillance.inspection_draws.draw_list_and_detail_content import draw_shown

        draw = draw_shown(options["draw"], NOBODY)
        self.stdout.write(msgspec.json.encode(draw).decode() if options["json"] else "\n".join(_lines(draw)))

    def _export(self, options: dict[str, Any]) -> None:
        from backoffice.surveillance.inspection_draws.draw_list_and_detail_content import draw_of
        from events.inspection_draws.draw_proof import proof
        from events.integrity.signed_head_stores import open_heads
        from tools import verify_draw

        url = settings().store
        with closing(open_store(url)) as store, closing(open_heads(url)) as heads:
            content = proof(store, heads, settings().property_, draw_of(options["draw"]))
        try:
            verification = verify_draw.verify(content, sorted(house_signing_key.trusted()))
        except verify_draw.DrawProofError as why:
            raise CommandError(f"The proof would not be valid: {why}", returncode=1) from why
        from_terminal(
            EXPORT, f"inspection-draws export {options['draw']}", self.stderr.write, count=len(verification["drawn"])
        )
        options["file"].write_bytes(content)
        self.stdout.write(
            f"{options['file']}: {len(verification['drawn'])} of {verification['listed']} entries; verified."
        )


def _line(line: "DrawLine") -> str:
    """Return a draw as one reads it: name, period, time of the draw, state, inspections."""
    times = (time.isoformat(timespec="minutes") for time in (line.since, line.until, line.draw_at))
    inspected = f"{line.inspected} of {line.number} inspected"
    return "\t".join([line.draw, *times, line.state, *(["late"] if line.is_late else []), inspected])


def _lines(draw: "DrawShown") -> list[str]:
    entries = [
        f"{entry.entry:>5}  {entry.table:<12} {entry.since.isoformat()}  {entry.finding or 'not inspected'}"
        for entry in draw.drawn
    ]
    return [_line(draw.line), f"commitment {draw.commitment}", *entries, f"{draw.hidden} entries hidden"]
