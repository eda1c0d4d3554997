"""The service of a progressive: due locks, requests that expire, alerts about waiting levels.

`reconcile` appends the due locks. Ten calls at once, a lost call and a repeated call have the same result. An action is
judged at its own position (`follow`): locks due by then are appended with it. So no result depends on the progress of a
worker.
"""

from collections.abc import Sequence
from datetime import datetime

import msgspec
import structlog

from events import catalogue
from events.desk import locked_decisions
from events.envelope import Action, ActionData, EventData
from events.error_codes import coded
from events.errors import Poison, Refused, Unknown
from events.people import approval_request_lifecycle, role_grant_decider
from events.people.approval_request_lifecycle import Moment
from events.progressives import action_structs, event_types, history_reader
from events.progressives.decider import due_locks
from events.progressives.decider_base_functions import table_and_day
from events.progressives.fact_structs import MisfitFact
from events.progressives.fold import Fold
from events.progressives.history_reader import stream_of
from events.progressives.progressive_state_following_store import ProgressiveFollower, is_at_hand, live
from events.store import EventReader, EventStore, Stored
from events.streams.stream_kind_declaration import Target

log = structlog.get_logger(__name__)


def prepare(store: EventStore, property_: str) -> None:
    """Fold every progressive up to now, and store a snapshot, before the first request.

    A new version of the fold reads all events once more: a year takes minutes, too long for an action. A progressive
    that cannot be folded is left to its next request.
    """
    for name in history_reader.names(store, property_):
        at = live(store, property_, name)
        try:
            with at.guard:
                at.catch_up(store)
                at.save(store)
        except Poison as error:
            log.error("a progressive could not be folded", progressive=name, why=str(error))


def must_exist(store: EventStore, property_: str, name: str) -> None:
    """Raise Unknown for a progressive without events. So a mistyped name costs one read of a stream's head."""
    if not _exists(store, property_, name):
        raise Unknown(coded("progressive-unknown", progressive=name))


def _exists(store: EventStore, property_: str, name: str) -> bool:
    return is_at_hand(store, property_, name) or bool(store.head(stream_of(property_, name)).version)


def current(store: EventStore, property_: str, name: str) -> Fold:
    """Return a copy of the fold over all stored events. Raises Unknown, `Poison`."""
    must_exist(store, property_, name)
    at = live(store, property_, name)
    with at.guard:
        at.catch_up(store)
        if at.fold is None:
            raise Unknown(coded("progressive-unknown", progressive=name))
        return at.fold.copy()


def must_take_late_hit(store: EventStore, property_: str, name: str, table: str, round_: int, box: int) -> None:
    """Raise Refused where the box has a valid hit, or the round is no longer available. `table` is the stream.

    A meter cannot pay a winner of such a round: people settle it with a house payment.
    """
    at = live(store, property_, name)
    with at.guard:
        at.catch_up(store)
        hits = at.fold.state.hits.values() if at.fold is not None else ()
        wanted = (table, round_, box)
        standing_hit = next(
            (hit.id for hit in hits if (hit.table, hit.round, hit.box) == wanted and not hit.void), None
        )
        knows = at.fold is not None and at.fold.knows(table, round_)
    if standing_hit is not None:
        raise Refused("blazing7s B", coded("box-hit-declared", box=box, hit=standing_hit), reading="BLZ-16")
    if not knows:
        reason = coded("round-fed-no-meter", round=round_, progressive=name)
        raise Refused("house late hit", reason)


def reconcile(store: EventStore, property_: str, name: str) -> int:
    """Append the due locks, and return their number. Safe to repeat at any moment.

    No state is kept of a progressive that does not exist: a task may name any.
    """
    if not _exists(store, property_, name):
        return 0
    at = live(store, property_, name)
    return len(locked_decisions.append_due(store, at, lambda _: () if at.fold is None else due_locks(at.fold)))


def let_lapse(store: EventStore, property_: str, name: str) -> int:
    """Record the lapse of expired requests, and return their number. Safe to repeat."""
    at, now = live(store, property_, name), store.clock()
    return len(locked_decisions.append_due(store, at, lambda history: _lapsed(history, property_, at, now)))


def _lapsed(history: EventReader, property_: str, at: ProgressiveFollower, now: str) -> Sequence[EventData]:
    if all(request.done for request in at.requests.values()):
        return ()
    return approval_request_lifecycle.lapsed(
        at.requests, Moment(now, role_grant_decider.read(history, property_).roles)
    )


def refused_facts(store: EventStore, property_: str, name: str) -> list[MisfitFact]:
    """Return the facts that the progressive refused, by position, for people."""
    at = live(store, property_, name)
    with at.guard:
        at.catch_up(store)
        return list(at.misfits)


def alert_waiting(store: EventStore, property_: str, name: str, *, after_s: float) -> int:
    """Say, once a round, which levels have waited longer than `after_s` for its initial deal; how many that were.

    They wait from the moment the first pending hit was recorded, by the store's clock.
    """
    at, now = live(store, property_, name), store.clock()
    events = locked_decisions.append_due(store, at, lambda history: _overdue(history, at, now, after_s))
    for event in events:
        log.warning("a level waits for an undealt round", **msgspec.to_builtins(event))
    return len(events)


def _overdue(history: EventReader, at: ProgressiveFollower, now: str, after_s: float) -> list[event_types.LevelWaiting]:
    """Return the due alerts that are not recorded yet."""
    if at.fold is None:
        return []
    alerts = []
    for level in at.fold.state.levels:
        hit = at.fold.waiting_hit(level)
        if hit is None or hit.id in at.fold.state.alerted:
            continue
        waited_s = _seconds_since(history.after(hit.at - 1, 1, until=hit.at)[0], now)
        if waited_s > after_s:
            table, day = table_and_day(hit.table)
            alerts.append(
                event_types.LevelWaiting(
                    progressive=at.name,
                    level=level,
                    hit=hit.id,
                    table=table,
                    gaming_day=day,
                    round=int(hit.round),
                    as_of=hit.at,
                    waited_s=int(waited_s),
                )
            )
    return alerts


def _seconds_since(stored: Stored, now: str) -> float:
    recorded = datetime.fromisoformat(catalogue.decode(stored.type, stored.raw).recordedat)
    return (datetime.fromisoformat(now) - recorded).total_seconds()


def follow_progressive(
    store: EventStore, property_: str, target: Target, action: Action, data: ActionData
) -> ProgressiveFollower:
    """Return the progressive of the request. Raises Refused, Unknown."""
    if action.intent == "fact":
        raise Refused("house progressive", coded("progressive-takes-no-facts"))
    if not isinstance(data, action_structs.OpenProgressive):
        must_exist(store, property_, target.name)
    elif data.progressive != target.name:
        raise Refused(
            "house progressive", coded("progressive-is-another", progressive=target.name, named=data.progressive)
        )
    return live(store, property_, target.name)
