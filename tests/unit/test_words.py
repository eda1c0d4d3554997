"""Every code that the house declares has a word, and the pages show words."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import inspect as types

from backoffice.wording.code_to_word_translation import CODES, value, word
from events.catalogue import action_types, event_types
from events.house import code_to_words_lookup as declared
from events.house.settings import HouseSettings
from events.people import approval_request_lifecycle
from events.progressives.level_changes_and_notices import REASONS
from events.progressives.sharing_policies import POLICIES
from events.roles import DEPARTMENT, WORDS
from events.rules.game_declaration_and_registry import at_tables
from events.streams.stream_kind_declaration import declared as kinds
from events.tables.valid_wager_and_limit_names import names_in
from tests.support.processes.web_process import ROOT

TEMPLATES = ROOT / "backoffice"
UNWORDED = {"currency"}  # codes that are words already
CODE = re.compile(
    r"\{\{ [\w.]*\b(type|action|level|role|actorrole|tender|wager|clearer|way)(\|(?!word|alert_title)\w+[^}]*)? \}\}"
)


def literals(kind: Any) -> Iterator[str]:
    """Yield the allowed values of a type with a closed list."""
    if isinstance(kind, types.LiteralType):
        yield from map(str, kind.values)
    several = (*getattr(kind, "types", ()), *getattr(kind, "item_types", ()))
    for part in (*several, *(getattr(kind, name, None) for name in ("item_type", "key_type", "value_type"))):
        if part is not None:
            yield from literals(part)


def of_types() -> Iterator[tuple[str, str]]:
    for shape in (*event_types().values(), *action_types().values()):
        for field in types.type_info(shape).fields:  # type: ignore[attr-defined]  # a Struct's
            if field.name not in UNWORDED:
                yield from ((field.name, code) for code in literals(field.type))


def irregularities() -> Iterator[str]:
    """Yield every kind of irregularity in the text of the rules."""
    for path in (ROOT / "events").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") not in ("Pad", "entry"):
                first = node.args[:1] if getattr(node.func, "attr", "") == "forbid" else []
                kinds = [keyword.value for keyword in node.keywords if keyword.arg == "kind"]
                constants = [constant for constant in (*first, *kinds) if isinstance(constant, ast.Constant)]
                yield from (str(constant.value) for constant in constants)


def test_every_type_of_event_and_action_has_a_word() -> None:
    assert [code for code in (*event_types(), *action_types()) if not declared.is_known(code)] == []


def test_whatever_a_field_can_be_has_a_word() -> None:
    assert {(name, code) for name, code in of_types() if not declared.is_known(code, name)} == set()


def test_every_wager_limit_and_combination_of_a_game_has_a_word() -> None:
    for game in at_tables():
        names = names_in(game)
        several = (*names.wagers, *names.maxima, *names.minima, *names.combinations)
        assert [code for code in several if code not in {*at_tables()[game].words, "maximum"}] == [], game


def test_so_have_roles_departments_reasons_policies_settings_and_kinds() -> None:
    codes = (*WORDS, *DEPARTMENT.values(), *REASONS, *(name for name, _ in POLICIES), *HouseSettings.__struct_fields__)
    several = [code for code in codes if not declared.is_known(code, "policy")]
    assert several == []
    assert [name for name in kinds() if not declared.is_known(name)] == []


def test_no_code_has_two_words() -> None:
    texts_by_code: dict[str, set[str]] = {}
    for words in (WORDS, approval_request_lifecycle.WORDS, *(kind.words for kind in kinds().values())):
        for code, text in words.items():
            texts_by_code.setdefault(code, set()).add(str(text))
    assert {code: texts for code, texts in texts_by_code.items() if len(texts) > 1} == {}
    assert word("reported", "band") == "reported to Surveillance and Security"


def test_every_kind_of_irregularity_has_a_word() -> None:
    kinds = set(irregularities())
    assert {"mispay", "no roll", "slip_alone"} < kinds
    assert {kind for kind in kinds if not declared.is_known(kind, "kind")} == set()


@pytest.mark.parametrize(
    ("code", "field", "ruleset", "says"),
    [
        ("bet.restaked.v1", "", "", "bet raised or lowered"),
        ("hit.declare_late", "", "", "declare late hit"),
        ("drop.put", "", "", "place drop box"),
        ("drop.put.v1", "", "", "drop box placed"),
        ("pass", "wager", "craps-gr@1", "pass line"),
        ("split", "wager", "roulette-french", "split"),
        ("split", "policy", "", "the winners share the amount"),
        ("box", "to", "", "betting box"),
        ("box", "kind", "", "drop box"),
        ("unknown_slip", "kind", "", "slip not issued by the cage"),
        ("of_nobody.v7", "", "", "of nobody"),
        ("As somebody wrote it.", "", "", "As somebody wrote it."),
        ("", "", "", ""),
    ],
)
def test_a_code_is_said_as_people_say_it(code: str, field: str, ruleset: str, says: str) -> None:
    assert word(code, field, ruleset) == says


def test_what_people_wrote_stays_as_they_wrote_it() -> None:
    assert value("reason", "above-maximum") == "above the maximum"
    assert value("reason", "the sign was cleaned") == "the sign was cleaned"
    assert value("bet", "split") == "split"
    assert "person" not in CODES


def _bare(path: Path) -> list[str]:
    """Codes that a template shows as they are, outside of the attributes of its elements."""
    text = re.sub(r"\{% blocktranslate.*?endblocktranslate %\}", "", path.read_text(), flags=re.DOTALL)
    text = re.sub(r"<[a-z][^<>]*>", "<>", text)
    return [f"{path.relative_to(TEMPLATES)}: {match.group()}" for match in CODE.finditer(text)]


def test_pages_show_words() -> None:
    assert [line for path in sorted(TEMPLATES.glob("*/templates/pages/**/*.html")) for line in _bare(path)] == []
