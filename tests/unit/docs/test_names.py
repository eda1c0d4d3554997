"""The check of names finds its faults, and this checkout has none of them."""

import ast
from pathlib import Path

import pytest

from tools import check_names, script_names


def test_the_checkout_has_no_fault() -> None:
    assert list(check_names.faults()) == []


@pytest.mark.parametrize("path", ["events/cage/kept.py", "tests/unit/test_beside.py", "tools/found.py"])
def test_a_module_that_says_nothing_is_found(path: str) -> None:
    assert len(list(check_names.module_faults(check_names.ROOT / path))) == 1


def test_a_noun_of_the_trade_is_none() -> None:
    assert list(check_names.module_faults(check_names.ROOT / "events/cage/slip_issue_receipt_void_decider.py")) == []


def test_a_docstring_that_begins_with_a_clause_is_found() -> None:
    path = Path(check_names.ROOT / "events/cage/slip_issue_receipt_void_decider.py")
    tree = ast.parse(
        'def total() -> int:\n    """What it comes to."""\n\n\ndef win() -> int:\n    """Return the win."""\n'
    )
    assert list(check_names.docstring_faults(path, tree)) == [
        "events/cage/slip_issue_receipt_void_decider.py:2: say what it returns or does, not 'What'"
    ]


@pytest.mark.parametrize("folder", ["tests", "tools"])
def test_variables_of_tests_and_tools_are_checked_too(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_names, "ROOT", tmp_path)
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "slips.py").write_text("for one in (1, 2):\n    print(one)\n")
    assert list(check_names.faults()) == [f"{folder}/slips.py:1: name the content, not 'one'"]


def test_a_variable_an_argument_and_a_field_with_a_vague_name_are_found() -> None:
    path = Path(check_names.ROOT / "events/cage/slip_issue_receipt_void_decider.py")
    tree = ast.parse(
        "class Slip:\n    said: str\n\n    def take(self, *asked: int) -> None:\n"
        "        self.kept = [one for one in asked]\n        total = sum(asked)\n"
    )
    assert sorted(check_names.variable_faults(path, tree)) == [
        "events/cage/slip_issue_receipt_void_decider.py:2: name the content, not 'said'",
        "events/cage/slip_issue_receipt_void_decider.py:4: name the content, not 'asked'",
        "events/cage/slip_issue_receipt_void_decider.py:5: name the content, not 'kept'",
        "events/cage/slip_issue_receipt_void_decider.py:5: name the content, not 'one'",
    ]


def test_vague_names_in_functions_of_the_product_are_found_and_fields_are_not() -> None:
    path = Path(check_names.ROOT / "events/cage/slip_issue_receipt_void_decider.py")
    tree = ast.parse(
        "class Slip:\n    known: int = 0\n\n    def take(self, _past: int) -> None:\n"
        "        def inner() -> None:\n            for away in ():\n                self.given = away\n"
        "total = lambda gone: [mine for mine in gone]\n"
    )
    assert list(check_names.local_faults(path, tree)) == [
        f"events/cage/slip_issue_receipt_void_decider.py:{line}: name the content, not {name!r}"
        for line, name in [(4, "_past"), (6, "away"), (8, "gone"), (8, "mine")]
    ]


def test_an_import_under_a_vague_name_is_found() -> None:
    path = Path(check_names.ROOT / "events/cage/slip_issue_receipt_void_decider.py")
    assert list(check_names.variable_faults(path, ast.parse("from events.cage import slips as found\n"))) == [
        "events/cage/slip_issue_receipt_void_decider.py:1: name the content, not 'found'"
    ]


@pytest.mark.parametrize("name", ["_told", "said_", "__kept", "kept_back"])
def test_underscores_around_a_vague_name_do_not_hide_it(name: str) -> None:
    path = Path(check_names.ROOT / "events/cage/slip_issue_receipt_void_decider.py")
    assert list(check_names.variable_faults(path, ast.parse(f"{name} = 1\n"))) == [
        f"events/cage/slip_issue_receipt_void_decider.py:1: name the content, not {name!r}"
    ]


