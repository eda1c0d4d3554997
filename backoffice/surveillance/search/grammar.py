"""The grammar of a search. Pure: text in, parts out.

    table:BJ1,BJ2 -type:card.dealt amount:500..1000 "wrong colour" (player:g-10* OR dealer:dora)

Parts next to each other must all match. OR between parts binds weaker, and parentheses group. A comma is OR between
values, a leading dash NOT, a closing star "begins with". Quotes keep blanks, commas, stars and parentheses together. A
search that cannot be understood is one error that names the column, counted from 1.
"""

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

import msgspec

from events.error_codes import coded
from events.error_codes.coded_error_text import Param
from events.errors import Invalid

LENGTH_MAX = 2_000
CLAUSES_MAX = 40
DEPTH_MAX = 10
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")  # neither UTF-8 nor a database has these
_SPECIAL = frozenset('",\\()*')
_CLOCK = re.compile(r"\d{1,2}:\d\d(:\d\d(\.\d+)?)?", re.ASCII)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*", re.ASCII)
_NO_WORD = re.compile(r"[<>=|{}\[\]^~`\\]")  # they have a meaning in other search languages, and not in this one
_COMPARED = re.compile(r"(?P<field>[a-z_]+)(?P<sign>[<>!=]=?)(?P<value>.+)", re.ASCII | re.IGNORECASE)


class Mistake(Invalid):
    """Syntax error of a search: the column, and a code of `events/error_codes` with its other parameters."""

    def __init__(self, column: int, code: str, /, **params: Param) -> None:
        super().__init__("q", coded(code, column=column, **params))
        self.column = column


class Value(msgspec.Struct, frozen=True):
    """Value as written; `column` is its beginning. `is_prefix`: values that begin with it match."""

    text: str
    column: int
    quoted: bool = False
    is_prefix: bool = False

    @property
    def end(self) -> int:
        """The column behind its text."""
        return self.column + self.quoted + len(self.text)


class Clause(msgspec.Struct, frozen=True):
    """A filter or a word. `field` is "" for words; `source` the part itself, as typed in the search."""

    field: str
    values: tuple[Value, ...]
    column: int
    negated: bool
    source: str


class ClauseGroup(msgspec.Struct, frozen=True):
    """Parts that must all match, or any of them with `is_or`; `source` as typed in the search."""

    parts: tuple["Node", ...]
    is_or: bool
    column: int
    negated: bool
    source: str


Node: TypeAlias = Clause | ClauseGroup


def parse(text: str) -> tuple[Node, ...]:
    """Return the parts that must all match, in their order; an empty search has no parts. Raises Mistake."""
    if len(text) > LENGTH_MAX:
        raise Mistake(LENGTH_MAX + 1, "search-length", most=LENGTH_MAX)
    if (odd := _NO_TEXT.search(text)) is not None:
        raise Mistake(odd.start() + 1, "search-character-impossible", character=repr(odd[0]))
    parser = _Parser(text)
    return parser.parse_search()


def clauses(nodes: Iterable[Node]) -> Iterator[Clause]:
    """Every filter and word of a search, also those in parentheses, in their order."""
    for node in nodes:
        if isinstance(node, Clause):
            yield node
        else:
            yield from clauses(node.parts)


def search_text(nodes: Iterable[Node]) -> str:
    """The search of which these parts must all hold."""
    parts = tuple(nodes)
    return " ".join(_in_parentheses(part) if len(parts) > 1 else part.source for part in parts)


def narrowed(text: str, *clauses_added: str) -> str:
    """Return the search with further clauses. An invalid search is returned unchanged, to be refused."""
    try:
        nodes = parse(text)
    except Mistake:
        nodes = ()
    text = _in_parentheses(nodes[0]) if clauses_added and len(nodes) == 1 else text
    return " ".join(part for part in (text, *clauses_added) if part)


def _in_parentheses(node: Node) -> str:
    is_bare = isinstance(node, ClauseGroup) and node.is_or and not node.source.startswith(("(", "-("))
    return f"({node.source})" if is_bare else node.source


def quoted(value: str) -> str:
    """A value as a search takes it: in quotes where it needs them."""
    is_plain = (
        value
        and not any(character.isspace() or character in _SPECIAL for character in value)
        and ".." not in value
        and value[0] not in "<>="
    )
    return value if is_plain else '"{}"'.format(value.replace("\\", "\\\\").replace('"', '\\"'))


