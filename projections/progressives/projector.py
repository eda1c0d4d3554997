"""The projector of the progressives: meters, contributions, hits, locks, envy, and open items.

A meter has the contributions of the armed rounds (at the rates in force there), and the locks and adjustments of the
progressive's own stream. Events of two streams meet here, and either may be late because of a quarantined event. The
two streams' events about a hit touch different columns, and rates are looked up by position.
"""

from collections.abc import Iterable, Sequence

from projections.engine.bulk_writer import WriteTarget
from projections.engine.decoded_events import Event
from projections.engine.projector_base_classes import Composed, ProjectorPart
from projections.engine.row_cache_for_batches import RowCache
from projections.engine.worker_task_sending_after_batch import WorkerTask, task
from projections.matters.accounting_notices import Notices
from projections.matters.approval_requests import Requests
from projections.matters.events_refused_by_progressive import Misfits
from projections.matters.locks_waiting_for_undealt_round import WaitingLevels
from projections.matters.missed_hits_and_house_payments import HousePayments, MissedHits
from projections.matters.models import (
    ApprovalRequest,
    HousePayment,
    LevelWait,
    Misfit,
    MissedHit,
    Notice,
    Reading,
    Variance,
)
from projections.matters.sign_readings import Readings
from projections.progressives import VERSION
from projections.progressives.armed_rounds_and_declared_hits import ArmedRoundsAndHits, progressive_of
from projections.progressives.hits import Hits
from projections.progressives.jackpot_lock_amounts import Locks
from projections.progressives.meters import Meters
from projections.progressives.models import (
    ArmedRound,
    ArmedTable,
    Envy,
    Hit,
    Lock,
    Progressive,
    ProgressiveLevel,
    ProgressiveParameters,
    ProgressiveTable,
)

RECONCILE = "pitledger.reconcile"


class ProgressivesProjector(Composed):
    """Rows of progressives, levels, contributing tables, hits, locks, envy bonuses, and matters for people."""

    name = "progressives"
    version = VERSION
    models = (
        Progressive,
        ProgressiveLevel,
        ProgressiveParameters,
        ProgressiveTable,
        ArmedRound,
        Hit,
        Lock,
        Envy,
        ArmedTable,
        ApprovalRequest,
        Reading,
        Variance,
        LevelWait,
        Misfit,
        Notice,
        MissedHit,
        HousePayment,
    )

    def __init__(self, target: WriteTarget) -> None:
        self._woken: set[WorkerTask] = set()
        super().__init__(target)

    def parts(self, target: WriteTarget) -> Iterable[ProjectorPart]:
        armed = RowCache(target, ArmedRound)
        requests = Requests(target, lambda session, number: _fed_by(armed, session, number))
        notices, waits, missed, noted = (
            Notices(target, requests),
            WaitingLevels(target),
            MissedHits(target),
            Misfits(target),
        )
        meters = Meters(target, notices)
        hits = Hits(target, meters, waits)
        rounds = ArmedRoundsAndHits(target, armed, meters, hits, waits, missed, noted, self._wake)
        payments = HousePayments(target, missed)
        locks, readings = Locks(target, meters, hits), Readings(target)
        return (meters, rounds, hits, locks, requests, readings, waits, noted, notices, missed, payments)

    def needs(self, event: Event) -> Sequence[str]:
        """Return the progressive whose quarantined events block this table's event: a rate may be among them."""
        if event.type in self._handlers and getattr(event.data, "progressive", None):
            return (progressive_of(event),)
        return ()

    def forget(self) -> None:
        super().forget()
        self._woken.clear()

    def tasks(self) -> set[WorkerTask]:
        woken, self._woken = self._woken, set()
        return woken

    def _wake(self, progressive: str) -> None:
        self._woken.add(task(RECONCILE, progressive=progressive))


def _fed_by(armed: RowCache[ArmedRound], session: str, number: object) -> str | None:
    """The progressive that a table's round feeds."""
    round_ = armed.get(f"{session}#{number}")
    return None if round_ is None else round_.stream
