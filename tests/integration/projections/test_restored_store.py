"""The store is restored from an older backup than the read models, or is another house's: readers notice it."""

from typing import Any

import pytest

from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.engine.models import Reader
from projections.engine.rebuild import NEAR, Rebuild, RebuildDiffers, RebuildProgress, RebuildResult
from projections.engine.same_store_check_by_digest import OtherHistory
from projections.eventlog.models import EventLog
from projections.registry import PROJECTORS, projectors
from projections.tables.models import TableDay
from tests.support.houses.sample_event_streams import History, HistoryStore, SampleTableDay

LOST = NEAR + 200  # more than a rebuild reads while the live projector waits


def played(rounds: int, stake: int = 1_000, history: History | None = None) -> History:
    """Play some rounds at a table, or more rounds in its history."""
    table = SampleTableDay(history or History(), "R1")
    if history is None:
        table.open()
    for _ in range(rounds):
        table.bet(stake, -stake)
    return table.history


def store_of(history: History) -> Any:
    return HistoryStore(history)


def applier(using: str, history: History | None = None) -> Applier:
    """Return an applier with the store of this history, or without a store."""
    store = store_of(history) if history is not None else None
    return Applier(projectors(target=WriteTarget(using)), "athens", store=store)


def read(using: str, history: History) -> None:
    """The live projector reads all of it."""
    live = applier(using, history)
    live.load()
    live.apply(history.events)


def rebuild_all(using: str, history: History, *, approve: bool = False, **options: Any) -> list[RebuildResult]:
    return Rebuild(list(PROJECTORS.values()), store_of(history), "athens", using=using, **options).run(approve=approve)


def logged(using: str) -> list[tuple[int, bytes]]:
    rows = EventLog.objects.using(using).order_by("position").values_list("position", "raw")
    return [(position, bytes(raw)) for position, raw in rows]


def test_a_reader_keeps_the_last_event_that_it_has_read(using: str) -> None:
    history = played(3)
    read(using, history)
    last = history.events[-1]
    rows = Reader.objects.using(using).values_list("position", "event").distinct()
    assert list(rows) == [(last.position, f"{last.stream}@{len(history.events)}")]
    applier(using, history).load()


@pytest.mark.parametrize("rounds_after", [0, 2, 40], ids=["ahead", "still ahead", "behind, of another history"])
def test_a_reader_that_the_store_does_not_hold_stops_with_one_clear_line(using: str, rounds_after: int) -> None:
    read(using, played(20))
    restored = played(5)
    played(rounds_after, stake=2_000, history=restored)
    with pytest.raises(OtherHistory, match=r"'eventlog' has read event \d+ .athens/tables/R1/2026-11-20@\d+.") as error:
        applier(using, restored).load()
    assert "./manage.py rebuild all --approve" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_reader_of_before_is_judged_by_its_place_alone(using: str) -> None:
    history = played(20)
    read(using, history)
    Reader.objects.using(using).update(digest="", event="")
    applier(using, history).load()
    with pytest.raises(OtherHistory, match="its name was not kept"):
        applier(using, played(5)).load()


@pytest.mark.parametrize("lost", [10, LOST])
def test_a_rebuild_from_a_restored_store_ends_and_what_comes_then_is_read(using: str, lost: int) -> None:
    """Earlier, such a rebuild never ended, or kept the old position, so that readers skipped the next events."""
    read(using, played(lost))
    restored = played(5)
    with pytest.raises(RebuildDiffers, match=r"which ends at \d+, does not hold it"):
        rebuild_all(using, restored)
    done = rebuild_all(using, restored, approve=True)
    end = len(restored.events)
    assert [rebuilt.position for rebuilt in done] == [end] * len(PROJECTORS)
    assert set(Reader.objects.using(using).values_list("position", "offset")) == {(end, -1)}
    played(12, stake=2_000, history=restored)
    read(using, restored)
    assert logged(using) == [(event.position, event.raw) for event in restored.events]
    assert TableDay.objects.using(using).get().stakes_minor == 5 * 1_000 + 12 * 2_000
    assert [rebuilt.differences for rebuilt in rebuild_all(using, restored)] == [[] for _ in PROJECTORS]


def test_another_history_of_the_same_length_is_never_taken_for_equal(using: str) -> None:
    """The difference is found also if no row of a read model shows it."""
    read(using, played(8))
    other = played(7)
    played(1, stake=2_000, history=other)
    names = ["progressives"]
    kinds = [PROJECTORS[name] for name in names]
    with pytest.raises(RebuildDiffers, match="which has another event there, does not hold it"):
        Rebuild(kinds, store_of(other), "athens", using=using).run()
    Rebuild(kinds, store_of(other), "athens", using=using).run(approve=True)
    Applier(projectors(names, WriteTarget(using)), "athens", store=store_of(other)).load()


@pytest.mark.parametrize("so_far", [7, None], ids=["part of it", "all of it"])
def test_a_rebuild_begun_before_anything_was_read_is_right(using: str, so_far: int | None) -> None:
    """The live projector begins while the copy is built: the two do not meet at one position."""
    history = played(20)
    live = applier(using, history)

    def meanwhile(progress: RebuildProgress) -> None:
        if progress.doing == "reading" and not Reader.objects.using(using).filter(position__gt=0, projection="tables"):
            live.load()
            live.apply(history.events[:so_far])

    done = rebuild_all(using, history, tell=meanwhile)
    assert [(result.differences, result.position) for result in done] == [([], len(history.events))] * len(PROJECTORS)
    read(using, history)
    assert logged(using) == [(event.position, event.raw) for event in history.events]
    assert [result.differences for result in rebuild_all(using, history)] == [[] for _ in PROJECTORS]
