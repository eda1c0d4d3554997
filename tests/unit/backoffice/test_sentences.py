"""Amounts in the sentences of rules, in the form that people read: never in minor units."""

from pathlib import Path
from typing import Any

import pytest

from backoffice.wording.amounts_in_legacy_sentences import in_currency

ROOT = Path(__file__).parents[3]
SENTENCES = {
    "2000 is due on column b-7, not 2500": "column: due 20.00, paid 25.00",
    "2000 is still due on player_pair 3-1": "20.00 is still due on player_pair 3-1",
    "the float holds 150000 only: a fill is needed": "the float holds 1,500.00 only: a fill is needed",
    "the table's maximum is 50000, the stake 60000": "the table's maximum is 500.00, the stake 600.00",
    "250000 on tie: the whole table's maximum is 50000": "2,500.00 on tie: the whole table's maximum is 500.00",
    "the share is 25018 now, not 25019: look again": "the share is 250.18 now, not 250.19: look again",
    "the cards of box 2 make minor, and nobody declared it": "the cards of box 2 make minor, and nobody declared it",
    "8 is taken twice": "8 is taken twice",
}


@pytest.mark.parametrize(("sentence", "read"), SENTENCES.items())
def test_amounts_stand_in_the_currency_s_digits(sentence: str, read: str) -> None:
    assert in_currency(sentence, "EUR") == read


def test_a_currency_without_fractions_has_none() -> None:
    assert in_currency("2000 is due on column b-7, not 2500", "JPY") == "column: due 2,000, paid 2,500"


def test_they_are_written_as_the_property_writes_money(settings: Any) -> None:
    settings.PITLEDGER_MONEY = "1.234,50 €"
    assert in_currency("the maximum here is 250000", "EUR") == "the maximum here is 2.500,00"
