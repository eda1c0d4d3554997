"""Winnings due in paying order, and amounts by chips."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from events.rules.screen_declarations import place_name
from events.tables.table_session_state_structs import Bet, DueWinnings, Session


class DuePayment(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Winnings due on a bet (without the stake): by chips, as (denomination, number of chips), and the rest that no
    chip makes up. `data` is that of the `payment.make`."""

    bet: str
    place: str
    seat: int | None
    player: str
    amount_minor: int
    chips: tuple[tuple[int, int], ...]
    data: Mapping[str, Any]
    rest_minor: int = 0
    won_in: int | None = None


class ScreenAction(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An action that is ready to be sent."""

    type: str
    data: Mapping[str, Any]


def by_chips(amount: int, denominations: Iterable[int]) -> tuple[tuple[tuple[int, int], ...], int]:
    """Return an amount in the fewest chips, the largest first, and the rest that is smaller than every chip."""
    chips = []
    for denomination in sorted(denominations, reverse=True):
        count, amount = divmod(amount, denomination)
        if count:
            chips.append((denomination, count))
    return tuple(chips), amount


def due_payments(session: Session, denominations: Sequence[int]) -> tuple[DuePayment, ...]:
    """Return the winnings of this round in the order of payment, then those that earlier rounds left unpaid.

    A game settles its bets in the order in which they are paid.
    """
    winnings = [*session.due.values(), *session.unpaid]
    return tuple(_payment(due, denominations) for due in winnings if due.amount > 0)


def _payment(due: DueWinnings, denominations: Sequence[int]) -> DuePayment:
    bet = due.bet
    chips, rest_minor = by_chips(due.amount, denominations)
    data: dict[str, Any] = {"bet": bet.id, "amount_minor": due.amount}
    if due.won_in is not None:
        data["won_in"] = due.won_in
    return DuePayment(
        bet=bet.id,
        place=place_of(bet),
        seat=bet.seat or bet.box,
        player=bet.player,
        amount_minor=due.amount,
        chips=chips,
        data=data,
        rest_minor=rest_minor,
        won_in=due.won_in,
    )


def place_of(bet: Bet) -> str:
    """Return the name of the place of a bet."""
    return place_name(bet.wager, bet.numbers, bet.which, bet.number)