@pytest.mark.parametrize("name", ["said", "_told", "found", "kept", "_one", "given", "of", "_ours", "standing"])
def test_a_function_or_method_with_a_vague_name_is_found(name: str) -> None:
    path = Path(check_names.ROOT / "events/cage/slip_issue_receipt_void_decider.py")
    tree = ast.parse(f"class Slip:\n    def {name}(self) -> int: ...\n\n\nasync def {name}() -> int: ...\n")
    assert [*check_names.definition_faults(path, tree)] == [
        f"events/cage/slip_issue_receipt_void_decider.py:{line}: name the result or the content, not {name!r}"
        for line in (5, 2)
    ]


@pytest.mark.parametrize(("path", "count"), [("events/cage/decider.py", 1), ("tests/unit/test_desk.py", 0)])
def test_further_vague_names_of_functions_are_found_in_the_product(path: str, count: int) -> None:
    tree = ast.parse("def _tend() -> None: ...\n")
    assert len([*check_names.definition_faults(check_names.ROOT / path, tree)]) == count


@pytest.mark.parametrize(("name", "count"), [("Asked", 1), ("_Said", 1), ("Killed", 1), ("Told", 0), ("SlipCount", 0)])
def test_a_class_that_is_no_noun_is_found(name: str, count: int) -> None:
    path = Path(check_names.ROOT / "tools/slips.py")
    assert len([*check_names.definition_faults(path, ast.parse(f"class {name}: ...\n"))]) == count


def test_a_class_name_is_counted_over_product_tools_and_tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_names, "ROOT", tmp_path)
    for folder in ("events", "tools", "tests"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "slips.py").write_text("class Slip: ...\n")
    assert [*check_names.faults()] == ["3 classes are called Slip: events/slips.py, tools/slips.py, tests/slips.py"]


def test_a_third_class_of_one_name_is_found() -> None:
    places = {"Step": ["a.py", "b.py", "c.py"], "Meta": ["a.py"] * 9, "Table": ["a.py", "b.py"]}
    assert list(check_names.class_faults(places)) == ["3 classes are called Step: a.py, b.py, c.py"]


def test_two_classes_of_one_name_within_the_product_are_found() -> None:
    places = {"Step": ["events/a.py", "backoffice/b.py"], "Line": ["events/a.py", "tests/b.py"]}
    assert list(check_names.class_faults(places)) == ["2 classes are called Step: events/a.py, backoffice/b.py"]


def test_a_type_alias_with_a_vague_name_is_found() -> None:
    path = check_names.ROOT / "tools/slips.py"
    assert list(check_names.variable_faults(path, ast.parse("Said = dict[str, int]\nKEPT = 5\n"))) == [
        "tools/slips.py:1: name the content, not 'Said'",
        "tools/slips.py:2: name the content, not 'KEPT'",
    ]


def test_vague_names_in_a_template_are_found_except_those_of_a_translated_sentence() -> None:
    path = check_names.ROOT / "backoffice/cage/templates/pages/cage/told.html"
    template = """{% for one, slip in slips %}{{ one }}{% endfor %}
{% with kept=slip.note slip_count=5 %}{{ kept }}{% endwith %}
{% translate "Send again" as again %}{% at slip.time "short" as asked %}
{% blocktranslate %}requested {{ asked }}{% endblocktranslate %}{% include "pages/cage/slip.html" with found=slip %}
"""
    assert list(check_names.template_faults(path, template)) == [
        "backoffice/cage/templates/pages/cage/told.html: name a template by what it shows",
        *(
            f"backoffice/cage/templates/pages/cage/told.html:{line}: name the content, not {name!r}"
            for line, name in ((1, "one"), (2, "kept"), (3, "again"), (4, "found"))
        ),
    ]


def test_a_module_that_is_not_there_is_found() -> None:
    path = check_names.ROOT / "events/cage/slip_issue_receipt_void_decider.py"
    here, gone = "slip_issue_receipt_void_decider.py", "lost_slips.py"
    source = f'"""The slips of `{here}`, by `events/cage/{here}` and `{gone}`."""\n'
    assert list(check_names.reference_faults(path, source)) == [
        "events/cage/slip_issue_receipt_void_decider.py:1: there is no lost_slips.py"
    ]


