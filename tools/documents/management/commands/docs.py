"""`./manage.py docs`: write the generated documents, or check that they are fresh and every schema compatible."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from backoffice.running import database_and_mail_settings


class Command(BaseCommand):
    """docs/events, docs/actions, docs/par, OpenAPI, AsyncAPI and pages of docs/reference come from the code alone."""

    help = (
        "Write the generated files of docs/: JSON Schemas and pages of events and actions, OpenAPI and AsyncAPI "
        "documents, par sheets, and reference pages. With --check write nothing. It exits with 1 if a file is "
        "stale, or a schema is incompatible with its published form. Published are the commits HEAD and HEAD^ and "
        "the latest tag, or without a commit the files on disk."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help=("write nothing; exit with 1 if a file is stale or incompatible")
        )
        parser.add_argument("--against", metavar="COMMIT", help="compare the schemas only with this commit")
        parser.add_argument(
            "--folder", type=Path, default=database_and_mail_settings.ROOT / "docs", help="default: docs"
        )

    def handle(self, *, check: bool, against: str | None, folder: Path, **options: Any) -> None:
        from tools.documents import (
            all_generated_documents,
        )  # here: they load every page, which the completion does not need

        folder.mkdir(parents=True, exist_ok=True)
        generated = all_generated_documents.generate()
        broken = _broken(folder, against, generated)
        if check:
            self._check(all_generated_documents.stale(folder, generated), broken)
        else:
            self._write(folder, generated, broken, all_generated_documents.left_over(folder, generated))

    def _check(self, stale: list[str], broken: list[str]) -> None:
        for path in stale:
            self.stderr.write(f"stale: docs/{path}")
        for line in broken:
            self.stderr.write(f"incompatible: {line}")
        advice = []
        if stale:
            advice.append("run `make docs` (./manage.py docs) and commit the result")
        if broken:
            advice.append(
                "leave the published type as it is, and make the change in a new one: an event's .vN+1 with an "
                "upcaster in events/streams/upcast.py, a new field with a default, or an action of another name"
            )
        if advice:
            raise CommandError("; ".join(advice), returncode=1)
        self.stdout.write("the generated documents are fresh, and every schema is compatible")

    def _write(self, folder: Path, generated: dict[str, str], broken: list[str], left_over: Iterable[str]) -> None:
        for path, text in generated.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        for path in left_over:
            (folder / path).unlink()
        self.stdout.write(f"{len(generated)} documents written to {folder}")
        for line in broken:
            self.stderr.write(f"incompatible, `docs --check` will fail: {line}")


def _broken(folder: Path, against: str | None, generated: dict[str, str]) -> list[str]:
    from tools.documents.all_generated_documents import incompatible
    from tools.documents.published_schemas import published

    sources = published(folder, against)
    if against and "the files on disk" in sources:
        raise CommandError(f"the commit {against} does not exist here", returncode=2)
    lines = {line: source for source, files in reversed(sources.items()) for line in incompatible(files, generated)}
    return [f"{line} (since {source})" for line, source in sorted(lines.items())]
