"""Tables on the floor: only a playable table is installed, and an installed table stays valid permanently."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from events.floor import table_installation_decider
from events.rules import loading_and_pinning_rulesets
from events.rules.game_declaration_and_registry import at_tables
from tests.support.houses.small_house import House


@pytest.fixture
def house() -> Iterator[House]:
    made = House()
    yield made
    made.close()


def installing(house: House, game: str, ruleset: str) -> str:
    """Return the status and the message of the problem."""
    action = house.action("table.install", pit="A", table="X1", game=game, ruleset=ruleset)
    problem = house.no("floor", "", "adam", action)
    return f"{problem.status} {problem.detail}"


def test_every_ruleset_of_ours_can_be_installed(house: House) -> None:
    played = [(game, name) for game in at_tables() for name in loading_and_pinning_rulesets.of_game(game)]
    assert len(played) >= 7
    for number, (game, name) in enumerate(played):
        house.install(f"X{number}", game, name)


def test_a_game_that_there_is_not_is_named_with_those_there_are(house: House) -> None:
    problem = installing(house, "bingo", "roulette-french")
    assert problem == "400 data.game: There is no game bingo. Use one of: baccarat, blackjack, craps, roulette."


@pytest.mark.parametrize("ruleset", ["roulette-martian", "craps-gr", "../roulette-french"])
def test_a_ruleset_that_the_game_has_not_is_named_with_those_it_has(house: House, ruleset: str) -> None:
    problem = installing(house, "roulette", ruleset)
    assert problem == (
        f"400 data.ruleset: roulette has no ruleset {ruleset}. Use one of: roulette-american, roulette-french."
    )


def test_a_progressive_is_no_tables_game(house: House) -> None:
    assert installing(house, "blazing7s", "blazing7s").startswith("400 data.game: There is no game blazing7s")


def own(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, **changes: object) -> None:
    shipped = loading_and_pinning_rulesets.shipped()["roulette-french"].read_text(encoding="utf-8")
    (folder / f"{name}.json").write_text(json.dumps(json.loads(shipped) | {"name": name} | changes))
    monkeypatch.setenv("PITLEDGER_RULESETS", str(folder))


def test_the_casinos_own_ruleset_is_installed_and_opened(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own(tmp_path, monkeypatch, "roulette-lounge")
    house.install("FR2", "roulette", "roulette-lounge")
    house.open_table("FR2")
    house.ok("tables", "FR2", "dora", house.action("round.open"))


def test_an_own_ruleset_with_a_mistake_is_refused_before_anybody_plays_by_it(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own(tmp_path, monkeypatch, "roulette-wrong", least_turns="four")
    problem = installing(house, "roulette", "roulette-wrong")
    assert problem.startswith("400 data.ruleset: The ruleset cannot be played. ")
    assert "$.least_turns" in problem


def test_what_was_installed_once_is_evolved_whatever_became_of_its_ruleset() -> None:
    was = table_installation_decider.TableInstalled(
        pit="A", table="X1", game="faro", ruleset="faro-1870", currency="EUR"
    )
    assert table_installation_decider.evolve(table_installation_decider.FloorState(), was).tables == {"X1": was}
