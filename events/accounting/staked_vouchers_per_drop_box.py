"""Vouchers that were staked over a drop box: they are in it without a buy-in."""

from collections.abc import Iterable, Iterator

from events import catalogue
from events.envelope import EventData
from events.store import EventReader, Stored
from events.tables.bet_corrections import corrected_voucher
from events.tables.event_types.counts import DropPut
from events.tables.event_types.money import DropRemoved
from events.tables.event_types.rounds import (
    BetCorrected,
    BetPlaced,
    BetRestaked,
    BetSettled,
    BetWithdrawn,
    SettlementVoided,
)
from events.tables.event_types.session import LayoutCarried
from events.tables.moved_amount_declarations import amount

_OF_BOXES = frozenset((DropPut.TYPE, DropRemoved.TYPE))
_SHAPES = (BetPlaced, BetCorrected, BetRestaked, BetSettled, BetWithdrawn, SettlementVoided, LayoutCarried)
_OF_BETS = frozenset(shape.TYPE for shape in _SHAPES)


def staked_over(history: EventReader, stream: str, box: str) -> int:
    """Return the vouchers staked at a table while a box was under it, or on its layout at that time, in minor units.

    Returned stakes are not included. Reads the table's gaming day once.
    """
    return over_box(_events(history.stream(stream)), box)


def over_box(events: Iterable[EventData], box: str) -> int:
    """Return the vouchers staked over a box, by events in their order. A table whose boxes are never put has one all
    day."""
    staked = _VoucherStakes()
    for event in events:
        staked.take(event)
    return sum(staked.over.get(box if staked.has_boxes else None, {}).values())


class _VoucherStakes:
    """`lying` are voucher stakes on the layout by bet, `over` those of each box. A name of a bet comes again in later
    rounds: `_stakes` are the last of each name, with its number in the day and its amount."""

    def __init__(self) -> None:
        self.box: str | None = None
        self.has_boxes = False
        self.lying: set[str] = set()
        self.over: dict[str | None, dict[int, int]] = {}
        self._stakes: dict[str, tuple[int, int]] = {}
        self._boxes_put: set[str] = set()
        self._last = 0

    def take(self, event: EventData) -> None:
        if isinstance(event, LayoutCarried):
            for bet in event.bets:
                self._lay(bet.bet, bet.promotional_minor)
        elif isinstance(event, BetPlaced):
            self._lay(event.bet, amount(event, "staked") if event.tender == "promotional" else 0)
        elif isinstance(event, BetCorrected) and event.bet in self._stakes:
            voucher = self._stakes[event.bet][1]
            before = voucher if event.stake_before_minor is None else event.stake_before_minor
            self._change(event.bet, corrected_voucher(voucher, before, event.stake_minor))
        elif isinstance(event, BetRestaked) and event.bet in self._stakes:
            self._change(event.bet, min(self._stakes[event.bet][1], event.stake_minor))
        elif isinstance(event, SettlementVoided) and event.bet in self._stakes:
            self.lying.add(event.bet)
        elif isinstance(event, DropPut):
            self.box, self.has_boxes = event.drop_box, True
            self._boxes_put.add(event.drop_box)
            for name in self.lying:
                self._count(name)
        elif isinstance(event, DropRemoved):
            self._removed(event.drop_box)
        elif isinstance(event, BetWithdrawn):
            self._gone(event.bet, is_handed_back=True)
        elif isinstance(event, BetSettled) and not event.remaining_minor:
            self._gone(event.bet, is_handed_back=event.outcome == "void")

    def _lay(self, name: str, voucher: int) -> None:
        self._stakes.pop(name, None)
        if voucher:
            self.lying.add(name)
            self._last += 1
            self._stakes[name] = self._last, voucher
            self._count(name)

    def _change(self, name: str, voucher: int) -> None:
        """Replace the voucher stake of a bet, as the table does."""
        number, _ = self._stakes[name]
        self._stakes[name] = number, voucher
        for bets in self.over.values():
            bets.update({number: voucher} if number in bets else {})

    def _count(self, name: str) -> None:
        number, voucher = self._stakes[name]
        self.over.setdefault(self.box, {})[number] = voucher

    def _removed(self, box: str) -> None:
        """Give the box the name of its removal, which its count also has.

        An earlier box can still be at the table and go first.
        """
        if box != self.box and box in self._boxes_put:
            return
        if self.box is not None and box != self.box and self.box in self.over:
            self.over[box] = self.over.pop(self.box)
        self.box = None

    def _gone(self, name: str, *, is_handed_back: bool) -> None:
        self.lying.discard(name)
        if is_handed_back and name in self._stakes:
            number, _ = self._stakes.pop(name)
            for bets in self.over.values():
                bets.pop(number, None)


def _events(stored: Iterable[Stored]) -> Iterator[EventData]:
    """Boxes, voucher stakes, and the end of stakes: most bets are chips, and are not decoded."""
    has_vouchers = False
    for event in stored:
        has_vouchers = has_vouchers or b'"promotional' in event.raw
        if event.type in _OF_BOXES or (has_vouchers and event.type in _OF_BETS):
            yield catalogue.decode(event.type, event.raw).data
