"""Tax withheld from a share and from each envy bonus: the gross is paid and printed, the net is handed out."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from events.accounting import cage_inventory as of_cage
from events.accounting import player_cash_totals
from events.accounting.cage_inventory import Cage, Holding
from events.accounting.event_with_position import AccountingEvent
from events.accounting.fill_and_credit_slip_states import Slips
from events.accounting.journal import named_amounts_of_cage_events as of_journal
from events.accounting.report import paid_progressive_slips_fold
from events.errors import Refused
from events.house.setting_and_chip_structs import SettingChanged
from events.house.settings import HouseSettings
from events.integrity.audit import audit
from events.progressives import action_structs, event_types, payout_tax_withholding
from events.store import Stored
from events.store.in_memory_store import MemoryStore
from tests.support.houses.progressive_house import DAY, PROPERTY, Casino, DeskRefusal
from tests.unit.integrity.test_recount import changed_store
from tests.unit.progressives.live_progressive import LiveProgressive

FIFTH = HouseSettings(tax_over_minor=50_000, tax_millionths=200_000)


@pytest.fixture
def decided() -> list[Any]:
    """A mega share, and envy for the other two of its round: 500.00 for the low stake, 1,000.00 for the high one."""
    house = LiveProgressive()
    house.winners("BJ1", 1, "h")
    house.approve("h")
    return house.pay("h")


@pytest.fixture
def casino() -> Iterator[Casino]:
    made = Casino()
    yield made
    made.close()


def pay(**fields: Any) -> action_structs.PayJackpot:
    return action_structs.PayJackpot(hit="h", gaming_day=DAY, **fields)


@pytest.mark.parametrize(
    ("gross", "withheld"),
    [(0, 0), (50_000, 0), (50_001, 10_000), (50_004, 10_000), (50_005, 10_001), (10**12, 2 * 10**11)],
)
def test_a_payout_over_the_bound_is_taxed_whole_and_no_fraction_is_withheld(gross: int, withheld: int) -> None:
    assert payout_tax_withholding.tax_withheld(gross, FIFTH) == withheld
    assert payout_tax_withholding.tax_withheld(gross, HouseSettings()) == 0


def test_share_and_envy_each_by_the_settings_with_their_forms(decided: list[Any]) -> None:
    forms = (action_structs.EnvyForm(player="bob", form="B-7"),)
    payments: list[Any] = [*payout_tax_withholding.withhold(decided, pay(form="A-1", envy_forms=forms), FIFTH)]
    assert [
        (payment.player, payment.amount_minor, payment.withheld_minor, payment.net_minor, payment.form)
        for payment in payments
    ] == [
        ("ann", 5_000_200, 1_000_040, 4_000_160, "A-1"),
        ("bob", 100_000, 20_000, 80_000, "B-7"),
        ("cy", 50_000, 0, 50_000, ""),
    ]


def test_where_nothing_is_taxed_the_events_are_as_they_were(decided: list[Any]) -> None:
    assert payout_tax_withholding.withhold(decided, pay(), HouseSettings()) == decided


def test_another_sum_than_the_settings_say_is_refused(decided: list[Any]) -> None:
    assert payout_tax_withholding.withhold(decided, pay(withheld_minor=1_000_040), FIFTH)
    for withheld, settings in ((0, FIFTH), (1_000_039, FIFTH), (1, HouseSettings())):
        with pytest.raises(Refused, match="of this share is withheld by the settings of the house, not") as refused:
            payout_tax_withholding.withhold(decided, pay(withheld_minor=withheld), settings)
        assert refused.value.clause == payout_tax_withholding.CLAUSE


def test_a_form_for_somebody_who_gets_nothing_is_refused(decided: list[Any]) -> None:
    with pytest.raises(Refused, match="ann gets no envy bonus"):
        payout_tax_withholding.withhold(
            decided, pay(envy_forms=(action_structs.EnvyForm(player="ann", form="A"),)), FIFTH
        )


@pytest.mark.parametrize(
    ("tender", "left"), [("cash", (0, 999_840)), ("chips", (-4_000_160, 5_000_000)), ("transfer", (0, 5_000_000))]
)
def test_the_cage_hands_out_the_net_and_owes_the_rest(decided: list[Any], tender: str, left: tuple[int, int]) -> None:
    share = payout_tax_withholding.withhold(decided, pay(), FIFTH)[0]
    assert isinstance(share, event_types.JackpotPaid)
    share = replace(share, tender=tender)
    before = Cage(gaming_day=DAY, expected=Holding(cash=5_000_000))
    after = of_cage.evolve(before, AccountingEvent(1, "", "", share, ""), Slips()).expected
    assert (after.chips_minor, after.cash) == left
    books = of_journal.AccountsBefore(before, Slips(), {}, {})
    postings = {posting.name: posting.micro // 10**6 for posting in of_journal.declared_movements(books, share, "")}
    assert postings == {f"jackpot.{'chips' if tender == 'chips' else 'cash'}": 4_000_160, "jackpot.withheld": 1_000_040}


def test_a_players_cash_is_the_net_and_the_slip_shows_the_gross(decided: list[Any]) -> None:
    events = payout_tax_withholding.withhold(decided, pay(), FIFTH)
    facts = [AccountingEvent(at, "", "", event, "") for at, event in enumerate(events)]
    assert {
        name: totals.got for name, totals in player_cash_totals.fold(facts, decided[0].paid_gaming_day).items()
    } == {
        "ann": 4_000_160,
        "bob": 80_000,
        "cy": 50_000,
    }
    listed: paid_progressive_slips_fold.Papers = {}
    for event in events:
        listed = paid_progressive_slips_fold.evolve(listed, event)
    assert [slip.amount for slip in listed.values()] == [5_000_200, 100_000, 50_000]


# --- at its own position ----------------------------------------------------------------------------------------------


def set_tax(casino: Casino, rate: int) -> None:
    """Set the tax, as two people do."""
    for name, value in (("tax_over_minor", 0), ("tax_millionths", rate)):
        casino.say("house", SettingChanged(setting=name, value=value, before=0, approvals=()))


def test_the_settings_at_the_position_of_the_payment_decide(casino: Casino) -> None:
    first, second = casino.play("BJ1", hits=((1, "mega"), (2, "mega")))
    casino.reconcile()
    for hit in (first, second):
        casino.authorise(hit)
    assert casino.pay(first)[0].data.withheld_minor == 0
    set_tax(casino, 250_000)
    with pytest.raises(DeskRefusal, match="Reload and try again"):
        casino.ask(action_structs.PayJackpot(hit=second, gaming_day=DAY, withheld_minor=0), "cage")
    paid = casino.pay(second)[0].data
    assert paid.withheld_minor == paid.amount_minor // 4 > 0
    stored = casino.store.after(0, 10_000)
    assert sums(changed_store(stored, as_it_is)) == []
    assert any("withheld_minor is" in message for message in sums(changed_store(stored, less)))
    unread = sums(changed_store(stored, no_rate))
    assert any("what the house's settings make of it is not known" in message for message in unread), (
        "and it is read to the end"
    )


def sums(store: MemoryStore) -> list[str]:
    return [finding.message for finding in audit(store, PROPERTY, []).findings if finding.kind == "sum"]


def as_it_is(_stored: Stored, event: dict[str, Any]) -> list[dict[str, Any]]:
    return [event]


def less(stored: Stored, event: dict[str, Any]) -> list[dict[str, Any]]:
    """Reduce the tax withheld from a jackpot by one minor unit."""
    if stored.type == event_types.JackpotPaid.TYPE and "withheld_minor" in event["data"]:
        event["data"]["withheld_minor"] -= 1
    return [event]


def no_rate(stored: Stored, event: dict[str, Any]) -> list[dict[str, Any]]:
    """Empty the value of a setting, so that it cannot be read."""
    if stored.type == SettingChanged.TYPE:
        event["data"]["value"] = {}
    return [event]
