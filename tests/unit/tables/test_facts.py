"""Facts against the rules are recorded at every game: as facts, with an irregularity, and with exact money."""

from collections.abc import Callable
from typing import Any, Literal

import pytest

from events.envelope import Who
from events.errors import Forbidden
from events.tables.event_types.money import FillReceived
from events.tables.event_types.progressive import DealCompleted, ProgressiveArmed
from events.tables.event_types.rounds import BetPlaced, PaymentMade
from events.tables.event_types.session import IrregularityRecorded, StaffLeft
from tests.support.tables.in_memory_tables import (
    DAY,
    INSPECTOR,
    PROPERTY,
    TableInMemory,
    baccarat_table,
    blackjack_table,
    craps_table,
    roulette_table,
)

PIT_BOSS = Who(person="paul", roles=frozenset({"pit boss"}), factor_s=0)
BOSS: dict[str, Any] = {"who": PIT_BOSS, "reason": "seen on camera"}


def bet(name: str, wager: str, player: str = "Ann", amount: int = 1_000, **place: Any) -> dict[str, Any]:
    return {"bet": name, "wager": wager, "amount_minor": amount, "player": player, **place}


def roulette() -> TableInMemory:
    """Red has come: Ann's "won" is due 1,000, Bob's "lost" is gone."""
    table = roulette_table().ask("round.open").ask("bet.place", **bet("won", "red", seat=1))
    table.ask("bet.place", **bet("lost", "black", "Bob", seat=2)).ask("ball.launch", wheel="ccw", ball="cw")
    return table.ask("bets.close").ask("ball.land", number=1)


def baccarat() -> TableInMemory:
    """Player has won."""
    table = dealt_baccarat("9C", "5D", "TH", "2S")
    assert table.state.phase == "settled"
    return table


def dealt_baccarat(*cards: str) -> TableInMemory:
    table = baccarat_table().ask("round.open").ask("bet.place", **bet("won", "player", seat=1))
    table.ask("bet.place", **bet("lost", "banker", "Bob", seat=2)).ask("bets.close")
    for number, card in enumerate(cards):
        table.ask("card.deal", to=("player", "banker")[number % 2], card=card)
    return table


def blackjack() -> TableInMemory:
    """Box 2 has won, box 1 has lost, the dealer has 19."""
    table = playing_blackjack().ask("hand.stand", box=2).ask("hand.stand", box=1)
    return table.ask("card.deal", to="dealer", card="TD")


def playing_blackjack() -> TableInMemory:
    table = blackjack_table().ask("round.open").ask("bet.place", **bet("lost", "main", "Bob", box=1))
    table.ask("bet.place", **bet("won", "main", box=2)).ask("bets.close")
    for box, card in ((1, "TH"), (2, "TC"), (0, "9D"), (1, "8H"), (2, "TS")):
        place = {"to": "box", "box": box} if box else {"to": "dealer"}
        table.ask("card.deal", **place, card=card)
    return table.ask("deal.complete")


def craps() -> TableInMemory:
    """A natural on the come-out."""
    table = craps_table().ask("bet.place", **bet("won", "pass", seat=1))
    table.ask("bet.place", **bet("lost", "dont_pass", "Bob", seat=2))
    return table.ask("dice.offer").ask("dice.roll", dice=[3, 4])


PLACES: dict[str, dict[str, Any]] = {
    "roulette": {"wager": "red", "seat": 3},
    "baccarat": {"wager": "player", "seat": 3},
    "blackjack": {"wager": "main", "box": 3},
    "craps": {"wager": "pass", "seat": 3},
}
GAMES: dict[str, Callable[[], TableInMemory]] = {
    "roulette": roulette,
    "baccarat": baccarat,
    "blackjack": blackjack,
    "craps": craps,
}
every_game = pytest.mark.parametrize("game", GAMES)


def kinds(table: TableInMemory) -> list[str]:
    """The irregularities, as they came."""
    return [event.kind for event in table.events if isinstance(event, IrregularityRecorded)]


