"""The grammar of a search: words, and `field:value` pairs, all of which must hold. Pure: text in, clauses out.

    table:BJ1,BJ2 -type:card.dealt amount:500..1000 "wrong colour" mispay

A comma is OR, a leading dash NOT; quotes keep blanks and commas together. What cannot be understood is one error that
says at which column, counted from 1.
"""

import re
from collections.abc import Iterator

import msgspec

from events.errors import Invalid

LENGTH_MAX = 2_000
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")  # of these neither UTF-8 nor a database knows
CLAUSES_MAX = 40


class Mistake(Invalid):
    """Where a search cannot be understood, and what would be right there."""

    def __init__(self, column: int, message: str) -> None:
        super().__init__("q", f"column {column}: {message}")
        self.column = column


class Value(msgspec.Struct, frozen=True):
    """One value as it was written; `column` is where it begins."""

    text: str
    column: int
    quoted: bool = False


class Clause(msgspec.Struct, frozen=True):
    """One part of a search. `field` is "" for words; `source` the part itself, as it stands in the search."""

    field: str
    values: tuple[Value, ...]
    column: int
    negated: bool
    source: str


def parse(text: str) -> tuple[Clause, ...]:
    """The clauses of a search, in their order; nothing written is everything. Raises Mistake."""
    if len(text) > LENGTH_MAX:
        raise Mistake(LENGTH_MAX + 1, f"a search has {LENGTH_MAX:,} characters at most")
    if (odd := _NO_TEXT.search(text)) is not None:
        raise Mistake(odd.start() + 1, f"{odd[0]!r} is no character that an event can hold")
    found = tuple(_clauses(text))
    if len(found) > CLAUSES_MAX:
        raise Mistake(found[CLAUSES_MAX].column, f"a search has {CLAUSES_MAX} parts at most")
    return found


def written(clauses: tuple[Clause, ...]) -> str:
    """The search that these clauses are."""
    return " ".join(clause.source for clause in clauses)


def quoted(value: str) -> str:
    """A value as a search takes it: in quotes where it needs them."""
    plain = (
        value
        and not any(one.isspace() or one in '",\\' for one in value)
        and ".." not in value
        and value[0] not in "<>="
    )
    if plain:
        return value
    return '"{}"'.format(value.replace("\\", "\\\\").replace('"', '\\"'))


def _clauses(text: str) -> Iterator[Clause]:
    at = _blanks(text, 0)
    while at < len(text):
        clause, end = _clause(text, at)
        yield clause
        at = _blanks(text, end)


def _blanks(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _clause(text: str, start: int) -> tuple[Clause, int]:
    negated = text[start] == "-"
    at = start + negated
    field, at = _field(text, at)
    if field:
        values, end = _values(text, at, field)
    else:
        value, end = _value(text, at, stop="")
        values = (value,)
        if not value.text.strip():
            raise Mistake(start + 1, "a word is missing here, or a filter such as table:BJ1")
    return Clause(field, values, start + 1, negated, text[start:end]), end


def _field(text: str, at: int) -> tuple[str, int]:
    """The name in front of a colon, and where its values begin; "" where no name stands here."""
    end = at
    while end < len(text) and (text[end].isalnum() or text[end] in "_-"):
        end += 1
    if end == at or end == len(text) or text[end] != ":" or text[at].isdigit():
        return "", at
    return text[at:end].lower().replace("-", "_"), end + 1


def _values(text: str, at: int, field: str) -> tuple[tuple[Value, ...], int]:
    found: list[Value] = []
    while True:
        value, at = _value(text, at, stop=",")
        if not value.text.strip():
            raise Mistake(value.column, f"{field}: wants a value here")
        found.append(value)
        if at == len(text) or text[at] != ",":
            return tuple(found), at
        at += 1


def _value(text: str, at: int, stop: str) -> tuple[Value, int]:
    """A value up to a blank or to `stop`, or up to the end of its quotes."""
    if at < len(text) and text[at] == '"':
        return _in_quotes(text, at, stop)
    end = at
    while end < len(text) and not text[end].isspace() and text[end] != '"' and (not stop or text[end] != stop):
        end += 1
    if end < len(text) and text[end] == '"':
        raise Mistake(end + 1, "a quote begins here in the middle of a word: put a blank before it")
    return Value(text[at:end], at + 1), end


def _in_quotes(text: str, start: int, stop: str) -> tuple[Value, int]:
    at, said = start + 1, ""
    while at < len(text) and text[at] != '"':
        at += text[at] == "\\" and text[at + 1 : at + 2] in ('"', "\\")
        said += text[at]
        at += 1
    if at == len(text):
        raise Mistake(start + 1, "these quotes are not closed")
    at += 1
    if at < len(text) and not text[at].isspace() and text[at] != (stop or None):
        raise Mistake(at + 1, "behind quotes comes a blank" + (" or a comma" if stop else ""))
    return Value(said, start + 1, quoted=True), at
