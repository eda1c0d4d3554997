"""Every settlement case in tests/data/cases, through the same door as `manage.py settle`."""

import json
from pathlib import Path
from typing import Any

import pytest

from events.games import cases
from events.games.cases import differences

FOLDER = Path(__file__).parents[2] / "data" / "cases"
SAMPLES = [
    pytest.param(json.loads(line), id=f"{path.stem}:{number}")
    for path in sorted(FOLDER.glob("*.jsonl"))
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    if line.strip()
]


def test_there_are_samples() -> None:
    assert len(SAMPLES) > 200


@pytest.mark.parametrize("case", SAMPLES)
def test_case(case: dict[str, Any]) -> None:
    answer = cases.answer_line(json.dumps(case))
    assert answer["id"] == case["id"]
    if "error" in case["expect"]:
        assert answer["result"].get("error"), answer
    else:
        assert differences(case["expect"], answer["result"]) == []


@pytest.mark.parametrize(
    ("expected", "actual", "wrong"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, 0),
        ({"a": 1}, {"a": True}, 1),
        ({"a": "1/2"}, {"a": "2/4"}, 1),
        ({"a": 1}, {"error": "x"}, 1),
        ({"reasons": ["x", "y"]}, {"reasons": ["y", "x"]}, 0),
        ({"choices": ["x", "y"]}, {"choices": ["y", "x"]}, 2),
        ({"results": [{"bet": "a"}, {"bet": "b"}]}, {"results": [{"bet": "b"}, {"bet": "a"}]}, 0),
        ({"envy": {"p1": 5}}, {"envy": {"p1": 5, "p2": 5}}, 1),
        ({"rolls": [1]}, {"rolls": [1, 2]}, 1),
    ],
)
def test_the_comparison_sees_what_differs(expected: Any, actual: Any, wrong: int) -> None:
    assert len(differences(expected, actual)) == wrong


@pytest.mark.parametrize(
    "line",
    ["", "[]", "7", '{"id": 1', '{"id": "x"}', '{"id": "x", "ruleset": "craps-gr", "given": {"kind": "nothing"}}'],
)
def test_a_bad_line_gets_an_error_for_itself(line: str) -> None:
    assert cases.answer_line(line)["result"]["error"]
