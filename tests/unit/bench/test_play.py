"""The bench plays lawful rounds, and the peers do the same work."""

import contextlib

import pytest

from events.desk.desk import Desk
from events.store.in_memory_store import MemoryStore
from tools.bench import craps_settlement_speed, generated_roulette_actions
from tools.bench.benchmark_runner import MEASUREMENTS
from tools.bench.eventsourcing_aggregate_peer import SessionAggregate, retell
from tools.checkout.management.commands.bench import LONG, NAMES


def test_the_command_names_every_measurement() -> None:
    assert tuple(MEASUREMENTS) == (*NAMES, *LONG)


def test_a_round_is_thirty_actions_and_fifty_four_events() -> None:
    sample = generated_roulette_actions.sample()
    assert len(sample.groups) == generated_roulette_actions.ACTIONS_A_ROUND == 30
    assert len(sample.rows) == len(sample.news) == generated_roulette_actions.EVENTS_A_ROUND == 54


def test_another_process_goes_on_where_the_last_one_stopped() -> None:
    store = MemoryStore()
    with contextlib.closing(Desk(store, generated_roulette_actions.PROPERTY)) as desk:
        generated_roulette_actions.furnish(desk, ["R1"])
        for played in (0, 1, 2):
            table = generated_roulette_actions.RouletteTerminal("R1", played)
            assert not any(
                answer.repeated for answer in generated_roulette_actions.answered(desk, table.command(table.round()))
            )
    assert (
        len(store.stream(f"{generated_roulette_actions.PROPERTY}/tables/R1/{generated_roulette_actions.DAY}"))
        == generated_roulette_actions.OPENING + 3 * generated_roulette_actions.EVENTS_A_ROUND
    )


def test_filling_plays_whole_rounds_at_all_tables() -> None:
    with contextlib.closing(Desk(MemoryStore(), generated_roulette_actions.PROPERTY)) as desk:
        tables = generated_roulette_actions.furnish(desk, generated_roulette_actions.names("R", 3))
        assert (
            generated_roulette_actions.fill(desk, tables, 5 * generated_roulette_actions.EVENTS_A_ROUND - 1)
            == 5 * generated_roulette_actions.EVENTS_A_ROUND
        )
        assert [table.played for table in tables] == [2, 2, 1]


@pytest.mark.peers
def test_the_aggregate_tells_the_same_day_in_as_many_events() -> None:
    rows, day = generated_roulette_actions.sample().rows, SessionAggregate("R1", generated_roulette_actions.DAY)
    assert retell(day, rows) == len(rows)
    assert (day.phase, day.bets, day.due) == ("idle", {}, {})
    assert (
        day.float_minor
        == (generated_roulette_actions.BETS - 1 - generated_roulette_actions.PAYS) * generated_roulette_actions.STAKE
    )


@pytest.mark.peers
def test_crapssim_comes_to_the_same_money() -> None:
    craps_settlement_speed.agree()
