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
    SettlementCorrected,
    SettlementVoided,
)
from events.tables.event_types.session import LayoutCarried
from events.tables.moved_amount_declarations import amount

_OF_BOXES = frozenset((DropPut.TYPE, DropRemoved.TYPE))
_SHAPES = (
    *(BetPlaced, BetCorrected, BetRestaked, BetSettled, BetWithdrawn, SettlementVoided, SettlementCorrected),
    LayoutCarried,
)
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
    rounds: `_stakes` are the last of each name, with its number in the day and its amount. `_settled` has by round and
    bet the number of the stake, its voucher, and the settled stake."""

    def __init__(self) -> None:
        self.box: str | None = None
        self.has_boxes = False
        self.lying: set[str] = set()
        self.over: dict[str | None, dict[int, int]] = {}
        self._stakes: dict[str, tuple[int, int]] = {}
        self._settled: dict[tuple[int | None, str], tuple[int, int, int]] = {}
        self._boxes_put: set[str] = set()
        self._last = 0

    def take(self, event: EventData) -> None:
        if isinstance(event, LayoutCarried):
            for bet in event.bets:
                self._lay(bet.bet, bet.promotional_minor)
        elif isinstance(event, BetPlaced):
            self._lay(event.bet, amount(event, "staked") if event.tender == "promotional" else 0)
        elif isinstance(event, BetCorrected | BetRestaked | SettlementCorrected):
            self._take_change(event)
        elif isinstance(event, SettlementVoided):
            self._void(event)
        elif isinstance(event, DropPut):
            self._put(event.drop_box)
        elif isinstance(event, DropRemoved):
            self._removed(event.drop_box)
        elif isinstance(event, BetWithdrawn):
            self._gone(event.bet, is_handed_back=True)
        elif isinstance(event, BetSettled) and not event.remaining_minor:
            self._settle(event)

    def _take_change(self, event: BetCorrected | BetRestaked | SettlementCorrected) -> None:
        """Change a voucher stake on the layout, or one that the round of the correction has settled."""
        if isinstance(event, SettlementCorrected):
            if (settled := self._settled.get((event.round, event.bet))) is not None:
                number, voucher, before = settled
                self._replace(number, corrected_voucher(voucher, before, event.stake_minor))
        elif event.bet in self.lying:
            number, voucher = self._stakes[event.bet]
            if isinstance(event, BetRestaked):
                voucher = min(voucher, event.stake_minor)
            else:
                before = voucher if event.stake_before_minor is None else event.stake_before_minor
                voucher = corrected_voucher(voucher, before, event.stake_minor)
            self._stakes[event.bet] = number, voucher
            self._replace(number, voucher)

    def _lay(self, name: str, voucher: int) -> None:
        self._stakes.pop(name, None)
        if voucher:
            self.lying.add(name)
            self._last += 1
            self._stakes[name] = self._last, voucher
            self._count(name)

    def _replace(self, number: int, voucher: int) -> None:
        for bets in self.over.values():
            bets.update({number: voucher} if number in bets else {})

    def _count(self, name: str) -> None:
        number, voucher = self._stakes[name]
        self.over.setdefault(self.box, {})[number] = voucher

    def _put(self, box: str) -> None:
        """Put a box under the table, with the vouchers on its layout."""
        self.box, self.has_boxes = box, True
        self._boxes_put.add(box)
        for name in self.lying:
            self._count(name)

    def _removed(self, box: str) -> None:
        """Give the box the name of its removal, which its count also has.

        An earlier box can still be at the table and go first.
        """
        if box != self.box and box in self._boxes_put:
            return
        if self.box is not None and box != self.box and self.box in self.over:
            self.over[box] = self.over.pop(self.box)
        self.box = None

    def _settle(self, event: BetSettled) -> None:
        """End a voucher stake. Of one en prison, an excess over the maximum was handed back before."""
        if event.bet in self.lying:
            number, voucher = self._stakes[event.bet]
            self._settled[event.round, event.bet] = number, min(voucher, event.amount_minor), event.amount_minor
        self._gone(event.bet, is_handed_back=event.outcome == "void")

    def _void(self, event: SettlementVoided) -> None:
        """Put a voucher stake back on the layout."""
        settled, stake = self._settled.get((event.round, event.bet)), self._stakes.get(event.bet)
        if settled is not None and stake is not None and settled[0] == stake[0]:
            self.lying.add(event.bet)

    def _gone(self, name: str, *, is_handed_back: bool) -> None:
        if name not in self.lying:  # a hand that was split off may have the name of an earlier voucher bet
            return
        self.lying.remove(name)
        if is_handed_back:
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
