"""A repeated name in a JSON object is refused at every input of JSON."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from backoffice.api.actions import understood
from backoffice.forms.fields import JsonField
from backoffice.management.commands.whatif import timelines
from events.envelope import Who
from events.error_codes import ErrorText
from events.errors import Invalid
from events.games import cases
from events.progressives import whatif
from events.rules.loading_and_pinning_rulesets import _read
from events.streams.stream_kind_declaration import Target
from events.text.repeated_json_name_refusal import require_unique_names
from tools import verify_certificate

ACTION = '{"type":"buyin.make","key":"k","data":{"seat":1,"player":"p","amount_minor":1%s}%s}'
TWICE = (',"seat":2', ""), (',"s\\u0065at":2', ""), ("", ',"key":"l"'), (',"x":[{"a":1,"a":1}]', "")

Trees = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


@given(Trees)
def test_what_has_every_name_once_is_taken(tree: Any) -> None:
    require_unique_names(json.dumps(tree))
    require_unique_names(msgspec.json.encode(tree))


@given(Trees, st.dictionaries(st.text(max_size=3), Trees, min_size=1, max_size=3), st.booleans())
def test_a_name_twice_is_found_however_deep(outer: Any, inner: dict[str, Any], is_escaped: bool) -> None:
    name, value = next(iter(inner.items()))
    again = "".join(f"\\u{ord(letter):04x}" if ord(letter) < 0x10000 else letter for letter in name)
    spelt = f'"{again}"' if is_escaped else json.dumps(name)
    twice = f"{json.dumps(inner)[:-1]}, {spelt}: {json.dumps(value)}}}"
    with pytest.raises(Invalid, match="twice"):
        require_unique_names(
            f'[{json.dumps(outer)}, {{"deeper": [{twice}]}}]'.encode("utf-8", "surrogatepass").decode()
        )


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"\xff", "json-not-utf-8"),
        (b'{"a":1,"b":"\xff"}', "json-not-utf-8"),
        (b'{"a":1,"a":2,"b":"\xc3"}', "json-not-utf-8"),
        (b'{"a":1,"b":"\xed\xa0\x80"}', "json-not-utf-8"),
        ('{"a":1,"a":2,"b":' + "[" * 100_000, "json-too-deep"),
        ('{"a":1,"a":2,"b":' + '{"a":' * 100_000, "json-too-deep"),
        ('{"a":1,"b":"\x01","a":2}', "json-malformed"),
        ('{"a":1,"b":"\\q","a":2}', "json-malformed"),
        ('{"a":1,"a":2', "json-malformed"),
    ],
)
def test_text_whose_names_cannot_be_read_is_refused(raw: bytes | str, code: str) -> None:
    with pytest.raises(Invalid) as error:
        require_unique_names(raw, "case")
    assert isinstance(error.value.text, ErrorText)
    assert (error.value.field, error.value.text.code) == ("case", code)


def test_malformed_json_without_a_string_twice_is_left_to_its_decoder() -> None:
    for text in ("", "{", '{"a":1', "[" * 100_000, '{"a":' + "9" * 10_000 + "}"):
        require_unique_names(text)


@pytest.mark.parametrize(("inside", "outside"), TWICE)
@pytest.mark.parametrize("several", [False, True])
def test_an_action_is_refused(inside: str, outside: str, several: bool) -> None:
    single = ACTION % (inside, outside)
    body = f'{{"actions":[{single}]}}' if several else single
    plain = ACTION % ("", "")
    understood((f'{{"actions":[{plain}]}}' if several else plain).encode(), Target("tables", "R1"), WHO)
    with pytest.raises(Invalid, match="twice") as error:
        understood(body.encode(), Target("tables", "R1"), WHO)
    assert error.value.field == "body"


def test_an_action_is_refused_at_every_depth() -> None:
    """Either decoder ends at its own depth. At no depth does a name twice pass between them."""
    for levels in range(700, 1_000):
        deep = f',"seat":2,"x":{"[" * levels}{"]" * levels}'
        with pytest.raises(Invalid) as error:
            understood((ACTION % (deep, "")).encode(), Target("tables", "R1"), WHO)
        assert error.value.field == "body"


WHO = Who(person="dora", roles=frozenset())


def test_a_case_is_refused_and_keeps_its_id() -> None:
    line = '{"id":"c-1","ruleset":"roulette-french","given":{"kind":"spin","kind":"bet"}}'
    answer = cases.answer_line(line)
    assert answer["id"] == "c-1"
    assert "twice" in answer["result"]["error"]


def test_files_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "house.json"
    path.write_text('{"name":"house","limits":{"max":1,"max":2}}')
    with pytest.raises(Invalid, match=r"ruleset house.*twice"):
        _read(path)
    with pytest.raises(Invalid, match=r"house\.json.*twice"):
        list(timelines(path, None, whatif.WhatIfChange()))
    assert verify_certificate.main([str(path)]) == 1
    assert "twice" in capsys.readouterr().err


def test_a_field_of_a_form_that_is_too_deep_is_refused() -> None:
    with pytest.raises(ValidationError, match="JSON"):
        JsonField().clean("[" * 20_000 + "]" * 20_000)


def test_a_field_of_a_form_is_refused() -> None:
    with pytest.raises(ValidationError, match="twice"):
        JsonField().clean('{"a":1,"a":2}')
