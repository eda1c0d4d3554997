"""The form of an action, made from its Struct: it accepts the action's data and marks each error at its field."""

import re
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from django.http import QueryDict
from django.template import Context, Template
from django.utils.datastructures import MultiValueDict

from backoffice.cases.action_forms import OF_A_CASE, OPEN_CASE
from backoffice.forms.action_form_from_struct import ActionForm, form_of
from backoffice.forms.fields import CheckboxChoices
from backoffice.kit.page_declaration import Act
from events import catalogue
from events.cases.action_structs import BookmarkVideo
from events.errors import Conflict, Invalid, Refused
from events.progressives.action_structs import AdjustMeter, ChangeParameters, CloseVariance, PayHouse
from events.tables.actions.session_action_structs import OpenSession
from tests.frozen import frozen_stores

ADJUST = {"level": "mega", "amount_minor": "-285.80", "reason": "a digit was misread"}


def posted(form: ActionForm) -> MultiValueDict[str, Any]:
    """Return the data that a browser sends of an unchanged form."""
    values = {name: form[name].value() for name in form.fields}
    filled = {name: value for name, value in values.items() if value is not None and value is not False}
    sent = {name: "on" if value is True else value for name, value in filled.items()}
    several = {name for name, field in form.fields.items() if isinstance(field, CheckboxChoices)}
    lists = {name: [*value] if name in several else [str(value)] for name, value in sent.items()}
    return MultiValueDict(lists)


def fields_of(name: str) -> list[str]:
    """The names of an action's fields."""
    return [field.encode_name for field in msgspec.structs.fields(catalogue.action_types()[name])]


def form_text(form: ActionForm) -> str:
    page = Template('{% load forms %}{% action_form form "Correct meter" "Send for approval" %}')
    return page.render(Context({"form": form}))


@pytest.mark.parametrize("name", catalogue.action_types())
def test_every_action_has_a_form_of_its_own_fields(name: str) -> None:
    shape = catalogue.action_types()[name]
    form = form_of(shape)(currency="EUR")
    assert list(form.fields) == [field.encode_name for field in msgspec.structs.fields(shape)]
    assert form.meaning
    assert all(re.search(rf'name="{field}(-0-|")', form_text(form)) for field in form.fields)


@pytest.mark.parametrize("currency", ["EUR", "JPY", "KWD"])
@pytest.mark.parametrize("house", frozen_stores.HOUSES)
def test_every_recorded_action_can_be_said_by_its_form(house: str, currency: str) -> None:
    """Thousands of them, of every kind that was ever played: filled in, sent, and understood as the same."""
    seen: dict[str, set[bytes]] = {}
    for line in frozen_stores.lines(house):
        for action in line.actions:
            seen.setdefault(action.type, set()).add(bytes(action.data))
    assert seen
    for name, bodies in seen.items():
        shape = catalogue.action_types()[name]
        for body in sorted(bodies)[:40]:
            try:
                data = msgspec.json.decode(body, type=shape)
            except msgspec.ValidationError:
                continue  # recorded with bounds of then
            form = form_of(shape)(posted(form_of(shape)(initial_data=data, currency=currency)), currency=currency)
            assert form.is_valid(), (name, body, form.errors)
            assert form.data_of_action == data


def test_bounds_of_the_type_are_bounds_of_the_field() -> None:
    page = form_text(form_of(AdjustMeter)(currency="EUR"))
    amount = re.search(r'<input[^>]*name="amount_minor"[^>]*>', page)
    assert amount is not None
    for attribute in ('type="number"', 'min="-10000000000.00"', 'max="10000000000.00"', 'step="0.01"', "required"):
        assert attribute in amount[0]
    assert re.search(r'<input[^>]*name="level"[^>]*maxlength="64"', page)
    assert re.search(r'<textarea[^>]*name="reason"[^>]*maxlength="500"', page)
    assert 'step="1"' in form_text(form_of(AdjustMeter)(currency="JPY"))


def test_a_field_has_its_label_and_its_help_and_the_form_says_what_it_does() -> None:
    page = form_text(form_of(CloseVariance)(currency="EUR"))
    assert re.search(r'<label for="id_read_minor">Amount on the sign, second reading\s', page)
    assert "If the sign was misread." in page
    assert "the cage pays the missing amount to a player" in page


def test_amounts_are_read_in_their_currency_and_rates_in_percent() -> None:
    form = form_of(AdjustMeter)(ADJUST, currency="EUR")
    assert form.is_valid()
    assert form.data_of_action == AdjustMeter(level="mega", amount_minor=-28_580, reason="a digit was misread")
    yen = form_of(AdjustMeter)({**ADJUST, "amount_minor": "-28580"}, currency="JPY")
    assert yen.is_valid()
    assert yen.data_of_action == form.data_of_action
    rate = form_of(ChangeParameters)({"level": "mega", "feed_millionths": "9.25"}, currency="EUR")
    assert rate.is_valid()
    assert rate.data_of_action == ChangeParameters(level="mega", feed_millionths=92_500)


