"""The theory of recorded play, against every possible result of it, and against seeded play."""

import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import pytest
from msgspec.structs import replace

from events import catalogue
from events.games.baccarat import bet_results_per_outcome as coups
from events.games.baccarat import rules as baccarat
from events.games.baccarat.bet_results_per_outcome import distinct_outcomes
from events.games.baccarat.event_types import CoupEnded
from events.games.blackjack import bet_results_per_outcome as deals
from events.games.blackjack import infinite_deck_main_bet_value, trilux
from events.games.blackjack import par as blackjack_par
from events.games.blackjack import rules as blackjack
from events.games.blazing7s import rules as blazing7s
from events.games.craps import bet_results_per_outcome as throws
from events.games.craps import par as craps_par
from events.games.craps.craps_bet_struct_and_validity import CrapsBet as CrapsBet
from events.games.craps.event_types import DiceRolled
from events.games.craps.roll_results import roll
from events.games.craps.ruleset import rules as craps_rules
from events.games.par import sheet
from events.games.roulette import rules as roulette
from events.games.roulette.event_types import BallLanded
from events.luck.played_decisions_with_bet_results import PlayedDecision, corrected, played_decisions
from events.luck.tails import tail
from events.luck.win_against_theory import luck, moments, result_course
from events.rules.bet_outcome_chance_structs import MICRO, ChanceDecision, Risk, joint
from events.rules.bonus_hand_counts_by_packs import all_ways, counts
from events.rules.cards import PACK
from events.rules.taken_ruleset_version_struct import taken_ruleset
from events.tables.event_types.rounds import (
    BetPlaced,
    BetsClosed,
    BetSettled,
    RoundEnded,
    RoundOpened,
    RoundVoided,
    SettlementCorrected,
)
from events.tables.table_session_state_structs import Bet
from tests.support.houses.sample_event_streams import History, SampleTableDay
from tests.unit.luck.table_bets_and_spins import WHERE, laid, odds_of, session, spin

# --- one spin decides all ---------------------------------------------------------------------------------------------


def test_bets_on_one_spin_are_one_decision() -> None:
    both = spin(Bet("a", "red", 1000, "p"), Bet("b", "black", 1000, "p"))
    assert joint(both, both.risks) == {0: 36, 2000 * MICRO: 1}
    mean, variance = moments(joint(both, both.risks))
    alone = [moments(joint(both, [risk]))[1] for risk in both.risks]
    assert mean == Fraction(2000 * MICRO, 37)
    assert variance < sum(alone) / 10


@pytest.mark.parametrize("wish", ["half", "prison"])
def test_an_even_chance_of_the_french_wheel_has_the_theory_of_its_par_sheet(wish: Any) -> None:
    decision = spin(Bet("a", "red", 1000, "p", on_zero=wish), ruleset="roulette-french")
    condition = "always half" if wish == "half" else "always en prison"
    edge = next(e for e in sheet("roulette-french").edges if (e.bet, e.condition) == ("red", condition))
    mean, _ = moments(joint(decision, decision.risks))
    assert abs(mean - edge.edge * 1000 * MICRO) < 1


def test_the_ends_of_a_coup_are_those_of_the_par_sheet_with_pairs_beside_them() -> None:
    ends_ = distinct_outcomes(8)
    whole = sum(ways for _, ways in ends_)
    player_pair = Fraction(sum(ways for end, ways in ends_ if end.player_pair), whole)
    banker_pair = Fraction(sum(ways for end, ways in ends_ if end.banker_pair), whole)
    assert player_pair == banker_pair == Fraction(31, 415)
    for edge in sheet("baccarat").edges:
        bets = laid(Bet("a", edge.bet, 100_000, "p"))
        event = CoupEnded(**WHERE, player_total=1, banker_total=2, winner="banker")
        decision = coups.decision(session("baccarat"), event, bets)
        mean, _ = moments(joint(decision, decision.risks))
        assert abs(mean - edge.edge * 100_000 * MICRO) < 1, edge.bet


def test_a_pair_of_baccarat_is_seen_with_the_totals() -> None:
    """Both pairs, counted by rank: every order of the four cards."""
    whole = sum(ways for _, ways in distinct_outcomes(8))
    both = Fraction(sum(ways for end, ways in distinct_outcomes(8) if end.player_pair and end.banker_pair), whole)
    four = 416 * 415 * 414 * 413
    same = Fraction(32 * 31 * 30 * 29, four) * 13
    other = Fraction(32 * 31 * 32 * 31, four) * 13 * 12
    assert both == same + other


