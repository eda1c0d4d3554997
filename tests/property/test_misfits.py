"""Facts that do not fit: the read model judges by its rows, the progressive's fold by its memory. Both agree."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db.models import Model
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_django.plugin import DjangoDbBlocker

from events.catalogue import decode
from events.progressives.event_to_fact_mapping import fact_of
from events.progressives.fold import Fold
from events.tables.event_types.progressive import (
    DealCompleted,
    HitDeclared,
    HitDeclaredLate,
    ProgressiveArmed,
    ProgressiveStake,
)
from events.tables.event_types.rounds import RoundEnded, RoundVoided
from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.engine.models import PoisonedEvent, Reader
from projections.invariants import LoadedRows, fed_is_stakes_times_rate, meter_equation, what_is_refused_is_told
from projections.matters.models import Misfit
from projections.progressives.models import Hit, ProgressiveLevel
from projections.progressives.projector import ProgressivesProjector
from tests.support.houses.sample_event_streams import SampleTableDay
from tests.support.processes.scratch_databases import read_models
from tests.support.records import progressive_timeline_recorder

GIVEN: dict[str, Any] = {**progressive_timeline_recorder.cases()[0]["given"], "facts": []}
LOW, HIGH = GIVEN["stakes"]
BOTH = (("p-boss", "pit boss"), ("p-eye", "surveillance"))
PEOPLE = st.sampled_from([BOTH, BOTH, BOTH, BOTH[:1], (("p-dealer", "inspector"), ("p-eye", "surveillance"))])
NAMES = ("BJ1", "BJ2")


@pytest.fixture(scope="module")
def using(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    url = f"sqlite:///{tmp_path_factory.mktemp('p') / 'read.sqlite3'}"
    with django_db_blocker.unblock(), read_models(url) as alias:
        yield alias


Deed = tuple[str, dict[str, Any]]  # kind, data


@st.composite
def deeds(draw: st.DrawFn, kind: str) -> Deed:
    """Something of a kind, mostly as it should be."""
    data: dict[str, Any] = {"other_round": draw(st.integers(0, 11)) == 0}
    if kind == "arm":
        stakes = st.sampled_from([LOW] * 6 + [HIGH] * 6 + [LOW + 1])
        boxes = draw(st.lists(st.integers(1, 3), min_size=draw(st.sampled_from([0, 2, 2, 2, 3])), max_size=3))
        data["bets"] = [(box, draw(stakes)) for box in boxes]
    elif kind in ("hit", "late"):
        data |= {"box": draw(st.integers(1, 3)), "name": draw(st.sampled_from("abcdef"))}
        data["level"] = draw(st.sampled_from(["minor", "major", "mega"]))
    if kind in ("late", "void"):
        data["approvals"] = draw(PEOPLE)
    if kind == "void":
        data["reason"] = draw(st.sampled_from(["an exposed card", "an exposed card", " "]))
    return kind, data


@st.composite
def rounds(draw: st.DrawFn) -> list[Deed]:
    """Draw a round from its arming to its end, sometimes with a missing, a repeated or a misplaced fact."""
    hits, late = draw(st.integers(0, 3)), draw(st.integers(0, 2))
    kinds = ["arm", *["hit"] * hits, "dealt", *["late"] * late, draw(st.sampled_from(["over", "over", "void"]))]
    facts = []
    for kind in kinds:
        times = draw(st.sampled_from([1] * 10 + [0, 2]))
        facts += [draw(deeds(kind)) for _ in range(times)]
        if draw(st.integers(0, 9)) == 0:
            facts.append(draw(deeds(draw(st.sampled_from(["arm", "hit", "late", "dealt", "over", "void"])))))
    return facts


@st.composite
def nights(draw: st.DrawFn) -> list[tuple[str, Deed]]:
    """Rounds of two tables, side by side."""
    left = {
        name: [deed for round_ in draw(st.lists(rounds(), min_size=1, max_size=3)) for deed in round_] for name in NAMES
    }
    night = []
    while any(left.values()):
        name = draw(st.sampled_from([name for name in NAMES if left[name]]))
        night.append((name, left[name].pop(0)))
    return night


def _say(table: SampleTableDay, deed: Deed) -> None:
    kind, data = deed
    if kind == "arm" and not data["other_round"]:
        table.round += 1
    elif kind != "arm" and data["other_round"]:
        table.round = max(table.round - 1, 1)
    who: dict[str, Any] = {"progressive": progressive_timeline_recorder.NAME}
    if kind == "arm":
        bets = tuple(
            ProgressiveStake(box=box, player=f"g-{box}", stake_minor=stake, bet=f"b{box}")
            for box, stake in data["bets"]
        )
        table.say(ProgressiveArmed, bets=bets, amount_minor=sum(bet.stake_minor for bet in bets), **who)
    elif kind in ("hit", "late"):
        hit = {"hit": data["name"], "level": data["level"], "box": data["box"], "player": "g-9", **who}
        if kind == "late":
            table.say(HitDeclaredLate, approvals=data["approvals"], **hit)
        else:
            table.say(HitDeclared, **hit)
    elif kind == "void":
        table.say(RoundVoided, reason=data["reason"], approvals=data["approvals"], **who)
    else:
        table.say(DealCompleted if kind == "dealt" else RoundEnded, **who)


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(night=nights(), size=st.integers(1, 12))
def test_the_read_model_refuses_what_the_fold_refuses(using: str, night: list[tuple[str, Deed]], size: int) -> None:
    recorder = progressive_timeline_recorder.Recorder(GIVEN)
    history, fold = recorder.history, recorder.fold
    tables = {name: SampleTableDay(history, name, ruleset="blackjack-trilux").open() for name in NAMES}
    for table in tables.values():
        table.round = 1  # an event without a round is poison to both
    for name, deed in night:
        _say(tables[name], deed)
    refused = _judge(fold, history.events)
    _project(using, history.events, size)
    misfits = Misfit.objects.using(using).order_by("position").values_list("position", "clause")
    assert list(misfits) == refused
    for row in ProgressiveLevel.objects.using(using):
        level = fold.level(row.level)
        assert (row.fed_micro, row.reserve_fed_micro) == (level.fed, level.reserve_fed)
    taken = Hit.objects.using(using).exclude(status="refused")
    assert {row.hit: (row.player, row.status == "void") for row in taken} == {
        name: (hit.player, hit.void) for name, hit in fold.state.hits.items()
    }
    for check in (what_is_refused_is_told, meter_equation, fed_is_stakes_times_rate):
        assert list(check(LoadedRows(using))) == []


def _judge(fold: Fold, events: list[Any]) -> list[tuple[int, str]]:
    """Return position and clause of each fact that the fold refuses. Hits stay pending without reconciliation."""
    facts = (
        fact_of(
            event.position,
            event.stream,
            event.type,
            decode(event.type, event.raw).data,
            progressive_timeline_recorder.NAME,
        )
        for event in events
    )
    return [(at, error.clause) for at, error in fold.take(fact for fact in facts if fact is not None)]


def _project(using: str, events: list[Any], size: int) -> None:
    """Empty the read models and apply the events in batches of a size."""
    emptied: list[type[Model]] = [Reader, PoisonedEvent, *ProgressivesProjector.models]
    for model in emptied:
        model._default_manager.using(using).all().delete()
    applier = Applier([ProgressivesProjector(WriteTarget(using))], "athens")
    applier.load()
    for first in range(0, len(events), size):
        assert applier.apply(events[first : first + size]).poisoned == 0
