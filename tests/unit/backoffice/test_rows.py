"""Fields that have parts: rows of inputs, kept as one text, understood as the action has them."""

import re
from typing import Any

import msgspec
import pytest

from backoffice.forms.action_form_from_struct import ActionForm, form_of
from backoffice.forms.request_and_action_wording import value_text
from events.games.craps.action_structs import Die, PutDice
from events.progressives.action_structs import OpenProgressive
from events.tables.actions.round_action_structs import CorrectBet
from events.tables.actions.session_action_structs import PostLimits
from tests.support.houses.small_house import progressive

OPENING = msgspec.convert(progressive(), OpenProgressive)


def typed(form: ActionForm) -> dict[str, str]:
    """Return the data that a browser would send of the form, with an input for each cell."""
    inputs = {}
    for name in form.fields:
        for key, value in re.findall(r'name="([^"]+)" value="([^"]*)"', str(form[name])):
            inputs[key] = value
        for key, value in re.findall(r'(?s)name="([^"]+)".*?<option value="([^"]*)" selected', str(form[name])):
            inputs[key] = value
    return inputs


def opening(**changed: str) -> ActionForm:
    sent = typed(form_of(OpenProgressive)(initial_data=OPENING))
    return form_of(OpenProgressive)({**sent, **changed})


def test_a_progressive_is_opened_by_inputs_alone() -> None:
    form = opening()
    assert form.is_valid(), form.errors
    assert form.data_of_action == OPENING


def test_what_was_typed_is_kept_as_one_text_and_hidden() -> None:
    first = opening(**{"levels-0-seed_minor": "30000.00"})
    assert first.is_valid(), first.errors
    typed = {name: str(first[name].value()) for name in first.fields if first[name].value() is not None}
    assert 'type="hidden"' in str(first["levels"].as_hidden())
    again = form_of(OpenProgressive)(typed)
    assert again.is_valid(), again.errors
    assert again.data_of_action == first.data_of_action


def test_amounts_have_the_digits_of_the_currency_in_the_form() -> None:
    form = opening(currency="JPY", **{"levels-0-seed_minor": "30000", "stakes_minor-0-1": "500"})
    assert not form.is_valid()
    assert "Meter: Ensure that there are no more than 6 decimal places" in str(form.errors["levels"])
    assert "Stakes 2: Ensure that there are no more than 0 decimal places" in str(form.errors["stakes_minor"])
    assert form.currency == "JPY"


@pytest.mark.parametrize(
    ("changed", "field", "words"),
    [
        ({"levels-1-seed_minor": "x"}, "levels", "Row 2, Seed: Enter a number."),
        ({"levels-1-level": ""}, "levels", "Row 2, Level: This field is required."),
        ({"stakes_minor-0-2": ""}, "stakes_minor", "Row 1, Stakes 2: This field is required."),
        ({"stakes_minor-0-1": "", "stakes_minor-0-2": ""}, "stakes_minor", "This field is required."),
        ({"envy_minor-1-name": "mega"}, "envy_minor", "The same entry appears twice."),
        ({"levels": "no json"}, "levels", "not a JSON list"),
        ({"levels": "[]"}, "levels", "Enter 1 to 10 rows"),
    ],
)
def test_what_is_wrong_is_said_with_its_row_and_its_part(changed: dict[str, str], field: str, words: str) -> None:
    form = opening(**changed)
    assert list(form.errors) == [field]
    assert words in str(form.errors[field])


def test_empty_rows_are_left_out_and_none_at_all_is_none() -> None:
    sent = typed(form_of(OpenProgressive)(initial_data=OPENING))
    without = {name: value for name, value in sent.items() if not name.startswith(("levels-1", "envy_minor"))}
    form = form_of(OpenProgressive)(without)
    assert form.is_valid(), form.errors
    data: Any = form.data_of_action
    assert [level.level for level in data.levels] == ["mega", "minor"]
    assert data.envy_minor == {}


def test_every_input_has_its_label_and_rows_unfold() -> None:
    page = str(form_of(OpenProgressive)()["levels"])
    inputs, labels = re.findall(r'<input[^>]* id="([^"]+)"', page), re.findall(r'<label for="([^"]+)"', page)
    assert inputs == labels
    assert len(inputs) == 10 * 7
    assert "<details" in page


def test_dice_are_rows_and_numbers_a_line() -> None:
    dice = {"dice-0-serial": "A1", "dice-0-colour": "red", "dice-2-serial": "A2", "dice-2-colour": "red"}
    form = form_of(PutDice)(dice | {"reason": "a new set"})
    assert form.is_valid(), form.errors
    both = (Die(serial="A1", colour="red"), Die(serial="A2", colour="red"))
    assert form.data_of_action == PutDice(dice=both, reason="a new set")
    bet = form_of(CorrectBet)({"bet": "b-1", "reason": "misheard", "numbers": "17, 20"}, currency="EUR")
    assert bet.is_valid(), bet.errors
    assert bet.data_of_action == CorrectBet(bet="b-1", reason="misheard", numbers=(17, 20))
    wrong = form_of(CorrectBet)({"bet": "b-1", "reason": "misheard", "numbers": "17; x"}, currency="EUR")
    assert "is not a whole number." in str(wrong.errors["numbers"])


def test_limits_are_amounts_as_the_minimum_beside_them_is() -> None:
    sent = {"minimum_minor": "5.00", "maxima_minor": "straight: 50.00\nred: 500", "minima_minor": ""}
    form = form_of(PostLimits)(sent, currency="EUR")
    assert form.is_valid(), form.errors
    maxima = {"straight": 5_000, "red": 50_000}
    assert form.data_of_action == PostLimits(minimum_minor=500, maxima_minor=maxima)
    for text in ("straight: 50.005", "straight: 1e3", "straight: NaN"):
        wrong = form_of(PostLimits)({**sent, "maxima_minor": text}, currency="EUR")
        assert "NAME: NUMBER" in str(wrong.errors["maxima_minor"])


def test_levels_and_bonuses_are_told_in_words() -> None:
    data = msgspec.to_builtins(OPENING)
    levels, envy = (
        value_text(name, data[name], "EUR").replace("\N{NO-BREAK SPACE}", " ") for name in ("levels", "envy_minor")
    )
    assert "level: mega, seed: 25,000.00 EUR, meter: 50,000.00 EUR" in levels
    assert "contribution rate: 10 %" in levels
    assert envy.startswith("mega: 500.00 EUR; 1,000.00 EUR, major: 125")
