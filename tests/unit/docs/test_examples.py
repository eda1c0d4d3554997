"""The examples of the documentation are computed again, by what runs live."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest

from backoffice.wording.error_code_sentences import with_message
from events.desk.command_and_answer_structs import Answer
from events.envelope import Action
from events.games.cases import answer
from events.streams.problem_details import Problem
from projections.tables.models import TableDay
from projections.tables.table_and_recorded_win_calculation import DifferenceCauses, wins
from tests.support.houses.small_house import House

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
PROGRESSIVE = DOCS / "explanation" / "progressive.md"
EXAMPLE = json.loads((DOCS / "explanation" / "progressive-example.jsonl").read_text())
FENCE = re.compile(r"^```\n(.*?)^```", re.DOTALL | re.MULTILINE)


def money(minor: Fraction | int | str) -> str:
    """Minor units, maybe a fraction of one, as the pages write them: 1,185.025."""
    exact = Fraction(minor) / 100
    amount = Decimal(exact.numerator) / exact.denominator
    return f"{amount:,.2f}" if amount == round(amount, 2) else f"{amount:,f}"


# --- the worked example of the progressive --------------------------------------------------------------------------


def fact_in_words(fact: dict[str, Any]) -> str:
    """A fact of the example in words."""
    ((kind, data),) = ((key, value) for key, value in fact.items() if key != "at")
    if kind == "arm":
        stakes = ", ".join(f"{bet['player']} {money(bet['stake'])}" for bet in data["bets"])
        return f"{data['table']} arms round {data['round']}: {stakes}"
    if kind == "hit":
        return f"{data['id'].title()} hits the Minor at {data['table']}"
    if kind in ("dealt", "over"):
        return f"the {'initial deal' if kind == 'dealt' else 'round'} at {data['table']} is complete"
    by = " and ".join(person["role"] for person in data.get("by", ()))
    name = data["hit"].title()
    return {
        "void": f"{name}'s hit is void: {by}",
        "authorise": f"{name}'s share is authorised: {by}",
        "pay": f"{name} is paid",
    }[kind]


def hits_of(result: dict[str, Any]) -> str:
    """The hits as they stand."""
    hits = [
        f"{name.title()} {hit['status']}" + (f" {money(hit['share'])}" if "share" in hit else "")
        for name, hit in result["hits"].items()
    ]
    return ", ".join(hits)


def computed_rows() -> Iterator[str]:
    """The rows of the page's table: after each fact, by the fold over those up to it."""
    facts = EXAMPLE["given"]["facts"]
    for count in range(len(facts) + 1):
        result = result_after(count)
        minor = result["levels"]["minor"]
        at, what = (facts[count - 1]["at"], fact_in_words(facts[count - 1])) if count else ("", "to begin with")
        yield f"| {at} | {what} | {money(minor['meter'])} | {money(minor['shown'])} | {hits_of(result)} |"


def result_after(count: int) -> dict[str, Any]:
    inputs = {**EXAMPLE["given"], "facts": EXAMPLE["given"]["facts"][:count]}
    answer_ = answer({"ruleset": EXAMPLE["ruleset"], "given": inputs})
    decoded: dict[str, Any] = json.loads(msgspec.json.encode(answer_, enc_hook=str))
    return decoded


def test_every_row_of_the_worked_example_is_what_the_fold_computes() -> None:
    page = PROGRESSIVE.read_text()
    table = page.partition("<!-- example -->\n")[2].partition("<!-- end -->")[0]
    assert table.splitlines()[2:] == list(computed_rows())


def test_the_meter_equation_of_the_worked_example() -> None:
    level_terms = EXAMPLE["given"]["levels"]["minor"]
    minor = result_after(len(EXAMPLE["given"]["facts"]))["levels"]["minor"]
    parts = [money(level_terms["meter"]), *(money(minor[name]) for name in ("seeds", "fed", "adjusted"))]
    equation = f"{' + '.join(parts)} - {money(minor['locked'])} = {money(minor['meter'])}"
    assert equation in PROGRESSIVE.read_text()


def test_every_amount_in_the_words_of_the_worked_example_is_one_of_its_amounts() -> None:
    results = [result_after(count) for count in range(len(EXAMPLE["given"]["facts"]) + 1)]
    meters = {Fraction(result["levels"]["minor"]["meter"]) for result in results}
    locks = [lock for result in results for lock in result["locks"]["minor"]]
    amounts = {Fraction(lock[name]) for lock in locks for name in ("meter", "amount", "seed")}
    rests = {Fraction(lock["meter"]) - lock["amount"] for lock in locks}
    fed = {
        sum(bet["stake"] for bet in fact["arm"]["bets"]) * Fraction(1, 40)
        for fact in EXAMPLE["given"]["facts"]
        if "arm" in fact
    }
    envy = {Fraction(amount) for amount in (*EXAMPLE["given"]["envy"]["minor"], *EXAMPLE["given"]["stakes"])}
    last = results[-1]["levels"]["minor"]
    sums = {Fraction(last[name]) for name in ("seeds", "fed", "adjusted", "locked")}
    known = {money(amount) for amount in meters | amounts | rests | fed | envy | sums}
    words = re.sub(r"^\|.*$", "", PROGRESSIVE.read_text().partition("## An example")[2], flags=re.MULTILINE)
    assert set(re.findall(r"\d[\d,]*\.\d+", words)) - {"2.5"} <= known


