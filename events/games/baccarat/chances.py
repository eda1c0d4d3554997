"""One coup: the totals of both sides and the pairs decide all boxes, each end as often as full packs deal it."""

from collections.abc import Mapping
from functools import lru_cache

from events.games.baccarat import rules as baccarat
from events.games.baccarat.event_types import CoupEnded
from events.games.baccarat.outcomes import ends
from events.rules.chances import ChanceDecision, Chances, Risk, Spread, house_gain, sure
from events.rules.versions import TakenRuleset
from events.tables.state import Bet, Session


def decision(session: Session, event: CoupEnded, bets: Mapping[str, Bet]) -> ChanceDecision:
    """Return the results of these bets for every end of a coup, from full packs, for any cards already dealt."""
    coups = ends(baccarat.rules(session.plays).packs)
    actual = baccarat.CoupOutcome(
        event.player_total, event.banker_total, player_pair=event.player_pair, banker_pair=event.banker_pair
    )
    case = next((place for place, (end, _) in enumerate(coups) if end == actual), None)
    risks = tuple(
        Risk(
            bet=bet.id,
            wager=bet.wager,
            player=bet.player,
            stake=bet.stake,
            gains=_gains(session.plays, bet.wager, bet.stake),
        )
        for bet in bets.values()
    )
    return ChanceDecision(weights=tuple(ways for _, ways in coups), risks=risks, case=case)


@lru_cache(maxsize=1_000)
def _gains(plays: TakenRuleset, wager: str, stake: int) -> tuple[Spread, ...]:
    game, laid = baccarat.rules(plays), [baccarat.BaccaratBet("", wager, stake)]
    results = [baccarat.settle_coup(game, end, laid)[0] for end, _ in ends(game.packs)]
    return tuple(sure(house_gain(result.profit, result.returned)) for result in results)


CHANCES = Chances(deciding=(CoupEnded,), decision=decision)
