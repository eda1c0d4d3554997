"""Vouchers staked over a drop box: each change of a voucher stake changes the number that the box may hold."""

from types import SimpleNamespace
from typing import Any

import pytest

from events.accounting.staked_vouchers_per_drop_box import _VoucherStakes, over_box
from events.games.roulette.event_types import BallLaunched
from events.tables.event_types.rounds import BetPlaced, SettlementCorrected
from events.tables.table_session_state_structs import TableContext
from tests.support.tables.in_memory_tables import TableInMemory, blackjack_table, roulette_table
from tests.unit.tables.test_blackjack import bet as box_bet
from tests.unit.tables.test_blackjack import card_to, dealt
from tests.unit.tables.test_craps import bet, on_six, throw


def with_voucher() -> TableInMemory:
    """A bet of 20.00 on 4, laid with a voucher."""
    return on_six("craps-by").ask("bet.place", tender="promotional", **bet("v", "place", 2_000, number=4))


def correct(table: TableInMemory, stake: int, **changes: Any) -> TableInMemory:
    placed = next(at for at, event in enumerate(table.events) if isinstance(event, BetPlaced) and event.bet == "v")
    data: dict[str, Any] = {"bet": "v", "reason": "misheard", "amount_minor": stake, **changes}
    return table.lead("bet.correct", corrects=f"{table.state.stream}@{placed + 1}", **data)


def test_a_raised_bet_keeps_its_voucher_and_a_lowered_one_returns_a_part() -> None:
    table = with_voucher().ask("bet.restake", bet="v", amount_minor=3_000)
    assert over_box(table.events, "one") == table.state.bets["v"].voucher == 2_000
    table.ask("bet.restake", bet="v", amount_minor=1_000)
    assert over_box(table.events, "one") == table.state.bets["v"].voucher == 1_000


def test_a_corrected_voucher_stake_counts_as_corrected() -> None:
    table = correct(with_voucher(), 4_000)
    assert over_box(table.events, "one") == table.state.bets["v"].voucher == 4_000


def test_a_correction_of_a_bet_that_chips_have_raised_keeps_its_chips() -> None:
    table = correct(with_voucher().ask("bet.restake", bet="v", amount_minor=3_000), 3_000, seat=2)
    assert over_box(table.events, "one") == table.state.bets["v"].voucher == 2_000
    correct(table, 5_000)
    assert over_box(table.events, "one") == table.state.bets["v"].voucher == 2_000
    correct(table, 1_000)
    assert over_box(table.events, "one") == table.state.bets["v"].voucher == 1_000


def test_a_stake_in_chips_stays_one() -> None:
    table = on_six("craps-by").ask("bet.place", **bet("v", "place", 2_000, number=4))
    correct(table, 4_000).ask("bet.restake", bet="v", amount_minor=3_000)
    assert over_box(table.events, "one") == table.state.bets["v"].voucher == 0


def test_only_the_box_over_which_it_was_laid_has_the_corrected_voucher() -> None:
    table = on_six("craps-by").lead("drop.put", drop_box="one")
    table.ask("bet.place", tender="promotional", **bet("v", "place", 2_000, number=4))
    correct(table, 4_000)
    staked = _VoucherStakes()
    for event in table.events:
        staked.take(event)
    assert {box: sum(bets.values()) for box, bets in staked.over.items()} == {"one": 4_000}


def lost_on_red(table: TableInMemory, name: str, amount: int, **fields: Any) -> TableInMemory:
    """Play a round of roulette in which a bet on red loses."""
    table.ask("round.open").ask("bet.place", **bet(name, "red", amount), **fields)
    return fall(table, 2).ask("round.end")


def fall(table: TableInMemory, number: int) -> TableInMemory:
    """Spin the wheel in the other direction than before."""
    wheel, ball = ("cw", "ccw") if table.count(BallLaunched) % 2 else ("ccw", "cw")
    table.ask("ball.launch", wheel=wheel, ball=ball).ask("bets.close")
    return table.ask("ball.land", number=number)


def resettle(table: TableInMemory, name: str, settled_in: int, stake: int, **fields: Any) -> TableInMemory:
    """Correct a settlement by the events of its round, as the desk reads them."""
    dealt: Any = tuple(
        SimpleNamespace(id=f"{table.state.stream}@{at}", data=event)
        for at, event in enumerate(table.events, 1)
        if getattr(event, "round", None) == settled_in
    )
    table.context = TableContext(dealt=dealt)
    data = {"bet": name, "settled_in": settled_in, "amount_minor": stake, "reason": "by the camera", **fields}
    table.approved("settlement.correct", **data)
    table.context = TableContext()
    return table


