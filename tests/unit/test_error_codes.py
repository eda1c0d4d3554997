"""Codes of errors: each has its sentence and its parameters, and none that was released is ever lost."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backoffice.wording.error_code_sentences import coded_sentence
from events import error_codes, errors
from events.error_codes import ErrorText, coded, json_params
from events.error_codes.catalogue import CODES, KINDS, SUBJECTS, CatalogueEntry, listing
from events.error_codes.coded_error_text import Name
from events.errors import Invalid, PitledgerError, Refused
from events.streams.problem_details import problem_of

ROOT = Path(__file__).parents[2]
RELEASED = Path(error_codes.__file__).with_name("codes.txt")
_EXAMPLES: dict[str, Any] = {
    "id": "p-77",
    "money": 123450,
    "count": 3,
    "day": "2026-11-20",
    "time": "2026-11-20T20:15:00.000Z",
    "card": "KH",
    "word": "straight_up",
    "text": "a\ntext\ud800 from outside" + "x" * 500,
    "list": ["dealer", "pit boss"],
    "codes": ["roles", "name"],
    "names": [Name(f"FR{number}", amount_minor=123450) for number in range(7)],
}


def example(kind: str) -> Any:
    """Return a parameter of this kind."""
    return coded("reason-needed") if kind == "error" else _EXAMPLES[kind]


def calls() -> Iterator[tuple[str, str, set[str]]]:
    """Yield the place, code and parameters of every `coded` call with a literal code in the product."""
    for folder in ("events", "projections", "workers", "backoffice"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                    continue
                if (place := {"coded": 0, "Mistake": 1}.get(node.func.id)) is not None:
                    first = node.args[place]
                    if isinstance(first, ast.Constant):
                        names = {keyword.arg or "" for keyword in node.keywords} | ({"column"} if place else set())
                        yield f"{path.relative_to(ROOT)}:{node.lineno}", str(first.value), names


def test_no_released_code_is_lost_or_has_other_parameters() -> None:
    """`python -m tools.documents.error_code_list_writer` adds a code to `codes.txt`, whose lines never change."""
    assert RELEASED.read_text(encoding="utf-8").splitlines() == listing().splitlines()


@pytest.mark.parametrize("entry", CODES.values(), ids=lambda entry: entry.code)
def test_every_code_makes_a_sentence_of_its_parameters(entry: CatalogueEntry) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", entry.code)
    parameter_names = set(re.findall(r"%\((\w+)\)s", entry.sentence + entry.todo))
    assert parameter_names == entry.kinds.keys()
    assert set(entry.kinds.values()) <= set(KINDS)
    assert entry.subject in SUBJECTS
    text = coded(entry.code, **{name: example(kind) for name, kind in entry.kinds.items()})
    sentence = str(text)
    assert sentence.isprintable()
    assert sentence[0].isupper() or entry.sentence.startswith(("%(", '"'))
    assert sentence.endswith((".", "?", ")"))
    message = coded_sentence(entry.code, json_params(text, "EUR"))
    plain = message.replace("\xa0", " ")
    assert plain.isprintable()
    assert "1,234.50 EUR" in plain or "money" not in entry.kinds.values()


def test_every_error_is_raised_with_the_parameters_of_its_code() -> None:
    wrong = [
        (place, code, sorted(names))
        for place, code, names in calls()
        if code not in CODES or names != CODES[code].kinds.keys()
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            coded("witness-file-damaged", file="heads.jsonl", why="This is not a head. Put it aside."),
            "heads.jsonl does not end with a head: This is not a head. Put it aside. Restore it from a copy.",
        ),
        (
            coded("environment-setting-unknown", hint="did you mean PITLEDGER_LOG?"),
            "There is no such setting: did you mean PITLEDGER_LOG? Correct its name.",
        ),
    ],
)
def test_a_text_that_ends_with_its_own_mark_gets_no_full_stop(text: ErrorText, sentence: str) -> None:
    assert str(text) == sentence
    assert coded_sentence(text.code, json_params(text)) == sentence


def test_a_sentence_is_not_written_before_it_is_read() -> None:
    class Unread:
        def __str__(self) -> str:
            raise AssertionError("it was written")

    Refused("house cage", ErrorText("cage-open", {"day": Unread()}))


def test_a_problem_has_its_code_and_the_currency_of_its_amounts() -> None:
    refused = Refused(
        "house limits", coded("cage-on-another-day", day="2026-11-20", asked="2026-11-21"), field="data.day"
    )
    refused.currency = "JPY"
    problem = problem_of(refused)
    assert (problem.status, problem.code, problem.clause, problem.field) == (
        422,
        "cage-on-another-day",
        "house limits",
        "data.day",
    )
    assert problem.params == {"day": "2026-11-20", "asked": "2026-11-21"}
    assert problem.detail == "The cage's gaming day is 2026-11-20, not 2026-11-21. Use the cage's gaming day."


def test_an_invalid_input_names_its_field_in_detail_and_not_in_the_sentence() -> None:
    problem = problem_of(Invalid("data.chips", coded("chips-none")))
    assert problem.detail == "data.chips: There are no chips in this. Enter at least one chip."
    assert coded_sentence(problem.code or "", problem.params or {}) == (
        "There are no chips in this. Enter at least one chip."
    )


# Errors and problems of the edge, and the place of their text.
AT_EDGE = {
    "Ambiguous": 0,
    "CellError": 0,
    "Fault": 3,
    "fault": 1,
    "wrong": 1,
    "Problem": 2,
    "problem_about": 2,
    "_refusal": 1,
}
# Reports of health have problems of their own: a name, a state, a reason and a remedy. `problem_of` copies a text.
OTHER_PROBLEMS = (
    "backoffice/house/condition_lags_and_problems.py",
    "backoffice/door/house_health_and_process_readiness.py",
    "events/streams/problem_details.py",
)
ERRORS = {
    name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, PitledgerError)
} | {"NotAuthenticated"}
# Their first argument is a clause, a field or a column.
WITH_PLACE = {name for name in ERRORS if issubclass(getattr(errors, name, object), Refused | Invalid)}


def _is_sentence(text: ast.expr | None, assigned: dict[str, list[ast.expr]]) -> bool:
    """Return whether a text is written at the raised error, instead of in the catalogue."""
    match text:
        case ast.JoinedStr() | ast.BinOp():
            return True
        case ast.Constant():
            return isinstance(text.value, str) and bool(text.value)
        case ast.Call():
            return isinstance(text.func, ast.Name) and text.func.id in ("str", "repr", "_", "gettext", "ngettext")
        case ast.IfExp():
            return _is_sentence(text.body, assigned) or _is_sentence(text.orelse, assigned)
        case ast.Name():
            return any(_is_sentence(value, {}) for value in assigned.get(text.id, ()))
    return False


def _name(function: ast.expr) -> str:
    """Return the last name of a called function."""
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _sentences(path: Path) -> Iterator[str]:
    """Yield the errors of a module that carry a sentence of their own."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        assigned: dict[str, list[ast.expr]] = {}
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                assigned.setdefault(node.targets[0].id, []).append(node.value)
        for node in ast.walk(function):
            if not isinstance(node, ast.Call) or (name := _name(node.func)) not in ERRORS | AT_EDGE.keys():
                continue
            place = AT_EDGE.get(name, 1 if name in WITH_PLACE else 0)
            text = node.args[place] if len(node.args) > place else None
            if _is_sentence(text, assigned):
                yield f"{path.relative_to(ROOT)}:{node.lineno}"


# Errors of these are read in a terminal only. The command line is in English.
OF_COMMANDS = (
    "backoffice/access/last_log_line_anchor_file.py",
    "backoffice/management/",
    "backoffice/running/",
    *(
        f"backoffice/house/{name}.py"
        for name in (
            *(
                "backup_manifest",
                "complete_backup_folder_creation",
                "snapshot_copies_of_databases",
                "database_restore",
                "postgres_tables_to_backup_files",
            ),
            *(
                "postgres_restore",
                "restore_from_backup",
                "scheduled_backup_times_and_deletion",
                "scratch_databases",
                "trial_restore_into_scratch_house",
            ),
            "destroyed_keys_from_witness",
        )
    ),
)


def test_no_error_carries_a_sentence() -> None:
    """Add a row to `events/error_codes/errors.tsv`, and raise the error with `coded(CODE, ...)`."""
    folders = [ROOT / name for name in ("events", "backoffice", "projections", "workers")]
    places = [place for folder in folders for path in sorted(folder.rglob("*.py")) for place in _sentences(path)]
    assert [place for place in places if not place.startswith((*OF_COMMANDS, *OTHER_PROBLEMS))] == []
