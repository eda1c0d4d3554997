"""A blackjack table's own state: the shoe, the boxes with their hands, and the rounds that late hits are checked
against."""

from collections.abc import Mapping

import msgspec

from events.games.blackjack import rules as blackjack
from events.games.blazing7s import rules as blazing7s
from events.rules.taken_ruleset_version_struct import TakenRuleset
from events.tables.armed_round_rebuilt_from_events import ArmedRoundPeople
from events.tables.table_session_state_structs import Bet, GamePlay, Session

MAIN, TRILUX, BLAZING, INSURANCE = "main", "trilux", "blazing7s", "insurance"
PLAYERS_ON_A_BOX = 3
FIRST = TakenRuleset("blazing7s", "1")  # played before sessions named the numbers of their progressive
LATE_ROUNDS = 50  # armed rounds that are kept for a hit that was missed


class BettingBox(msgspec.Struct, frozen=True):
    """A box with cards: its hands from left to right, and the main bet of its first player on each of them."""

    hands: tuple[blackjack.BlackjackHand, ...]
    bets: tuple[str, ...]


class BlackjackCards(GamePlay, frozen=True, kw_only=True, tag="blackjack"):
    """The shoe (how often each card came) and the cards of the round.

    `past` are the last armed rounds, `late_hits` how often a hit was found late, by "ROUND-BOX".
    """

    shoe: str | None = None
    packs: int = 0
    seen: Mapping[str, int] = {}
    cut: bool = False
    dealt: int = 0
    dealer: tuple[str, ...] = ()
    boxes: Mapping[int, BettingBox] = {}
    armed: bool = False
    hits: Mapping[int, str] = {}
    declined: Mapping[int, tuple[str, ...]] = {}
    past: tuple[ArmedRoundPeople, ...] = ()
    late_hits: Mapping[str, int] = msgspec.field(name="found", default_factory=dict)

    @property
    def armed_rounds(self) -> tuple[ArmedRoundPeople, ...]:
        return self.past

    def carried(self) -> "BlackjackCards":
        """The shoe. Rounds that are over stay with their day, as do hits that are found in them late."""
        return BlackjackCards(shoe=self.shoe, packs=self.packs, seen=self.seen, cut=self.cut)


def cards_of(session: Session) -> BlackjackCards:
    """The table's cards."""
    return session.play if isinstance(session.play, BlackjackCards) else BlackjackCards()


def bets_on(session: Session, wager: str, box: int | None = None) -> list[Bet]:
    """Return the bets of a kind on a box (or on all), in the order in which they were laid."""
    return [bet for bet in session.bets.values() if bet.wager == wager and box in (None, bet.box)]


def progressive_rules(session: Session) -> blazing7s.BlazingRules:
    """The rules of the progressive bet at this table: the linked progressive's own, at its stakes and on its basis."""
    rules = blazing7s.rules(session.progressive_plays or FIRST)
    return msgspec.structs.replace(rules, stakes=session.stakes or rules.stakes, basis=session.basis)


def name_of(place: object) -> str:
    return f"box {place}" if isinstance(place, int) else str(place)


def taken(session: Session) -> list[int]:
    return sorted({bet.box or 0 for bet in session.bets.values() if bet.wager == MAIN})


def put(
    hands: tuple[blackjack.BlackjackHand, ...], index: int, hand: blackjack.BlackjackHand
) -> tuple[blackjack.BlackjackHand, ...]:
    return (*hands[:index], hand, *hands[index + 1 :])
