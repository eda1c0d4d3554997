"""State of shoe and sides, for a terminal that starts again."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from events.games.baccarat.rules import next_to
from events.games.baccarat.shoe_actions_decider import coup_of
from events.tables.table_session_state_structs import Session
from events.tables.terminal_snapshot import Playing


class Sides(Playing, frozen=True, kw_only=True, omit_defaults=True, tag="baccarat"):
    """The shoe (`came`, `cut`; how it was opened) and the cards of the round.

    `free`: a round without bets. `kept`: cards that came out of order and are dealt next. `next`: the side of the next
    card during the coup. `personal`: personal limits of players, minimum and maximum.
    """

    shoe: str | None = None
    packs: int = 0
    came: Mapping[str, int] = {}
    cut: bool = False
    burnt: bool = False
    free_rounds: int = 0
    ruling: Literal["new_cards", "free_round", "go_on"] | None = None
    free: bool = False
    player: tuple[str, ...] = ()
    banker: tuple[str, ...] = ()
    next_cards: tuple[str, ...] = msgspec.field(name="kept", default=())
    next: Literal["player", "banker"] | None = None
    personal: Mapping[str, tuple[int, int]] = {}


def terminal_state(session: Session) -> Sides:
    """Return the state from the session."""
    coup = coup_of(session)
    runs = session.phase in ("no_more_bets", "dealing") or (coup.free and session.phase == "open")
    return Sides(
        shoe=coup.shoe,
        packs=coup.packs,
        came=coup.seen,
        cut=coup.cut,
        burnt=coup.burnt,
        free_rounds=coup.free_rounds,
        ruling=coup.ruling,
        free=coup.free,
        player=coup.player,
        banker=coup.banker,
        next_cards=coup.next_cards,
        next=next_to(coup.player, coup.banker) if runs else None,
        personal=coup.personal,
    )
