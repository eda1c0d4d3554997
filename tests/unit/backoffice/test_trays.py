"""Counts by denomination: a row for each denomination, kept as one text, with the same meaning as in the action."""

import re
from typing import Any

import pytest

from backoffice.forms.action_form_from_struct import ActionForm, form_of
from backoffice.forms.request_and_action_wording import value_text
from events.cage.action_structs import CashOut
from events.days.soft_count_action_structs import EnterCount

BOX = {"table": "FR1", "drop_box": "b-1"}


def counting(sent: dict[str, str] | None = None, currency: str = "EUR") -> ActionForm:
    form = form_of(EnterCount)(sent, currency=currency)
    form.set_denominations({"cash": (500, 5_000), "chips": ()})
    return form


def rows(form: ActionForm, field: str) -> list[tuple[str, str]]:
    """Return the denomination and the number of each row."""
    page = str(form[field])
    worth = re.findall(rf'name="{field}-\d+-worth" value="([^"]*)"', page)
    return list(zip(worth, re.findall(rf'name="{field}-\d+-number"[^>]*value="([^"]*)"', page), strict=True))


def test_known_pieces_have_a_row_each_the_highest_first_and_others_may_be_added() -> None:
    assert rows(counting(), "cash") == [("50.00", ""), ("5.00", ""), ("", ""), ("", ""), ("", "")]
    assert rows(counting(currency="JPY"), "cash")[0] == ("5000", "")


def test_a_browser_sends_an_input_a_cell_and_the_action_has_minor_units() -> None:
    sent = BOX | {"cash-0-worth": "50.00", "cash-0-number": "24", "cash-1-worth": "5.00", "cash-1-number": " "}
    form = counting(sent | {"cash-4-worth": "0.20", "cash-4-number": "3"})
    assert form.is_valid(), form.errors
    assert form.data_of_action == EnterCount(table="FR1", drop_box="b-1", cash={5_000: 24, 20: 3})


def test_a_count_is_one_hidden_text_and_stands_in_its_rows_again() -> None:
    form = counting(BOX | {"cash": "5000: 24\n20: 3"})
    assert 'value="5000: 24\n20: 3"' in str(form["cash"].as_hidden())
    assert ("50.00", "24") in rows(form, "cash")
    assert ("0.20", "3") in rows(form, "cash")
    assert re.search(r'data-all[^>]*><data class="money" value="120060">', str(form["cash"]))


def test_nothing_at_all_is_a_count_of_nothing() -> None:
    form = counting(BOX)
    assert form.is_valid(), form.errors
    assert form.data_of_action == EnterCount(table="FR1", drop_box="b-1", cash={})


@pytest.mark.parametrize(
    ("worth", "number"), [("x", "1"), ("", "4"), ("5.001", "1"), ("5.00", "1.5"), ("5.00", "many"), ("5.00", "-1")]
)
def test_what_is_no_piece_or_no_number_stands_at_its_field_as_it_was_typed(worth: str, number: str) -> None:
    form = counting(BOX | {"cash-2-worth": worth, "cash-2-number": number})
    assert list(form.errors) == ["cash"]
    assert number in str(form["cash"])


def test_the_same_piece_in_two_rows_is_refused() -> None:
    twice = {"cash-0-worth": "50.00", "cash-0-number": "1", "cash-3-worth": "50", "cash-3-number": "2"}
    assert "twice" in str(counting(BOX | twice).errors["cash"])


def test_what_the_address_says_is_read_only() -> None:
    form = counting()
    form.begin_with({"table": "FR1"}, fixed_names=("table", "drop_box"))
    assert "readonly" in str(form["table"])
    assert "readonly" not in str(form["drop_box"])


@pytest.mark.parametrize(
    ("pieces", "says"),
    [({"500": 40, "100": 10}, "40 × 5.00, 10 × 1.00, total 210.00\N{NO-BREAK SPACE}EUR"), ({"500": 0}, "none")],
)
def test_a_count_is_said_in_pieces_and_their_sum(pieces: dict[str, Any], says: str) -> None:
    assert value_text("chips", pieces, "EUR") == says


def test_a_count_of_chips_alone_needs_no_list_of_pieces() -> None:
    form = form_of(CashOut)({"chips": "500: 4"}, currency="EUR")
    assert form.is_valid(), form.errors
    assert form.data_of_action == CashOut(chips={500: 4})
