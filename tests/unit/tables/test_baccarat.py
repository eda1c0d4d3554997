"""Baccarat at the table: the shoe, the difference, cards out of order, who turns them, and every refusal's clause."""

from typing import Any

import pytest

from events.games.baccarat.event_types import CardsBurnt, CoupEnded, HandGiven, ReductionAsked
from events.tables.event_types.rounds import BetRestaked
from events.tables.event_types.shoe_and_dealt_cards import CardDealt, ShoeLoaded
from tests.support.tables.in_memory_tables import INSPECTOR, TableInMemory, baccarat_table, opened


def bet(name: str, wager: str, amount: int = 1_000, player: str = "Ann", seat: int = 1) -> dict[str, Any]:
    return {"bet": name, "wager": wager, "amount_minor": amount, "player": player, "seat": seat}


def closed(table: TableInMemory | None = None, *bets: dict[str, Any]) -> TableInMemory:
    """A round with bets, ready for the cards."""
    table = (table or baccarat_table()).ask("round.open")
    for bet_ in bets or (bet("p", "player"), bet("b", "banker", player="Bob", seat=2)):
        table.ask("bet.place", **bet_)
    return table.ask("bets.close")


def deal(table: TableInMemory, cards: str) -> TableInMemory:
    """Cards by turns to Player and Banker, then as marked: "7C 8D 2H 3S p9D"."""
    sides = {"p": "player", "b": "banker"}
    for index, card in enumerate(cards.split()):
        to = sides[card[0]] if card[0] in sides else ("player", "banker")[index % 2]
        table.ask("card.deal", to=to, card=card[-2:])
    return table


class TestTheShoe:
    def test_has_eight_packs_and_a_whole_seal(self) -> None:  # P.3, P.4
        table = opened("baccarat", "baccarat")
        table.both("shoe.load", shoe="s", packs=6, clause="baccarat P.3")
        table.both("shoe.load", shoe="t", packs=8, seal="A-1", seal_whole=False, clause="baccarat P.4")
        table.ask("shoe.load", shoe="u", packs=8)
        assert table.last(ShoeLoaded).prepared == "table"
        assert baccarat_table().last(ShoeLoaded).prepared == "ahead"

    def test_a_round_needs_one(self) -> None:
        opened("baccarat", "baccarat").refused("round.open", clause="house shoe")

    @pytest.mark.parametrize(("card", "down"), [("KH", 10), ("TC", 10), ("AD", 1), ("7S", 7)])
    def test_burns_as_many_as_its_first_card_is_worth(self, card: str, down: int) -> None:  # P.5, BAC-9
        assert baccarat_table(burnt=card).last(CardsBurnt).face_down == down

    def test_is_burnt_before_the_first_deal_only(self) -> None:
        baccarat_table().both("shoe.burn", card="2C", clause="baccarat P.5")

    def test_is_opened_by_burning_or_by_three_rounds_without_bets(self) -> None:  # P.5
        table = baccarat_table(burnt=None)
        table.refused("round.open", clause="baccarat P.5")
        for number in range(3):
            table.ask("round.open", free=True)
            table.refused("bet.place", **bet(f"x{number}", "player"), clause="baccarat P.5")
            deal(table, "7C 8D QH KS").ask("round.end")
        table.ask("round.open")

    def test_a_player_who_wants_to_bet_need_not_wait(self) -> None:  # P.5
        table = baccarat_table(burnt=None).ask("round.open", free=True)
        deal(table, "7C 8D QH KS").ask("round.end")
        table.ask("round.open", wanted_by="Ann").ask("bet.place", **bet("p", "player")).ask("bets.close")
        deal(table, "7C 8D QH KS").end().ask("round.open")

    def test_rounds_of_a_shoe_that_was_not_opened_stand_and_the_manager_decides(self) -> None:  # I.3
        table = baccarat_table(burnt=None).fact("round.open", irregular="baccarat P.5")
        table.ask("bet.place", **bet("p", "player")).ask("bets.close")
        deal(table, "7C 8D QH KS").end()
        assert table.settled("p").profit_minor == -1_000
        table.lead("shoe.rule", ruling="free_round")
        table.both("round.open", clause="baccarat I.3")

    def test_goes_on_or_is_changed_as_the_manager_says(self) -> None:  # I.3
        baccarat_table(burnt=None).lead("shoe.rule", ruling="go_on").ask("round.open")
        baccarat_table(burnt=None).lead("shoe.rule", ruling="new_cards").refused("round.open", clause="house shoe")
        baccarat_table().refused("shoe.rule", ruling="go_on", who=INSPECTOR, clause="baccarat I.3")

    def test_a_round_without_bets_as_ruled_lets_it_go_on(self) -> None:
        table = baccarat_table(burnt=None).lead("shoe.rule", ruling="free_round").ask("round.open", free=True)
        deal(table, "7C 8D QH KS").ask("round.end").ask("round.open")

    def test_is_changed_after_the_cut_card(self) -> None:  # P.6
        table = deal(closed(), "7C 8D QH KS").ask("cut_card.reach").end()
        table.both("round.open", clause="baccarat P.6")

    def test_never_deals_a_card_that_it_does_not_hold(self) -> None:
        table = closed(baccarat_table(burnt="KC"), bet("p", "player"))
        deal(table, "KC KC KC KC pKC bKC").end()
        closed(table, bet("q", "player")).ask("card.deal", to="player", card="KC")
        table.both("card.deal", to="banker", card="KC", clause="house shoe")