@pytest.mark.parametrize(
    ("docstring", "lost"),
    [
        ("Raises Refused, Invalid or LostError.", ["LostError"]),
        ("Sum up. Raises Refused for a slip of Ann's, Lost for none, and ValueError: Ann's.", ["Lost"]),
        ("Raise `Lost` for a slip.", ["Lost"]),
        ("Raises Retry, and sqlite3.Error or sqlite3.Lost.", ["sqlite3.Lost"]),
        ("Raises cage.MovedSlip, or msgspec's ValidationError.", ["ValidationError", "cage.MovedSlip"]),
        ("The slips of a TableContext and of a LostContext.", ["LostContext"]),
        ("A `Slip`, a `Lost`, CloudEvents, an ImportedSlip, a LocalSlip.", ["Lost"]),
        ("Raises an alert, as Ann says. Lost raises 5 chips.", []),
    ],
)
def test_a_class_or_exception_that_is_not_there_is_found(docstring: str, lost: list[str]) -> None:
    path = check_names.ROOT / "events/cage/slips.py"
    source = f'from cage import ImportedSlip\n\n\ndef slips(LocalSlip):\n    """{docstring}"""\n'
    source += f"    LocalSlip()  # no `{'Slip'}`, no `{'Gone'}`\n"
    classes = {"Refused", "Invalid", "Retry", "TableContext", "Slip"}
    assert [*check_names.class_reference_faults(path, source, ast.parse(source), classes)] == [
        *(f"events/cage/slips.py:5: there is no class {name}" for name in lost),
        "events/cage/slips.py:6: there is no class Gone",
    ]


def test_a_class_may_be_in_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_names, "ROOT", tmp_path)
    for folder, text in (
        ("events", '"""A SlipNote."""'),
        ("tools", "class SlipNote: ..."),
        ("tests", '"""A SlipNot."""'),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "slips.py").write_text(f"{text}\n")
    assert [*check_names.faults()] == ["tests/slips.py:1: there is no class SlipNot"]


def test_a_third_module_with_the_same_first_word_is_found() -> None:
    paths = [
        check_names.ROOT / f"events/cage/{name}.py" for name in ("slip_counts", "slip_words", "slips", "slip_roles")
    ]
    assert list(check_names.family_faults(paths[:3])) == []
    assert list(check_names.family_faults(paths)) == [
        "events/cage: make a package of slip_counts.py, slip_words.py, slip_roles.py, or let fewer begin with slip"
    ]


SCRIPT = """
// said and found stand in a comment only
const { again: retry, kept, ...rest } = await answer.said, PATTERN = /asked[/]"told/g;
/** @param {string} given */
export class Counter {
  begun(more = `asked ${[said, { more: 1 }].map((one) => `${one}`)} told`, { gone } = {}) {
    this.held = kept / more / this.written;
    return { known: this, sent };
  }
}
"""


def test_vague_names_of_a_script_are_found_and_those_of_other_objects_are_not() -> None:
    path = check_names.ROOT / "backoffice/static/backoffice/live.js"
    assert list(check_names.script_faults(path, SCRIPT)) == [
        f"backoffice/static/backoffice/live.js:{line}: name the content, not {name!r}"
        for line, name in [
            (3, "kept"), (6, "begun"), (6, "more"), (6, "said"), (6, "one"), (6, "one"), (6, "gone"),
            (7, "kept"), (7, "more"), (7, "written"), (8, "sent"),
        ]
    ]  # fmt: skip


def test_a_script_with_a_template_that_does_not_end_is_refused() -> None:
    with pytest.raises(ValueError, match="line 2: a template without an end"):
        list(script_names.names("let a = 1;\nlet b = `${a} euro;\n"))


def test_the_scripts_of_the_pages_are_checked_and_those_of_others_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_names, "ROOT", tmp_path)
    for place in ("static/backoffice", "static/backoffice/table", "static/backoffice/vendor", "tables/static/tables"):
        folder = tmp_path / "backoffice" / place
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "chips.js").write_text("const found = 1;\n")
    assert list(check_names.faults()) == [
        f"backoffice/{place}/chips.js:1: name the content, not 'found'"
        for place in ("static/backoffice", "static/backoffice/table", "tables/static/tables")
    ]
