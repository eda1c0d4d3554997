"""Baccarat for any cards and any bets: no chip is lost or created, and every refusal names its clause."""

from collections.abc import Callable
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from events.errors import Refused
from events.games.baccarat import rules as baccarat
from events.games.baccarat import table_procedure_and_limit_rules
from events.games.baccarat.rules import BaccaratBet
from events.games.baccarat.table_procedure_and_limit_rules import DealtCard
from events.rules import cards

games = st.sampled_from([baccarat.rules("baccarat"), baccarat.rules("baccarat-no-commission")])
shoes = st.lists(st.sampled_from(cards.PACK), min_size=6, max_size=12)
stakes = st.integers(1, 10**12)


@st.composite
def bets(draw: st.DrawFn, types: tuple[str, ...] = baccarat.BETS) -> list[BaccaratBet]:
    laid = draw(st.lists(st.tuples(st.sampled_from(types), stakes), max_size=8))
    return [BaccaratBet(f"b{at}", name, stake) for at, (name, stake) in enumerate(laid)]


def as_laid(shoe: list[str]) -> list[DealtCard]:
    """The coup's cards with their sides, in the order of dealing."""
    laid: list[DealtCard] = []
    hands: dict[str, list[str]] = {"player": [], "banker": []}
    while (side := baccarat.next_to(hands["player"], hands["banker"])) is not None:
        card = shoe[len(laid)]
        hands[side].append(card)
        laid.append(DealtCard(side, card))
    return laid


@given(shoes)
def test_six_cards_are_always_enough_and_make_a_coup(shoe: list[str]) -> None:
    hands = baccarat.deal(shoe)
    assert 4 <= hands.used == len(hands.player) + len(hands.banker) <= 6
    end = baccarat.coup(hands.player, hands.banker)
    assert end.natural == (hands.used == 4 and max(end.player_total, end.banker_total) >= 8)
    assert {end.player_total, end.banker_total} <= set(range(10))


@given(games, shoes, bets())
def test_every_chip_stays_or_goes_to_one_of_the_two(
    game: baccarat.BaccaratRules, shoe: list[str], laid: list[BaccaratBet]
) -> None:
    hands = baccarat.deal(shoe)
    end = baccarat.coup(hands.player, hands.banker)
    for bet, result in zip(laid, baccarat.settle_coup(game, end, laid), strict=True):
        assert bet.stake + min(result.profit, 0) == result.returned
        gross = bet.stake * game.payouts[bet.type]
        assert result.outcome != "win" or result.profit + result.commission == gross
        assert result.outcome == "win" or result.commission == 0
        assert (result.outcome == "win") == (result.profit > 0)
        assert (result.outcome == "push") == (result.profit == 0)


@given(games, shoes, bets(), st.data())
def test_results_do_not_depend_on_the_order_of_the_bets(
    game: baccarat.BaccaratRules, shoe: list[str], laid: list[BaccaratBet], data: st.DataObject
) -> None:
    hands = baccarat.deal(shoe)
    shuffled = data.draw(st.permutations(laid))
    end = baccarat.coup(hands.player, hands.banker)
    results = {result.bet: result for result in baccarat.settle_coup(game, end, laid)}
    other = {result.bet: result for result in baccarat.settle_coup(game, end, shuffled)}
    assert results == other


@given(shoes)
def test_at_most_one_of_player_banker_and_tie_wins(shoe: list[str]) -> None:
    hands = baccarat.deal(shoe)
    laid = [BaccaratBet(name, name, 1) for name in ("player", "banker", "tie")]
    results = baccarat.settle_coup(baccarat.rules("baccarat"), baccarat.coup(hands.player, hands.banker), laid)
    assert [result.outcome for result in results].count("win") == 1


@given(shoes, st.data())
def test_a_card_on_the_wrong_side_is_found_where_it_lies(shoe: list[str], data: st.DataObject) -> None:
    laid = as_laid(shoe)
    assert table_procedure_and_limit_rules.deal_check(laid) == table_procedure_and_limit_rules.DealCheck(
        None, complete=True
    )
    at = data.draw(st.integers(0, len(laid) - 1))
    assert table_procedure_and_limit_rules.deal_check(laid[:at]) == table_procedure_and_limit_rules.DealCheck(
        None, complete=False
    )
    wrong = DealtCard("banker" if laid[at].to == "player" else "player", laid[at].card)
    check = table_procedure_and_limit_rules.deal_check([*laid[:at], wrong, *laid[at + 1 :]])
    assert check == table_procedure_and_limit_rules.DealCheck(at, complete=False)
    one_too_many = table_procedure_and_limit_rules.deal_check([*laid, wrong])
    assert one_too_many.error_at == len(laid)


@given(
    st.lists(st.sampled_from(cards.PACK), max_size=4),
    st.lists(st.sampled_from(cards.PACK), max_size=4),
)
def test_any_cards_are_settled_or_refused_with_the_clause(player: list[str], banker: list[str]) -> None:
    refused = refusal(lambda: baccarat.coup(player, banker))
    if refused is None:
        assert baccarat.next_to(player, banker) is None
    else:
        assert refused.clause == "baccarat I.1"
        assert refused.source.startswith("001 ")


@given(games, st.text(max_size=12) | st.sampled_from(baccarat.BETS), stakes)
def test_an_unknown_bet_is_refused_with_the_clause(game: baccarat.BaccaratRules, name: str, stake: int) -> None:
    refused = refusal(lambda: baccarat.check_bets(game, [BaccaratBet("b", name, stake)]))
    assert (refused is None) == (name in baccarat.BETS)
    if refused is not None:
        assert (refused.clause, refused.source) == (f"{game.name} B", "001 6, 9")


def refusal(call: Callable[[], object]) -> Refused | None:
    """Return the refusal of the call, if it refuses."""
    try:
        call()
    except Refused as refused:
        return refused
    return None


@given(bets(), st.integers(0, 10**12))
def test_after_the_reduction_the_gap_keeps_the_limit(laid: list[BaccaratBet], limit: int) -> None:
    reduction = table_procedure_and_limit_rules.max_difference(limit, laid)
    sums = {
        side: sum(Fraction(reduction.stakes[b.id]) for b in laid if b.type == side) for side in ("player", "banker")
    }
    gap = abs(sums["player"] - sums["banker"])
    assert gap == (limit if reduction.exceeded else reduction.difference)
    assert 0 <= reduction.factor <= 1
    assert reduction.exceeded == (reduction.difference > limit) == (reduction.factor < 1)
    lighter = {bet.id: bet.stake for bet in laid if bet.type != reduction.heavier}
    assert all(reduction.stakes[bet] == stake for bet, stake in lighter.items())


@given(bets())
def test_the_cards_go_to_a_customer_of_that_side(laid: list[BaccaratBet]) -> None:
    named_bets = [BaccaratBet(bet.id, bet.type, bet.stake, f"customer {bet.id}") for bet in laid]
    for side, holder in table_procedure_and_limit_rules.reveal(named_bets).items():
        on_side = {bet.player: bet.stake for bet in named_bets if bet.type == side}
        assert holder == "dealer" if not on_side else on_side[holder] == max(on_side.values())
