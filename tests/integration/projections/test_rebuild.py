"""A rebuilt projection equals the live one: it is built in a copy, compared and switched. Failures are tested too."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connections

from events.store import EventStore, open_store
from projections.accounts.projector import AccountsProjector
from projections.engine.batch_applier import Applier, ReaderMoved
from projections.engine.bulk_writer import WriteTarget
from projections.engine.models import PoisonedEvent, Reader, WaitingEvent
from projections.engine.rebuild import Rebuild, RebuildDiffers, RebuildProgress, RebuildResult
from projections.engine.table_copies import RowDifference
from projections.eventlog.models import EventLog
from projections.registry import PROJECTORS, projectors
from projections.tables.models import TableDay
from tests.support.houses.sample_event_streams import History, HistoryStore, SampleTableDay, busy_floor
from tests.support.records import progressive_timeline_recorder


@pytest.fixture
def history() -> History:
    history = progressive_timeline_recorder.Recorder(progressive_timeline_recorder.cases()[8]["given"]).history
    list(busy_floor(history, tables=3, rounds=4))
    return history


def applier(using: str, *names: str) -> Applier:
    applier_ = Applier(projectors(names, WriteTarget(using)), "athens")
    applier_.load()
    return applier_


def rebuild(name: str, using: str, history: History, *, approve: bool = False, **options: Any) -> RebuildResult:
    store: Any = HistoryStore(history)
    [done] = Rebuild([PROJECTORS[name]], store, "athens", using=using, **options).run(approve=approve)
    return done


def dump(using: str, name: str) -> dict[str, list[Any]]:
    return {
        model.__name__: [
            tuple(map(str, row)) for row in model._default_manager.using(using).order_by("pk").values_list()
        ]
        for model in PROJECTORS[name].models
    }


def schema(using: str) -> Iterator[Any]:
    with connections[using].cursor() as cursor:
        if connections[using].vendor == "postgresql":
            cursor.execute(
                "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname='public' ORDER BY 1, 2"
            )
        else:
            cursor.execute("SELECT tbl_name, name, sql FROM sqlite_master ORDER BY 1, 2")
        yield from cursor.fetchall()


@pytest.mark.parametrize("name", PROJECTORS)
def test_rebuilt_is_live(name: str, using: str, history: History) -> None:
    applier(using).apply(history.events)
    before, tables = dump(using, name), list(schema(using))
    progress: list[RebuildProgress] = []
    done = rebuild(name, using, history, tell=progress.append)
    assert (done.differences, done.events, done.poisoned) == ([], len(history.events), 0)
    assert dump(using, name) == before
    assert list(schema(using)) == tables
    assert progress[-1].doing == "comparing"
    assert Reader.objects.using(using).count() == len(PROJECTORS)
    SampleTableDay(history, "R7").open().bet(1000, -1000)
    applier(using).apply(history.events)
    rebuild(name, using, history)


def test_a_difference_within_one_version_is_shown_and_not_switched(using: str, history: History) -> None:
    applier(using).apply(history.events)
    TableDay.objects.using(using).filter(table="R1").update(paid_minor=1)
    TableDay.objects.using(using).filter(table="R2").delete()
    with pytest.raises(RebuildDiffers, match="both are of the same version") as caught:
        rebuild("accounts", using, history)
    shown = sorted(map(str, caught.value.differences))
    assert shown == [
        "TableDay athens/tables/R1/2026-11-20: paid_minor: live 1, copy 2000",
        "TableDay athens/tables/R2/2026-11-20: only in the copy read model",
    ]
    assert TableDay.objects.using(using).get(table="R1").paid_minor == 1
    assert [row for row in schema(using) if "copy" in row[0]] == []
    rebuild("accounts", using, history, approve=True)
    assert TableDay.objects.using(using).get(table="R1").paid_minor == 2000
    assert TableDay.objects.using(using).filter(table="R2").exists()


def test_of_a_long_value_only_the_beginning_is_shown() -> None:
    text = str(RowDifference("DayReport", "2026-11-20", {"basis": ("a" * 60_000, "b")}, "both"))
    assert text == f"DayReport 2026-11-20: basis: live '{'a' * 199}... (60,002 characters), copy 'b'"


def test_another_versions_difference_is_approved(using: str, history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    applier(using).apply(history.events)
    live, new = AccountsProjector.version, AccountsProjector.version + 1
    monkeypatch.setattr(AccountsProjector, "version", new)
    TableDay.objects.using(using).filter(table="R1").update(paid_minor=1)
    with pytest.raises(RebuildDiffers, match=f"made by version {live}"):
        rebuild("accounts", using, history)
    done = rebuild("accounts", using, history, approve=True)
    assert [difference.key for difference in done.differences] == ["athens/tables/R1/2026-11-20"]
    assert Reader.objects.using(using).get(projection="accounts").version == new
    applier(using)


def test_a_running_projector_notices_the_switch_and_goes_on(using: str, history: History) -> None:
    running = applier(using)
    running.apply(history.events[:80])
    TableDay.objects.using(using).filter(table="R1").update(paid_minor=1)
    rebuild("accounts", using, history, approve=True)
    with pytest.raises(ReaderMoved):
        running.apply(history.events)
    running.load()
    running.apply(history.events)
    assert TableDay.objects.using(using).get(table="R1").paid_minor == 2000


def test_what_the_live_one_wrote_meanwhile_is_in_the_copy(using: str, history: History) -> None:
    running = applier(using)
    running.apply(history.events[:60])

    def meanwhile(progress: RebuildProgress) -> None:
        if progress.doing == "reading" and running.position == 60:
            running.apply(history.events[60:80])

    done = rebuild("eventlog", using, history, tell=meanwhile)
    assert (done.position, done.differences) == (80, [])
    assert EventLog.objects.using(using).count() == 80


def test_poison_is_rebuilt_too(using: str, history: History) -> None:
    history.put("athens/tables/R1/2026-11-20", "robot.dealt.v9", b"{}")
    table = SampleTableDay(history, "R1")
    table.bet(1000, -1000)
    applier(using).apply(history.events)
    before = list(PoisonedEvent.objects.using(using).order_by("id").values_list("id", "projection", "error"))
    assert rebuild("accounts", using, history).poisoned == 1
    assert list(PoisonedEvent.objects.using(using).order_by("id").values_list("id", "projection", "error")) == before
    assert WaitingEvent.objects.using(using).filter(projection="accounts").count() == 6


def test_a_projection_that_was_never_there_is_built(using: str, history: History) -> None:
    done = rebuild("accounts", using, history)
    assert done.position == len(history.events)
    before = dump(using, "accounts")
    assert Reader.objects.using(using).get(projection="accounts").position == len(history.events)
    applier(using).apply(history.events)
    assert dump(using, "accounts") == before


def test_what_a_killed_rebuild_left_behind_is_cleared(using: str, history: History) -> None:
    applier(using).apply(history.events)

    def killed(progress: RebuildProgress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rebuild("accounts", using, history, tell=killed)
    assert Reader.objects.using(using).count() == len(PROJECTORS)
    with connections[using].cursor() as cursor:
        cursor.execute("CREATE TABLE projections_tableday__copy (id integer)")
    rebuild("accounts", using, history)


def test_rebuilds_from_a_real_store(using: str, tmp_path: Path) -> None:
    store: EventStore = open_store(f"sqlite:///{tmp_path / 'events.sqlite3'}")
    store.create()
    try:
        [done] = Rebuild([PROJECTORS["accounts"]], store, "athens", using=using).run()
        assert done.events == 0
    finally:
        store.close()


def rebuild_all(using: str, history: History, *, approve: bool = False) -> list[RebuildResult]:
    store: Any = HistoryStore(history)
    return Rebuild(list(PROJECTORS.values()), store, "athens", using=using).run(approve=approve)


def test_all_are_rebuilt_at_once_each_compared_where_its_reader_stands(using: str, history: History) -> None:
    """One reader is up to date, one is behind and one is new. The next batch continues from the new tables."""
    history.put("athens/tables/R1/2026-11-20", "robot.dealt.v9", b"{}")
    events = history.events
    applier(using, "accounts").apply(events)
    applier(using, "eventlog").apply(events[:40])
    before = dump(using, "accounts")
    done = rebuild_all(using, history)
    poisoned = {name: int(name != "cases") for name in PROJECTORS}  # of the table's event, which `cases` does not read
    assert [(rebuilt.name, rebuilt.differences, rebuilt.poisoned) for rebuilt in done] == [
        (name, [], poisoned[name]) for name in poisoned
    ]
    assert dump(using, "accounts") == before
    assert set(Reader.objects.using(using).values_list("position", flat=True)) == {events[-1].position}
    SampleTableDay(history, "R7").open().bet(1000, -1000)
    applier(using).apply(history.events)
    assert EventLog.objects.using(using).count() == len(history.events) - 1
    assert [rebuilt.differences for rebuilt in rebuild_all(using, history)] == [[] for _ in PROJECTORS]


def test_one_that_differs_keeps_all_from_being_switched(using: str, history: History) -> None:
    applier(using).apply(history.events)
    TableDay.objects.using(using).filter(table="R1").update(paid_minor=1)
    generations = list(Reader.objects.using(using).values_list("projection", "generation").order_by("projection"))
    with pytest.raises(RebuildDiffers, match=r"^the rebuilt accounts .* same version; nothing was switched"):
        rebuild_all(using, history)
    assert (
        list(Reader.objects.using(using).values_list("projection", "generation").order_by("projection")) == generations
    )
    assert [len(result.differences) for result in rebuild_all(using, history, approve=True)] == [
        int(name == "accounts") for name in PROJECTORS
    ]


@pytest.mark.parametrize("read", [0, 1, 60, None])
def test_one_begun_before_anything_was_read_meets_a_projector_that_reads_meanwhile(
    using: str, history: History, read: int | None
) -> None:
    """All readers are at position 0 at its start. Until the switch, one reader advances and the store grows."""
    running = applier(using)
    before = list(history.events)

    def meanwhile(progress: RebuildProgress) -> None:
        if progress.doing == "reading" and len(history.events) == len(before):
            SampleTableDay(history, "R7").open().bet(1000, -1000)
            running.apply(history.events if read is None else before[:read])

    store: Any = HistoryStore(history)
    done = Rebuild(list(PROJECTORS.values()), store, "athens", using=using, tell=meanwhile).run()
    last = history.events[-1].position
    assert [(result.differences, result.position) for result in done] == [([], last)] * len(PROJECTORS)
    assert set(Reader.objects.using(using).values_list("position", flat=True)) == {last}
    assert EventLog.objects.using(using).count() == len(history.events)
    SampleTableDay(history, "R8").open().bet(1000, -1000)
    with pytest.raises(ReaderMoved):
        running.apply(history.events)
    running.load()
    running.apply(history.events)
    assert [result.differences for result in rebuild_all(using, history)] == [[] for _ in PROJECTORS]
