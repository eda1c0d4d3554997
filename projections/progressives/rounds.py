"""What the tables say of a progressive: rounds armed, dealt, over or void, and hits declared."""

import msgspec

from events.errors import Refused
from events.tables.types.progressive import DealCompleted, HitDeclared, HitDeclaredLate, ProgressiveArmed
from events.tables.types.rounds import RoundEnded, RoundVoided
from projections.engine.facts import Fact
from projections.progressives import misfits
from projections.progressives.matters import ProgressiveMatters
from projections.progressives.matters import json as _json
from projections.progressives.models import ArmedRound, ArmedTable, Hit, Progressive, ProgressiveLevel, ProgressiveTable
from projections.progressives.rows import as_shared


class ProgressiveRounds(ProgressiveMatters):
    """The handlers of the events of the tables' streams. What does not fit moves nothing (`misfits.py`)."""

    def _load(self, facts: list[Fact]) -> None:
        """The rounds that these events speak of, with one query."""
        rounds = [fact for fact in facts if fact.type in _OF_ROUNDS and fact.data.progressive]
        self._rounds.load({_round_id(fact) for fact in rounds})
        self._armed_tables.load({fact.stream for fact in rounds})

    # --- rounds at the tables -----------------------------------------------------------------------------------

    def _armed(self, fact: Fact, data: ProgressiveArmed) -> None:
        stream, key, number = progressive_of(fact), _round_id(fact), data.round or 0
        bets = [(bet.box, bet.player, bet.stake_minor) for bet in data.bets]
        rates = [(level, found) for level in self._level_ids(stream) if (found := self._rates_at(level, fact.position))]
        if self._misfit(fact, self._of_arming(fact, number, bets)):
            # It fed nothing; what was armed there before stays what it is.
            self._rounds.change(key, lambda: self._round(fact, key, "refused", bets))
            return
        row = self._rounds.change(key, lambda: self._round(fact, key, "armed", bets))
        row.status, row.position, row.bets, row.dealer = "armed", fact.position, _json(bets), data.dealer or ""
        table = self._armed_tables.change(fact.stream, lambda: ArmedTable(session=fact.stream))
        table.open_round, table.last_round = number, max(table.last_round, number)
        stakes = sum(stake for _, _, stake in bets)
        for level, (_, feed, reserve) in rates:
            self._feed(fact, level, stakes, stakes * feed, stakes * reserve)

    def _of_arming(self, fact: Fact, number: int, bets: misfits.Bets) -> Refused | None:
        progressive = self._open_progressive(fact)
        table = self._armed_tables.get(fact.stream) or ArmedTable(session=fact.stream)
        return misfits.of_link(fact) if progressive is None else misfits.of_arming(progressive, table, number, bets)

    def _open_progressive(self, fact: Fact) -> Progressive | None:
        """The progressive that a table names, where it was open by then."""
        found = self._progressives.get(progressive_of(fact))
        return found if found is not None and found.position < fact.position else None

    def _misfit(self, fact: Fact, why: Refused | None) -> bool:
        """Whether the fact does not fit; that is noted."""
        if why is not None:
            self._note_misfit(fact, progressive_of(fact), why)
        return why is not None

    def _round(self, fact: Fact, key: str, status: str, bets: misfits.Bets) -> ArmedRound:
        return ArmedRound(
            id=key,
            stream=progressive_of(fact),
            session=fact.stream,
            round=fact.data.round or 0,
            position=fact.position,
            status=status,
            dealer=fact.data.dealer or "",
            bets=_json(bets),
        )

    def _feed(self, fact: Fact, level_id: str, stakes_minor: int, fed_micro: int, reserve_micro: int) -> None:
        level = self._levels.change(level_id, ProgressiveLevel)
        level.fed_micro += fed_micro
        level.meter_micro += fed_micro
        level.reserve_fed_micro += reserve_micro
        level.reserve_micro += reserve_micro
        key, data = f"{fact.stream}|{level_id}", fact.data
        table = self._tables.change(
            key,
            lambda: ProgressiveTable(
                id=key, session=fact.stream, level_id=level_id, table=data.table, gaming_day=data.gaming_day
            ),
        )
        table.rounds += 1
        table.stakes_minor += stakes_minor
        table.fed_micro += fed_micro
        table.reserve_fed_micro += reserve_micro

    def _armed_round(self, fact: Fact) -> ArmedRound | None:
        """The round that a table speaks of; None where it was never armed, or that was refused: no concern of ours."""
        found = self._rounds.get(_round_id(fact)) if fact.data.progressive else None
        return None if found is None or found.status == "refused" else found

    def _round_goes_on(self, fact: Fact, armed: ArmedRound, status: str) -> None:
        armed = self._rounds.change(armed.id, ArmedRound)
        armed.status = status
        if status != "dealt":
            self._armed_tables.change(armed.session, lambda: ArmedTable(session=armed.session)).open_round = None
        if self._pending_hits(armed.stream):
            self._wake.add(fact.data.progressive)
        if status != "over":
            why = "dealt" if status == "dealt" else "round void"
            self._clear_waits(armed.stream, why, session=armed.session, round_=armed.round)

    def _dealt(self, fact: Fact, data: DealCompleted) -> None:
        armed = self._armed_round(fact)
        if armed is not None and not self._misfit(fact, misfits.of_dealing(armed)):
            self._round_goes_on(fact, armed, "dealt")

    def _ended(self, fact: Fact, data: RoundEnded) -> None:
        armed = self._armed_round(fact)
        if armed is not None and not self._misfit(fact, misfits.of_ending(armed)):
            self._round_goes_on(fact, armed, "over")

    def _round_voided(self, fact: Fact, data: RoundVoided) -> None:
        """The hits of a misdeal are void; a lock that stands is withdrawn by the progressive itself."""
        armed = self._armed_round(fact)
        if armed is None or self._misfit(fact, misfits.of_misdeal(armed, data.reason, data.approvals)):
            return
        self._round_goes_on(fact, armed, "void")
        for box, _, _ in _bets(armed):
            self._clear_missed(f"{armed.id}/{box}", "round void")
        for hit in self._hits_of(armed):
            if hit.status == "pending":
                self._settle(self._hits.change(hit.id, Hit), "void")

    # --- hits -----------------------------------------------------------------------------------------------------

    def _declared(self, fact: Fact, data: HitDeclared | HitDeclaredLate) -> None:
        stream, armed = progressive_of(fact), self._rounds.get(_round_id(fact))
        if self._open_progressive(fact) is None:
            self._note_misfit(fact, stream, misfits.of_link(fact))
            return
        declared = self._as_declared(fact, data, armed)
        why = self._of_hit(declared, armed, data)
        misfit = self._misfit(fact, why)
        known = self._hits.get(declared.id)
        declared.player = declared.player or data.player or ""
        if misfit and known is not None and known.position and known.status != "refused":
            return  # the name stands for another hit
        hit = self._hit(stream, data.hit)
        for name in _DECLARED:
            setattr(hit, name, getattr(declared, name))
        hit.since = hit.since or fact.position
        if not misfit:
            self._clear_missed(f"{fact.stream}#{data.round}/{data.box}", "declared late")
        self._settle(hit, "refused" if misfit else as_shared(hit) if hit.status == "refused" else None)
        if hit.status == "pending":
            self._wake.add(data.progressive)

    def _as_declared(self, fact: Fact, data: HitDeclared | HitDeclaredLate, armed: ArmedRound | None) -> Hit:
        """What the table says of it; the player is whose bet lies there."""
        player = next((who for box, who, _ in _bets(armed) if box == data.box), "") if armed else ""
        return Hit(
            id=f"{progressive_of(fact)}/{data.hit}",
            hit=data.hit,
            level=data.level,
            position=fact.position,
            session=fact.stream,
            table=data.table,
            gaming_day=data.gaming_day,
            round=data.round or 0,
            box=data.box or 0,
            player=player,
            dealer=(armed.dealer if armed else "") or data.dealer or "",
            is_late=isinstance(data, HitDeclaredLate),
        )

    def _of_hit(self, declared: Hit, armed: ArmedRound | None, data: HitDeclared | HitDeclaredLate) -> Refused | None:
        others = {hit.id: hit for hit in self._hits_of(armed)} if armed else {}
        known = self._hits.get(declared.id)
        if known is not None and known.position:
            others[known.id] = known
        counted = [hit for hit in others.values() if hit.status != "refused"]
        stream = declared.id.removesuffix(f"/{declared.hit}")
        levels = [one.removeprefix(f"{stream}/") for one in self._level_ids(stream)]
        late = data.approvals if isinstance(data, HitDeclaredLate) else None
        return misfits.of_hit(armed, declared, counted, levels, late=late)

    def _hits_of(self, armed: ArmedRound) -> list[Hit]:
        self._hits.flush()
        rows = self.target.select(Hit, "session = %s AND round = %s", [armed.session, armed.round])
        return self._hits.adopt(rows)


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


# What of a hit its table says; what became of it is the progressive's to say.
_DECLARED = ("level", "position", "session", "table", "gaming_day", "round", "box", "player", "dealer", "is_late")


def progressive_of(fact: Fact) -> str:
    """The stream of the progressive that a table's event names."""
    return f"{fact.event.source}/progressives/{fact.data.progressive}"


def _round_id(fact: Fact) -> str:
    return f"{fact.stream}#{fact.data.round}"


def _bets(armed: ArmedRound) -> list[tuple[int, str, int]]:
    bets: list[tuple[int, str, int]] = msgspec.json.decode(armed.bets)
    return bets