# --- throw by throw ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", ["craps-gr", "craps-by"])
def test_a_bet_that_lasts_brings_its_par_however_many_throws_it_takes(ruleset: str) -> None:
    """The average value of a bet after a throw equals its value before the throw."""
    plays, rules = taken_ruleset(ruleset), craps_rules(ruleset)
    for point, wager, number in ((None, "pass", None), (6, "pass", None), (6, "place", 8), (4, "hardway", 6)):
        if wager not in rules.bets():
            continue
        event = DiceRolled(**WHERE, dice=(1, 2), total=3, point=point)
        decision = throws.decision(session(ruleset), event, laid(Bet("a", wager, 27_720, "p", number=number)))
        mean, _ = moments(joint(decision, decision.risks))
        worth = throws.worth(plays, point, CrapsBet("x", wager, craps_par.STAKE, number))
        assert abs(mean - worth * 27_720 * MICRO) < 2, (wager, point)


def test_throws_that_follow_each_other_spread_as_each_of_them_says() -> None:
    """All results of two throws: a pass bet, then also a bet on 6 if there is a point. The two bets move together."""
    first = {"pass": CrapsBet("pass", "pass", 1000)}
    spread = whole = mean = Fraction(0)
    for dice, ways, gain, variance in thrown(None, first):
        after = roll(craps_rules("craps-by"), None, tuple(first.values()), dice)
        lying = {bet.id: bet for bet in after.bets} or dict(first)
        if after.point_after is not None:
            lying["six"] = CrapsBet("six", "place", 1200, 6)
        for _, off, further, again in thrown(after.point_after, lying):
            share = Fraction(ways * off, 36 * 36)
            mean += share * (gain + further)
            whole += share * (gain + further) ** 2
            spread += share * (variance + again)
    assert float(mean) == pytest.approx(0, abs=1e-6)
    assert float(whole) == pytest.approx(float(spread), rel=1e-6)


def thrown(point: int | None, lying: dict[str, CrapsBet]) -> list[tuple[Any, int, Fraction, Fraction]]:
    """Return every throw with its number of ways, its gain beyond the expected one, and the variance of all throws."""
    event = DiceRolled(**WHERE, dice=(1, 2), total=3, point=point)
    now = {bet.id: Bet(bet.id, bet.type, bet.stake, "p", number=bet.number) for bet in lying.values()}
    decision = throws.decision(session("craps-by"), event, now)
    mean, variance = moments(joint(decision, decision.risks))
    gains = [sum(risk.gains[place][0][0] for risk in decision.risks) for place in range(len(throws.THROWS))]
    return [
        (dice, decision.weights[place], (gains[place] - mean) / MICRO, variance / MICRO**2)
        for place, dice in enumerate(throws.THROWS)
    ]


# --- an estimate, where players choose --------------------------------------------------------------------------------


def test_against_an_ace_a_box_brings_what_the_best_play_is_worth_and_boxes_move_together() -> None:
    rules = blackjack.rules("blackjack-trilux")
    weights, spreads = zip(*deals.against(rules, "AS", Fraction(1)), strict=True)
    risk = Risk(bet="a", wager="main", player="p", stake=1, gains=tuple(map(of_house, spreads)))
    decision = ChanceDecision(weights=weights, risks=(risk, replace(risk, bet="b")))
    mean, variance = moments(joint(decision, (risk,)))
    assert float(mean) == pytest.approx(
        -float(infinite_deck_main_bet_value.against(rules, "AS", hole_card=False).profit), rel=1e-6
    )
    assert moments(joint(decision, decision.risks))[1] > variance * Fraction(22, 10)


def of_house(spread: Any) -> tuple[tuple[Any, int], ...]:
    return tuple((-profit, parts) for profit, parts in spread)


def _with_two_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a box two results, without those cached by other tests of this process."""
    monkeypatch.setattr(deals, "_cases", lambda plays: ((1, ((-1, 2), (Fraction(3, 2), 1))),))
    monkeypatch.setattr(deals, "_gains", deals._gains.__wrapped__)  # without the cache of the process


def test_blackjack_is_an_estimate_and_of_the_main_bets_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    _with_two_cases(monkeypatch)
    laid_ = laid(Bet("a", "main", 1000, "p"), Bet("b", "main", 500, "q"), Bet("t", "trilux", 100, "p"))
    decision = deals.decision(session("blackjack-trilux"), BetsClosed(**WHERE), laid_)
    assert (decision.basis, [risk.bet for risk in decision.risks]) == ("estimate", ["a", "b"])
    assert decision.risks[0].gains == (((1000 * MICRO, 2), (-1500 * MICRO, 1)),)
    assert (deals.of_bet("b1.2"), deals.of_bet("b1.insurance")) == ("b1", "b1.insurance")


def test_bonus_bets_and_insurance_have_the_theory_of_their_par_sheets() -> None:
    """Without a shoe that is recorded: six packs. Two boxes share the dealer's card."""
    stake = 100_000
    edges = {(edge.bet, edge.condition): edge.edge for edge in (*bonus_edges("trilux"), *bonus_edges("insurance"))}
    for wager in ("trilux", "insurance"):
        mean, variance = moments(joint(decision := of_two_boxes(wager, stake), decision.risks[:1]))
        assert abs(mean - edges[wager, "6 packs"] * stake * MICRO) < 1, wager
        assert moments(joint(decision, decision.risks))[1] > 2 * variance
    mean, _ = moments(joint(decision := of_two_boxes("blazing7s", stake), decision.risks[:1]))
    expected = sum(count * of_sevens(name, stake) for name, count in counts(blazing7s.classify, 6).items())
    assert mean == -Fraction(expected, all_ways(6)) * MICRO