def reported(table: TableInMemory, kind: str, **data: Any) -> str:
    """Check that a rule forbids an action, record it as a fact, and return the kind of its irregularity."""
    with pytest.raises(Exception, match=r"."):
        table.act(kind, **data)
    before = len(table.events)
    table.act(kind, intent="fact", **data)
    [irregularity] = [event for event in table.events[before:] if isinstance(event, IrregularityRecorded)]
    return irregularity.kind


class TestAfterTheOutcome:
    @every_game
    def test_a_stake_is_handed_back_and_what_is_paid_on_it_is_a_mispay(self, game: str) -> None:
        table = GAMES[game]()
        late = {**bet("late", "", "Cid"), **PLACES[game]}
        assert reported(table, "bet.place", **late) == "late bet"
        assert table.last(BetPlaced).late
        assert (table.settled("late").outcome, table.settled("late").returned_minor) == ("void", 1_000)
        assert reported(table, "payment.make", bet="late", amount_minor=1_000) == "mispay"
        assert (table.last(PaymentMade).due_minor, table.players["Cid"]) == (0, 1_000)
        table.end().chips_are_conserved()

    @every_game
    def test_a_lost_stake_that_is_taken_back_is_chips_handed_out_with_nothing_due(self, game: str) -> None:
        table = GAMES[game]()
        assert reported(table, "bet.withdraw", bet="lost") == "late change"
        paid = table.last(PaymentMade)
        assert (paid.bet, paid.amount_minor, paid.due_minor, table.players["Bob"]) == ("lost", 1_000, 0, 0)
        for name in ("lost", "won"):  # it went back once, or with the win
            assert reported(table, "bet.withdraw", bet=name) == "out of turn"
        table.end().chips_are_conserved()

    @every_game
    def test_a_correction_upward_changes_nothing_that_is_due(self, game: str) -> None:
        table, corrects = GAMES[game](), f"{PROPERTY}/tables/T1/{DAY}@9"
        due = dict(table.state.due)
        fields = {
            "bet": "won",
            "amount_minor": 5_000,
            "reason": "more lay there",
            "who": INSPECTOR,
            "corrects": corrects,
        }
        assert reported(table, "bet.correct", **fields) == "late bet"
        assert (table.events[-1].amount_minor, table.state.due) == (4_000, due)  # type: ignore[attr-defined]
        table.end().chips_are_conserved()

    @every_game
    def test_a_correction_of_whose_bet_it_was_is_no_late_one(self, game: str) -> None:
        table, corrects = GAMES[game](), f"{PROPERTY}/tables/T1/{DAY}@9"
        other = {"bet": "won", "player": "Cid", "reason": "seen again", "who": INSPECTOR, "corrects": corrects}
        assert reported(table, "bet.correct", **other) == "bet changed"

    @pytest.mark.parametrize("game", ["baccarat", "craps"])
    def test_a_stake_raised_counts_for_nothing(self, game: str) -> None:
        table = GAMES[game]()
        assert reported(table, "bet.restake", bet="won", amount_minor=3_000) == "late bet"
        assert reported(table, "bet.restake", bet="lost", amount_minor=500) == "late change"
        table.end().chips_are_conserved()

    def test_at_blackjack_a_stake_taken_during_the_hand_is_put_back(self) -> None:
        table = playing_blackjack()
        assert reported(table, "bet.withdraw", bet="won") == "late change"
        assert "won" in table.state.bets


