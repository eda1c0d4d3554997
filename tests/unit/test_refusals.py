"""A refusal that is about a field names one that an action has, as a form and a program look for it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import msgspec

from events.catalogue import action_types
from events.envelope import Action
from events.errors import Refused
from events.streams.problem_details import problem_of

EVENTS = Path(__file__).parents[2] / "events"


def modules_and_fields() -> Iterator[tuple[str, str]]:
    """Yield each module with the fields that its refusals name."""
    for path in EVENTS.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Refused":
                for keyword in node.keywords:
                    if keyword.arg == "field" and isinstance(keyword.value, ast.Constant):  # not one that is handed on
                        yield path.name, str(ast.literal_eval(keyword.value))


def test_every_field_that_a_refusal_names_is_one_of_an_action() -> None:
    fields = {f"data.{field.name}" for shape in action_types().values() for field in msgspec.structs.fields(shape)}
    fields |= {field.name for field in msgspec.structs.fields(Action)}
    fields_ = list(modules_and_fields())
    assert len(fields_) > 50
    assert [(module, field) for module, field in fields_ if field not in fields] == []


def test_a_problem_names_clause_and_field() -> None:
    problem = problem_of(Refused("house count", "the box D1 is counted", field="data.drop_box"))
    assert (problem.status, problem.clause, problem.field) == (422, "house count", "data.drop_box")
    assert problem_of(Refused("house count", "no")).field is None
