"""Table events about a progressive: rounds armed, dealt, over or void, and hits declared."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from events.errors import Refused
from events.progressives.table_fact_checks import check_dealing, check_ending
from events.tables.armed_round_rebuilt_from_events import UNDECLARED, undeclared_level
from events.tables.event_types.progressive import DealCompleted, HitDeclared, HitDeclaredLate, ProgressiveArmed
from events.tables.event_types.rounds import RoundEnded, RoundVoided
from events.tables.event_types.session import IrregularityRecorded
from projections.engine.bulk_writer import WriteTarget
from projections.engine.decoded_events import Event
from projections.engine.projector_base_classes import Handler, ProjectorPart
from projections.engine.row_cache_for_batches import RowCache
from projections.matters.events_refused_by_progressive import Misfits
from projections.matters.json_text_for_columns import json
from projections.matters.locks_waiting_for_undealt_round import WaitingLevels
from projections.matters.missed_hits_and_house_payments import MissedHits, missed_id
from projections.progressives import table_event_checks_by_rows
from projections.progressives.hits import Hits, as_shared
from projections.progressives.meters import Meters
from projections.progressives.models import ArmedRound, ArmedTable, Hit


class ArmedRoundsAndHits(ProjectorPart):
    """Rounds and hits by the tables' declarations. A misfit moves no amount and is recorded
    (`events/progressives/fact_structs.py`).

    `wake` is called with a progressive that has work for the worker.
    """

    def __init__(
        self,
        target: WriteTarget,
        armed: RowCache[ArmedRound],
        meters: Meters,
        hits: Hits,
        waits: WaitingLevels,
        missed: MissedHits,
        noted: Misfits,
        wake: Callable[[str], None],
    ) -> None:
        self._rounds, self._armed_tables = armed, RowCache(target, ArmedTable)
        self._meters, self._hits, self._waits, self._missed, self._misfits = meters, hits, waits, missed, noted
        self._wake = wake
        super().__init__(self._rounds, self._armed_tables)

    def handlers(self) -> Mapping[Any, Handler]:
        return {**self._of_rounds(), IrregularityRecorded: self._irregular}

    def _of_rounds(self) -> Mapping[Any, Handler]:
        return {
            ProgressiveArmed: self._armed,
            DealCompleted: self._dealt,
            RoundEnded: self._ended,
            RoundVoided: self._round_voided,
            HitDeclared: self._declared,
            HitDeclaredLate: self._declared,
        }

    def load(self, events: Sequence[Event]) -> None:
        rounds = [event for event in events if event.type in _OF_ROUNDS and event.data.progressive]
        self._rounds.load({_round_id(event) for event in rounds})
        self._armed_tables.load({event.stream for event in rounds})

    # --- rounds at the tables -----------------------------------------------------------------------------------

    def _armed(self, event: Event, data: ProgressiveArmed) -> None:
        stream, key, number = progressive_of(event), _round_id(event), data.round or 0
        bets = [(bet.box, bet.player, bet.stake_minor) for bet in data.bets]
        rates = self._meters.in_force(stream, event.position)
        if not self._fits(event, lambda: self._fit_arming(event, number, bets)):
            # It contributed nothing; earlier armed rounds stay unchanged.
            self._rounds.change(key, lambda: self._round(event, key, "refused", bets))
            return
        row = self._rounds.change(key, lambda: self._round(event, key, "armed", bets))
        row.status, row.position, row.bets, row.dealer = "armed", event.position, json(bets), data.dealer or ""
        table = self._armed_tables.change(event.stream, lambda: ArmedTable(session=event.stream))
        table.open_round, table.last_round = number, max(table.last_round, number)
        stakes = sum(stake for _, _, stake in bets)
        for level, (_, feed, reserve) in rates:
            self._meters.feed(event, level, stakes, stakes * feed, stakes * reserve)

    def _fit_arming(self, event: Event, number: int, bets: table_event_checks_by_rows.Bets) -> None:
        progressive = self._meters.open_by(event, progressive_of(event))
        if progressive is None:
            raise table_event_checks_by_rows.of_link(event)
        table_event_checks_by_rows.fit_arming(
            progressive, self._armed_tables.get(event.stream) or ArmedTable(session=event.stream), number, bets
        )

    def _fits(self, event: Event, check: Callable[[], None]) -> bool:
        """Return whether an event fits, and note a misfit where it does not."""
        try:
            check()
        except Refused as why:
            self._misfits.note(event, progressive_of(event), why)
            return False
        return True

    def _round(self, event: Event, key: str, status: str, bets: table_event_checks_by_rows.Bets) -> ArmedRound:
        return ArmedRound(
            id=key,
            stream=progressive_of(event),
            session=event.stream,
            round=event.data.round or 0,
            position=event.position,
            status=status,
            dealer=event.data.dealer or "",
            bets=json(bets),
        )

    def _armed_round(self, event: Event) -> ArmedRound | None:
        """Return the round of a table's event; None where it was never armed, or was refused."""
        round_ = self._rounds.get(_round_id(event)) if event.data.progressive else None
        return None if round_ is None or round_.status == "refused" else round_

    def _round_goes_on(self, event: Event, armed: ArmedRound, status: str) -> None:
        armed = self._rounds.change(armed.id, ArmedRound)
        armed.status = status
        if status != "dealt":
            self._armed_tables.change(armed.session, lambda: ArmedTable(session=armed.session)).open_round = None
        if self._hits.pending(armed.stream):
            self._wake(event.data.progressive)
        if status != "over":
            why = "dealt" if status == "dealt" else "round void"
            self._waits.dealt(armed.stream, armed.session, armed.round, why, event.position)

    def _dealt(self, event: Event, data: DealCompleted) -> None:
        armed = self._armed_round(event)
        if armed is not None and self._fits(event, lambda: check_dealing(armed.round, armed)):
            self._round_goes_on(event, armed, "dealt")

    def _ended(self, event: Event, data: RoundEnded) -> None:
        armed = self._armed_round(event)
        if armed is not None and self._fits(event, lambda: check_ending(armed.round, armed)):
            self._round_goes_on(event, armed, "over")

    def _round_voided(self, event: Event, data: RoundVoided) -> None:
        """The hits of a misdeal are void; the progressive itself withdraws a valid lock."""
        armed = self._armed_round(event)
        if armed is None or not self._fits(
            event, lambda: table_event_checks_by_rows.fit_misdeal(armed, data.reason, data.approvals)
        ):
            return
        self._round_goes_on(event, armed, "void")
        for box, _, _ in _bets(armed):
            self._missed.clear(missed_id(armed.session, armed.round, box), "round void", event.position)
        for hit in self._hits.of_round(armed):
            if hit.status == "pending":
                self._hits.settle(self._hits.change(hit.stream, hit.hit), event.position, "void")

    # --- hits -----------------------------------------------------------------------------------------------------

    def _declared(self, event: Event, data: HitDeclared | HitDeclaredLate) -> None:
        stream, armed = progressive_of(event), self._rounds.get(_round_id(event))
        if self._meters.open_by(event, progressive_of(event)) is None:
            self._misfits.note(event, stream, table_event_checks_by_rows.of_link(event))
            return
        declared_hit = self._as_declared(event, data, armed)
        misfit = not self._fits(event, lambda: self._fit_hit(declared_hit, armed, data))
        hit_row = self._hits.get(declared_hit.id)
        declared_hit.player = declared_hit.player or data.player or ""
        if misfit and hit_row is not None and hit_row.position and hit_row.status != "refused":
            return  # the name belongs to another hit
        hit = self._hits.change(stream, data.hit)
        for name in _DECLARED:
            setattr(hit, name, getattr(declared_hit, name))
        hit.since = hit.since or event.position
        if not misfit:
            self._missed.clear(missed_id(event.stream, data.round, data.box), "declared late", event.position)
        status = "refused" if misfit else as_shared(hit) if hit.status == "refused" else None
        self._hits.settle(hit, event.position, status)
        if hit.status == "pending":
            self._wake(data.progressive)

    def _as_declared(self, event: Event, data: HitDeclared | HitDeclaredLate, armed: ArmedRound | None) -> Hit:
        """Return the hit as the table declared it, with the player whose bet is on the box."""
        player = next((bettor for box, bettor, _ in _bets(armed) if box == data.box), "") if armed else ""
        return Hit(
            id=f"{progressive_of(event)}/{data.hit}",
            hit=data.hit,
            level=data.level,
            position=event.position,
            session=event.stream,
            table=data.table,
            gaming_day=data.gaming_day,
            round=data.round or 0,
            box=data.box or 0,
            player=player,
            dealer=(armed.dealer if armed else "") or data.dealer or "",
            is_late=isinstance(data, HitDeclaredLate),
        )

    def _fit_hit(self, declared_hit: Hit, armed: ArmedRound | None, data: HitDeclared | HitDeclaredLate) -> None:
        others = {hit.id: hit for hit in self._hits.of_round(armed)} if armed else {}
        hit_row = self._hits.get(declared_hit.id)
        if hit_row is not None and hit_row.position:
            others[hit_row.id] = hit_row
        counted = [hit for hit in others.values() if hit.status != "refused"]
        stream = declared_hit.id.removesuffix(f"/{declared_hit.hit}")
        levels = [level.removeprefix(f"{stream}/") for level in self._meters.level_ids(stream)]
        late = data.approvals if isinstance(data, HitDeclaredLate) else None
        table_event_checks_by_rows.fit_hit(armed, declared_hit, counted, levels, late)

    def _irregular(self, event: Event, data: IrregularityRecorded) -> None:
        """Cards that make a hit, and no one declared it."""
        armed = self._rounds.get(_round_id(event)) if data.kind == UNDECLARED else None
        if armed is not None and armed.status != "refused":
            named = undeclared_level(data)
            self._missed.note(event, data, armed.stream, named, self._meters.shown_minor(armed.stream, named))


_OF_ROUNDS = frozenset(
    kind.TYPE
    for kind in (
        ProgressiveArmed,
        DealCompleted,
        RoundEnded,
        RoundVoided,
        HitDeclared,
        HitDeclaredLate,
    )
)


# The table's part of a hit; its outcome comes from the progressive.
_DECLARED = ("level", "position", "session", "table", "gaming_day", "round", "box", "player", "dealer", "is_late")


def progressive_of(event: Event) -> str:
    """The stream of the progressive that a table's event names."""
    return f"{event.envelope.source}/progressives/{event.data.progressive}"


def _round_id(event: Event) -> str:
    return f"{event.stream}#{event.data.round}"


def _bets(armed: ArmedRound) -> list[tuple[int, str, int]]:
    bets: list[tuple[int, str, int]] = msgspec.json.decode(armed.bets)
    return bets
