"""The bench plays lawful rounds, and the peers do the same work."""

import contextlib

import pytest

from events.desk.desk import Desk
from events.store.memory import MemoryStore
from tools.bench import play, settlement
from tools.bench.aggregates import SessionAggregate, retell
from tools.bench.run import MEASUREMENTS
from tools.checkout.management.commands.bench import LONG, NAMES


def test_the_command_names_every_measurement() -> None:
    assert tuple(MEASUREMENTS) == (*NAMES, *LONG)


def test_a_round_is_thirty_actions_and_fifty_four_events() -> None:
    sample = play.sample()
    assert len(sample.groups) == play.ACTIONS_A_ROUND == 30
    assert len(sample.rows) == len(sample.news) == play.EVENTS_A_ROUND == 54


def test_another_process_goes_on_where_the_last_one_stopped() -> None:
    store = MemoryStore()
    with contextlib.closing(Desk(store, play.PROPERTY)) as desk:
        play.furnish(desk, ["R1"])
        for played in (0, 1, 2):
            table = play.Table("R1", played)
            assert not any(answer.repeated for answer in play.answered(desk, table.command(table.round())))
    assert len(store.stream(f"{play.PROPERTY}/tables/R1/{play.DAY}")) == play.OPENING + 3 * play.EVENTS_A_ROUND


def test_filling_plays_whole_rounds_at_all_tables() -> None:
    with contextlib.closing(Desk(MemoryStore(), play.PROPERTY)) as desk:
        tables = play.furnish(desk, play.names("R", 3))
        assert play.fill(desk, tables, 5 * play.EVENTS_A_ROUND - 1) == 5 * play.EVENTS_A_ROUND
        assert [table.played for table in tables] == [2, 2, 1]


@pytest.mark.peers
def test_the_aggregate_tells_the_same_day_in_as_many_events() -> None:
    rows, day = play.sample().rows, SessionAggregate("R1", play.DAY)
    assert retell(day, rows) == len(rows)
    assert (day.phase, day.bets, day.due) == ("idle", {}, {})
    assert day.float_minor == (play.BETS - 1 - play.PAYS) * play.STAKE


@pytest.mark.peers
def test_crapssim_comes_to_the_same_money() -> None:
    settlement.agree()
