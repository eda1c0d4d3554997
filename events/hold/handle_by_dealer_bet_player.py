"""Handle and recorded win, by dealer, kind of bet and player, and the handle of tables: from settlements."""

from collections.abc import Iterable, Iterator
from typing import Any

from events.envelope import EventData
from events.hold.drop_win_hold_handle_sums import Amounts, HoldEntry
from events.rules.game_declaration_and_registry import game_of
from events.runtime.declaration_cache import remembered
from events.tables.event_types.rounds import BetCorrected, BetPlaced, BetSettled, SettlementCorrected, SettlementVoided
from events.tables.moved_amount_declarations import EVENT_WIN, amount, figure, kind_changes, moved_bet, types_with

_SETTLING = (BetSettled, SettlementVoided, SettlementCorrected)
_Key = tuple[str, str, tuple[tuple[str, str], ...]]  # gaming day, shift, and the names


class HandleBooks:
    """The decided stakes, each at its settlement, and the house's win by them, with separate commissions."""

    def __init__(self) -> None:
        self._sums: dict[_Key, list[int]] = {}
        self._players: dict[tuple[str, str, int | None, str], str] = {}  # of bets with a commission at their stake

    def take(self, data: EventData) -> None:
        """One more event; only those of bets move anything."""
        if type(data) in types():
            self._add(data)

    def _add(self, data: Any) -> None:
        for wager, decided, won in _moved(data):
            for of in _names(data, wager):
                self._sum(data, of, decided, won)
        if isinstance(data, BetPlaced | BetCorrected):
            self._note_player(data)

    def _sum(self, data: Any, of: dict[str, str], decided: int, won: int) -> None:
        sums = self._sums.setdefault((data.gaming_day, data.shift, tuple(of.items())), [0, 0])
        sums[0] += decided
        sums[1] += won

    def _note_player(self, data: BetPlaced | BetCorrected) -> None:
        """Note the player of a commission. A correction to another player takes it along."""
        key = data.table, data.gaming_day, data.round, data.bet
        player, before = data.player or "", self._players.get(key)
        if before is not None or amount(data, "commission"):
            self._players[key] = player
        if isinstance(data, BetCorrected) and before is not None and before != player:
            for owner, moved in zip((before, player), moved_bet(data), strict=True):
                if owner:
                    self._sum(data, {"player": owner}, 0, moved.figure(EVENT_WIN))

    def entries(self) -> list[HoldEntry]:
        """Return the entries. A table (with game and pit) has only the handle: its recorded win is with its drop."""
        return [
            HoldEntry(day=day, shift=shift, of=dict(of), amounts=_amounts(dict(of), *sums))
            for (day, shift, of), sums in self._sums.items()
        ]


@remembered
def types() -> tuple[type[EventData], ...]:
    """The events of bets that move handle or recorded win."""
    return types_with(("handle", *EVENT_WIN))


def _moved(data: Any) -> Iterator[tuple[str, int, int]]:
    """Kinds of bets, with the stakes decided and the recorded win of them by this event."""
    decided, won = amount(data, "handle"), figure(data, EVENT_WIN)
    yield from ((moved.wager, 0, moved.figure(EVENT_WIN)) for moved in kind_changes(data))
    if isinstance(data, _SETTLING) or decided or won:
        yield data.wager, decided, won


def _names(data: Any, wager: str) -> Iterable[dict[str, str]]:
    game = game_of(data.ruleset)
    yield {"table": data.table, "game": game, "pit": data.pit}
    yield {"bet": f"{game} {wager}"}
    yield from ({name: value} for name in ("dealer", "player") if (value := getattr(data, name)))


def _amounts(of: dict[str, str], handle: int, won: int) -> Amounts:
    if "table" in of:
        return Amounts(handle_minor=handle)
    return Amounts(drop_minor=None, win_minor=None, handle_minor=handle, event_win_minor=won)
