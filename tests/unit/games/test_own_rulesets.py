"""A casino's own ruleset is data alone: a file of another name gives the same answers as the product's ruleset."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from events.errors import Invalid, Unknown
from events.games import cases, par
from events.games.clauses import explain
from events.games.par import sheet_for
from events.rules import loading_and_pinning_rulesets
from events.rules.game_declaration_and_registry import game_of, installed
from tests.support.tables.in_memory_tables import TableInMemory, baccarat_table, craps_table, opened, roulette_table

ROOT = Path(__file__).parents[3]
SHIPPED = sorted(loading_and_pinning_rulesets.shipped())
Own = Callable[..., str]


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Own:
    """A function that lays a changed copy of a ruleset into the casino's folder and gives its name.

    Every test has names of its own, since rulesets are read once.
    """
    monkeypatch.setenv("PITLEDGER_RULESETS", str(tmp_path))

    def copy(of: str, as_: str = "", **changes: Any) -> str:
        shipped = json.loads(loading_and_pinning_rulesets.shipped()[of].read_text(encoding="utf-8"))
        name = f"{game_of(of)}-{request.node.originalname.replace('_', '-')}-{of}"
        (tmp_path / f"{name}.json").write_text(json.dumps(shipped | {"name": as_ or name} | changes), encoding="utf-8")
        return name

    return copy


def recorded(ruleset: str) -> list[dict[str, Any]]:
    """The cases that are kept for one of our rulesets. (Only `baccarat` may be asked for its other variant.)"""
    lines = (
        line
        for path in sorted((ROOT / "tests" / "data" / "cases").glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    )
    cases = [case for case in map(json.loads, lines) if case["ruleset"] == ruleset]
    assert cases
    return [case for case in cases if case["given"].get("variant", "commission") == "commission"]


@pytest.mark.parametrize("ruleset", [name for name in SHIPPED if name != "baccarat-no-commission"])
def test_a_copy_answers_and_explains_every_case_as_the_original(ruleset: str, own: Own) -> None:
    """For craps there are two books of clauses, so the clauses of a casino's own ruleset are unknown."""
    name = own(ruleset)
    for case in recorded(ruleset):
        answer = cases.answer(case | {"ruleset": name})
        assert json.loads(json.dumps(answer).replace(name, ruleset)) == cases.answer(case), case
        lines = [line.replace(name, ruleset) for line in explain(case | {"ruleset": name}, answer)]
        assert game_of(ruleset) == "craps" or lines == explain(case, cases.answer(case)), case


@pytest.mark.parametrize("ruleset", SHIPPED)
def test_a_copy_has_the_par_sheet_of_the_original(ruleset: str, own: Own) -> None:
    name = own(ruleset)
    ours, theirs = par.sheet(ruleset), par.sheet(name)
    assert [(edge.bet, edge.edge, edge.hit, edge.condition) for edge in theirs.edges] == [
        (edge.bet, edge.edge, edge.hit, edge.condition) for edge in ours.edges
    ]
    assert theirs.lines == ours.lines
    assert {theirs.ruleset, *(edge.ruleset for edge in theirs.edges)} == {name}


@pytest.mark.parametrize("ruleset", ["blackjack-trilux", "blazing7s"])
def test_a_par_sheet_for_one_shoe(ruleset: str, own: Own) -> None:
    assert sheet_for(own(ruleset), 6).lines == sheet_for(ruleset, 6).lines


def test_its_numbers_are_those_that_count(own: Own) -> None:
    name = own("roulette-american", payouts={**_payouts("roulette-american"), "straight": 36})
    inputs = {"kind": "spin", "number": 7, "bets": [{"id": "a", "type": "straight", "numbers": [7], "stake": 10}]}
    assert cases.answer({"ruleset": name, "given": inputs})["net"] == 360
    assert {edge.bet: edge.edge for edge in par.sheet(name).edges}["straight"] == 0


def _payouts(ruleset: str) -> dict[str, int]:
    shipped = json.loads(loading_and_pinning_rulesets.shipped()[ruleset].read_text(encoding="utf-8"))
    payouts: dict[str, int] = shipped["payouts"]
    return payouts


# --- at the table -------------------------------------------------------------------------------------------------


def bet(wager: str, **fields: Any) -> dict[str, Any]:
    return {"bet": "b", "wager": wager, "amount_minor": 1_000, "player": "Ann", **fields}


