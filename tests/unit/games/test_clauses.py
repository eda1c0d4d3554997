"""`settle --explain`: every kind, every bet and every refusal has its clause, and every clause is in the book."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from events.games import cases
from events.games.baccarat import rules as baccarat
from events.games.blazing7s import rules as blazing7s
from events.games.clauses import Book, explain, pages, readings
from events.games.craps.ruleset import rules as craps_rules
from events.games.roulette.layout import TYPES
from events.rules import loading_and_pinning_rulesets

ROOT = Path(__file__).parents[3]
CASES = [
    json.loads(line)
    for path in sorted((ROOT / "tests" / "data" / "cases").glob("*.jsonl"))
    for line in path.read_text(encoding="utf-8").splitlines()
]
BOOKS = ("craps-gr", "craps-by", "roulette-american", "roulette-french", "baccarat", "blackjack-trilux", "blazing7s")
CITED = re.compile(r"(?:craps|roulette|baccarat|blackjack|blazing7s)[a-z-]* ([A-Z](?:\.\d+)?) \[00\d ")


def lines_of(ruleset: str, **inputs: Any) -> list[str]:
    case = {"ruleset": ruleset, "given": inputs}
    return explain(case, cases.answer(case))


@pytest.mark.parametrize(("ruleset", "kind"), [(name, kind) for name in BOOKS for kind in sorted(cases.kinds(name))])
def test_every_kind_has_its_clauses(ruleset: str, kind: str) -> None:
    opened = pages(ruleset)
    assert opened.of_kind(kind)
    assert all(clause in opened.book.clauses for clause in opened.book.kinds[kind])


@pytest.mark.parametrize("ruleset", BOOKS)
def test_a_book_lists_no_kind_that_does_not_exist(ruleset: str) -> None:
    assert pages(ruleset).book.kinds.keys() - cases.kinds(ruleset).keys() <= {"en_prison"}


@pytest.mark.parametrize("ruleset", ["craps-gr", "craps-by"])
def test_every_craps_bet_has_its_clause(ruleset: str) -> None:
    rules, book = craps_rules(ruleset), pages(ruleset).book
    for name in rules.bets():
        assert rules.bet(name).rule.clause in book.clauses
    for where in rules.data.clauses.values():
        assert where.partition("|")[0] in book.clauses


@pytest.mark.parametrize(
    ("ruleset", "bets"),
    [
        ("roulette-american", TYPES),
        ("roulette-french", TYPES),
        ("baccarat", baccarat.BETS),
        ("baccarat-no-commission", baccarat.BETS),
        ("blackjack-trilux", ("main", "double", "split", "insurance", "trilux")),
        ("blazing7s", blazing7s.CLASSES),
    ],
)
def test_every_other_bet_has_its_clause(ruleset: str, bets: tuple[str, ...]) -> None:
    book = pages(ruleset).book
    assert set(book.bets) == set(bets)
    assert all(clause in book.clauses for clause in book.bets.values())


def _clauses_that_refuse() -> Iterator[tuple[str, str]]:
    named = {"blackjack": "blackjack-trilux", "roulette": "roulette-french", "craps": "craps-gr"}
    for path in sorted((ROOT / "events" / "games").glob("*/*.py")):
        text, ruleset = path.read_text(encoding="utf-8"), named.get(path.parent.name, path.parent.name)
        for clause in re.findall(r'refused\("([PBLI](?:\.\d+)?)"', text):
            yield ruleset, clause
        for clause in re.findall(r'f?"(?:\{[a-z.]+\}|baccarat) ([PBLI](?:\.\d+)?)"', text):
            yield ruleset, clause
        for clause in re.findall(r'"blazing7s ([PBLI](?:\.\d+)?)"', text):
            yield "blazing7s", clause


@pytest.mark.parametrize(("ruleset", "clause"), sorted(set(_clauses_that_refuse())))
def test_every_clause_that_refuses_is_in_the_book(ruleset: str, clause: str) -> None:
    assert clause in pages(ruleset).book.clauses


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_every_sample_is_explained(case: dict[str, Any]) -> None:
    result = cases.answer(case)
    lines = explain(case, result)
    assert lines
    text = "\n".join(lines)
    assert "no clause" not in text
    assert "an open question" not in text
    book: Book = pages(case["ruleset"]).book
    listed = {clause.partition(" ")[0] for clause in book.clauses}
    assert set(CITED.findall(text)) <= listed
    for bet in _bets(result):
        assert any(f" {bet} " in f" {line}" for line in lines), f"{bet} is not explained"


def _bets(result: dict[str, Any]) -> set[str]:
    rolls = [*result.get("rolls", []), *result.get("events", []), result]
    rolls = [roll for roll in rolls if isinstance(roll, dict)]
    return {done["bet"] for roll in rolls for done in [*roll.get("resolutions", []), *roll.get("results", [])]}


def test_the_line_of_a_bet() -> None:
    bets = [{"id": "a", "type": "pass", "stake": 10}, {"id": "b", "type": "place", "stake": 6, "number": 6}]
    lines = lines_of("craps-gr", kind="rolls", point=None, bets=bets, rolls=[[3, 3]])
    assert lines[1].startswith("roll 1 (6, come-out): a pass stands: craps-gr B.1 [000 §10a(1)] WIN: 7 or 11 wins")
    assert lines[2].startswith("roll 1 (6, come-out): b place stands: craps-gr B.17 [000 §10d(1)]")
    assert "craps-gr B.19 [000 §10d] while no point is set" in lines[3]


def test_a_wish_that_was_not_met() -> None:
    events = [{"place": {"id": "a", "type": "pass", "stake": 10}}, {"roll": [2, 4]}, {"remove": "a"}]
    lines = lines_of("craps-gr", kind="session", point=None, bets=[], events=events)
    assert lines[-1].startswith("event 3: not accepted: ")
    assert "craps-gr B.5 [000 §10a(4)] WIN and COME bets cannot be withdrawn" in lines[-1]


def test_a_refusal_names_its_clause_in_words() -> None:
    bets = [{"id": "a", "type": "split", "stake": 5, "numbers": [3, 4]}]
    (line,) = lines_of("roulette-french", kind="spin", number=3, bets=bets)
    assert line.startswith(
        "refused: The layout has no split on 3, 4. Check the place of the bet: "
        "roulette-french P.7 [002 §8a, §8b] bets are valid"
    )


def test_what_cannot_be_read_has_no_clause() -> None:
    (line,) = lines_of("roulette-french", kind="spin", number="x", bets=[])
    assert "no rule was applied" in line
    assert explain({}, {"error": "x"}) == ["the line cannot be read: no rule was applied"]


def test_zero_by_the_game_that_is_played() -> None:
    bets = [{"id": "a", "type": "red", "stake": 10}]
    assert "[002 §6a]" in lines_of("roulette-american", kind="spin", number=0, bets=bets)[-1]
    bets = [{"id": "a", "type": "red", "stake": 30, "max": 20, "on_zero": "half"}]
    last = lines_of("roulette-french", kind="spin", number=0, bets=bets)[-2:]
    assert "[002 §6b]" in last[0]
    assert "I.2 [002 §7b]" in last[1]


def test_a_clause_is_said_in_full_once() -> None:
    bets = [{"id": name, "type": "straight", "stake": 1, "numbers": [7]} for name in "ab"]
    lines = lines_of("roulette-french", kind="spin", number=7, bets=bets)
    assert "35:1" in lines[1]
    assert lines[2].endswith("roulette-french B [002 §4]")


def test_a_casino_s_own_ruleset_without_a_book() -> None:
    opened = pages("craps-own")
    assert opened.say("B.1", source="our §1") == "craps-own B.1 [our §1]"
    assert opened.of_kind("rolls") == []


@pytest.mark.parametrize("ruleset", loading_and_pinning_rulesets.names())
def test_readings_are_those_of_the_ruleset(ruleset: str) -> None:
    assert readings(ruleset)


def test_a_trilux_hand() -> None:
    (_, line) = lines_of("blackjack-trilux", kind="trilux", player=["QH", "KH"], dealer="AH", stake=5)
    assert "Trilux royal, profit 500: blackjack-trilux B.5" in line
