"""Checks of a baccarat table, as refusals with their clauses. The arithmetic is in `procedure`."""

from collections.abc import Mapping, Sequence
from typing import Literal

from events.errors import Invalid, Refused
from events.games.baccarat.procedure import (
    DEALER,
    WHOLE_TABLE,
    SideDifference,
    StakeLimits,
    check_stake,
    max_difference,
    opening,
    reveal,
    shuffle_due,
    table_max,
)
from events.games.baccarat.rules import BETS, BaccaratBet, BaccaratRules, Side, next_to

DIFFERENCE = "difference"  # the posted maximum that is none of a bet
Manager = Literal["new_cards", "free_round", "go_on"]


def check_shoe(game: BaccaratRules, packs: int, *, sealed: bool, seal_whole: bool) -> None:
    """Raises Refused unless the shoe has its packs and, if shuffled ahead, a whole seal. [001 1.3, 2.1]"""
    if packs != game.packs:
        raise Refused(f"{game.name} P.3", f"{game.packs} packs are played, not {packs}", source="001 1.3")
    if sealed and not seal_whole:
        raise Refused(f"{game.name} P.4", "the seal is broken: shuffle at the table", source="001 2.1.1")


def check_change_due(game: BaccaratRules, *, cut_card_out: bool) -> None:
    """Raises Refused for a round from a shoe whose cut card came before. [001 9]"""
    if shuffle_due(cut_card_out=cut_card_out, round_over=True):
        message = "the cut card came: the cards are shuffled before the next round"
        raise Refused(f"{game.name} P.6", message, source="001 9")


def check_open_for_bets(
    game: BaccaratRules, *, burnt: bool, free_rounds: int, wanted: bool, ruled: Manager | None = None
) -> None:
    """Raises Refused where neither cards were burnt nor rounds played without bets, unless the manager lets the shoe
    go on as it is. Rounds that were played so stand. [001 3.1-3.3, BAC-5]"""
    if ruled == "free_round":
        message = "the manager decided on a round without bets"
        raise Refused(f"{game.name} I.3", message, source="001 3.3", reading="BAC-5")
    opened = opening(game, burnt=burnt, free_rounds=free_rounds, player_wants_to_bet=wanted)
    if not opened.bets and ruled != "go_on":
        message = f"burn, or play {opened.free_rounds_due} rounds without bets first"
        raise Refused(f"{game.name} P.5", message, source="001 3.1")


def check_burn(game: BaccaratRules, *, cards_out: bool) -> None:
    """Raises Refused for a burn after the first card. [001 3.1.1]"""
    if cards_out:
        raise Refused(f"{game.name} P.5", "cards are burnt before the first deal only", source="001 3.1.1")


def no_bets_now(game: BaccaratRules) -> Refused:
    """Why no bet is taken in a round without bets. [001 3.1.2]"""
    return Refused(f"{game.name} P.5", "this round is played without bets", source="001 3.1.2")


def check_limits(
    game: BaccaratRules,
    bets: Sequence[BaccaratBet],
    new: BaccaratBet,
    table: StakeLimits,
    maxima: Mapping[str, int],
    personal: StakeLimits | None,
) -> None:
    """Raises Refused for a stake outside of the player's limits or, of ties and pairs, beyond the table's. [001 6.1, 9]

    `bets` are those that lie, without the new one. The player's bets on the same box count already.
    """
    lying = sum(bet.stake for bet in bets if (bet.player, bet.type) == (new.player, new.type))
    check_stake(game, new.stake + lying, table, personal)
    posted = {name: maxima[name] for name in WHOLE_TABLE if name in maxima and name == new.type}
    for name, sums in table_max(posted, [*bets, new]).items():
        if not sums.within:
            message = f"{sums.total} on {name}: the whole table's maximum is {posted[name]}"
            raise Refused(f"{game.name} L.2", message, source="001 6.1.3")


def check_difference(game: BaccaratRules, limit: int | None, bets: Sequence[BaccaratBet]) -> SideDifference | None:
    """The gap between the sides, where a maximum is posted. Raises Refused where it passes that. [001 6.1.1]"""
    if limit is None:
        return None
    difference = max_difference(limit, bets)
    if difference.exceeded:
        message = (
            f"the difference is {difference.difference}, the maximum {limit}: players are asked to lower their bets"
        )
        raise Refused(f"{game.name} L.1", message, source="001 6.1.2", reading="BAC-7")
    return difference


def check_posted(maxima: Mapping[str, int]) -> None:
    """Raises Invalid for a maximum of something that the game does not have."""
    for name in maxima:
        if name not in BETS and name != DIFFERENCE:
            raise Invalid("maxima", f"{name:.40} is neither a bet nor {DIFFERENCE!r}")


def check_card(game: BaccaratRules, player: Sequence[str], banker: Sequence[str], to: Side) -> Side | None:
    """The side that the next card belongs to; Refused (I.2) where it is laid on another, or where none is due."""
    due = next_to(player, banker)
    if due != to:
        place = f"belongs to {due}" if due else "is one too many"
        message = f"the card {place}; it is never burnt, and used in its place"
        raise Refused(f"{game.name} I.2", message, source="001 4.3", reading="BAC-4")
    return due


def check_kept(game: BaccaratRules, kept_cards: Sequence[str], card: str) -> None:
    """Raises Refused unless a card that came out of order before is the next one. [001 4.3]"""
    if kept_cards and card != kept_cards[0]:
        message = f"{kept_cards[0]} came out of order before: it is the next card"
        raise Refused(f"{game.name} I.2", message, source="001 4.3", reading="BAC-4")


def check_turn(game: BaccaratRules, bets: Sequence[BaccaratBet], side: Side, player: str) -> None:
    """Raises Refused unless the side's cards are this player's to turn (or the dealer's). [001 5.1.1-5.1.8]"""
    due = reveal(bets)[side]
    if player != due:
        source = "001 5.1.8" if player == DEALER else "001 5.1.7"
        message = f"the cards of {side} are turned by {due}: they are given over, and play goes on"
        raise Refused(f"{game.name} I.4", message, source=source, reading="BAC-11")