class _Parser:
    """Parser of one search; `at` is the place to read next."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.count = 0

    def parse_search(self) -> tuple[Node, ...]:
        """Return the whole search."""
        node = self._alternatives(depth=0)
        if node is None:
            return ()
        is_list = isinstance(node, ClauseGroup) and not node.is_or and not self._is_enclosed(node)
        return node.parts if isinstance(node, ClauseGroup) and is_list else (node,)

    def _is_enclosed(self, node: Node) -> bool:
        """Return whether it is enclosed in parentheses, as one part."""
        return node.negated or (isinstance(node, ClauseGroup) and len(node.parts) == 1)

    def _alternatives(self, depth: int) -> Node | None:
        """Parse parts with OR between them, up to the end or a closing parenthesis; None without a part."""
        start = self._skip_blanks()
        branches = [self._adjacent_parts(depth)]
        while self._word() == "OR":
            column = self.at + 1
            if not branches[-1]:
                raise Mistake(column, "search-or-first")
            self.at += 2
            branches.append(self._adjacent_parts(depth))
            if not branches[-1]:
                raise Mistake(column, "search-or-last")
        source = self.text[start : self.at].rstrip()
        if len(branches) > 1:
            nodes = tuple(self._joined(parts) for parts in branches)
            return ClauseGroup(nodes, is_or=True, column=start + 1, negated=False, source=source)
        return self._joined(branches[0]) if branches[0] else None

    def _joined(self, parts: list[Node]) -> Node:
        """The only part itself, or all of them together."""
        if len(parts) == 1:
            return parts[0]
        first, last = parts[0], parts[-1]
        source = self.text[first.column - 1 : last.column - 1 + len(last.source)]
        return ClauseGroup(tuple(parts), is_or=False, column=first.column, negated=False, source=source)

    def _adjacent_parts(self, depth: int) -> list[Node]:
        """Parse parts beside each other; AND between them has the same meaning."""
        parts: list[Node] = []
        while self._skip_blanks() < len(self.text) and self.text[self.at] != ")" and (word := self._word()) != "OR":
            if word == "NOT":
                raise Mistake(self.at + 1, "search-not")
            if word == "AND":
                self._parse_and(is_first=not parts)
                continue
            parts.append(self._part(depth))
        if self.at < len(self.text) and self.text[self.at] == ")" and not depth:
            raise Mistake(self.at + 1, "search-parenthesis-not-open")
        return parts

    def _parse_and(self, *, is_first: bool) -> None:
        column = self.at + 1
        self.at += 3
        is_last = self._skip_blanks() == len(self.text) or self.text[self.at] == ")" or self._word() in ("AND", "OR")
        if is_first or is_last:
            raise Mistake(column, "search-and")

    def _part(self, depth: int) -> Node:
        if self.text.startswith(("(", "-("), self.at):
            return self._in_parentheses(depth + 1)
        self.count += 1
        if self.count > CLAUSES_MAX:
            raise Mistake(self.at + 1, "search-parts", most=CLAUSES_MAX)
        clause, self.at = _clause(self.text, self.at)
        return clause

    def _in_parentheses(self, depth: int) -> Node:
        start, negated = self.at, self.text[self.at] == "-"
        opening = start + negated + 1
        if depth > DEPTH_MAX:
            raise Mistake(opening, "search-depth", most=DEPTH_MAX)
        self.at = opening
        node = self._alternatives(depth)
        if self.at == len(self.text):
            raise Mistake(opening, "search-parenthesis-not-closed")
        if node is None:
            raise Mistake(opening, "search-parenthesis-empty")
        self.at += 1
        if self.at < len(self.text) and not (self.text[self.at].isspace() or self.text[self.at] == ")"):
            raise Mistake(self.at + 1, "search-blank-needed")
        is_or = isinstance(node, ClauseGroup) and node.is_or and not node.negated
        parts = node.parts if is_or and isinstance(node, ClauseGroup) else (node,)
        return ClauseGroup(parts, is_or, start + 1, negated, source=self.text[start : self.at])

    def _word(self) -> str:
        """Return OR, AND or NOT, where one is here as a separate word; "" for any other text."""
        for word in ("OR", "AND", "NOT"):
            end = self.at + len(word)
            behind = self.text[end : end + 1]
            if self.text.startswith(word, self.at) and (not behind or behind.isspace() or behind in "()"):
                return word
        return ""

    def _skip_blanks(self) -> int:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.at


# --- a filter or a word -----------------------------------------------------------------------------------------------


def _clause(text: str, start: int) -> tuple[Clause, int]:
    negated = text[start] == "-"
    at = start + negated
    field, at = _field(text, at)
    if field:
        values, end = _values(text, at, field)
    else:
        value, end = _value(text, at, stop="")
        values = (value,)
        _check_word(value, start + 1)
    return Clause(field, values, start + 1, negated, text[start:end]), end


def _check_word(value: Value, column: int) -> None:
    """Refuse a word in the form of a filter with an unknown name: a search for it as text would fail."""
    if not value.text.strip():
        raise Mistake(column, "search-word-missing")
    if value.quoted:
        return
    if (compared := _COMPARED.fullmatch(value.text)) is not None:
        sign = "" if compared["sign"] in ("=", "==") else compared["sign"]
        right = f"{compared['field'].lower()}:{'' if '!' in sign else sign}{compared['value']}"
        raise Mistake(value.column, "search-colon-missing", filter=f"{'-' if '!' in sign else ''}{right[:60]}")
    is_time = _CLOCK.fullmatch(value.text) or _MOMENT.fullmatch(value.text)
    if ":" in value.text and not is_time:
        at = value.column + value.text.index(":")
        raise Mistake(at, "search-colon-without-field")
    if (odd := _NO_WORD.search(value.text)) is not None:
        raise Mistake(value.column + odd.start(), "search-character-without-meaning", character=odd[0])


def _field(text: str, at: int) -> tuple[str, int]:
    """Return the name before a colon and the place of its values; "" without a name."""
    end = at
    while end < len(text) and (text[end].isalnum() or text[end] in "_-"):
        end += 1
    if end == at or end == len(text) or text[end] != ":" or text[at].isdigit():
        return "", at
    return text[at:end].lower().replace("-", "_"), end + 1


def _values(text: str, at: int, field: str) -> tuple[tuple[Value, ...], int]:
    values: list[Value] = []
    while True:
        value, at = _value(text, at, stop=",")
        if not value.text.strip():
            if value.is_prefix:
                raise Mistake(value.column, "search-star-alone", field=field)
            raise Mistake(value.column, "search-value-missing", field=field)
        values.append(value)
        if at == len(text) or text[at] != ",":
            return tuple(values), at
        at += 1


def _value(text: str, at: int, stop: str) -> tuple[Value, int]:
    """A value up to a blank, a closing parenthesis or `stop`, or up to the end of its quotes."""
    if at < len(text) and text[at] == '"':
        return _in_quotes(text, at, stop)
    end = at
    while end < len(text) and not text[end].isspace() and text[end] not in '"()' and (not stop or text[end] != stop):
        end += 1
    if end < len(text) and text[end] == '"':
        raise Mistake(end + 1, "search-quote-inside")
    if end < len(text) and text[end] == "(":
        raise Mistake(end + 1, "search-parenthesis-in-value")
    value = text[at:end]
    is_prefix = value.endswith("*")
    value = value.removesuffix("*")
    if (star := value.find("*")) >= 0:
        raise Mistake(at + star + 1, "search-star-inside")
    return Value(value, at + 1, is_prefix=is_prefix), end


def _in_quotes(text: str, start: int, stop: str) -> tuple[Value, int]:
    at, value = start + 1, ""
    while at < len(text) and text[at] != '"':
        at += text[at] == "\\" and text[at + 1 : at + 2] in ('"', "\\")
        value += text[at]
        at += 1
    if at == len(text):
        raise Mistake(start + 1, "search-quotes-not-closed")
    at += 1
    is_prefix = text[at : at + 1] == "*"
    at += is_prefix
    if at < len(text) and not text[at].isspace() and text[at] != ")" and text[at] != (stop or None):
        raise Mistake(at + 1, "search-blank-needed")
    return Value(value, start + 1, quoted=True, is_prefix=is_prefix), at
