"""A game is one package and one registration: docs/howto/add-a-game.md, done with the wheel of tests/toys/bigsix."""

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from io import StringIO
from pathlib import Path

import msgspec
import pytest
from django.core.management import call_command
from django.test import Client
from pytest_django.plugin import DjangoDbBlocker

from backoffice.openapi import action_interface_openapi_document as openapi
from events import catalogue
from events.envelope import Who
from events.games import cases
from events.games.clauses import explain
from events.games.par import sheet
from events.people import authority
from events.rules import game_declaration_and_registry, loading_and_pinning_rulesets
from events.tables import main_table_decider as tables_session
from events.tables.terminal_snapshot import Layout
from events.tables.valid_wager_and_limit_names import names_of
from projections.invariants import findings
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, House, types_of
from tests.support.pages.page_text_and_queries import figures, words
from tests.support.processes.scratch_databases import read_models
from tests.toys.bigsix.bet_and_spin_decider import Fortune
from tests.toys.bigsix.game_declaration import GAME
from tools.documents import event_and_action_pages

STAKES = {"one": 500, "ten": 300, "joker": 100}


@pytest.fixture(autouse=True)
def installed() -> Iterator[None]:
    game_declaration_and_registry.register(GAME)
    yield
    game_declaration_and_registry.withdraw(GAME.name)


def play(house: House) -> None:
    """Play two rounds: a ten that is paid, then a one whose winnings are paid one unit short."""
    act = house.action
    house.install("BS1", "bigsix", "bigsix")
    house.open_table("BS1")
    for symbol, paid, won in (("ten", "ten", 3_000), ("one", "one", 500)):
        bets = [act("bet.place", bet=name, wager=name, amount_minor=STAKES[name], player="g-1") for name in STAKES]
        house.ok("tables", "BS1", "dora", act("round.open"), *bets, act("bets.close"))
        house.ok("tables", "BS1", "dora", act("wheel.stop", symbol=symbol, turns=4))
        house.ok("tables", "BS1", "dora", act("payment.make", bet=paid, amount_minor=won), act("round.end"))


def test_it_is_dealt_and_what_its_rules_forbid_is_refused(house: House) -> None:
    play(house)
    act = house.action
    bet = act("bet.place", bet="a", wager="one", amount_minor=500, player="g-1")
    events = house.ok("tables", "BS1", "dora", act("round.open"), bet)
    assert types_of(events) == ["round.opened.v1", "bet.placed.v1"]
    assert house.no("tables", "BS1", "dora", act("wheel.stop", symbol="one", turns=4)).clause == "bigsix phase"
    wrong = act("bet.place", bet="b", wager="zero", amount_minor=500, player="g-1")
    assert house.no("tables", "BS1", "dora", wrong).clause == "bigsix B"
    house.ok("tables", "BS1", "dora", act("bets.close"))
    slow = act("wheel.stop", symbol="one", turns=2)
    assert house.no("tables", "BS1", "dora", slow).clause == "bigsix P.2"
    fact = act("wheel.stop", symbol="one", turns=2, _intent="fact")
    assert types_of(house.ok("tables", "BS1", "dora", fact)) == [
        "wheel.stopped.v1",
        "bet.settled.v1",
        "irregularity.recorded.v1",
    ]


def test_its_actions_are_for_who_deals_and_are_nothing_that_another_game_does(house: House) -> None:
    house.install("BS1", "bigsix", "bigsix")
    house.open_table("BS1")
    assert authority.roles_that_ask("wheel.stop") == ("dealer", "inspector", "pit boss")
    assert house.no("tables", "BS1", "cage", house.action("wheel.stop", symbol="one", turns=4)).status == 403
    house.open_table("FR1")
    stop = house.action("wheel.stop", symbol="one", turns=4)
    assert house.no("tables", "FR1", "dora", stop).clause == "roulette-french P"


def test_a_table_takes_its_rulesets_and_its_limits_only(house: House) -> None:
    data = {"pit": "A", "table": "BS2", "game": "bigsix", "ruleset": "roulette-french"}
    assert house.no("floor", "", "adam", house.action("table.install", **data)).field == "data.ruleset"
    house.install("BS1", "bigsix", "bigsix")
    house.open_table("BS1")
    limits = house.action("limits.post", minimum_minor=100, maxima_minor={"straight": 1_000})
    assert house.no("tables", "BS1", "ines", limits).field == "data.maxima_minor"
    assert names_of("bigsix", "bigsix").wagers == ("one", "two", "five", "ten", "twenty", "joker", "star")


