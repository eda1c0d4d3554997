"""Vouchers staked over a drop box: each change of a voucher stake changes the number that the box may hold."""

from typing import Any

from events.accounting.staked_vouchers_per_drop_box import _VoucherStakes, over_box
from events.tables.event_types.rounds import BetPlaced
from tests.support.tables.in_memory_tables import TableInMemory
from tests.unit.tables.test_craps import bet, on_six


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
