"""Results of people: each round counts once, hours are totals of rounds, and the theory is that of the report."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from events import catalogue
from events.errors import Conflict
from events.luck.played_decisions_with_bet_results import corrected, played_decisions
from events.luck.win_against_theory import luck
from events.progressives.history_reader import recorded_rulesets
from events.rules.loading_and_pinning_rulesets import cache_ruleset
from events.store import EventStore, everything, open_store
from events.tables.event_types.rounds import BetCorrected, RoundEnded, RoundOpened, RoundVoided, SettlementCorrected
from events.tables.event_types.session import IrregularityRecorded
from events.tables.event_types.shoe_and_dealt_cards import CardMisdealt
from events.tables.moved_amount_declarations import EVENT_WIN, amount, figure
from projections.engine.models import Reader
from projections.engine.rebuild import RebuildDiffers
from projections.people import people_results_row_posting
from projections.people.models import HourResult, Result, RoundResult
from projections.people.people_results_row_posting import PeopleResultsPosting, ResultsPoster
from projections.people.rebuild import rebuild
from tests.accountant.corrected_bets import CorrectedBets
from tests.frozen import frozen_stores
from tests.simulation.random_cage_days import Books

FRACTIONS = ("variance", "third")
WHOLE = [name for name in Result.SUMMED if name not in FRACTIONS]


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStore]:
    """Two days of a house, with late corrections."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PITLEDGER_DATA", str(tmp_path_factory.mktemp("data")))
        books = Books(5)
        books.two_days()
        yield books.store
        books.close()


