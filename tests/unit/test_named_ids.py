"""The ids that an action names: the short way of most actions gives what the long way gives."""

from collections import Counter

import msgspec
import pytest

from events import catalogue
from events.desk import lookalike_id_claims
from events.streams.stream_kind_declaration import Target
from tests.support.tables.generated_actions import Generator, action_of


def test_the_short_way_names_what_the_long_way_names(monkeypatch: pytest.MonkeyPatch) -> None:
    generator, ways = Generator(7), Counter[bool]()
    shapes = catalogue.action_types()
    for type_, shape in [*shapes.items()] * 20:
        _how, body = generator.body(type_)
        try:
            data = msgspec.json.decode(action_of(body).data, type=shape)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue
        kind = "progressives" if type_.startswith("progressive.") else "tables"
        is_short = lookalike_id_claims._own_fields(type(data)) is not None
        short = lookalike_id_claims.named_by(Target(kind, "x"), data, ())
        with monkeypatch.context() as patch:
            patch.setattr(lookalike_id_claims, "_own_fields", lambda _shape: None)
            assert lookalike_id_claims.named_by(Target(kind, "x"), data, ()) == short
        ways[is_short] += bool(short)
    assert min(ways[True], ways[False]) > 20, ways
