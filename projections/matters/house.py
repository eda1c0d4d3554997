"""Hits that nobody declared, and what the house paid beside the meters."""

from collections.abc import Mapping
from typing import Any

from events.errors import Poison
from events.progressives import types as said
from events.tables.types.common import IrregularityRecorded
from projections.engine.facts import Fact
from projections.engine.parts import Handler, Part
from projections.engine.rows import Rows
from projections.engine.target import Target
from projections.matters.models import HousePayment, MissedHit
from projections.matters.text import json


class MissedHits(Part):
    """Cards that make a hit, and nobody declared it."""

    def __init__(self, target: Target) -> None:
        self._missed = Rows(target, MissedHit)
        super().__init__(self._missed)

    def note(self, fact: Fact, data: IrregularityRecorded, stream: str, level: str, shown_minor: int | None) -> None:
        """Somebody has to look for it."""
        key = missed_id(fact.stream, data.round, data.box)
        self._missed.change(
            key,
            lambda: MissedHit(
                id=key,
                stream=stream,
                session=fact.stream,
                table=data.table,
                gaming_day=data.gaming_day,
                round=data.round or 0,
                box=data.box or 0,
                player=data.player or "",
                level=level,
                shown_minor=shown_minor,
                position=fact.position,
            ),
        )

    def clear(self, key: str, why: str, at: int) -> None:
        """Nobody has to look for this hit any more."""
        row = self._missed.get(key)
        if row is not None and row.cleared_at is None:
            row = self._missed.change(key, MissedHit)
            row.cleared_at, row.cleared_by = at, why


class HousePayments(Part):
    """What the house paid by a slip of its own; a hit that was missed is cleared by it."""

    def __init__(self, target: Target, missed: MissedHits) -> None:
        self._house, self._missed_hits = Rows(target, HousePayment), missed
        super().__init__(self._house)

    def handlers(self) -> Mapping[Any, Handler]:
        return {said.HousePaid: self._house_paid, said.HouseVoided: self._house_voided}

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
        self._missed_hits.clear(missed_id(session, data.round, data.box), "paid by the house", fact.position)

    def _house_voided(self, fact: Fact, data: said.HouseVoided) -> None:
        key = f"{fact.stream}/{data.slip_year}-{data.slip}"
        if self._house.get(key) is None:
            raise Poison(f"{fact.stream} paid nothing by slip {data.slip_year}-{data.slip}")
        row = self._house.change(key, HousePayment)
        row.void_at, row.void_reason = fact.position, data.reason


def missed_id(session: str, round_: int | None, box: int | None) -> str:
    """SESSION#ROUND/BOX."""
    return f"{session}#{round_}/{box}"