# --- the two wins ---------------------------------------------------------------------------------------------------


def test_the_two_wins_of_the_page() -> None:
    day = TableDay(
        opener_minor=5_040_000, closer_minor=4_876_000, buyins_cash_minor=175_000, drop_minor=175_000,
        stakes_minor=280_500, resolved_minor=280_500, lost_minor=239_000, due_minor=227_500, paid_minor=228_000,
        expected_minor=4_876_000,
    )  # fmt: skip
    both_wins = wins(day)
    page = (DOCS / "explanation" / "two-wins.md").read_text()
    assert both_wins.explained is not None
    assert f"1,750.00 + 48,760.00 - 50,400.00 = {money(both_wins.inventory_win_minor or 0)}" in page
    assert f"2,390.00 - 2,275.00 = {money(both_wins.event_win_minor)}" in page
    assert f"110.00 - 115.00 = {money(both_wins.difference_minor or 0)}" in page
    assert f"2,275.00 - 2,280.00 = {money(both_wins.explained.mispay_minor)}" in page
    assert both_wins.explained.rest_minor == 0


def test_the_parts_of_the_difference_are_all_explained() -> None:
    page = (DOCS / "explanation" / "two-wins.md").read_text().partition("| part | field | cause |")[2]
    parts = re.findall(r"^\| [a-z ]+ \| `([a-z_]+)` \|", page.partition("\n\n")[0], re.MULTILINE)
    assert parts == [*DifferenceCauses.__struct_fields__]


# --- actions --------------------------------------------------------------------------------------------------------


def bodies(page: Path) -> list[dict[str, Any]]:
    """Return the request bodies of a page, in order."""
    texts = re.findall(r"(?:act|-d) '(\{.*?\})'$", page.read_text(), re.DOTALL | re.MULTILINE)
    return [json.loads(body) for body in texts]


@pytest.fixture
def house() -> Iterator[House]:
    house_ = House()
    for person, role in (("i-201", "inspector"), ("d-101", "dealer")):
        house_.grant(person, role)
    yield house_
    house_.close()


def test_the_tutorials_round_is_played_as_it_says(house: House) -> None:
    page = DOCS / "tutorial" / "first-night.md"
    refused = []
    for body in bodies(page):
        actions = [msgspec.convert(body_, Action, dec_hook=_raw) for body_ in _raw_data(body.get("actions", [body]))]
        for reply in house.send("tables", "FR1", "i-201", *actions):
            if isinstance(reply, Problem):
                refused.append(reply)
            else:
                assert isinstance(reply, Answer)
    assert [problem.key for problem in refused] == ["own-7", "own-11"]
    assert msgspec.json.encode(with_message(refused[0])).decode() in page.read_text()
    assert "35000 is due" in refused[1].detail
    last = house.no("tables", "FR1", "i-201", house.action("round.end"))
    assert "idle" in last.detail, "the round is over"


def test_the_approval_of_the_how_to_is_asked_for_and_given(house: House) -> None:
    house.open_progressive()
    _roll, change, give = bodies(DOCS / "howto" / "send-actions.md")
    (action,) = (msgspec.convert(body, Action, dec_hook=_raw) for body in _raw_data([change]))
    request = house.ok("progressives", "blazing", "mark", action)[0].data
    assert give["data"]["request"] == request.request
    assert request.content.startswith(give["data"]["content"].rstrip("."))
    approval = {"request": request.request, "content": request.content}
    events = house.ok("progressives", "blazing", "anna", house.action("approval.give", **approval))
    assert [event.type for event in events] == ["approval.given.v1", "parameters.changed.v1"]


def test_the_roll_of_the_how_to_opens_the_next_day(house: House) -> None:
    house.open_table("FR1")
    roll, *_ = bodies(DOCS / "howto" / "send-actions.md")
    (action,) = (msgspec.convert(body, Action, dec_hook=_raw) for body in _raw_data([roll]))
    events = house.ok("tables", "FR1", "ines", action)
    (opened,) = (event.data for event in events if event.type == "session.opened.v1")
    assert opened.gaming_day == roll["data"]["gaming_day"]


def _raw_data(actions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**action, "data": msgspec.Raw(msgspec.json.encode(action.get("data", {})))} for action in actions]


def _raw(shape: type, value: object) -> object:
    assert shape is msgspec.Raw
    return value


# --- what is shown with its answer ------------------------------------------------------------------------------------


def test_the_dispute_is_settled_as_shown() -> None:
    command, answer = FENCE.findall((DOCS / "howto" / "settle-a-dispute.md").read_text())[:2]
    case = shlex.split(command.partition("|")[0])[1]
    assert run("settle", "--explain", stdin=case).strip() == answer.strip()


def test_the_case_of_the_progressive_is_answered_as_expected() -> None:
    answer = run("settle", "--expect", "docs/explanation/progressive-example.jsonl")
    assert "1 answers compared, 0 differ" in answer


def run(*words: str, stdin: str = "") -> str:
    completed = subprocess.run(
        [sys.executable, "manage.py", *words], cwd=ROOT, input=stdin, capture_output=True, text=True, check=True
    )
    return completed.stdout + completed.stderr