@pytest.mark.parametrize("stake", [0, 500, 2_000, 4_000])
def test_a_lost_voucher_stake_counts_as_its_settlement_is_corrected(stake: int) -> None:
    """Given a voucher of 10.00 that lost, when its stake is corrected, then the box may hold the true stake."""
    table = resettle(lost_on_red(roulette_table(), "v", 1_000, tender="promotional"), "v", 1, stake)
    assert over_box(table.events, "one") == stake


def test_a_voucher_stake_that_was_corrected_twice_counts_as_in_the_last_correction() -> None:
    table = resettle(lost_on_red(roulette_table(), "v", 1_000, tender="promotional"), "v", 1, 0)
    assert over_box(resettle(table, "v", 1, 1_500, profit_minor=-1_500).events, "one") == 1_500


def test_a_result_that_is_corrected_leaves_the_voucher_in_the_box() -> None:
    """Won, lost or given back as a stand-off: the voucher was exchanged or lost at the table, so it may be there."""
    table = lost_on_red(roulette_table(), "v", 1_000, tender="promotional")
    for profit in (1_000, 0, -1_000):
        assert over_box(resettle(table, "v", 1, 1_000, profit_minor=profit).events, "one") == 1_000


def test_only_the_voucher_of_the_corrected_round_changes() -> None:
    """A name of a bet comes again: round 1 and 3 lose a voucher of 10.00 and of 30.00, round 2 loses chips."""
    table = lost_on_red(roulette_table(), "v", 1_000, tender="promotional")
    lost_on_red(lost_on_red(table, "v", 2_000), "v", 3_000, tender="promotional")
    assert over_box(resettle(table, "v", 2, 9_000).events, "one") == 4_000
    assert over_box(resettle(table, "v", 1, 500).events, "one") == 3_500
    assert over_box(resettle(table, "v", 3, 2_500).events, "one") == 3_000


def test_a_settled_stake_that_chips_had_raised_keeps_its_chips() -> None:
    table = throw(with_voucher().ask("bet.restake", bet="v", amount_minor=3_000), 3, 4).end()
    settled_in = table.settled("v").round
    assert settled_in is not None
    for stake, voucher in ((5_000, 2_000), (1_000, 1_000), (3_000, 2_000)):
        assert over_box(resettle(table, "v", settled_in, stake).events, "one") == voucher


def test_a_stake_en_prison_counts_as_the_round_that_settled_it_is_corrected() -> None:
    table = roulette_table().ask("round.open")
    table.ask("bet.place", tender="promotional", on_zero="prison", **bet("v", "red", 2_000))
    fall(table, 0).ask("round.end").ask("round.open")
    fall(table, 2).ask("round.end")
    assert over_box(resettle(table, "v", 2, 3_000).events, "one") == 3_000


def test_a_split_off_hand_of_chips_changes_no_earlier_voucher_of_its_name() -> None:
    table = blackjack_table()
    table.ask("round.open").ask("bet.place", tender="promotional", **box_bet("m.2")).ask("bets.close")
    dealt(table, (1, "TC"), (0, "TD"), (1, "7C")).ask("hand.stand", box=1)
    card_to(table, 0, "TS").end()
    assert over_box(table.events, "one") == 1_000
    table.ask("round.open").ask("bet.place", **box_bet("m")).ask("bets.close")
    dealt(table, (1, "8C"), (0, "9D"), (1, "8D")).ask("hand.split", box=1)
    card_to(table, 1, "KC", 0)
    card_to(table, 1, "KC", 1)
    table.ask("hand.stand", box=1, hand=0).ask("hand.stand", box=1, hand=1)
    card_to(table, 0, "TS").end()
    assert over_box(resettle(table, "m.2", 2, 0).events, "one") == 1_000


def test_a_voucher_en_prison_above_the_maximum_is_one_in_the_books_as_in_the_box() -> None:
    table = roulette_table(maxima_minor={"red": 180_000}).ask("round.open")
    table.act("bet.place", intent="fact", tender="promotional", on_zero="prison", **bet("v", "red", 250_000))
    fall(table, 0).ask("round.end").ask("round.open")
    fall(table, 2).ask("round.end")
    corrected = resettle(table, "v", 2, 300_000, profit_minor=-300_000).events[-1]
    assert isinstance(corrected, SettlementCorrected)
    assert (corrected.vouchers_minor, over_box(table.events, "one")) == (300_000, 300_000)
