"""Checks of a baccarat table, as refusals with their clauses.

The arithmetic is in `table_procedure_and_limit_rules`.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from events.error_codes import coded
from events.errors import Invalid, Refused
from events.games.baccarat.rules import BETS, BaccaratBet, BaccaratRules, Side, next_to
from events.games.baccarat.table_procedure_and_limit_rules import (
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

DIFFERENCE = "difference"  # the posted maximum of the difference between the sides
Manager = Literal["new_cards", "free_round", "go_on"]


def check_shoe(game: BaccaratRules, packs: int, *, sealed: bool, seal_whole: bool) -> None:
    """Raises Refused unless the shoe has its packs and, if shuffled ahead, a whole seal. [001 1.3, 2.1]"""
    if packs != game.packs:
        raise Refused(f"{game.name} P.3", coded("packs-wrong", wanted=game.packs, packs=packs), source="001 1.3")
    if sealed and not seal_whole:
        raise Refused(f"{game.name} P.4", coded("seal-broken"), source="001 2.1.1")


def check_change_due(game: BaccaratRules, *, cut_card_out: bool) -> None:
    """Raises Refused for a round from a shoe whose cut card came before. [001 9]"""
    if shuffle_due(cut_card_out=cut_card_out, round_over=True):
        message = coded("cut-card-came")
        raise Refused(f"{game.name} P.6", message, source="001 9")


def check_open_for_bets(
    game: BaccaratRules, *, burnt: bool, free_rounds: int, has_wish: bool, ruled: Manager | None = None
) -> None:
    """Raise Refused for bets before the burn and before rounds without bets. [001 3.1-3.3, BAC-5]

    The manager may let the shoe continue unchanged. Its earlier rounds stay valid.
    """
    if ruled == "free_round":
        message = coded("round-without-bets-decided")
        raise Refused(f"{game.name} I.3", message, source="001 3.3", reading="BAC-5")
    opened = opening(game, burnt=burnt, free_rounds=free_rounds, player_wants_to_bet=has_wish)
    if not opened.bets and ruled != "go_on":
        message = coded("burn-first", rounds=opened.free_rounds_due)
        raise Refused(f"{game.name} P.5", message, source="001 3.1")


def check_burn(game: BaccaratRules, *, cards_out: bool) -> None:
    """Raises Refused for a burn after the first card. [001 3.1.1]"""
    if cards_out:
        raise Refused(f"{game.name} P.5", coded("burn-before-first-deal-only"), source="001 3.1.1")


def no_bets_now(game: BaccaratRules) -> Refused:
    """Return the refusal of a bet in a round without bets. [001 3.1.2]"""
    return Refused(f"{game.name} P.5", coded("round-is-without-bets"), source="001 3.1.2")


def check_limits(
    game: BaccaratRules,
    bets: Sequence[BaccaratBet],
    new: BaccaratBet,
    table: StakeLimits,
    maxima: Mapping[str, int],
    personal: StakeLimits | None,
) -> None:
    """Raise Refused for a stake outside of the player's limits or, of ties and pairs, beyond the table's. [001 6.1, 9]

    `bets` are those on the layout, without the new one. The player's bets on the same box are included already.
    """
    lying = sum(bet.stake for bet in bets if (bet.player, bet.type) == (new.player, new.type))
    check_stake(game, new.stake + lying, table, personal)
    posted = {name: maxima[name] for name in WHOLE_TABLE if name in maxima and name == new.type}
    for name, sums in table_max(posted, [*bets, new]).items():
        if not sums.within:
            message = coded("bets-above-table-maximum", total=sums.total, wager=name, maximum=posted[name])
            raise Refused(f"{game.name} L.2", message, source="001 6.1.3")


def check_difference(game: BaccaratRules, limit: int | None, bets: Sequence[BaccaratBet]) -> SideDifference | None:
    """Return the difference between the sides if a maximum is posted. Raises Refused above it. [001 6.1.1]"""
    if limit is None:
        return None
    difference = max_difference(limit, bets)
    if difference.exceeded:
        message = coded("difference-above-maximum", difference=difference.difference, maximum=limit)
        raise Refused(f"{game.name} L.1", message, source="001 6.1.2", reading="BAC-7")
    return difference


def check_posted(maxima: Mapping[str, int]) -> None:
    """Raise Invalid for a maximum of something that the game does not have."""
    for name in maxima:
        if name not in BETS and name != DIFFERENCE:
            raise Invalid("maxima", coded("maximum-of-nothing", name=name, difference=DIFFERENCE))


def check_card(game: BaccaratRules, player: Sequence[str], banker: Sequence[str], to: Side) -> Side | None:
    """Return the side of the next card. Raises Refused (I.2) for a card on another side, and if no card is due."""
    due = next_to(player, banker)
    if due != to:
        message = coded("card-belongs-elsewhere", side=due) if due else coded("card-too-many")
        raise Refused(f"{game.name} I.2", message, source="001 4.3", reading="BAC-4")
    return due


def check_kept(game: BaccaratRules, kept_cards: Sequence[str], card: str) -> None:
    """Raises Refused unless a card that came out of order before is the next one. [001 4.3]"""
    if kept_cards and card != kept_cards[0]:
        message = coded("card-kept-is-next", card=kept_cards[0])
        raise Refused(f"{game.name} I.2", message, source="001 4.3", reading="BAC-4")


def check_turn(game: BaccaratRules, bets: Sequence[BaccaratBet], side: Side, player: str) -> None:
    """Raises Refused unless the side's cards are this player's to turn (or the dealer's). [001 5.1.1-5.1.8]"""
    due = reveal(bets)[side]
    if player != due:
        source = "001 5.1.8" if player == DEALER else "001 5.1.7"
        message = coded("cards-turned-by-another", side=side, player=due)
        raise Refused(f"{game.name} I.4", message, source=source, reading="BAC-11")