def test_a_wheel_pays_by_it(own: Own) -> None:
    name = own("roulette-french", payouts={**_payouts("roulette-french"), "straight": 36})
    table = roulette_table(name).ask("round.open").ask("bet.place", **bet("straight", seat=1, numbers=[7]))
    table.ask("ball.launch", wheel="ccw", ball="cw").ask("bets.close").ask("ball.land", number=7)
    assert table.settled("b").profit_minor == 36_000
    finished(table, name)


def test_a_shoe_of_baccarat_pays_by_it(own: Own) -> None:
    name = own("baccarat", payouts={**_payouts("baccarat"), "tie": 9})
    table = baccarat_table(name).ask("round.open").ask("bet.place", **bet("tie", seat=1)).ask("bets.close")
    for to, card in zip(("player", "banker") * 2, ("8C", "8D", "KC", "KD"), strict=True):
        table.ask("card.deal", to=to, card=card)
    assert table.settled("b").profit_minor == 9_000
    finished(table, name)


def test_craps_pay_by_it(own: Own) -> None:
    shipped = json.loads(loading_and_pinning_rulesets.shipped()["craps-gr"].read_text(encoding="utf-8"))
    eleven = {**shipped["bets"]["eleven"], "pays": {"11": "16:1"}}
    name = own("craps-gr", bets={**shipped["bets"], "eleven": eleven})
    table = craps_table(name).ask("bet.place", **bet("pass", seat=1))
    table.ask("bet.place", **bet("eleven", seat=1) | {"bet": "e"})
    table.ask("dice.offer").ask("dice.roll", dice=[5, 6])
    assert table.settled("e").profit_minor == 16_000
    finished(table, name)


def test_blackjack_pays_by_it(own: Own) -> None:
    name = own("blackjack-trilux", blackjack_pays=[6, 5])
    table = opened("blackjack", name).ask("shoe.load", shoe="s1", packs=6)
    table.ask("round.open").ask("bet.place", **bet("main", box=1)).ask("bets.close")
    for box, card in ((1, "AC"), (0, "9D"), (1, "KC")):
        to = {"to": "box", "box": box, "hand": 0} if box else {"to": "dealer"}
        table.ask("card.deal", card=card, **to)
    table.ask("deal.complete")
    assert table.settled("b").profit_minor == 1_200
    finished(table, name)


def finished(table: TableInMemory, ruleset: str) -> None:
    table.end().chips_are_conserved()
    table.replays()
    assert table.state.ruleset == ruleset


# --- mistakes -----------------------------------------------------------------------------------------------------


def test_every_game_has_rulesets_and_every_ruleset_a_game() -> None:
    assert {game_of(name) for name in SHIPPED} == set(installed())


def test_a_copy_that_kept_its_name_is_refused(own: Own) -> None:
    name = own("roulette-french", as_="roulette-french")
    with pytest.raises(Invalid, match=r"The `name` must be roulette-.*, as the file"):
        par.sheet(name)
    assert "as the file" in cases.answer({"ruleset": name, "given": {"kind": "spin"}})["error"]


def test_a_file_with_a_mistake_is_no_hindrance_to_the_others(own: Own) -> None:
    name = own("craps-gr", bar="twelve")
    inputs = {"kind": "rolls", "bets": [], "rolls": [[3, 4]]}
    assert "bar" in cases.answer({"ruleset": name, "given": inputs})["error"]
    assert cases.answer({"ruleset": "craps-gr", "given": inputs})["rolls"]


def test_a_file_that_is_no_json_says_so(own: Own, tmp_path: Path) -> None:
    (tmp_path / "roulette-torn.json").write_text("{")
    own("roulette-french")
    with pytest.raises(Invalid, match="ruleset roulette-torn"):
        par.sheet("roulette-torn")


@pytest.mark.parametrize("name", ["bingo", "lounge-roulette", ""])
def test_a_name_that_begins_with_no_game_is_refused(name: str) -> None:
    error = cases.answer({"ruleset": name, "given": {"kind": "spin"}})["error"]
    assert "baccarat, blackjack, craps, roulette, blazing7s" in error
    with pytest.raises(Unknown, match="Use a ruleset of: "):
        par.sheet(name)


def test_a_name_that_no_file_has_is_answered_with_those_there_are() -> None:
    assert "roulette-french" in cases.answer({"ruleset": "roulette-nope", "given": {"kind": "spin"}})["error"]


def test_edges_are_exact_fractions(own: Own) -> None:
    name = own("baccarat", commission="1/25")
    banker = {edge.bet: edge.edge for edge in par.sheet(name).edges}["banker"]
    assert isinstance(banker, Fraction)
    assert banker < {edge.bet: edge.edge for edge in par.sheet("baccarat").edges}["banker"]
