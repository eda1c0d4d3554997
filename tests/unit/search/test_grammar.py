"""The grammar of a search: a text is understood, or its error names the column."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backoffice.surveillance.search.grammar import Clause, Mistake, Node, clauses, narrowed, parse, quoted, search_text
from projections.eventlog.text_folding import folded_words, in_a_row


def plain_clauses(text: str) -> list[tuple[str, bool, list[str]]]:
    """The clauses of a search, plainly."""
    return [(clause.field, clause.negated, [value.text for value in clause.values]) for clause in clauses(parse(text))]


def shape(node: Node) -> object:
    """A part with all that is in it, plainly."""
    if isinstance(node, Clause):
        return node.source
    return ("-" * node.negated + ("or" if node.is_or else "and"), *map(shape, node.parts))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a b", ["a", "b"]),
        ("a AND b", ["a", "b"]),
        ("a OR b", [("or", "a", "b")]),
        ("a b OR c", [("or", ("and", "a", "b"), "c")]),
        ("a (b OR c)", ["a", ("or", "b", "c")]),
        ("-(a b)", [("-and", ("and", "a", "b"))]),
        ("-(a OR b) c", [("-or", "a", "b"), "c"]),
        ("((a OR b) c) OR -d", [("or", ("and", ("and", ("or", "a", "b"), "c")), "-d")]),
        ('"OR" or', ['"OR"', "or"]),
    ],
)
def test_or_binds_weaker_than_standing_beside_each_other(text: str, parts: list[object]) -> None:
    assert [shape(node) for node in parse(text)] == parts


def test_what_a_search_is_narrowed_by_holds_of_all_of_it() -> None:
    assert narrowed("a OR b", "table:FR1") == "(a OR b) table:FR1"
    assert narrowed("a b", "c") == "a b c"
    assert narrowed("(a OR b)", "c") == "(a OR b) c"
    assert narrowed("", "c") == "c"
    assert search_text(parse("a OR b")) == "a OR b"


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("", []),
        ("table:BJ1", [("table", False, ["BJ1"])]),
        (" table:BJ1,BJ2  -type:card.dealt ", [("table", False, ["BJ1", "BJ2"]), ("type", True, ["card.dealt"])]),
        ("amount:-500..1000", [("amount", False, ["-500..1000"])]),
        ("time:22:00..23:00", [("time", False, ["22:00..23:00"])]),
        ('mispay "wrong colour"', [("", False, ["mispay"]), ("", False, ["wrong colour"])]),
        ('-"no more bets"', [("", True, ["no more bets"])]),
        ('player:"Samara, Dora",g-1', [("player", False, ["Samara, Dora", "g-1"])]),
        (r'"she said \"stop\""', [("", False, ['she said "stop"'])]),
        ("Gaming-Day:2026-11-20", [("gaming_day", False, ["2026-11-20"])]),
        ("22:05", [("", False, ["22:05"])]),
    ],
)
def test_what_is_written_is_understood(text: str, clauses: list[tuple[str, bool, list[str]]]) -> None:
    assert plain_clauses(text) == clauses


@pytest.mark.parametrize(
    ("text", "column", "says"),
    [
        ("table:", 7, "needs a value"),
        ("table:BJ1,", 11, "needs a value"),
        ("table:BJ1 -", 11, "a word is missing"),
        ('mispay "wrong', 8, "not closed"),
        ('table:"BJ1"x', 12, "a blank is missing"),
        ('"wrong"colour', 8, "a blank is missing"),
        ('wrong"colour"', 6, "begins inside a word"),
        ('""', 1, "a word is missing"),
        ("x " * 41, 81, "40 parts"),
        ("x" * 2_001, 2_001, "2000 characters"),
    ],
)
def test_what_is_wrong_is_said_at_its_column(text: str, column: int, says: str) -> None:
    with pytest.raises(Mistake, match=f"Column {column}: ") as caught:
        parse(text)
    assert caught.value.column == column
    assert says in caught.value.message


VALUES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12).filter(str.strip)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(["table", "player", "q_x"]), st.lists(VALUES, min_size=1, max_size=3))))
def test_any_value_is_written_so_that_it_is_read_again(clauses: list[tuple[str, list[str]]]) -> None:
    text = " ".join(f"{field}:{','.join(map(quoted, values))}" for field, values in clauses[:5])
    assert plain_clauses(text) == [(field, False, values) for field, values in clauses[:5]]


@settings(max_examples=100)
@given(st.text(alphabet='ab:," \\-.12\nOR()*', max_size=20))
def test_any_text_is_understood_or_refused_within_itself(text: str) -> None:
    clauses_ = understood(text)
    assert understood(search_text(clauses_)) == understood(search_text(understood(search_text(clauses_))))
    assert all(text[clause.column - 1 :].startswith(clause.source) for clause in clauses_)


def understood(text: str) -> tuple[Node, ...]:
    """Return the clauses of a text; () for a refused text whose column is within the text or directly after it."""
    try:
        return parse(text)
    except Mistake as mistake:
        return () if 1 <= mistake.column <= len(text) + 1 else (mistake.args)


@pytest.mark.parametrize("odd", ["\x00", "\ud800"])
def test_a_character_that_no_event_can_hold_is_refused_where_it_stands(odd: str) -> None:
    with pytest.raises(Mistake, match="Column 8: no event has the character"):
        parse(f"table:B{odd}1 mispay")


def test_words_are_whole_without_case_and_accents() -> None:
    assert folded_words("Η ΜΆΡΚΑ, wrong-colour: late_bet") == ("η", "μαρκα", "wrong", "colour", "late", "bet")
    assert in_a_row(folded_words("Wrong Cölour"), folded_words("the wrong colour, twice"))
    assert not in_a_row(folded_words("colour wrong"), folded_words("wrong colour"))
    assert not in_a_row(folded_words("colo"), folded_words("wrong colour"))


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("<script>:x", 9), ("mispay <b>", 8), ("{player}", 1), ("[1", 1), ("one|two", 4), ("a^2", 2),
        ("~abc", 1), ("wrong `colour`", 7), ("-<x>", 2), ("(<x>)", 2), ("x.y/z:1", 6), ("9:abc", 2),
    ],
)  # fmt: skip
def test_what_is_no_word_is_refused_where_it_stands(text: str, column: int) -> None:
    with pytest.raises(Mistake) as mistake:
        parse(text)
    assert mistake.value.column == column
    assert parse(f'"{text}"'), "in quotes it is a text"