class TestBaccaratBets:
    def test_lie_on_the_boxes_of_ten_seats(self) -> None:  # P.1, B
        table = baccarat_table().ask("round.open")
        table.refused("bet.place", **bet("x", "player", seat=11), clause="baccarat P.1")
        table.refused("bet.place", **bet("x", "either_pair"), clause="baccarat B")
        table.invalid("bet.place", bet="x", wager="tie", amount_minor=500, player="Ann", field="data.seat")

    def test_none_is_made_changed_or_taken_back_after_bets_closed(self) -> None:  # B.4
        table = closed()
        table.refused("bet.place", **bet("x", "tie"), clause="baccarat B.4")
        table.fact("bet.place", **bet("x", "tie"), irregular="baccarat B.4")
        assert table.settled("x").outcome == "void"
        table.both("bet.restake", bet="p", amount_minor=2_000, clause="baccarat B.4")
        table.both("bet.withdraw", bet="p", clause="baccarat B.4")
        table.chips_are_conserved()

    def test_keep_to_the_limits_of_the_table_or_the_players_own(self) -> None:  # L.3
        table = baccarat_table(maxima_minor={"player": 5_000}).ask("round.open")
        table.both("bet.place", **bet("a", "player", 400), clause="baccarat L.3")
        table.both("bet.place", **bet("b", "player", 6_000), clause="baccarat L.3")
        table.lead("limit.mark", player="Cid", seat=4, minimum_minor=2_000, maximum_minor=20_000)
        table.ask("bet.place", **bet("c", "player", 6_000, player="Cid", seat=4))
        table.refused("bet.place", **bet("d", "banker", 1_000, player="Cid", seat=4), clause="baccarat L.3")

    def test_ties_and_pairs_have_one_maximum_for_the_whole_table(self) -> None:  # L.2
        table = baccarat_table(maxima_minor={"tie": 2_000}).ask("round.open").ask("bet.place", **bet("a", "tie", 1_500))
        table.both("bet.place", **bet("b", "tie", 1_000, player="Bob", seat=2), clause="baccarat L.2")

    def test_an_unknown_maximum_is_no_limit(self) -> None:
        opened("baccarat", "baccarat").invalid(
            "limits.post", minimum_minor=500, maxima_minor={"dragon": 500}, who=INSPECTOR, field="maxima"
        )

    def test_may_be_changed_before_that(self) -> None:
        table = baccarat_table().ask("round.open").ask("bet.place", **bet("p", "player", 2_000))
        table.ask("bet.restake", bet="p", amount_minor=1_500).chips_are_conserved()
        assert table.last(BetRestaked).reason == "lowered"


