"""A bet that was recorded as one of another kind counts for its own, with its commission, once it is corrected."""

from typing import Any

import pytest

from events.tables.event_types.rounds import BetCorrected
from events.tables.event_types.session import IrregularityRecorded
from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.invariants import findings
from projections.registry import projectors
from projections.tables.models import TableDay, WagerDay
from tests.support.houses.sample_event_streams import History
from tests.support.tables.in_memory_tables import INSPECTOR, TableInMemory
from tests.unit.tables.test_craps import bet, on_six, throw


def project(table: TableInMemory, using: str) -> None:
    history = History()
    for event in table.events:
        history.append(table.state.stream.partition("/")[2], event)
    applier = Applier(projectors(["tables", "accounts"], WriteTarget(using)), "athens")
    applier.load()
    applier.apply(history.events)


def correct(table: TableInMemory, **data: Any) -> BetCorrected:
    corrects = f"{table.state.stream}@9"
    table.lead("bet.correct", bet="b", reason="misheard", corrects=corrects, **data)
    return table.last(BetCorrected)


def kinds(using: str) -> dict[str, tuple[int, int]]:
    """Return bets and commission by kind of bet, without empty kinds."""
    rows = WagerDay.objects.using(using).order_by("wager")
    return {row.wager: (row.bets, row.commission_minor) for row in rows if row.bets or row.commission_minor}


@pytest.fixture
def bought() -> TableInMemory:
    """A point of six, and a buy bet of 20.00 with its commission of 1.00."""
    return on_six("craps-by").ask("bet.place", **bet("b", "buy", 2_000, number=4))


def test_the_event_names_the_bet_as_it_was_and_as_it_is(bought: TableInMemory) -> None:
    correction = correct(bought, wager="place", number=8, amount_minor=2_400)
    assert (correction.wager_before, correction.stake_before_minor, correction.commission_before_minor) == (
        "buy",
        2_000,
        100,
    )
    assert (correction.wager, correction.stake_minor, correction.amount_minor, correction.commission_minor) == (
        "place",
        2_400,
        400,
        -100,
    )
    bought.chips_are_conserved()
    bought.replays()


def test_its_own_kind_has_it(bought: TableInMemory, using: str) -> None:
    before = correct(bought, wager="lay", number=10, amount_minor=4_000)
    assert before.commission_minor + before.commission_before_minor == 100
    project(bought, using)
    assert kinds(using) == {"lay": (1, 100), "pass": (1, 0)}
    assert TableDay.objects.using(using).get().commission_minor == 100
    assert findings(using) == []


def test_twice_corrected_it_is_where_it_was(bought: TableInMemory, using: str) -> None:
    correct(bought, wager="place", number=8, amount_minor=2_400)
    correct(bought, wager="buy", number=4, amount_minor=2_000)
    project(bought, using)
    assert kinds(using) == {"buy": (1, 100), "pass": (1, 0)}


def test_a_stake_alone_stays_with_its_kind(bought: TableInMemory, using: str) -> None:
    correct(bought, amount_minor=4_000)
    project(bought, using)
    assert kinds(using) == {"buy": (1, 200), "pass": (1, 0)}
    assert TableDay.objects.using(using).get().stakes_minor == 4_000 + bought.state.bets["p"].stake


def test_a_bet_that_was_carried_over_changes_its_kind_on_no_later_day(bought: TableInMemory, using: str) -> None:
    """It has been in play: the correction is refused, and as a fact it is an irregularity. So no kind has -1 bets."""
    throw(bought, 3, 3).pay().ask("round.end")
    large, small = divmod(bought.state.float_minor, 2_500)
    table = bought.roll("2026-11-21", **{"2500": large, "1": small}).ask("round.open")
    assert [*table.state.bets] == ["b"]
    place: dict[str, Any] = {"bet": "b", "wager": "place", "number": 8, "amount_minor": 2_400}
    about: dict[str, Any] = {"reason": "misheard", "corrects": f"{table.state.stream}@4", "who": INSPECTOR}
    table.refused("bet.correct", clause="house correction", **about, **place)
    [noted] = table.act("bet.correct", intent="fact", **about, **place)
    assert isinstance(noted, IrregularityRecorded)
    project(table, using)
    assert kinds(using) == {}
