"""`./manage.py settle`: settle cases by the rules, one JSON object a line in, one answer a line out."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, BinaryIO

import msgspec
from django.core.management.base import CommandError, CommandParser

from backoffice.management.house_command import HouseCommand
from events.games import cases
from events.games.cases import wrong

MAX_LINE = 16 * 1024 * 1024  # bytes; a longer line is not kept in memory


class Command(HouseCommand):
    """The reference implementation of the rules, for disputes and for what-if: it reads and writes nothing else."""

    help = (
        "Settle cases by the rules. Reads one JSON object per line ({id, ruleset, given: {kind, ...}}) from FILES "
        'or standard input. Writes {"id", "result"} per line with exact amounts, or {"error": reason} for a '
        'refusal. A line that cannot be read gets "id": null and an error; the rest continue. Exit code 0: every '
        "line was answered. Exit code 1: with --expect, an answer differs or nothing was compared. Exit code 2: a "
        "file cannot be read."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="*", metavar="FILE", help="files of JSON lines; - or none: standard input")
        parser.add_argument("--explain", action="store_true", help="show the clause of the rule book for each result")
        parser.add_argument(
            "--json", action="store_true", help='with --explain: print JSON lines with the clauses as "why"'
        )
        parser.add_argument(
            "--expect",
            action="store_true",
            help="compare with `expect` of each case; print differences and a count; exit with 1 if any differs",
        )

    def handle(self, *, files: list[str], explain: bool, json: bool, expect: bool, **options: Any) -> None:
        out = AnswerWriter(sys.stdout.buffer, explain=explain, json=json)
        with ExitStack() as opened:
            sources = [_open(name, opened) for name in files or ["-"]]
            try:
                if expect:
                    self._expect(sources)
                else:
                    for source in sources:
                        for line in input_lines(source):
                            out.answer(line)
            except BrokenPipeError:  # a person who read us has seen enough
                sys.stderr.close()

    def _expect(self, sources: list[BinaryIO]) -> None:
        checked_count = differ = 0
        for source in sources:
            for line in input_lines(source):
                case, answer = _settle(line)
                if not isinstance(case.get("expect"), dict):
                    continue
                checked_count += 1
                differences = wrong(case["expect"], answer["result"])
                differ += bool(differences)
                for text in differences:
                    self.stdout.write(f"{answer['id']}: {text.lstrip('.')}")
        self.stderr.write(f"{checked_count} answers compared, {differ} differ")
        if differ:
            raise CommandError("Some answers differ from the expected ones.", returncode=1)
        if not checked_count:
            raise CommandError("No line has an `expect` to compare with.", returncode=1)


class AnswerWriter:
    """Writer of each answer as soon as it exists."""

    def __init__(self, out: BinaryIO, *, explain: bool, json: bool) -> None:
        self._out, self._explain, self._json = out, explain, json

    def answer(self, line: bytes) -> None:
        """Answer one line."""
        case, answer = _settle(line)
        if self._explain:
            answer["why"] = _failure_reasons(case, answer["result"])
        if self._explain and not self._json:
            self._out.write(readable(case, answer).encode() + b"\n")
        else:
            self._out.write(_encoded(answer) + b"\n")
        self._out.flush()


def readable(case: dict[str, Any], answer: dict[str, Any]) -> str:
    """A case, its result and the clauses behind it, for a person."""
    facts = case.get("given")
    kind = facts.get("kind") if isinstance(facts, dict) else None
    head = f"{answer['id'] or '(no id)'}: {case.get('ruleset') or 'no ruleset'} {kind or ''}".rstrip()
    why = "".join(f"\n  {line}" for line in answer["why"])
    return f"{head}\n  result {_encoded(answer['result']).decode()}{why}\n"


def input_lines(source: BinaryIO) -> Iterator[bytes]:
    """The lines of a file. A line that is too long is cut off, and then cannot be read."""
    while line := source.readline(MAX_LINE):
        tail = line
        while not tail.endswith(b"\n") and len(tail) == MAX_LINE:
            tail = source.readline(MAX_LINE)
        yield line.removeprefix(b"\xef\xbb\xbf")


def _settle(line: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the case, empty for an unreadable one, and its answer, in every case."""
    case = _case(line)
    try:
        return case, cases.answer_line(line)
    except Exception as error:  # a programming error must not stop the other cases
        return case, {"id": case.get("id"), "result": {"error": f"cannot be settled: {error!r}"}}


def _case(line: bytes) -> dict[str, Any]:
    try:
        case = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    return case if isinstance(case, dict) else {}


def _failure_reasons(case: dict[str, Any], result: dict[str, Any]) -> list[str]:
    from events.games.clauses import explain

    try:
        return explain(case, result)
    except Exception as error:  # an answer without its clauses is still an answer
        return [f"cannot be explained: {error!r}"]


def _encoded(answer: dict[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(answer)
    except Exception as error:
        name = answer.get("id")
        short_name = name if isinstance(name, str | int) else None
        return msgspec.json.encode({"id": short_name, "result": {"error": f"cannot be written: {error!r}"}})


def _open(name: str, opened: ExitStack) -> BinaryIO:
    if name == "-":
        return sys.stdin.buffer
    try:
        return opened.enter_context(open(name, "rb"))
    except OSError as error:
        raise CommandError(f"{name}: {error.strerror}", returncode=2) from error
