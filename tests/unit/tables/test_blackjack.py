"""Blackjack with its side bets at the table: order, rights, hits, and every refusal with its clause."""

from typing import Any

import pytest

from events.errors import Forbidden, Refused
from events.games.blackjack.event_types import RightDeclined
from events.tables.event_types.progressive import HitDeclaredLate
from events.tables.event_types.session import IrregularityRecorded
from events.tables.event_types.shoe_and_dealt_cards import CardMisdealt
from tests.support.tables.in_memory_tables import DEALER, INSPECTOR, TableInMemory, blackjack_table, opened

ANN, BOB = "Ann", "Bob"


def bet(name: str, box: int = 1, wager: str = "main", amount: int = 1_000, player: str = ANN) -> dict[str, Any]:
    return {"bet": name, "wager": wager, "amount_minor": amount, "player": player, "box": box}


def with_bets(*bets: dict[str, Any], **limits: Any) -> TableInMemory:
    table = blackjack_table(**limits).ask("round.open")
    for bet_ in bets:
        table.ask("bet.place", **bet_)
    return table


def dealt(table: TableInMemory, *cards: tuple[int, str], complete: bool = True) -> TableInMemory:
    """Cards to boxes; box 0 is the dealer."""
    for box, card in cards:
        card_to(table, box, card)
    return table.ask("deal.complete") if complete else table


def card_to(table: TableInMemory, box: int, card: str, hand: int = 0) -> TableInMemory:
    if box:
        return table.ask("card.deal", to="box", box=box, card=card, hand=hand)
    return table.ask("card.deal", to="dealer", card=card)


def sevens(*, declare: bool = True) -> TableInMemory:
    """A round in which the cards of box 1 make Mega."""
    table = with_bets(bet("m"), bet("s", wager="blazing7s", amount=500)).ask("bets.close").ask("progressive.arm")
    dealt(table, (1, "7D"), (0, "7D"), (1, "7D"), complete=False)
    if declare:
        table.ask("hit.declare", box=1, level="mega")
    return table


class TestBlackjackBets:
    def test_the_main_bet_comes_first(self) -> None:  # P.2
        with_bets().refused("bet.place", **bet("t", wager="trilux"), clause="blackjack-trilux P.2")

    def test_none_is_taken_once_bets_are_closed(self) -> None:  # P.3
        table = with_bets(bet("m")).ask("bets.close")
        table.refused("bet.place", **bet("x", 2), clause="blackjack-trilux P.3")
        table.fact("bet.place", **bet("x", 2), irregular="blackjack-trilux P.3")
        dealt(table, (1, "TC"), (0, "9D"), (1, "9C"))
        assert "x" not in table.state.bets
        table.chips_are_conserved()

    def test_keep_to_the_limits(self) -> None:  # L
        table = with_bets(maxima_minor={"main": 50_000})
        table.both("bet.place", **bet("a", amount=400), clause="blackjack-trilux L.1")
        table.both("bet.place", **bet("b", 2, amount=60_000), clause="blackjack-trilux L.1")

    def test_cash_is_changed_when_the_hand_is_over(self) -> None:  # P.9
        table = dealt(with_bets(bet("m")).ask("bets.close"), (1, "TC"), (0, "9D"), (1, "5C"))
        table.both("buyin.make", seat=1, player=ANN, amount_minor=500, clause="blackjack-trilux P.9")

    def test_four_to_six_packs(self) -> None:  # P.1
        opened("blackjack", "blackjack-trilux").refused("shoe.load", shoe="s", packs=8, clause="blackjack-trilux P.1")


class TestTheRightToTheProgressiveBet:
    def test_is_the_first_players_and_moves_when_he_declines(self) -> None:  # P.2
        table = with_bets(bet("m"), bet("n", player=BOB))
        table.ask("right.decline", box=1, player=ANN)
        table.refused("bet.place", **bet("s", wager="blazing7s", amount=500), clause="blazing7s P.2")
        table.ask("bet.place", **bet("s", wager="blazing7s", amount=500, player=BOB))
        table.refused("right.decline", box=1, player=BOB, clause="blazing7s P.2")

    def test_a_bet_of_the_second_says_that_the_first_declined(self) -> None:  # P.2
        table = with_bets(bet("m"), bet("n", player=BOB))
        table.ask("bet.place", **bet("s", wager="blazing7s", amount=500, player=BOB))
        assert table.last(RightDeclined).player == ANN
        table.replays()

    def test_is_for_players_of_the_box_and_for_one_round(self) -> None:
        table = with_bets(bet("m"))
        table.refused("right.decline", box=1, player=BOB, clause="blazing7s P.2")
        table.ask("right.decline", box=1, player=ANN).ask("bet.withdraw", bet="m").ask("bet.place", **bet("o"))
        table.refused("right.decline", box=1, player=ANN, clause="blazing7s P.2")

    def test_one_bet_a_box_at_a_stake_that_is_set(self) -> None:  # P.2, L
        table = with_bets(bet("m"))
        table.refused("bet.place", **bet("s", wager="blazing7s", amount=700), clause="blazing7s L.1")
        table.ask("bet.place", **bet("s", wager="blazing7s", amount=500))
        table.refused("bet.place", **bet("r", wager="blazing7s", amount=500), clause="blazing7s P.2")


