"""Payments as facts: a winner paid twice, and a forgotten winner paid in a later round."""

from typing import Any

from events.tables.event_types.rounds import PaymentMade, RoundVoided
from events.tables.event_types.session import IrregularityRecorded
from tests.support.tables.in_memory_tables import WATCH, TableInMemory, blackjack_table, roulette_table


def red(name: str, player: str = "Ann", amount: int = 1_000) -> dict[str, Any]:
    return {"bet": name, "wager": "red", "amount_minor": amount, "player": player, "seat": 1}


def spun(table: TableInMemory, number: int, *bets: dict[str, Any]) -> TableInMemory:
    """Play a whole spin up to its due payments."""
    table.ask("round.open")
    for bet in bets:
        table.ask("bet.place", **bet)
    wheel = "cw" if table.state.play.turned == "ccw" else "ccw"
    table.ask("ball.launch", wheel=wheel, ball="ccw" if wheel == "cw" else "cw")
    return table.ask("bets.close").ask("ball.land", number=number)


def irregular(table: TableInMemory) -> IrregularityRecorded:
    return table.last(IrregularityRecorded)


class TestAWinnerPaidTwice:
    def test_is_refused_when_asked_and_recorded_as_a_fact(self) -> None:
        table = spun(roulette_table(), 1, red("a")).ask("payment.make", bet="a", amount_minor=1_000)
        before = table.state.float_minor
        table.both("payment.make", bet="a", amount_minor=1_000, clause="house payment")
        assert (table.last(PaymentMade).due_minor, table.last(PaymentMade).player) == (0, "Ann")
        assert (irregular(table).kind, irregular(table).amount_minor) == ("mispay", 1_000)
        assert table.state.float_minor == before - 1_000
        table.ask("round.end").chips_are_conserved()
        table.replays()

    def test_and_thrice(self) -> None:
        table = spun(roulette_table(), 1, red("a")).pay()
        for _ in range(2):
            table.fact("payment.make", bet="a", amount_minor=1_000, irregular="house payment")
        assert table.players["Ann"] == 3_000
        table.replays()

    def test_is_found_when_the_round_has_ended(self) -> None:
        table = spun(roulette_table(), 1, red("a")).end()
        table.both("payment.make", bet="a", amount_minor=1_000, clause="house payment")
        table.chips_are_conserved()
        spun(table, 2, red("b")).both("payment.make", bet="a", amount_minor=100, clause="house payment")
        table.chips_are_conserved()

    def test_keeps_both_payments_when_the_round_is_void(self) -> None:
        table = spun(roulette_table(), 1, red("a")).pay()
        table.fact("payment.make", bet="a", amount_minor=500, irregular="house payment")
        table.approved("round.void", round=1, reason="a misdeal", by=WATCH)
        assert table.last(RoundVoided).kept_bets == ("a",)
        table.chips_are_conserved()
        table.replays()

    def test_at_blackjack(self) -> None:
        table = blackjack_table(None).ask("round.open")
        table.ask("bet.place", bet="m", wager="main", amount_minor=1_000, player="Ann", box=1).ask("bets.close")
        for to, card in ((1, "TC"), (0, "TD"), (1, "AS")):
            table.ask("card.deal", **({"to": "box", "box": to} if to else {"to": "dealer"}), card=card)
        table.ask("deal.complete").ask("card.deal", to="dealer", card="8C").pay()
        table.both("payment.make", bet="m", amount_minor=1_500, clause="house payment")
        table.ask("round.end").chips_are_conserved()


class TestAWinnerLeftUnpaid:
    def left(self, amount: int = 1_000) -> TableInMemory:
        table = spun(roulette_table(), 1, red("a", amount=amount)).fact("round.end", irregular="house payment")
        assert (irregular(table).kind, irregular(table).bet, irregular(table).amount_minor) == ("unpaid", "a", amount)
        return table

    def test_is_paid_when_the_round_has_ended(self) -> None:
        table = self.left()
        before = table.state.float_minor
        table.ask("payment.make", bet="a", amount_minor=1_000)
        made = table.last(PaymentMade)
        assert (made.due_minor, made.won_in, made.round, made.player, made.seat) == (1_000, 1, 1, "Ann", 1)
        assert (table.state.float_minor, table.state.unpaid) == (before - 1_000, ())
        table.both("payment.make", bet="a", amount_minor=1_000, clause="house payment")
        assert (table.last(PaymentMade).due_minor, irregular(table).amount_minor) == (0, 1_000)
        table.chips_are_conserved()
        table.replays()

    def test_is_paid_as_a_fact(self) -> None:
        self.left().fact("payment.make", bet="a", amount_minor=1_000).replays()

    def test_is_paid_rounds_later(self) -> None:
        table = spun(spun(self.left(), 2, red("b")).end(), 4, red("c"))
        table.ask("payment.make", bet="a", amount_minor=1_000)
        assert (table.last(PaymentMade).won_in, table.last(PaymentMade).round) == (1, 3)
        table.end().chips_are_conserved()
        table.replays()

    def test_and_paid_wrongly_is_a_mispay(self) -> None:
        table = self.left().both("payment.make", bet="a", amount_minor=900, clause="house payment")
        assert (irregular(table).kind, irregular(table).amount_minor, table.state.unpaid) == ("mispay", -100, ())

    def test_is_told_from_a_bet_that_has_his_bets_name_now(self) -> None:
        table = spun(self.left(), 1, red("a", "Bob", 2_000))
        table.refused("payment.make", bet="a", amount_minor=2_000, won_in=1, clause="house payment")
        table.ask("payment.make", bet="a", amount_minor=1_000, won_in=1)
        assert (table.last(PaymentMade).player, table.players["Ann"]) == ("Ann", 1_000)
        table.ask("payment.make", bet="a", amount_minor=2_000, won_in=2)
        assert table.last(PaymentMade).won_in is None
        table.ask("round.end").chips_are_conserved()
        table.replays()

    def test_stays_due_when_a_later_round_is_void(self) -> None:
        table = self.left().ask("round.open").ask("bet.place", **red("b"))
        table.approved("round.void", round=2, reason="a misdeal", by=WATCH)
        table.ask("payment.make", bet="a", amount_minor=1_000).chips_are_conserved()

    def test_who_was_paid_in_a_later_round_is_not_among_what_its_void_keeps(self) -> None:
        table = (
            self.left().ask("round.open").ask("bet.place", **red("b")).ask("payment.make", bet="a", amount_minor=1_000)
        )
        table.approved("round.void", round=2, reason="a misdeal", by=WATCH)
        assert table.last(RoundVoided).kept_bets == ()
        table.chips_are_conserved()
        table.replays()
