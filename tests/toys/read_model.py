"""A read model of the tests' own, whole in one file: what each dealer's hands saw of a gaming day."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import models

from events.errors import Poison
from events.tables.event_types.rounds import BetPlaced
from projections.engine.bulk_writer import WriteTarget
from projections.engine.decoded_events import Event
from projections.engine.projector_base_classes import Composed, Handler, ProjectorPart
from projections.engine.row_cache_for_batches import RowCache
from projections.engine.worker_task_sending_after_batch import WorkerTask, task

LOOK = "toy.look_at_dealer"
STAKE_MAX_MINOR = 1_000_000


class DealerDay(models.Model):
    """A dealer's gaming day. The id is GAMING-DAY/DEALER."""

    id = models.TextField(primary_key=True)
    bets = models.BigIntegerField(default=0)
    stakes_minor = models.BigIntegerField(default=0)

    class Meta:
        app_label = "dealers_at_work"
        indexes = (models.Index("bets", name="dealerday_bets"),)

    def __str__(self) -> str:
        return self.id


class Bets(ProjectorPart):
    """Count the bets. A bet above half of the limit starts a background job that looks at the dealer."""

    def __init__(self, target: WriteTarget) -> None:
        self._days = RowCache(target, DealerDay)
        self.woken: set[WorkerTask] = set()
        super().__init__(self._days)

    def handlers(self) -> Mapping[Any, Handler]:
        return {BetPlaced: self._placed}

    def load(self, events: Sequence[Event]) -> None:
        self._days.load(_key(event) for event in events)

    def forget(self) -> None:
        self.woken.clear()

    def _placed(self, event: Event, data: BetPlaced) -> None:
        if data.amount_minor > STAKE_MAX_MINOR:
            raise Poison(f"nobody stakes {data.amount_minor}")
        key = _key(event)
        day = self._days.change(key, lambda: DealerDay(id=key))
        day.bets += 1
        day.stakes_minor += data.amount_minor
        if data.amount_minor > STAKE_MAX_MINOR // 2:
            self.woken.add(task(LOOK, dealer=data.dealer or "", gaming_day=data.gaming_day))


def _key(event: Event) -> str:
    return f"{event.data.gaming_day}/{event.data.dealer}"


class DealersAtWork(Composed):
    """The read model: its name, its version, its tables, its parts."""

    name = "dealers"
    version = 1
    models = (DealerDay,)

    def parts(self, target: WriteTarget) -> Iterable[ProjectorPart]:
        self._bets = Bets(target)
        return (self._bets,)

    def tasks(self) -> set[WorkerTask]:
        woken, self._bets.woken = self._bets.woken, set()
        return woken