class TestTheDeal:
    def test_waits_for_the_arming_which_is_never_reported(self) -> None:  # P.3
        table = with_bets(bet("m"), bet("s", wager="blazing7s", amount=500)).ask("bets.close")
        table.refused("card.deal", to="box", box=1, card="7D", clause="blazing7s P.1")
        table.refused("progressive.arm", intent="fact", clause="blazing7s P.1")

    def test_goes_left_to_right_and_a_card_without_a_place_is_put_aside(self) -> None:  # P.4
        table = with_bets(bet("m"), bet("n", 2, player=BOB)).ask("bets.close")
        table.both("card.deal", to="box", box=2, card="7D", clause="blackjack-trilux P.4")
        assert table.last(CardMisdealt).card == "7D"
        card_to(table, 1, "2C").refused("deal.complete", clause="blackjack-trilux P.4")

    def test_an_undeclared_hit_is_noticed(self) -> None:
        table = sevens(declare=False)
        assert [event.kind for event in table.act("deal.complete") if isinstance(event, IrregularityRecorded)] == [
            "undeclared hit"
        ]

    def test_a_hit_against_the_cards_is_refused_or_recorded(self) -> None:  # B
        sevens(declare=False).both("hit.declare", box=1, level="major", clause="blazing7s B")


class TestALateHit:
    def late(self) -> TableInMemory:
        table = sevens(declare=False)
        table.act("deal.complete")
        return table

    def test_takes_two_people(self) -> None:
        table = self.late()
        events = table.approved("hit.declare_late", round=1, box=1, level="mega")
        hit = next(event for event in events if isinstance(event, HitDeclaredLate))
        assert (hit.hit, hit.approvals) == ("T1-2026-11-20-1-1-late", (("ines", "inspector"), ("sven", "surveillance")))
        table.replays()

    def test_has_another_name_each_time(self) -> None:
        table = self.late()
        names = []
        for _ in range(3):
            table.approved("hit.declare_late", round=1, box=1, level="mega")
            names.append(table.last(HitDeclaredLate).hit)
        assert names == [f"T1-2026-11-20-1-1-late{again}" for again in ("", "-2", "-3")]
        table.replays()

    def test_is_found_in_a_later_round_too(self) -> None:
        table = self.late().ask("hand.stand", box=1)
        card_to(table, 0, "TD").end().ask("round.open")
        table.approved("hit.declare_late", round=1, box=1, level="mega")
        assert table.last(HitDeclaredLate).round == 1

    def test_is_held_against_the_cards(self) -> None:
        table = self.late()
        table.refused("hit.declare_late", round=1, box=1, level="minor", who=INSPECTOR, clause="blazing7s B")
        table.refused("hit.declare_late", round=1, box=2, level="mega", who=INSPECTOR, clause="blazing7s P.1")
        table.refused("hit.declare_late", round=9, box=1, level="mega", who=INSPECTOR, clause="blazing7s P.1")

    def test_is_asked_and_never_reported(self) -> None:
        table = self.late()
        table.refused(
            "hit.declare_late", round=1, box=1, level="mega", who=INSPECTOR, intent="fact", clause="house late hit"
        )

    def test_one_person_does_not_agree_twice(self) -> None:
        table = self.late()
        with pytest.raises(Refused, match="has approved already"):
            table.approved("hit.declare_late", round=1, box=1, level="mega", by=INSPECTOR)


class TestPlay:
    def twelve(self) -> TableInMemory:
        return dealt(with_bets(bet("m")).ask("bets.close"), (1, "TC"), (0, "9D"), (1, "5C"))

    def test_only_totals_of_two_to_eleven_are_doubled(self) -> None:  # B.2
        table = self.twelve().both("hand.double", box=1, clause="blackjack-trilux B.2")
        card_to(table, 1, "2C")
        card_to(table, 0, "9C").end().chips_are_conserved()

    def test_only_pairs_are_split(self) -> None:  # B.3
        self.twelve().refused("hand.split", box=1, clause="blackjack-trilux B.3")

    def test_insurance_is_offered_against_an_ace_from_half_the_minimum(self) -> None:  # B.4
        self.twelve().both("insurance.take", box=1, amount_minor=500, clause="blackjack-trilux B.4")
        table = dealt(with_bets(bet("m")).ask("bets.close"), (1, "TC"), (0, "AD"), (1, "5C"))
        table.both("insurance.take", box=1, amount_minor=600, clause="blackjack-trilux B.4")

    def test_a_split_and_a_double_conserve_the_chips(self) -> None:
        table = dealt(with_bets(bet("m")).ask("bets.close"), (1, "8C"), (0, "9D"), (1, "8D")).ask("hand.split", box=1)
        card_to(table, 1, "3C", 0)
        card_to(table, 1, "KC", 1)
        table.ask("hand.double", box=1, hand=0)
        card_to(table, 1, "9C", 0)
        table.ask("hand.stand", box=1, hand=1)
        card_to(table, 0, "TD").end().chips_are_conserved()
        table.replays()
        assert table.state.phase == "idle"


def test_only_supervisors_and_surveillance_declare_a_late_hit() -> None:
    with pytest.raises(Forbidden):
        sevens().act("hit.declare_late", round=1, box=1, level="mega", who=DEALER)
