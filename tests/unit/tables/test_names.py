"""The names of wagers and limits that are documented are those that the tables take, and no others."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from backoffice.openapi import action_interface_openapi_document as openapi
from backoffice.openapi import event_and_action_schemas
from events import catalogue
from events.errors import Invalid, PitledgerError
from events.rules import loading_and_pinning_rulesets
from events.rules.game_declaration_and_registry import at_tables
from events.tables.valid_wager_and_limit_names import names_in, names_of
from tests.support.tables.in_memory_tables import (
    INSPECTOR,
    TableInMemory,
    baccarat_table,
    blackjack_table,
    craps_table,
    opened,
    roulette_table,
)

TABLES = [(game, ruleset) for game in at_tables() for ruleset in loading_and_pinning_rulesets.of_game(game)]
EVERY_NAME = sorted({name for game in at_tables() for name in names_in(game).wagers} | {"hardways", "Red", "insurance"})
WHERE: dict[str, list[dict[str, Any]]] = {
    "baccarat": [{"seat": 1}],
    "blackjack": [{"box": 1, "seat": 1}],
    "craps": [{"seat": 1, **on} for on in ({}, {"number": 6}, {"number": 4}, {"base": "p"}, {"base": "dp"})]
    + [{"seat": 1, "base": base, "number": 4} for base in ("c", "dc")],
    "roulette": [{"seat": 1}, {"seat": 1, "which": 1}]
    + [{"seat": 1, "numbers": n} for n in ([17], [16, 17], [16, 17, 18], [16, 17, 19, 20], [16, 17, 18, 19, 20, 21])],
}


def baccarat(ruleset: str) -> Iterator[TableInMemory]:
    yield baccarat_table(ruleset).ask("round.open")


def blackjack(ruleset: str) -> Iterator[TableInMemory]:
    assert ruleset == "blackjack-trilux"
    yield blackjack_table().ask("round.open")
    yield (
        blackjack_table()
        .ask("round.open")
        .ask("bet.place", bet="m", wager="main", amount_minor=1_000, player="p", box=1)
    )


def craps(ruleset: str) -> Iterator[TableInMemory]:
    """Yield tables before the come-out, and on a point with flat bets for odds."""
    yield craps_table(ruleset, shooter="p")
    table = craps_table(ruleset, shooter="p")
    for bet, wager in (("p", "pass"), ("dp", "dont_pass")):
        table.ask("bet.place", bet=bet, wager=wager, amount_minor=1_000, player="p", seat=1)
    table.ask("dice.offer").ask("dice.roll", dice=[3, 3])
    for bet, wager in (("c", "come"), ("dc", "dont_come")):
        table.ask("bet.place", bet=bet, wager=wager, amount_minor=1_000, player="p", seat=1)
    yield table
    yield table.ask("dice.offer").ask("dice.roll", dice=[2, 2]).pay()


def roulette(ruleset: str) -> Iterator[TableInMemory]:
    yield roulette_table(ruleset).ask("round.open")


READY: dict[str, Callable[[str], Iterator[TableInMemory]]] = {
    "baccarat": baccarat,
    "blackjack": blackjack,
    "craps": craps,
    "roulette": roulette,
}


def is_taken(table: TableInMemory, game: str, wager: str) -> bool:
    """Return whether the table accepts a bet of this name on any place."""
    amounts = (500, 600, 1_000) if game in ("craps", "blackjack") else (500,)
    for where, amount in itertools.product(WHERE[game], amounts):
        try:
            table.act("bet.place", bet=f"b-{wager}", wager=wager, amount_minor=amount, player="p", **where)
        except PitledgerError:
            continue
        return True
    return False


@pytest.mark.parametrize(("game", "ruleset"), TABLES)
def test_the_tables_take_the_wagers_that_are_documented_and_no_others(game: str, ruleset: str) -> None:
    taken = {wager for table in READY[game](ruleset) for wager in EVERY_NAME if is_taken(table, game, wager)}
    assert taken == set(names_of(game, ruleset).wagers)


@pytest.mark.parametrize(("game", "ruleset"), TABLES)
def test_the_tables_take_the_limits_that_are_documented_and_no_others(game: str, ruleset: str) -> None:
    known = names_of(game, ruleset)
    every = sorted({*EVERY_NAME, *(name for game in at_tables() for name in names_in(game).maxima)})
    for field, right in (("maxima_minor", known.maxima), ("minima_minor", known.minima)):
        taken = {name for name in every if _posts(game, ruleset, field, name)}
        assert taken == set(right), field


def _posts(game: str, ruleset: str, field: str, name: str) -> bool:
    table = opened(game, ruleset)
    limits: dict[str, Any] = {"minimum_minor": 500, "maxima_minor": {}, field: {name: 50_000}}
    try:
        table.act("limits.post", intent="fact", who=INSPECTOR, **limits)
    except Invalid:
        return False
    return True


@pytest.mark.parametrize("name", ["bet.place", "bet.correct"])
def test_wagers_stand_in_the_schemas_by_game(name: str) -> None:
    for schema in (
        event_and_action_schemas.action_schema(name)["$defs"]["data"],
        openapi.build()["components"]["schemas"][catalogue.action_types()[name].__name__],
    ):
        enums = {part["title"]: part["enum"] for part in schema["properties"]["wager"]["anyOf"] if "enum" in part}
        assert enums == {game: list(names_in(game).wagers) for game in at_tables()}
        assert "hardway" in enums["craps"]
        assert "player_pair" in enums["baccarat"]


def test_limits_stand_in_the_schemas_by_game() -> None:
    fields = event_and_action_schemas.action_schema("limits.post")["$defs"]["data"]["properties"]
    enums = {part["title"]: part["enum"] for part in fields["maxima_minor"]["propertyNames"]["anyOf"] if "enum" in part}
    assert "difference" in enums["baccarat"]
    assert enums == {game: list(names_in(game).maxima) for game in at_tables()}
    validator = Draft202012Validator(event_and_action_schemas.action_schema("limits.post"))
    post = {"type": "limits.post", "key": "k", "data": {"minimum_minor": 500, "maxima_minor": {"difference": 0}}}
    validator.validate(post)


def test_a_ruleset_of_the_casinos_own_brings_its_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = loading_and_pinning_rulesets.shipped()["craps-gr"].read_text()
    own = ours.replace('"name": "craps-gr"', '"name": "craps-own"').replace('"under7"', '"below7"')
    (tmp_path / "craps-own.json").write_text(own)
    (tmp_path / "craps-broken.json").write_text("{")
    monkeypatch.setenv("PITLEDGER_RULESETS", str(tmp_path))
    assert "below7" in names_in("craps").wagers
    assert "under7" in names_in("craps").wagers
