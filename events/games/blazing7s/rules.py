"""Blazing 7's Progressive (file 004): the right to bet, and the pays of the sevens.

Pure arithmetic, in whole minor units. Meters, their shares and envy are every progressive's (`events/progressives`).
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

import msgspec

from events.error_codes import ErrorText, coded
from events.errors import Refused
from events.rules import loading_and_pinning_rulesets
from events.rules.cards import RED
from events.rules.exact_amount_parsing import Amount, simple
from events.rules.taken_ruleset_version_struct import Numbers

Level: TypeAlias = Literal["mega", "major", "minor"]
Class: TypeAlias = Literal["mega", "major", "minor", "three7", "two7", "one7", "none"]

LEVELS: tuple[Level, ...] = ("mega", "major", "minor")
CLASSES: tuple[Class, ...] = ("mega", "major", "minor", "three7", "two7", "one7", "none")
PPM = 1_000_000


class LevelSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Seed of a meter (minor units), and the parts of each stake for it and its reserve (millionths)."""

    seed: int
    feed_ppm: int
    reserve_ppm: int


class BlazingRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`rulesets/blazing7s.json`. Amounts in minor units, rates in millionths, envy by the columns of `stakes`."""

    name: str
    version: str
    title: str
    source: str
    packs: tuple[int, int]
    basis: Literal["to", "for"]
    pays: dict[str, int]
    envy: dict[Level, tuple[int, int]]
    envy_to_winner: bool
    players_with_right: int
    withhold_band_ppm: tuple[int, int]
    contribution_band_ppm: tuple[int, int]
    stakes: tuple[int, int]
    withhold_ppm: int
    levels: dict[Level, LevelSettings]
    readings: dict[str, str]


def rules(ruleset: Numbers = "blazing7s") -> BlazingRules:
    """The numbers of a ruleset. Raises Unknown, or Invalid for data that does not fit."""
    numbers: BlazingRules = loading_and_pinning_rulesets.load(ruleset, BlazingRules)
    return numbers


def refused(clause: str, text: ErrorText, source: str, reading: str = "") -> Refused:
    """A refusal by a clause of this rule book: `refused("P.2", ..., "L13")`."""
    return Refused(f"blazing7s {clause}", text, source=f"004 {source}", reading=reading)


# --- the bet --------------------------------------------------------------------------------------------------


def right_holder(rules: BlazingRules, box: Sequence[tuple[str, bool]], *, dealing_started: bool = False) -> str | None:
    """Return the player of a box with the right to its progressive bet: of the first three, the first who wants it
    (P.2).

    `box` is (player, wants to bet) in order of play. None without such a player, or after dealing has begun (I., L17).
    """
    if dealing_started:
        return None
    return next((player for player, wants in box[: rules.players_with_right] if wants), None)


def check_bet(
    rules: BlazingRules,
    box: Sequence[tuple[str, bool]],
    player: str,
    stake: int,
    *,
    armed: bool = False,
    bets_on_box: int = 0,
) -> None:
    """Raise Refused if `player` may not lay `stake` on the progressive of this box now.

    `box` as in `right_holder`; a player who declines passes the right on for this round. One bet a box, before the
    dealer arms the round (no more bets, P.1), at one of the casino's stakes (L.).
    """
    if armed:
        raise refused("P.1", coded("round-armed"), "L15")
    if bets_on_box:
        raise refused("P.2", coded("progressive-bet-taken"), "L13")
    if right_holder(rules, box) != player:
        raise refused("P.2", coded("progressive-bet-of-another", player=player), "L13")
    check_stake(rules, stake)


def check_stake(rules: BlazingRules, stake: int) -> None:
    """Raise Refused for a stake that the casino has not set (L.)."""
    if stake not in rules.stakes:
        raise refused(
            "L.1", coded("stakes-are-fixed", low=rules.stakes[0], high=rules.stakes[1], stake=stake), "L103", "BLZ-5"
        )


def withhold(rules: BlazingRules, rate: Amount, stake: int) -> tuple[Amount, Amount]:
    """Return the house's part of a stake at `rate`, and the remainder. Raises Refused outside 15 to 20 % (L.,
    BLZ-1)."""
    least, most = rules.withhold_band_ppm
    if not least <= rate * PPM <= most:
        raise refused(
            "L.1", coded("withholding-outside-band", least=least // 10000, most=most // 10000), "L11", "BLZ-1"
        )
    withheld = simple(Fraction(rate) * stake)
    return withheld, simple(stake - withheld)


# --- the sevens -----------------------------------------------------------------------------------------------


def classify(player: Sequence[str], dealer: str) -> Class:
    """The best line of the table (B.): the player's first two cards, and the dealer's first if both are sevens.

    Three sevens of diamonds are Mega, of one other suit Major (BLZ-4), of one colour Minor (BLZ-3). The dealer's seven
    with one seven of the player's counts nothing (BLZ-14). Raises Refused unless `player` has exactly two cards.
    """
    if len(player) != 2:
        raise refused("P.3", coded("first-two-cards-count"), "L23")
    sevens = [card[1] for card in player if card[0] == "7"]
    if len(sevens) < 2:
        return "one7" if sevens else "none"
    if dealer[0] != "7":
        return "two7"
    suits = {*sevens, dealer[1]}
    if len(suits) == 1:
        return "mega" if "D" in suits else "major"
    return "minor" if suits <= RED or not suits & RED else "three7"


def is_progressive(hand: Class) -> bool:
    """Return whether a meter pays this hand: a hit."""
    return hand in LEVELS


def settle_fixed(rules: BlazingRules, hand: Class, stake: int) -> tuple[int, int]:
    """(profit, paid out) of a hand that no meter pays; the stake was collected before the deal.

    N "to" 1 pays out N + 1 stakes and N "for" 1 pays N, by the ruleset's `basis` (BLZ-2). Raises Refused for the three
    top hands: the device pays those.
    """
    if is_progressive(hand):
        raise refused("P.4", coded("hand-paid-after-round", hand=hand), "L51")
    if hand == "none":
        return -stake, 0
    multiple = rules.pays[hand] + (rules.basis == "to")
    return (multiple - 1) * stake, multiple * stake
