"""A property's own accounts: every amount once, between two accounts that there can be; else the name is said."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from events.accounting.journal import balances
from events.accounting.report.property_ledger_fold import fold
from events.errors import Invalid
from events.money import posting_rules
from events.money.posting_rules import AMOUNTS, DEFAULT, PostingRule
from events.store import everything
from tests.support.houses.small_house import DAY, PROPERTY
from tests.support.houses.worked_day import WorkedDay
from tests.support.records.journals import holds, positions


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkedDay]:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    made = WorkedDay()
    yield made
    made.close()


def with_(amount: str, **accounts: str) -> str:
    return posting_rules.rules_text(replace(rule, **accounts) if rule.amount == amount else rule for rule in DEFAULT)


def test_the_default_is_what_its_own_text_says() -> None:
    posting_rules.check_rules(posting_rules.rules_text(DEFAULT))
    assert posting_rules.rules_from_setting(posting_rules.rules_text(DEFAULT)) == AMOUNTS
    assert len(AMOUNTS) == len(DEFAULT)
    assert all(rule.debit != rule.credit for rule in DEFAULT)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (posting_rules.rules_text(DEFAULT[1:]), "The amount chips.issued is left out. Name every amount."),
        (
            posting_rules.rules_text((*DEFAULT, DEFAULT[3])),
            "The amount books.cash is taken twice. Name each amount once.",
        ),
        (
            posting_rules.rules_text((*DEFAULT, PostingRule("tips", "", "Assets:Cash", "Income:Tips"))),
            "There is no amount tips. Check its name.",
        ),
        (with_("stake.lost", credit="Revenue:Tables"), "stake.lost: Revenue:Tables is not an account"),
        (with_("stake.lost", credit="Income"), "stake.lost: Income is not an account"),
        (with_("stake.lost", credit="Income:{level}"), "says more than the amount has. It may have: table"),
        (with_("envy.cash", debit="Expenses:Envy-"), None),
        (with_("envy.cash", debit="Expenses:envy"), "would both be Expenses:Envy in Beancount"),
        ("stake.lost Assets:Cash", "There is no amount stake.lost Assets. Check its name."),
        ("stake.lost: Assets:Cash", "is not a rule."),
    ],
)
def test_what_may_not_be_is_refused_with_its_name(text: str, why: str | None) -> None:
    if why is None:
        posting_rules.check_rules(text)
        return
    with pytest.raises(Invalid) as refused:
        posting_rules.check_rules(text)
    assert why in str(refused.value)


def test_from_its_position_on_the_property_has_its_own_accounts(house: WorkedDay) -> None:
    """The figures are the same, and every identity holds on as before."""
    house.begin()
    house.first_shift()
    own = with_("winnings.due", debit="Income:4000:{table}")
    change = house.action("setting.change", setting="journal_rules", value=own)
    house.agreed("house", "", ("anna", "cage"), change)
    house.count_first()
    house.second_shift()
    balances_ = balances.of_day(fold(everything(house.store), PROPERTY).journal.sums, DAY, "EUR").end
    assert (balances_["Income:Tables:FR1"], balances_["Income:4000:FR1"]) == (-205_000 * 10**6, 140_000 * 10**6)
    for kind, going in positions(house.store):
        holds(going, kind)


def test_rules_that_may_not_be_never_come_into_the_house(house: WorkedDay) -> None:
    change = house.action("setting.change", setting="journal_rules", value=posting_rules.rules_text(DEFAULT[1:]))
    assert "chips.issued is left out" in house.no("house", "", "anna", change).detail