@pytest.fixture(scope="module")
def corrected_bets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStore]:
    """A house with bets that were recorded as another player's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PITLEDGER_DATA", str(tmp_path_factory.mktemp("data")))
        house = CorrectedBets(4)
        for _ in range(200):
            house.step()
        yield house.store
        house.close()


@pytest.fixture(params=["night", "tables", "days"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EventStore]:
    """Houses with every game, corrections, voids and vouchers."""
    if request.param == "days":
        yield request.getfixturevalue("days")
        return
    frozen = open_store(frozen_stores.sqlite_url(request.param, tmp_path))
    yield frozen
    frozen.close()


def rows(using: str) -> dict[str, list[Any]]:
    return {
        model.__name__: list(model._default_manager.using(using).order_by("id").values_list())
        for model in (RoundResult, HourResult)
    }


def events_of(store: EventStore) -> list[tuple[str, Any]]:
    for ruleset in recorded_rulesets(store, frozen_stores.PROPERTY).values():
        cache_ruleset(ruleset.data)
    return [
        (event.stream, catalogue.decode(event.type, event.raw).data)
        for event in everything(store)
        if "/tables/" in event.stream
    ]


def naive(store: EventStore) -> dict[tuple[str, int], dict[str, int]]:
    """The rounds of tables, counted from the events one by one."""
    rounds: dict[tuple[str, int], dict[str, int]] = {}
    over = set[tuple[str, int]]()
    paid: defaultdict[tuple[str, int, str], int] = defaultdict(int)
    for stream, data in events_of(store):
        number: Any = getattr(data, "round", None)
        if isinstance(data, RoundOpened):
            rounds[stream, number] = defaultdict(int, rounds=1)
        if (stream, number) not in rounds:
            continue
        row = rounds[stream, number]
        row["win_minor"] += figure(data, EVENT_WIN)
        row["handle_minor"] += amount(data, "handle")
        row["staked_minor"] += amount(data, "staked")
        row["corrections"] += isinstance(data, BetCorrected | SettlementCorrected)
        row["misdeals"] += isinstance(data, CardMisdealt)
        row["irregularities"] += isinstance(data, IrregularityRecorded)
        won_in = getattr(data, "won_in", None) or number
        of = won_in if (stream, won_in) in rounds else number
        paid[stream, of, getattr(data, "player", None) or ""] += amount(data, "due") - amount(data, "paid")
        if isinstance(data, RoundEnded | RoundVoided):
            over.add((stream, number))
            row["voids"] = int(bool(row["voids"]) or isinstance(data, RoundVoided))
            row["ended"] = int(not row["voids"])
    for (stream, number, player), rest in paid.items():
        rounds[stream, number]["mispays"] += player != "" and rest != 0 and (stream, number) in over
    return rounds


def test_every_round_is_what_its_events_make(store: EventStore, using: str) -> None:
    PeopleResultsPosting(store, frozen_stores.PROPERTY, using).catch_up()
    expected = naive(store)
    tables = RoundResult.objects.using(using).filter(player="")
    assert {(row.stream, row.round) for row in tables} == set(expected)
    for row in tables:
        for name, value in expected[row.stream, row.round].items():
            assert getattr(row, name) == value, (row.id, name)


def test_the_theory_is_that_of_the_report_of_luck(store: EventStore, using: str) -> None:
    """The results of tables and of players, for all bets of a round together, with late corrections."""
    PeopleResultsPosting(store, frozen_stores.PROPERTY, using).catch_up()
    events = events_of(store)
    decisions = list(played_decisions(frozen_stores.PROPERTY, events, corrected(events)))
    assert decisions
    for by in ("table", "player"):
        for line in luck(decisions, by):
            if by == "player" and not line.name:
                continue
            of = {"table": line.name, "player": ""} if by == "table" else {"player": line.name}
            mine = list(RoundResult.objects.using(using).filter(**of))
            assert sum(row.decisions for row in mine) == line.decisions
            assert sum(row.decided_minor for row in mine) == line.win_minor
            assert sum(row.theory_micro for row in mine) == pytest.approx(line.theory_micro, abs=line.decisions + 1)
            assert sum(row.variance for row in mine) == pytest.approx(line.variance_minor2)


def test_hours_are_the_sums_of_their_rounds(store: EventStore, using: str) -> None:
    PeopleResultsPosting(store, frozen_stores.PROPERTY, using).catch_up()
    names = ("stream", "hour", "dealer", "inspector", "player")
    expected: dict[tuple[Any, ...], Any] = {}
    for row in RoundResult.objects.using(using).order_by("position"):
        sums = expected.setdefault(tuple(getattr(row, name) for name in names), dict.fromkeys(Result.SUMMED, 0))
        for name in Result.SUMMED:
            sums[name] += getattr(row, name)
    hours = {tuple(getattr(row, name) for name in names): row for row in HourResult.objects.using(using).all()}
    assert hours.keys() == expected.keys()
    for key, hour in hours.items():
        assert {name: getattr(hour, name) for name in WHOLE} == {name: expected[key][name] for name in WHOLE}
        assert all(getattr(hour, name) == pytest.approx(expected[key][name]) for name in FRACTIONS)


@pytest.mark.parametrize(("house", "size"), [("days", 1), ("days", 37), ("corrected_bets", 5)])
def test_the_borders_of_batches_change_nothing(
    request: pytest.FixtureRequest, using: str, monkeypatch: pytest.MonkeyPatch, house: str, size: int
) -> None:
    """A new process for every third batch, and an event at a time: as posted in one go, also fractions."""
    days: EventStore = request.getfixturevalue(house)
    PeopleResultsPosting(days, frozen_stores.PROPERTY, using).catch_up()
    whole = rows(using)
    Reader.objects.using(using).filter(projection=people_results_row_posting.NAME).update(version=0)
    monkeypatch.setattr(people_results_row_posting, "BATCH", size)
    live, until = PeopleResultsPosting(days, frozen_stores.PROPERTY, using), days.position()
    assert rows(using) == {"RoundResult": [], "HourResult": []}, "another version is posted afresh"
    number = 0
    while live.is_behind(until):
        live.step(until)
        number += 1
        if number % 3 == 0:
            live = PeopleResultsPosting(days, frozen_stores.PROPERTY, using)
    assert rows(using) == whole
    assert live.catch_up() == 0


def test_of_two_processes_one_is_told(days: EventStore, using: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people_results_row_posting, "BATCH", 100)
    first, other = (PeopleResultsPosting(days, frozen_stores.PROPERTY, using) for _ in range(2))
    first.step(days.position())
    with pytest.raises(Conflict):
        other.step(days.position())
    first.catch_up()
    assert {row.round for row in RoundResult.objects.using(using).all()}


def test_it_is_posted_beside_the_projector(days: EventStore, using: str) -> None:
    poster = ResultsPoster(days, frozen_stores.PROPERTY, using, lambda: 0.0)
    for _ in range(20):
        poster(is_idle=True)
    assert Reader.objects.using(using).get(projection=people_results_row_posting.NAME).position == days.position()


def test_made_again_it_is_equal_and_a_changed_row_is_named(days: EventStore, using: str) -> None:
    PeopleResultsPosting(days, frozen_stores.PROPERTY, using).catch_up()
    whole = rows(using)
    done = rebuild(days, frozen_stores.PROPERTY, lambda _: None, approve=False, using=using)
    assert (done.differences, done.poisoned, rows(using)) == ([], 0, whole)
    changed = RoundResult.objects.using(using).order_by("id")[0]
    RoundResult.objects.using(using).filter(id=changed.id).update(win_minor=changed.win_minor + 1)
    HourResult.objects.using(using).filter(stream=changed.stream).delete()
    with pytest.raises(RebuildDiffers) as error:
        rebuild(days, frozen_stores.PROPERTY, lambda _: None, approve=False, using=using)
    assert str(changed.id) in str(error.value.differences[0])
    assert rows(using) != whole
    done = rebuild(days, frozen_stores.PROPERTY, lambda _: None, approve=True, using=using)
    assert done.differences
    assert rows(using) == whole