def of_two_boxes(wager: str, stake: int) -> ChanceDecision:
    bets = laid(*(Bet(f"{wager}-{box}", wager, stake, "p", box=box) for box in (1, 2)))
    (decision,) = deals.CHANCES.further_decisions(session("blackjack-trilux"), BetsClosed(**WHERE), bets)
    assert decision.basis == "exact"
    return decision


def of_sevens(hand: blazing7s.Class, stake: int) -> int:
    """Return the payment of the table, below zero if the table wins."""
    hit = blazing7s.is_progressive(hand)
    return -stake if hit else blazing7s.settle_fixed(blazing7s.rules(), hand, stake)[0]


def test_trilux_and_blazing_of_a_box_are_decided_by_the_same_cards() -> None:
    """Every deal of three cards out of six packs."""
    bets = laid(Bet("t", "trilux", 100, "p", box=1), Bet("b", "blazing7s", 500, "q", box=1))
    (decision,) = deals.CHANCES.further_decisions(session("blackjack-trilux"), BetsClosed(**WHERE), bets)
    rules, expected = blackjack.rules("blackjack-trilux"), Counter[int]()
    for two in combinations_with_replacement(PACK, 2):
        for dealer in PACK:
            sames = [6 - [*two[:place], dealer].count(card) for place, card in enumerate(two)]
            paid = trilux.settle_trilux(rules, trilux.trilux_class(two, dealer), 100)
            paid += of_sevens(blazing7s.classify(two, dealer), 500)
            expected[-paid * MICRO] += sames[0] * sames[1] * (1 if two[0] == two[1] else 2)
    ways = joint(decision, decision.risks)
    times = Fraction(sum(expected.values()), sum(ways.values()))
    assert {gain: count * times for gain, count in ways.items()} == expected


def test_all_who_stake_on_a_box_win_or_lose_by_its_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    _with_two_cases(monkeypatch)
    bets = laid(*(Bet(name, "main", 1000, name, box=box) for name, box in (("a", 1), ("b", 1), ("c", 2))))
    mine, same, other = deals.decision(session("blackjack-trilux"), BetsClosed(**WHERE), bets).risks
    together = ChanceDecision(weights=(1,), risks=(mine, same, other))
    assert joint(together, (mine, same)) == {2000 * MICRO: 2, -3000 * MICRO: 1}
    assert joint(together, (mine, other)) == {2000 * MICRO: 4, -500 * MICRO: 4, -3000 * MICRO: 1}


def bonus_edges(wager: str) -> list[Any]:
    rules = blackjack.rules("blackjack-trilux")
    return [blackjack_par._trilux(rules, 6) if wager == "trilux" else blackjack_par._insurance(rules, 6)]


# --- what was played --------------------------------------------------------------------------------------------------


def nights(count: int, spins_: int) -> list[float]:
    """Return the probability of each of a number of seeded nights, with dependent bets settled by the rules."""
    random_, game = random.Random(11), roulette.rules("roulette-american")
    bets = [("a", "straight", (7,), 100), ("b", "dozen", (), 500), ("c", "red", (), 1000)]
    decision = spin(*(Bet(n, w, s, "p", numbers=p, which=1 if w == "dozen" else None) for n, w, p, s in bets))
    odds, probabilities = {odds_of(decision): spins_}, []
    rows = [roulette.RouletteBet(n, w, s, p, which=1 if w == "dozen" else None) for n, w, p, s in bets]
    known: dict[int, float] = {}
    for _ in range(count):
        win = 0
        for _ in range(spins_):
            win -= sum(int(result.profit) for result in roulette.settle_spin(game, random_.randrange(37), rows)) * MICRO
        if win not in known:
            known[win] = tail(odds, win).at_most
        probabilities.append(known[win])
    return probabilities


