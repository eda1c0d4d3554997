"""What people have to see to: requests, readings, variances, levels that wait, notices, misfits."""

from typing import Any

import msgspec
from msgspec import UNSET

from events.approvals import ApprovalDeclined, ApprovalGiven, ApprovalLapsed, ApprovalRequested, ApprovalWithdrawn
from events.errors import Poison, Refused
from events.games.blackjack.late import UNDECLARED, undeclared_level
from events.progressives import types as said
from events.progressives.readings import VARIANCE_LIMIT_MINOR
from events.roles import DEPARTMENT
from events.tables.actions.progressive import DeclareHitLate
from events.tables.types.common import IrregularityRecorded
from projections.engine.facts import Fact
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
from projections.progressives.models import MICRO, Progressive, ProgressiveLevel
from projections.progressives.rows import ProgressiveRows


class ProgressiveMatters(ProgressiveRows):
    """The handlers of the events that leave something for people to do, or say that it was done."""

    # --- requests and agreements ----------------------------------------------------------------------------------

    def _requested(self, fact: Fact, data: ApprovalRequested) -> None:
        """Of what is asked of a table, a late hit alone is a matter of its progressive."""
        stream = self._asked_of(fact, data)
        if stream is None:
            return
        key = f"{fact.stream}/{data.request}"
        self._requests.change(
            key,
            lambda: ApprovalRequest(
                id=key,
                stream=stream,
                session="" if stream == fact.stream else fact.stream,
                request=data.request,
                action=data.action,
                input=json(data.input),
                content=data.content,
                person=data.person,
                people=json([(data.person, role) for role in data.roles]),
                position=fact.position,
                until=data.until or "",
            ),
        )

    def _asked_of(self, fact: Fact, data: ApprovalRequested) -> str | None:
        if "/progressives/" in fact.stream:
            return fact.stream
        if data.action != DeclareHitLate.TYPE:
            return None
        armed = self._rounds.get(f"{fact.stream}#{data.input.get('round')}")
        return None if armed is None else armed.stream

    def _agreed(self, fact: Fact, data: ApprovalGiven) -> None:
        if (row := self._asked(fact, data.request)) is None:
            return
        row.people = json([*pairs(row.people), *((data.person, role) for role in data.roles)])
        row.spoken_at = json([*msgspec.json.decode(row.spoken_at), fact.position])
        if data.decided:
            row.decided_at, row.decided_by = fact.position, fact.event.causation or ""

    def _gone(self, fact: Fact, data: ApprovalDeclined | ApprovalWithdrawn | ApprovalLapsed) -> None:
        """Nobody can agree to it any more."""
        if (row := self._asked(fact, data.request)) is None:
            return
        row.ended = fact.type.split(".")[1]
        row.decided_at, row.ended_by = fact.position, getattr(data, "person", "")
        row.reason = data.why if isinstance(data, ApprovalLapsed) else data.reason

    def _asked(self, fact: Fact, request: str) -> ApprovalRequest | None:
        """The request, to be changed; None where it is no matter of a progressive."""
        key = f"{fact.stream}/{request}"
        if self._requests.get(key) is None:
            if "/progressives/" not in fact.stream:
                return None
            raise Poison(f"nobody asked {fact.stream} for {request!r:.80}")
        return self._requests.change(key, ApprovalRequest)

    def _request_of(self, fact: Fact) -> str:
        """The request that an event was decided by: the agreement stands in the same append, by the same key."""
        key = fact.event.causation
        if not key:
            return ""
        self._requests.flush()
        found = self.target.select(ApprovalRequest, "stream = %s AND decided_by = %s", [fact.stream, key])
        return found[0].request if found else ""

    # --- readings and variances (SD 24.02) ------------------------------------------------------------------------

    def _read(self, fact: Fact, data: said.MeterRead) -> None:
        good = abs(data.variance_minor) <= VARIANCE_LIMIT_MINOR
        self._reading(fact, data, "reading", data.read_minor, data.shown_minor * MICRO, good=good)

    def _tested(self, fact: Fact, data: said.IncrementTested) -> None:
        rose = data.after_minor - data.before_minor
        self._reading(fact, data, "test", rose, data.expected_micro, good=data.is_passed)

    def _reading(
        self,
        fact: Fact,
        data: said.MeterRead | said.IncrementTested,
        kind: str,
        found_minor: int,
        expected_micro: int,
        *,
        good: bool,
    ) -> None:
        self._readings.change(
            fact.id,
            lambda: Reading(
                id=fact.id,
                stream=fact.stream,
                level=data.level,
                kind=kind,
                position=fact.position,
                found_minor=found_minor,
                expected_micro=expected_micro,
                is_good=good,
                people=json(data.approvals),
            ),
        )

    def _variance_opened(self, fact: Fact, data: said.VarianceOpened) -> None:
        key = f"{fact.stream}/{data.case}"
        self._variances.change(
            key,
            lambda: Variance(
                id=key,
                stream=fact.stream,
                case=data.case,
                level=data.level,
                position=fact.position,
                read_minor=data.read_minor,
                shown_minor=data.shown_minor,
                variance_minor=data.variance_minor,
                limit_minor=data.limit_minor,
            ),
        )

    def _variance_closed(self, fact: Fact, data: said.VarianceClosed) -> None:
        key = f"{fact.stream}/{data.case}"
        if self._variances.get(key) is None:
            raise Poison(f"{fact.stream} opened no variance {data.case!r:.80}")
        row = self._variances.change(key, Variance)
        row.closed_at, row.way, row.reason = fact.position, data.way, data.reason
        row.player, row.people = data.player or "", json(data.approvals)
        row.slip = f"{data.slip_year}-{data.slip}" if data.slip else ""

    # --- hits that nobody declared, and what the house paid -------------------------------------------------------

    def _irregular(self, fact: Fact, data: IrregularityRecorded) -> None:
        """Cards that make a hit, and nobody declared it."""
        armed = self._rounds.get(f"{fact.stream}#{data.round}") if data.kind == UNDECLARED else None
        if armed is None or armed.status == "refused":
            return
        key, named = _missed_id(fact.stream, data.round, data.box), undeclared_level(data.detail)
        level = self._levels.get(f"{armed.stream}/{named}")
        self._missed.change(
            key,
            lambda: MissedHit(
                id=key,
                stream=armed.stream,
                session=fact.stream,
                table=data.table,
                gaming_day=data.gaming_day,
                round=data.round or 0,
                box=data.box or 0,
                player=data.player or "",
                level=named,
                shown_minor=level.shown_minor if level else None,
                position=fact.position,
            ),
        )

    def _clear_missed(self, key: str, why: str) -> None:
        """Nobody has to look for this hit any more."""
        row = self._missed.get(key)
        if row is not None and row.cleared_at is None:
            row = self._missed.change(key, MissedHit)
            row.cleared_at, row.cleared_by = self._at, why

    def _house_paid(self, fact: Fact, data: said.HousePaid) -> None:
        slip = f"{data.slip_year}-{data.slip}"
        key = f"{fact.stream}/{slip}"
        self._house.change(
            key,
            lambda: HousePayment(
                id=key,
                stream=fact.stream,
                level=data.level,
                hit=data.hit or "",
                table=data.table,
                gaming_day=data.gaming_day,
                round=data.round,
                box=data.box,
                player=data.player,
                amount_minor=data.amount_minor,
                slip=slip,
                paid_gaming_day=data.paid_gaming_day,
                tender=data.tender,
                reason=data.reason,
                people=json(data.approvals),
                position=fact.position,
            ),
        )
        session = f"{fact.event.source}/tables/{data.table}/{data.gaming_day}"
        self._clear_missed(_missed_id(session, data.round, data.box), "paid by the house")

    def _house_voided(self, fact: Fact, data: said.HouseVoided) -> None:
        key = f"{fact.stream}/{data.slip_year}-{data.slip}"
        if self._house.get(key) is None:
            raise Poison(f"{fact.stream} paid nothing by slip {data.slip_year}-{data.slip}")
        row = self._house.change(key, HousePayment)
        row.void_at, row.void_reason = fact.position, data.reason

    # --- levels that wait -----------------------------------------------------------------------------------------

    def _waiting(self, fact: Fact, data: said.LevelWaiting) -> None:
        key = f"{fact.stream}/{data.hit}"
        self._waits.change(
            key,
            lambda: LevelWait(
                id=key,
                stream=fact.stream,
                hit=data.hit,
                level=data.level,
                session=f"{fact.event.source}/tables/{data.table}/{data.gaming_day}",
                table=data.table,
                gaming_day=data.gaming_day,
                round=data.round,
                since=data.as_of,
                position=fact.position,
            ),
        )
        self._waiting_now(fact.stream).add(key)

    def _waiting_now(self, stream: str) -> set[str]:
        if stream not in self._open_waits:
            self._waits.flush()
            found = self._waits.adopt(
                self.target.select(LevelWait, "stream = %s AND cleared_at IS NULL", [stream]),
            )
            self._open_waits[stream] = {row.id for row in found}
        return self._open_waits[stream]

    def _clear_waits(self, stream: str, why: str, *, session: str = "", round_: int = 0, hit: str = "") -> None:
        """The level waits no more: for a round, or for a hit."""
        for key in sorted(self._waiting_now(stream)):
            row = self._waits.get(key)
            if row is not None and (row.hit == hit or (row.session, row.round) == (session, round_)):
                row = self._waits.change(key, LevelWait)
                row.cleared_at, row.cleared_by = self._at, why
                self._open_waits[stream].discard(key)

    # --- what accounting is told ------------------------------------------------------------------------------------

    def _notice(self, fact: Fact, data: said.ParametersChanged | said.MeterAdjusted, **what: Any) -> None:
        told = next((name for name, role in data.approvals if DEPARTMENT.get(role) == "accounting"), "")
        request = self._request_of(fact)
        self._notices.change(
            fact.id,
            lambda: Notice(
                id=fact.id,
                stream=fact.stream,
                level=data.level,
                position=fact.position,
                people=json(data.approvals),
                request=request,
                told=told,
                **what,
            ),
        )

    def _note_change(self, fact: Fact, data: said.ParametersChanged, level: ProgressiveLevel) -> None:
        """What is about to change, before and after; the level's row is still as it was."""
        progressive = self._progressives.get(fact.stream)
        before = {
            "seed_minor": level.seed_micro // MICRO,
            "cap_minor": None if level.cap_micro is None else level.cap_micro // MICRO,
            "feed_millionths": level.feed_millionths,
            "reserve_millionths": level.reserve_millionths,
            "withhold_millionths": progressive.withhold_millionths if progressive else None,
        }
        changes = [(name, old, new) for name, old in before.items() if (new := getattr(data, name)) is not UNSET]
        self._notice(fact, data, kind="parameters", version=data.parameters_version, changes=json(changes))
        if data.withhold_millionths is not UNSET:
            row = self._progressives.change(fact.stream, Progressive)
            row.withhold_millionths = data.withhold_millionths

    def _note_correction(self, fact: Fact, data: said.MeterAdjusted) -> None:
        change = ("meter_micro", data.meter_micro - data.amount_minor * MICRO, data.meter_micro)
        self._notice(fact, data, kind="correction", changes=json([change]), reason=data.reason)

    def _acknowledged(self, fact: Fact, data: said.NoticeAcknowledged) -> None:
        self._notices.flush()
        found = self._notices.adopt(
            self.target.select(Notice, "stream = %s AND position = %s", [fact.stream, data.change])
        )
        if not found:
            raise Poison(f"{fact.stream} changed nothing at {data.change}")
        row = self._notices.change(found[0].id, Notice)
        row.read_at, row.read_by = fact.position, fact.event.actor

    # --- what does not fit ------------------------------------------------------------------------------------------

    def _note_misfit(self, fact: Fact, stream: str, why: Refused) -> None:
        """A fact of a table that moved nothing at this progressive."""
        data = fact.data
        self._misfits.change(
            fact.id,
            lambda: Misfit(
                id=fact.id,
                stream=stream,
                position=fact.position,
                type=fact.type,
                clause=why.clause,
                message=why.message,
                table=data.table,
                gaming_day=data.gaming_day,
                round=data.round or 0,
            ),
        )


def _missed_id(session: str, round_: int | None, box: int | None) -> str:
    return f"{session}#{round_}/{box}"


def pairs(people: str) -> list[tuple[str, str]]:
    """The people of a row: (person, role)."""
    return msgspec.json.decode(people, type=list[tuple[str, str]])


def json(value: Any) -> str:
    """A value for a column of text."""
    return msgspec.json.encode(value).decode()