class TestPayments:
    @every_game
    def test_a_short_payment_is_topped_up(self, game: str) -> None:
        table = GAMES[game]()
        assert reported(table, "payment.make", bet="won", amount_minor=900) == "mispay"
        assert reported(table, "payment.make", bet="won", amount_minor=100) == "mispay"
        assert table.players["Ann"] == 1_000
        table.end().chips_are_conserved()

    @every_game
    def test_a_mispay_is_taken_back_in_the_round_and_later(self, game: str) -> None:
        table = GAMES[game]().fact("payment.make", bet="won", amount_minor=1_500, irregular="house payment")
        assert reported(table, "payment.make", bet="won", amount_minor=-200) == "mispay"
        table.end()
        table.refused("payment.report", **BOSS, bet="won", amount_minor=-300, won_in=2, clause="house payment")
        table.fact("payment.make", bet="won", amount_minor=-300, irregular="house payment")
        assert table.players["Ann"] == 1_000
        table.chips_are_conserved()

    def test_what_was_not_handed_out_and_was_taken_back_stays_due(self) -> None:
        table = roulette().fact("payment.make", bet="won", amount_minor=-100, irregular="house payment")
        assert table.state.due["won"].amount == 1_000
        table.end().chips_are_conserved()

    def test_nothing_is_no_payment(self) -> None:
        roulette().invalid("payment.make", bet="won", amount_minor=0, field="data.amount_minor")


class TestStaff:
    @every_game
    def test_dealer_and_inspector_are_one_person(self, game: str) -> None:
        table = GAMES[game]()
        assert reported(table, "staff.assign", who=INSPECTOR, post="inspector", person="dora") == "two posts"
        assert table.state.dealer == table.state.inspector == "dora"
        table.end()

    @every_game
    def test_the_inspector_leaves_and_a_round_is_played_without(self, game: str) -> None:
        table = GAMES[game]()
        assert reported(table, "staff.leave", who=INSPECTOR, post="inspector") == "staff"
        assert (table.last(StaffLeft).person, table.state.inspector) == ("ines", None)
        table.end()
        table.refused("staff.leave", who=INSPECTOR, post="inspector", clause="house staff")
        table.act("round.open", intent="fact")
        assert set(kinds(table)) == {"staff"}
        assert table.state.phase == "open"

    def test_between_rounds_a_post_is_left_by_the_rules(self) -> None:
        roulette().end().lead("staff.leave", post="dealer")

    @every_game
    def test_an_action_without_its_role_is_recorded_for_who_works_in_the_house(self, game: str) -> None:
        table = GAMES[game]()
        for role in ("cage", "security", "surveillance"):
            guard = Who(person="gus", roles=frozenset({role}))
            with pytest.raises(Forbidden):
                table.act("payment.make", who=guard, bet="won", amount_minor=1_000)
        assert reported(table, "payment.make", who=guard, bet="won", amount_minor=1_000) == "without the role"
        table.end().chips_are_conserved()

    @pytest.mark.parametrize("role", ["auditor", "administrator", "system"])
    def test_who_only_looks_or_arranges_reports_nothing(self, role: str) -> None:
        with pytest.raises(Forbidden):
            roulette().act("round.end", intent="fact", who=Who(person="aud", roles=frozenset({role})))

    def test_what_takes_two_people_or_a_signature_is_reported_by_nobody_without_the_role(self) -> None:
        table, dealer = roulette(), Who(person="dora", roles=frozenset({"dealer"}))
        with pytest.raises(Forbidden):
            table.act("round.void", intent="fact", who=dealer, round=1, reason="x")
        with pytest.raises(Forbidden):
            table.act("payment.report", intent="fact", who=dealer, bet="won", amount_minor=1, won_in=1, reason="x")


def test_a_slip_comes_twice_to_one_table() -> None:
    table = roulette_table().lead("fill.receive", slip=7, chips={"500": 2})
    before = table.state.float_minor
    assert reported(table, "fill.receive", who=INSPECTOR, slip=7, chips={"500": 4}) == "slip twice"
    assert (table.last(FillReceived).slip, table.state.float_minor) == (7, before + 2_000)
    assert reported(table, "credit.send", who=INSPECTOR, slip=7, chips={"500": 1}) == "slip twice"