def test_what_is_left_empty_is_left_out() -> None:
    form = form_of(ChangeParameters)({"level": "mega", "seed_minor": ""}, currency="EUR")
    assert form.is_valid()
    assert msgspec.json.encode(form.data_of_action) == b'{"level":"mega"}'


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"amount_minor": "12.345"}, "amount_minor", "no more than 2 decimal places"),
        ({"amount_minor": "10000000000.01"}, "amount_minor", "less than or equal to 10000000000.00"),
        ({"amount_minor": "1,25"}, "amount_minor", "Enter a number"),
        ({"amount_minor": "NaN"}, "amount_minor", "Enter a number"),
        ({"amount_minor": ""}, "amount_minor", "required"),
        ({"level": "-mega"}, "level", "Enter "),
        ({"level": "m" * 65}, "level", "at most 64 characters"),
        ({"reason": "two\nlines"}, "reason", "Enter "),
    ],
)
def test_what_is_wrong_stands_at_its_field(change: dict[str, str], field: str, words: str) -> None:
    form = form_of(AdjustMeter)({**ADJUST, **change}, currency="EUR")
    assert list(form.errors) == [field]
    page = form_text(form)
    at = re.search(rf'<div class="field">\s*<label for="id_{field}">.*?</div>', page, re.DOTALL)
    assert at is not None
    assert words in at[0]
    assert 'aria-invalid="true"' in at[0]


def test_chips_are_filled_in_by_value() -> None:
    filled = {"table": "", "opener": "100: 50\n500: 20", "gaming_day": "2026-11-20", "shift": "day"}
    form = form_of(OpenSession)(filled, currency="EUR")
    form.is_valid()
    assert form.cleaned_data["opener"] == {100: 50, 500: 20}
    refused = (("100 50", "write each line as NAME: NUMBER"), ("100: 5\n100: 6", "twice"), ("100: x", "NAME: NUMBER"))
    for text, words in refused:
        wrong = form_of(OpenSession)({**filled, "opener": text}, currency="EUR")
        assert words in str(wrong.errors["opener"])


OPENING = "title=Short+pays&category=theft&severity=high"
TAKES_ROLES = [(act, name) for act in (OPEN_CASE, *OF_A_CASE) for name in act.choices if name in fields_of(act.type)]


@pytest.mark.parametrize(("act", "name"), TAKES_ROLES)
def test_roles_are_ticked_one_by_one(act: Act, name: str) -> None:
    """Several roles are sent, reviewed, sent again from hidden fields, and filled in by an address."""
    chosen = ["inspector", "pit boss"]
    filled = QueryDict(OPENING if act is OPEN_CASE else "", mutable=True)
    filled.setlist(name, chosen)
    form = offered(act, filled)
    assert form.is_valid(), form.errors
    assert getattr(form.data_of_action, name) == tuple(chosen)
    assert sorted(re.findall(rf'name="{name}"[^>]*value="([^"]*)"[^>]*checked', form_text(form))) == chosen
    assert re.findall(r'value="([^"]*)"', form[name].as_hidden()) == chosen
    begun = offered(act)
    begun.begin_with(filled)
    assert begun[name].value() == chosen
    complete = begun.complete
    assert complete is not None
    again = offered(act, complete)
    assert again.is_valid(), again.errors
    assert again.data_of_action == form.data_of_action
    wrong = filled.copy()
    wrong.appendlist(name, "croupier")
    assert list(offered(act, wrong).errors) == [name]


def offered(act: Act, data: Any = None) -> ActionForm:
    """The form of an action with the choices of its page."""
    form = form_of(catalogue.action_types()[act.type])(data, currency="EUR")
    form.offer(act.choices)
    return form


def test_a_refusal_comes_back_with_its_clause() -> None:
    form = form_of(AdjustMeter)(ADJUST, currency="EUR")
    assert form.is_valid()
    form.show_refusal(Refused("NJ 1.52", "two departments must agree to it"))
    page = form_text(form)
    assert "two departments must agree to it" in page
    assert '<span class="word">NJ 1.52</span>' in page


def test_what_the_desk_says_of_a_field_stands_there() -> None:
    form = form_of(AdjustMeter)(ADJUST, currency="EUR")
    form.is_valid()
    form.show_refusal(Invalid("data.level", "there is no level of this name"))
    assert form.errors["level"] == ["there is no level of this name"]
    form.show_refusal(Conflict("somebody was quicker"))
    assert form.non_field_errors() == ["somebody was quicker"]


def test_what_people_wrote_is_escaped() -> None:
    page = form_text(form_of(PayHouse)({"reason": "<script>x</script>"}, currency="EUR"))
    assert "<script>" not in page


def test_an_amount_is_exact_to_its_last_digit() -> None:
    for minor in (1, 99, 10**12, -(10**12)):
        data = AdjustMeter(level="mega", amount_minor=minor, reason="x")
        form = form_of(AdjustMeter)(initial_data=data, currency="KWD")
        assert Decimal(form["amount_minor"].value()).scaleb(3) == minor


@pytest.mark.parametrize(
    ("typed", "time"),
    [
        ("2026-11-20 20:00", "2026-11-20T20:00:00.000Z"),
        ("2026-11-20T20:00:30", "2026-11-20T20:00:30.000Z"),
        ("2026-11-20 20:00:30 UTC", "2026-11-20T20:00:30.000Z"),
        ("2026-11-20T20:00:00Z", "2026-11-20T20:00:00Z"),
        ("2026-11-20T20:00:00.123456Z", "2026-11-20T20:00:00.123456Z"),
    ],
)
def test_a_time_is_typed_as_people_write_it(typed: str, time: str) -> None:
    form = form_of(BookmarkVideo)({"camera": "C7", "from": typed, "to": typed})
    assert form.is_valid(), form.errors
    assert (form.data_of_action.from_, form.data_of_action.to) == (time, time)  # type: ignore[attr-defined]  # its Struct
    for wrong in ("20:00", "2026-11-20 25:00", "2026-02-30 20:00", "yesterday"):
        assert "from" in form_of(BookmarkVideo)({"camera": "C7", "from": wrong, "to": typed}).errors
