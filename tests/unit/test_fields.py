"""The kinds of fields that actions have: what each takes, and what none of them does."""

import datetime
from typing import Annotated, Any, get_args, get_origin

import msgspec
import pytest

from events import catalogue, fields
from events.envelope import Action
from events.errors import Invalid

HOSTILE = (
    "a\x00b", "a\nb", "a\n", "\ta", "a\x7f", "a\x85b", "a\u2028", "a\u202eb", "a\u2066b", "\ufeffa", "a\u200bb", " a",
    "a ", "\u00a0a", " ",
)  # fmt: skip


def decoded(kind: Any, value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value), type=kind)


@pytest.mark.parametrize("kind", ["Name", "Id", "Text", "Note", "TableName", "Slug"])
@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_no_text_holds_what_cannot_be_seen(kind: str, text: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        decoded(getattr(fields, kind), text)


@pytest.mark.parametrize("text", ["dora", "Ólafur Þór", "Νίκος Κ.", "客 7", "a-b_c/d:e@f", "x"])
def test_names_are_in_any_script(text: str) -> None:
    assert decoded(fields.Name, text) == text
    assert decoded(fields.Text, text) == text


def test_a_lone_surrogate_is_no_text() -> None:
    with pytest.raises(msgspec.DecodeError):
        msgspec.json.decode(b'"\\ud800"', type=fields.Name)


def test_a_note_may_be_empty_and_a_reason_may_not() -> None:
    assert decoded(fields.Note, "") == ""
    with pytest.raises(msgspec.ValidationError):
        decoded(fields.Text, "")


def test_every_day_of_a_thousand_years_and_no_other() -> None:
    """All possible months and days of each year, and invalid ones, against the calendar's own arithmetic."""
    for year in range(1900, 2500):
        for month in range(14):
            for day in (0, 1, 28, 29, 30, 31, 32):
                text = f"{year:04}-{month:02}-{day:02}"
                assert bool(fields.is_day(text)) == _is_real(year, month, day), text


def _is_real(year: int, month: int, day: int) -> bool:
    try:
        return bool(datetime.date(year, month, day))
    except ValueError:
        return False


@pytest.mark.parametrize(
    "day",
    ["0000-01-01", "2026-2-3", "2026-11-20\n", "٢٠٢٦-١١-٢١", "9999-99-99", "2026-02-29", "20261120", "1900-02-29"],
)
def test_what_is_no_day(day: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        decoded(fields.Day, day)


@pytest.mark.parametrize("raw", [b"10000000000000000000", b"99999999999999999999999999", b"-1", b"0", b"1.0", b"1e3"])
def test_numbers_are_whole_and_bounded(raw: bytes) -> None:
    for kind in (fields.Money, fields.Slip, fields.Seat, fields.Round, fields.Position, fields.Denomination):
        with pytest.raises(msgspec.ValidationError):
            msgspec.json.decode(raw, type=kind)


def test_every_field_of_every_action_is_bounded() -> None:
    """A text has a pattern or a list of values, a number both ends, a list or a map a length."""
    loose = [
        f"{name}.{field.name}"
        for name, shape in sorted(catalogue.action_types().items())
        for field in msgspec.structs.fields(shape)
        if not _is_bounded(msgspec.inspect.type_info(field.type))
    ]
    assert loose == []


def _is_bounded(kind: msgspec.inspect.Type) -> bool:
    match kind:
        case msgspec.inspect.StrType():
            return kind.pattern is not None
        case msgspec.inspect.IntType():
            return kind.ge is not None and kind.le is not None
        case msgspec.inspect.UnionType():
            return all(_is_bounded(part) for part in kind.types)
        case msgspec.inspect.VarTupleType():
            return kind.max_length is not None and _is_bounded(kind.item_type)
        case msgspec.inspect.TupleType():
            return all(_is_bounded(part) for part in kind.item_types)
        case msgspec.inspect.DictType():
            return kind.max_length is not None and _is_bounded(kind.key_type) and _is_bounded(kind.value_type)
        case msgspec.inspect.StructType():
            return kind.forbid_unknown_fields and all(_is_bounded(field.type) for field in kind.fields)
        case _:
            plain = msgspec.inspect.BoolType | msgspec.inspect.NoneType | msgspec.inspect.LiteralType
            return isinstance(kind, plain)


def test_patterns_end_where_the_text_ends() -> None:
    r"""In Python, a line feed may follow a $ alone, and \d is any script's digit."""
    for name in vars(fields):
        kind = getattr(fields, name)
        if get_origin(kind) is Annotated:
            for meta in get_args(kind)[1:]:
                pattern = getattr(meta, "pattern", None)
                assert pattern is None or (pattern.endswith(fields.END) and "\\d" not in pattern), name


@pytest.mark.parametrize(
    ("kind", "data", "field", "says"),
    [
        ("session.open", '{"gaming_day": "2026-02-30", "opener": {}}', "data.gaming_day", "a day of the calendar"),
        ("session.open", '{"gaming_day": "2026-11-20", "opener": {"0": 1}}', "data.opener", ">= 1"),
        ("session.open", '{"gaming_day": "2026-11-20", "opener": {"100": -1}}', "data.opener[...]", ">= 0"),
        ("session.open", '{"gaming_day": "2026-11-20"}', "data.opener", "missing"),
        ("session.open", '{"gaming_day": "2026-11-20", "opener": {}, "x": 1}', "data.x", "unknown field"),
        ("fill.receive", '{"slip": 10000000000, "chips": {}}', "data.slip", "<= 1000000000"),
        ("staff.assign", '{"post": "dealer", "person": "dora\\u202e"}', "data.person", "control characters"),
        ("dice.put", '{"dice": [{"serial": "1", "colour": ""}]}', "data.dice[0].colour", ">= 1"),
        ("table.install", '{"pit":"A","table":"a/b","game":"craps","ruleset":"x"}', "data.table", "ASCII letters"),
        ("table.install", '{"pit":"A","table":"a","game":"c","ruleset":"x","currency":"XXX"}', "data.currency", "XXX"),
        ("session.open", "[]", "data", "object"),
    ],
)
def test_a_refusal_names_the_field(kind: str, data: str, field: str, says: str) -> None:
    action = Action(type=kind, key="k", data=msgspec.Raw(data.encode()))
    with pytest.raises(Invalid) as refused:
        catalogue.decode_action(action)
    assert refused.value.field == field
    assert says in refused.value.message
    assert len(refused.value.message) < 120
