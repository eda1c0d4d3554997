"""Names that the scripts of the pages declare: `tools/check_names.py` checks them."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_TOKEN = re.compile(
    r"""
    (?P<space>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\d[\w.]*)
    |(?P<word>[A-Za-z_$][\w$]*)
    |(?P<mark>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_PATTERN = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+/[a-z]*")
_TEMPLATE = re.compile(r"(?:\\.|\$(?!\{)|[^`\\$])*(?:`|\$\{)", re.DOTALL)
_BEFORE_PATTERN = frozenset({"await", "case", "delete", "in", "of", "return", "throw", "typeof", "void", "yield"})


class Token(NamedTuple):
    """A word, a mark or a text (a string, a template, a pattern or a number), and its place in the script."""

    kind: str
    text: str
    place: int


def _next(script: str, place: int, before: Token) -> tuple[str, int]:
    """Return the kind of the token at a place, and its end. A slash begins a pattern where no value is before it."""
    is_word = before.kind == "word" and before.text not in _BEFORE_PATTERN
    is_value = is_word or before.kind == "text" or before.text in {")", "]", "}"}
    pattern = None if is_value or script[place : place + 2] in {"//", "/*"} else _PATTERN.match(script, place)
    if pattern:
        return "text", pattern.end()
    token = _TOKEN.match(script, place)
    assert token is not None  # any character is a mark
    return str(token.lastgroup), token.end()


def tokens(script: str) -> Iterator[Token]:
    """Yield the tokens of a script without comments. The values in a template are tokens between those of its texts."""
    place = 0
    open_braces: list[int] = []  # in the value of each template around
    token = Token("mark", "", 0)
    while place < len(script):
        start = place
        kind, place = _next(script, start, token)
        mark = script[start:place]
        closes_value = mark == "}" and open_braces and open_braces[-1] == 0
        if mark == "`" or closes_value:
            template = _TEMPLATE.match(script, place)
            if template is None:
                raise ValueError(f"line {script.count(chr(10), 0, start) + 1}: a template without an end")
            place = template.end()
            if closes_value:
                open_braces.pop()
            if template.group().endswith("{"):
                open_braces.append(0)
                kind = "mark"  # a value begins
            else:
                kind = "text"
        elif mark in {"{", "}"} and open_braces:
            open_braces[-1] += 1 if mark == "{" else -1
        if kind != "space":
            token = Token(kind, script[start:place], start)
            yield token


def names(script: str) -> Iterator[tuple[str, int]]:
    """Yield the names of variables, parameters, functions, classes and fields of `this`, with their lines.

    Fields of other objects, and keys of an object, may be those of the browser or of an answer of the server.
    """
    frame = [Token("mark", "", 0)] * 2
    for token in [*tokens(script), Token("mark", "", len(script))]:
        frame = [*frame[-3:], token]
        *earlier, before, word, after = frame
        if word.kind != "word":
            continue
        is_field = before.text == "." and earlier[-1:] != [] and earlier[-1].text != "this"
        is_key = after.text == ":" and before.text in {"{", ","}
        if not is_field and not is_key:
            yield word.text, script.count("\n", 0, word.place) + 1