def test_its_state_survives_a_snapshot_and_is_shown_to_terminals(house: House) -> None:
    play(house)
    stream = f"athens/tables/BS1/{DAY}"
    session = house.desk.streams.new_view().read_stream(stream).state
    again = tables_session.load(msgspec.json.encode(session))
    assert again == session
    assert again.play == Fortune(symbol="one")
    layout = house.desk.questions.layout("BS1", None, Who(person="dora", roles=frozenset()))
    assert isinstance(layout, Layout)
    assert msgspec.to_builtins(layout.play) == {"game": "bigsix", "symbol": "one"}


def test_its_money_is_in_the_read_models_and_on_the_pages(
    client: Client, house: House, new_database: Callable[[], str], django_db_blocker: DjangoDbBlocker
) -> None:
    play(house)
    evening_with_everything.project(house)
    won = {name: amount for name, (_, amount) in figures(client, f"/tables/BS1/{DAY}").items()}
    assert won["stakes"] == 2 * sum(STAKES.values())
    assert "Big six, as dealt in New Jersey" in words(client, f"/tables/BS1/{DAY}")
    rounds = client.get(f"/api/v1/tables/BS1/{DAY}").json()["rounds"]
    assert [round_["result"] for round_ in rounds] == ["one", "ten"]
    assert findings("default") == []
    assert "wheel at rest BS1" in words(client, "/events?q=wheel+at")
    with django_db_blocker.unblock(), read_models(new_database()) as alias:
        evening_with_everything.project(house, alias)
        assert findings(alias) == []


def test_its_cases_are_answered_with_their_clauses() -> None:
    inputs = {"kind": "spin", "symbol": "ten", "turns": 4, "bets": [{"id": "a", "symbol": "ten", "stake": 300}]}
    case = {"id": "1", "ruleset": "bigsix", "given": inputs}
    assert cases.answer(case) == {"results": [{"id": "a", "profit": 3_000}]}
    clause = "bigsix B [NJ 8.2] each symbol pays what it shows; joker and star 45:1"
    assert explain(case, cases.answer(case))[-1] == f"a: {clause}"
    refused = {"id": "2", "ruleset": "bigsix", "given": inputs | {"turns": 1}}
    assert cases.answer(refused)["error"] == "1 turns are no spin, 3 are [bigsix P.2]"


def test_its_edges_are_exact_and_on_its_par_sheet() -> None:
    edges = {edge.bet: edge.edge for edge in sheet("bigsix").edges}
    assert edges["one"] == Fraction(6, 54)
    assert edges["joker"] == Fraction(8, 54)
    output = StringIO()
    call_command("par", "bigsix", stdout=output)
    assert "11.1111 %" in output.getvalue()


def test_it_stands_in_the_documents() -> None:
    document = openapi.build()
    assert "wheel.stop" in document["components"]["schemas"]
    assert "FortuneShown" in document["components"]["schemas"]
    assert "wheel.stopped.v1" in event_and_action_pages.events_page()
    assert "wheel.stop" in event_and_action_pages.actions_page()
    assert "| bigsix |" in event_and_action_pages.actions_page()


def test_withdrawn_it_leaves_nothing_behind() -> None:
    game_declaration_and_registry.withdraw(GAME.name)
    try:
        assert "wheel.stop" not in catalogue.action_types()
        assert "bigsix" not in loading_and_pinning_rulesets.names()
        assert "wheel.stop" not in authority.matrix()
    finally:
        game_declaration_and_registry.register(GAME)


def test_what_all_games_share_names_none_of_them() -> None:
    """Shared modules may have a game's name in a sentence or as an outcome, but compare no value with it."""
    root = Path(catalogue.__file__).parent
    apart = {root / "games", root / "error_codes"}  # error_codes: groups of the page of codes
    shared = [path for path in root.rglob("*.py") if not apart & {*path.parents}]
    games = "|".join(game_declaration_and_registry.installed())
    comparison = re.compile(rf'== "({games})"|"({games})":')
    assert not [path for path in shared if comparison.search(path.read_text(encoding="utf-8"))]