def test_a_chance_of_one_in_twenty_comes_once_in_twenty_nights() -> None:
    chances = nights(600, 12)
    for level in (0.05, 0.25, 0.5, 0.9):
        share = sum(chance <= level for chance in chances) / len(chances)
        assert share <= level + 0.04
        assert share >= level - 0.08


def decisions_of(history: History) -> Iterator[PlayedDecision]:
    return played_decisions("athens", stream_and_data(history), corrected(stream_and_data(history)))


def stream_and_data(history: History) -> list[tuple[str, Any]]:
    return [(event.stream, catalogue.decode(event.type, event.raw).data) for event in history.events]


def test_a_table_dealer_player_and_bet_each_have_their_line() -> None:
    history = History()
    table = SampleTableDay(history).open()
    table.bet(1000, -1000, player="g-1")
    table.bet(1000, 1000, player="g-2")
    lines = {by: luck(decisions_of(history), by) for by in ("table", "dealer", "player", "bet", "game")}
    assert [line.name for line in lines["player"]] == ["g-1", "g-2"]
    assert [line.name for line in lines["bet"]] == ["roulette red"]
    (line,) = lines["table"]
    assert (line.name, line.decisions, line.bets, line.handle_minor, line.win_minor) == ("R1", 2, 2, 2000, 0)
    assert line.theory_micro == round(Fraction(2000, 74) * MICRO)
    assert line.basis == "exact"
    lucky = next(line for line in lines["player"] if line.name == "g-2")
    assert lucky.tail.chance == lucky.tail.at_most == pytest.approx(18 / 37)
    assert lines["dealer"] == lines["game"] or len(lines["dealer"]) == len(lines["game"]) == 1


def test_the_course_of_a_table_ends_where_its_luck_says() -> None:
    history = History()
    table = SampleTableDay(history).open()
    for profit in (-1000, 1000, -1000):
        table.bet(1000, profit)
    results = list(decisions_of(history))
    (line,) = luck(results, "table")
    *_, last = result_course(results)
    assert last.won_minor == line.win_minor
    assert last.deviation_minor == pytest.approx(line.deviation_minor)
    assert last.theory_minor == pytest.approx(line.theory_micro / MICRO)


def test_a_void_round_was_none_and_a_round_that_runs_is_not_counted_yet() -> None:
    history = History()
    table = SampleTableDay(history).open()
    for end in (RoundVoided, None):
        table.round += 1
        who = {"bet": f"b{table.round}", "wager": "red", "player": "g-1"}
        table.say(RoundOpened)
        table.say(BetPlaced, amount_minor=1000, **who)
        table.say(BetsClosed)
        table.say(BallLanded, number=7, colour="red")
        table.say(BetSettled, amount_minor=1000, outcome="win", profit_minor=1000, returned_minor=1000, **who)
        if end:
            table.say(end, reason="misdeal")
    assert list(decisions_of(history)) == []
    table.say(RoundEnded)
    assert len(list(decisions_of(history))) == 1


def test_what_a_round_settled_wrongly_counts_as_it_was_put_right() -> None:
    """Two corrections: first half the stake, then won instead of lost. A third one removes the bet."""
    history = History()
    table = SampleTableDay(history).open()
    table.bet(1000, -1000)
    table.bet(1000, -1000)
    before, now = (1000, -1000), [(500, -500), (500, 500), (0, 0)]
    rows = []
    for stake, profit in now:
        correction = {"stake_before_minor": before[0], "profit_before_minor": before[1], "reason": "by the camera"}
        correction |= {"bet": "b2", "wager": "red", "player": "g-1", "stake_minor": stake, "profit_minor": profit}
        correction |= {"amount_minor": stake - before[0], "lost_minor": max(0, -profit) - max(0, -before[1])}
        correction |= {"due_minor": max(0, profit) - max(0, before[1])}
        table.say(SettlementCorrected, corrects="athens/tables/R1/2026-11-20@9", round=2, **correction)
        before = (stake, profit)
        (line,) = luck(decisions_of(history), "table")
        rows.append((line.bets, line.handle_minor, line.win_minor, line.theory_micro))
    theory = [round(Fraction(laid_, 74) * MICRO) for laid_ in (1500, 1000)]
    assert rows == [(2, 1500, 1500, theory[0]), (2, 1500, 500, theory[0]), (1, 1000, 1000, theory[1])]


def test_baccarat_rules_are_those_of_the_par_sheet() -> None:
    """Ends of one coup do not differ by a natural: no bet pays for it."""
    assert not any(end.natural for end, _ in distinct_outcomes(8))
    counted = Counter(end.winner for end, ways in distinct_outcomes(8) for _ in range(1))
    assert set(counted) == {"player", "banker", "tie"}
    assert baccarat.rules("baccarat").packs == 8