class TestProgressive:
    def test_a_second_bet_on_a_box_and_one_alone_are_handed_back(self) -> None:
        table = blackjack_table().ask("round.open").ask("bet.place", **bet("m", "main", box=1))
        table.ask("bet.place", **bet("s", "blazing7s", amount=500, box=1))
        again = bet("s2", "blazing7s", "Bob", amount=500, box=1)
        alone = bet("s3", "blazing7s", "Cid", amount=500, box=2)
        for bet_ in (again, alone):
            assert reported(table, "bet.place", **bet_) == "second progressive bet"
            assert table.settled(bet_["bet"]).returned_minor == 500
        table.ask("bets.close").ask("progressive.arm")
        assert [armed_bet.bet for armed_bet in table.last(ProgressiveArmed).bets] == ["s"]
        table.chips_are_conserved()

    def test_a_correction_makes_no_second_one_either(self) -> None:
        table = blackjack_table().ask("round.open").ask("bet.place", **bet("m", "main", box=1))
        table.ask("bet.place", **bet("s", "blazing7s", amount=500, box=1))
        moved = {"bet": "s", "box": 2, "reason": "x", "who": INSPECTOR, "corrects": f"{PROPERTY}/tables/T1/{DAY}@9"}
        assert reported(table, "bet.correct", **moved) == "second progressive bet"
        assert table.state.bets["s"].box == 1


class TestCardsNotDrawn:
    def test_at_baccarat_what_is_not_decided_goes_back(self) -> None:
        table = dealt_baccarat("2C", "5D", "2H", "KS")  # a third card is due to Player
        assert reported(table, "round.end") == "card not drawn"
        assert (table.settled("won").outcome, table.state.phase, table.players) == (
            "void",
            "idle",
            {"Ann": 0, "Bob": 0},
        )
        assert reported(table, "payment.make", bet="won", amount_minor=1_000) == "mispay"
        table.chips_are_conserved()

    def test_at_blackjack_a_deal_that_is_broken_off_goes_back_also_what_fed_the_progressive(self) -> None:
        def begun(*bets: dict[str, Any]) -> TableInMemory:
            table = blackjack_table().ask("round.open").ask("bet.place", **bet("m", "main", box=1))
            for bet_ in bets:
                table.ask("bet.place", **bet_)
            return table.ask("bets.close")

        table = begun(bet("t", "trilux", amount=500, box=1)).ask("card.deal", to="box", box=1, card="7D")
        assert reported(table, "round.end") == "card not drawn"
        assert (table.settled("m").outcome, table.settled("t").outcome, table.players) == ("void", "void", {"Ann": 0})
        table.chips_are_conserved()
        armed = begun(bet("s", "blazing7s", amount=500, box=1)).ask("progressive.arm")
        armed.ask("card.deal", to="box", box=1, card="7D")
        armed.act("round.end", intent="fact")
        assert kinds(armed) == ["card not drawn", "card not drawn"], "in the deal, and for the hand"
        assert (armed.count(DealCompleted), armed.settled("s").outcome, armed.players) == (1, "void", {"Ann": 0})
        armed.chips_are_conserved()

    def test_at_blackjack_what_is_not_decided_goes_back(self) -> None:
        table = playing_blackjack().ask("hand.stand", box=2)
        assert reported(table, "round.end") == "card not drawn"
        assert (table.settled("lost").outcome, table.state.phase, table.players) == (
            "void",
            "idle",
            {"Ann": 0, "Bob": 0},
        )
        table.chips_are_conserved()
        table.ask("round.open").ask("bet.place", **bet("m", "main", box=1))


@pytest.mark.parametrize("intent", ["ask", "fact"])
def test_a_bet_that_no_layout_has_is_refused_under_both_intents(intent: Literal["ask", "fact"]) -> None:
    """No chip can have lain there: "place" in craps has no box 7, and no split joins 1 and 36."""
    craps = craps_table("craps-by")
    craps.refused("bet.place", clause="craps-by B.6", intent=intent, **bet("b", "place", number=7))
    roulette = roulette_table().ask("round.open")
    split = bet("b", "split", seat=1, numbers=[1, 36])
    roulette.refused("bet.place", clause="roulette-french P.7", intent=intent, **split)
