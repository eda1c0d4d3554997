"""The rules of layout 3: a box by all that was put into it, the cage from its opening count, variances by reason."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from events.accounting.journal.journal_against_other_accounts_checks import broken
from events.accounting.journal.reason_text_as_account_part import reason_part
from events.accounting.report import canonical_report_from_ledger
from events.accounting.report.checklist_system_state_source import SystemState
from events.accounting.report.closing_checklist import checklist
from events.accounting.report.property_ledger_fold import Ledger, accounting_event, fold
from events.money.posting_rules import mapped
from events.store import everything
from tests.support.houses.mistaken_day import LATE_CASH, LATE_VOUCHERS, REASON, SHORT, SURPLUS, VARIANCE, MistakenDay
from tests.support.houses.small_house import DAY, PROPERTY
from tests.support.houses.worked_day import CAGE, CASH, chips


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MistakenDay]:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    made = MistakenDay()
    yield made
    made.close()


def ledger(house: MistakenDay, until: int | None = None, layout: int = 4) -> Ledger:
    return fold(everything(house.store, until=until), PROPERTY, layout)


def report(house: MistakenDay, day: str = DAY) -> Any:
    return canonical_report_from_ledger.figures(ledger(house), day, house.store.position())


def shifts(house: MistakenDay) -> list[Any]:
    return list(report(house)["tables"][0]["shifts"])


def discrepancies_of(events: list[Any]) -> list[Any]:
    return [event.data for event in events if event.type == "discrepancy.found.v1"]


def play_tables(house: MistakenDay) -> None:
    house.begin()
    house.first_shift()
    house.count_first()
    house.second_shift()


# --- boxes ------------------------------------------------------------------------------------------------------------


def test_a_late_buyin_is_the_new_shifts_and_lies_in_the_old_box(house: MistakenDay) -> None:
    play_tables(house)
    assert (
        discrepancies_of(house.count_box("one", cash=300_000 + LATE_CASH, marker=50_000, promotional=LATE_VOUCHERS))
        == []
    )
    assert discrepancies_of(house.count_box("two", cash=120_000)) == []
    first, second = shifts(house)
    assert (first["drop"]["cash_minor"], second["drop"]["cash_minor"]) == (300_000, 120_000 + LATE_CASH)
    assert (first["drop"]["promotional_minor"], second["drop"]["promotional_minor"]) == (0, LATE_VOUCHERS)
    for shift in (first, second):
        assert (shift["drop"]["counted"], shift["parts"]["drop_minor"], shift["parts"]["rest_minor"]) == (True, 0, 0)
        assert shift["inventory_win_minor"] == shift["event_win_minor"] - shift["buyins"]["promotional_minor"]


def test_a_difference_in_a_box_is_the_shifts_that_put_it(house: MistakenDay) -> None:
    play_tables(house)
    [discrepancy] = discrepancies_of(
        house.count_box("one", cash=290_000 + LATE_CASH, marker=50_000, promotional=LATE_VOUCHERS)
    )
    house.count_box("two", cash=120_000)
    whole = 350_000 + LATE_CASH + LATE_VOUCHERS
    assert (discrepancy.expected_minor, discrepancy.found_minor, discrepancy.tender) == (whole, whole - 10_000, "cash")
    assert [shift["parts"]["drop_minor"] for shift in shifts(house)] == [-10_000, 0]


def test_a_shift_is_counted_once_every_box_with_its_money_is(house: MistakenDay) -> None:
    play_tables(house)
    house.count_box("two", cash=120_000)
    assert [shift["drop"]["counted"] for shift in shifts(house)] == [False, False]
    assert shifts(house)[1]["parts"]["drop_minor"] is None
    house.count_box("one", cash=300_000 + LATE_CASH, marker=50_000, promotional=LATE_VOUCHERS)
    assert [shift["drop"]["counted"] for shift in shifts(house)] == [True, True]


def test_a_box_that_is_never_changed_holds_both_shifts(house: MistakenDay) -> None:
    house.begin()
    house.first_shift()
    house.count_first()
    house.buy_late(LATE_CASH)
    house.lead("session.close", closer=chips(1_650_000 - LATE_CASH))
    house.lead("drop.remove", drop_box="one", witness="sid")
    assert discrepancies_of(house.count_box("one", cash=300_000 + LATE_CASH, marker=50_000)) == []
    assert [shift["parts"]["drop_minor"] for shift in shifts(house)] == [0, 0]
    assert [shift["drop"]["cash_minor"] for shift in shifts(house)] == [300_000, LATE_CASH]


def test_a_box_is_one_discrepancy_with_its_tenders(house: MistakenDay) -> None:
    play_tables(house)
    [discrepancy] = discrepancies_of(house.count_box("two", cash=110_000, marker=10_000))
    assert (discrepancy.expected_minor, discrepancy.found_minor, discrepancy.band, discrepancy.tender) == (
        120_000,
        120_000,
        "recorded",
        None,
    )
    assert discrepancy.expected_tenders == {"cash": 120_000, "marker": 0, "promotional": 0, "chips": 0}
    assert discrepancy.found_tenders == {"cash": 110_000, "marker": 10_000, "promotional": 0, "chips": 0}


def test_vouchers_beyond_those_bought_in_or_staked_are_a_discrepancy(house: MistakenDay) -> None:
    play_tables(house)
    [discrepancy] = discrepancies_of(house.count_box("two", cash=120_000, promotional=SURPLUS))
    assert (discrepancy.expected_minor, discrepancy.found_minor, discrepancy.band) == (
        120_000,
        120_000 + SURPLUS,
        "regulator",
    )


@pytest.mark.parametrize(("in_box", "difference"), [(1_000, 0), (2_500, 0), (2_600, 100)])
def test_a_box_may_hold_the_vouchers_of_a_corrected_settlement(
    house: MistakenDay, in_box: int, difference: int
) -> None:
    """A voucher of 10.00 lost, and two people corrected it to 25.00 before the box was counted."""
    house.begin()
    house.lead("drop.put", drop_box="one")
    house.deal("round.open")
    stake: dict[str, Any] = {"wager": "black", "player": "Ann", "seat": 1, "tender": "promotional"}
    house.deal("bet.place", bet="a", amount_minor=1_000, **stake)
    house.red_falls()
    house.deal("round.end")
    correction = house.action("settlement.correct", bet="a", settled_in=1, amount_minor=2_500, reason="by the camera")
    house.agreed("tables", "FR1", ("ines", "sven"), correction)
    house.lead("drop.remove", drop_box="one", witness="sid")
    discrepancies = discrepancies_of(house.count_box("one", cash=0, promotional=in_box))
    assert [discrepancy.found_minor - discrepancy.expected_minor for discrepancy in discrepancies] == (
        [difference] if difference else []
    )


@pytest.mark.parametrize(
    ("wager", "tender", "corrections", "chips_lost", "vouchers_lost"),
    [
        ("red", "promotional", [(1_000, -1_000)], 0, 1_000),
        ("red", "promotional", [(2_500, -2_500)], 0, 2_500),
        ("red", "promotional", [(0, 0), (1_000, -1_000)], 0, 1_000),
        ("black", "promotional", [(1_000, 1_000), (1_000, -1_000)], 0, 1_000),
        ("black", "promotional", [(0, 0), (500, -500)], 0, 500),
        ("red", "chips", [(1_000, -1_000)], 1_000, 0),
        ("black", "chips", [(0, 0), (1_000, -1_000)], 1_000, 0),
    ],
)
def test_a_voucher_stays_one_when_its_settlement_is_corrected(
    house: MistakenDay,
    wager: str,
    tender: str,
    corrections: list[tuple[int, int]],
    chips_lost: int,
    vouchers_lost: int,
) -> None:
    """A lost voucher brings no chip, also where the settlement was recorded as a win."""
    house.begin()
    house.deal("round.open")
    house.deal("bet.place", bet="a", amount_minor=1_000, wager=wager, player="Ann", seat=1, tender=tender)
    house.red_falls()
    if wager == "red":
        house.deal("payment.make", bet="a", amount_minor=1_000)
    house.deal("round.end")
    lost = vouchers = {"red": 0, "black": 1_000}[wager]
    lost, vouchers = (0, vouchers) if tender == "promotional" else (lost, 0)
    for stake, profit in corrections:
        true = {"bet": "a", "settled_in": 1, "amount_minor": stake, "profit_minor": profit, "reason": "by the camera"}
        [event] = [
            event.data
            for event in house.agreed("tables", "FR1", ("ines", "sven"), house.action("settlement.correct", **true))
            if event.type == "settlement.corrected.v1"
        ]
        lost, vouchers = lost + event.lost_minor, vouchers + event.promotional_minor
    assert (lost, vouchers) == (chips_lost, vouchers_lost)
    assert event.vouchers_minor == vouchers_lost


@pytest.mark.parametrize(("in_box", "difference"), [(0, 0), (1_000, 0), (2_500, 0), (2_600, 100)])
def test_vouchers_that_were_staked_may_lie_in_the_box(house: MistakenDay, in_box: int, difference: int) -> None:
    """10.00 were laid over box one and lie on the layout when box two is put, 15.00 are laid over that one; 40.00 were
    taken back."""
    house.begin()
    house.lead("drop.put", drop_box="one")
    house.deal("round.open")
    stake: dict[str, Any] = {"wager": "black", "player": "Ann", "seat": 1, "tender": "promotional"}
    house.deal("bet.place", bet="a", amount_minor=1_000, **stake)
    house.lead("shift.count", chips=chips(2_000_000), next_shift="night", witness="sid", drop_box="two")
    house.deal("bet.place", bet="b", amount_minor=1_500, **stake)
    house.deal("bet.place", bet="c", amount_minor=4_000, **stake)
    house.deal("bet.withdraw", bet="c")
    house.red_falls()
    house.deal("round.end")
    house.lead("session.close", closer=chips(2_000_000))
    house.lead("drop.remove", drop_box="two", witness="sid")
    discrepancies = discrepancies_of(house.count_box("two", cash=0, promotional=in_box))
    assert [discrepancy.found_minor - discrepancy.expected_minor for discrepancy in discrepancies] == (
        [difference] if difference else []
    )
    discrepancies = discrepancies_of(house.count_box("one", cash=0, promotional=1_100))
    assert [(discrepancy.expected_minor, discrepancy.found_minor) for discrepancy in discrepancies] == [(1_000, 1_100)]


# --- the cage ---------------------------------------------------------------------------------------------------------


def test_a_shortage_of_the_cage_stands_once(house: MistakenDay) -> None:
    house.play()
    figures = report(house)
    in_cage = [discrepancy for discrepancy in figures["discrepancies"] if discrepancy["kind"] == "cage"]
    assert [discrepancy["found_minor"] - discrepancy["expected_minor"] for discrepancy in in_cage] == [-SHORT]
    assert all(of["expected_minor"] == of["counted_minor"] for of in figures["cage"].values())


def test_pieces_are_compared_at_the_opening_only_where_no_chips_have_moved(house: MistakenDay) -> None:
    """The first opener leaves a closed cage, so its cashier may have exchanged denominations."""
    house.cage("cage.open", gaming_day="2026-11-19", chips=CAGE, cash_minor=CASH)
    house.cage("cage.close", chips=CAGE, cash_minor=CASH)
    other = {**CAGE, "500": CAGE["500"] - 1, "100": CAGE["100"] + 5}
    [discrepancy] = discrepancies_of(house.cage("cage.open", gaming_day=DAY, chips=other, cash_minor=CASH))
    assert (discrepancy.expected, discrepancy.counted, discrepancy.band) == (
        {100: 10_000, 500: 20_000},
        {100: 10_005, 500: 19_999},
        "recorded",
    )
    house.cage("cage.close", chips=CAGE, cash_minor=CASH)
    house.lead("session.open", gaming_day=DAY, opener=chips(2_000_000))
    other["500"] -= 2_000_000 // 500
    assert discrepancies_of(house.cage("cage.open", gaming_day="2026-11-21", chips=other, cash_minor=CASH)) == []


def item(house: MistakenDay) -> Any:
    return next(item for item in checklist(ledger(house), DAY, SystemState()) if item.item == "cage_closed")


def test_a_cage_that_was_never_opened_is_not_called_closed(house: MistakenDay) -> None:
    house.lead("session.open", gaming_day=DAY, opener=chips(2_000_000))
    never = item(house)
    assert (never.holds, never.detail) == (None, "Not opened on 2026-11-20. Open, count and close the cage.")
    house.cage("cage.open", gaming_day=DAY, chips={}, cash_minor=CASH)
    assert item(house).holds is False
    house.cage("cage.close", chips={}, cash_minor=CASH)
    assert item(house).holds is True


# --- journal and currency ---------------------------------------------------------------------------------------------


def test_a_paid_variance_is_posted_by_its_reason(house: MistakenDay) -> None:
    house.play()
    accounts = {name: text for name, text in report(house)["journal"].items() if ":Adjustments:" in name}
    assert accounts == {f"Expenses:Progressive:Adjustments:{REASON}": f"{VARIANCE // 100}.00"}


def test_reasons_in_words_make_accounts_that_never_collide() -> None:
    texts = ("malfunction", "Malfunction", "above maximum", "above-maximum", "sign lag", "sign-lag", "Sign: LAG!")
    parts = [reason_part(text) for text in texts]
    assert parts == [*("malfunction",) * 2, *("above-maximum",) * 2, *("sign lag",) * 3]
    assert reason_part("η ένδειξη", layout=3) == reason_part("...") == "other"
    assert reason_part("a:b {c}" + "x" * 500).startswith("a b c xxx")
    assert len(reason_part("x" * 500)) == 60
    mapped(f"Expenses:Progressive:Adjustments:{part}" for part in {*parts, "other"})


def test_the_journal_holds_at_every_position(house: MistakenDay) -> None:
    house.play()
    accounts = ledger(house, 0)
    for stored_event in everything(house.store):
        if (fact := accounting_event(stored_event, PROPERTY)) is not None:
            accounts.take(fact)
            assert broken(accounts, [DAY]) == [], stored_event.type


def test_a_report_has_the_propertys_currency_before_any_table_has_opened(house: MistakenDay) -> None:
    house.cage("cage.open", gaming_day=DAY, chips={}, cash_minor=CASH)
    assert report(house)["currency"] == "EUR"
    old = canonical_report_from_ledger.figures(ledger(house, layout=2), DAY, 1, layout=2)
    assert old["currency"] is None


# --- the checklist ----------------------------------------------------------------------------------------------------


def no_rest(house: MistakenDay) -> Any:
    return next(item for item in checklist(ledger(house), DAY, SystemState()) if item.item == "no_rest")


def test_wins_that_are_not_compared_yet_are_not_said_to_agree(house: MistakenDay) -> None:
    play_tables(house)
    assert (no_rest(house).holds, "FR1 day, FR1 night" in no_rest(house).detail) == (None, True)
    house.count_box("one", cash=300_000 + LATE_CASH, marker=50_000, promotional=LATE_VOUCHERS)
    assert no_rest(house).holds is None
    house.count_box("two", cash=120_000)
    assert no_rest(house).holds is True