class TestTheMaximumDifferenceOfSides:
    def over(self) -> TableInMemory:
        table = baccarat_table(maxima_minor={"difference": 1_000}).ask("round.open")
        table.ask("bet.place", **bet("p", "player", 3_000)).ask("bet.place", **bet("q", "player", 1_000, "Cid", 3))
        return table.ask("bet.place", **bet("b", "banker", 2_000, "Bob", 2))

    def test_cannot_be_passed(self) -> None:  # L.1
        self.over().both("bets.close", clause="baccarat L.1")

    def test_the_reduction_is_shown_and_made(self) -> None:  # L.1, BAC-7
        table = self.over().ask("bets.reduce", apply=False)
        reduction = table.last(ReductionAsked)
        assert (reduction.difference_minor, reduction.factor) == (2_000, "3/4")
        assert table.state.bets["p"].stake == 3_000
        table.ask("bets.reduce")
        assert [table.state.bets[name].stake for name in "pqb"] == [2_250, 750, 2_000]
        table.ask("bets.close").chips_are_conserved()
        table.replays()

    def test_nothing_is_reduced_inside_it(self) -> None:
        closed_to_be = baccarat_table().ask("round.open").ask("bet.place", **bet("p", "player"))
        closed_to_be.refused("bets.reduce", clause="baccarat L.1")


class TestTheCards:
    def test_go_where_the_table_of_play_sends_them(self) -> None:
        table = deal(closed(), "2C 3D QH KS p5H")
        assert table.state.phase == "dealing"
        table.both("card.deal", to="player", card="2S", clause="baccarat I.2")
        assert table.last(CardDealt).to == "banker"
        assert table.last(CardDealt).laid == "player"
        end = table.last(CoupEnded)
        assert (end.player_total, end.banker_total, end.winner) == (7, 5, "player")

    def test_decide_every_bet_with_the_last_one(self) -> None:
        stakes = ("player", "banker", "tie", "player_pair", "banker_pair")
        table = closed(None, *(bet(name, name) for name in stakes))
        deal(table, "KC 8D KH QS")
        assert table.last(CoupEnded).natural
        assert [table.settled(name).profit_minor for name in stakes] == [-1_000, 950, -1_000, 11_000, -1_000]
        assert table.settled("banker").kept_millionths == 50_000_000
        table.end().chips_are_conserved()
        table.replays()

    def test_a_banker_six_pays_half_without_commission(self) -> None:
        table = closed(baccarat_table("baccarat-no-commission"), bet("b", "banker", 1_001))
        deal(table, "2C 6D QH KS pTC")
        assert table.last(CoupEnded).winner == "banker"
        assert table.settled("b").profit_minor == 500
        assert table.settled("b").rounded_millionths == 500_000
        table.end().chips_are_conserved()

    def test_a_card_too_many_is_kept_for_the_next_round(self) -> None:  # I.2
        table = deal(closed(), "7C 8D QH KS")
        table.both("card.deal", to="player", card="9H", clause="baccarat I.2")
        assert table.state.play.next_cards == ("9H",)
        closed(table.end(), bet("p2", "player"))
        table.refused("card.deal", to="player", card="2C", clause="baccarat I.2")
        table.ask("card.deal", to="player", card="9H")
        assert table.state.play.next_cards == ()
        assert table.state.play.seen["9H"] == 1
        table.replays()

    def test_are_laid_on_player_or_banker(self) -> None:
        closed().invalid("card.deal", to="dealer", card="2C", field="data.to")

    def test_a_tie_pushes_player_and_banker(self) -> None:  # BAC-3
        table = deal(closed(), "8C 8D QH KS")
        assert {table.settled(name).outcome for name in "pb"} == {"push"}
        table.end().chips_are_conserved()


class TestWhoTurnsThem:
    def test_the_highest_bettor_of_each_side(self) -> None:  # P.8, I.4
        table = closed(None, bet("p", "player", 1_000), bet("q", "player", 2_000, "Cid", 3))
        table.ask("hand.give", side="player", player="Cid").ask("hand.give", side="banker")
        table.both("hand.give", side="player", player="Ann", clause="baccarat I.4")
        table.both("hand.give", side="player", clause="baccarat I.4")
        assert table.last(HandGiven).due_to == "Cid"
