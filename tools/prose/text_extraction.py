"""Texts of Python modules, templates, the catalogue of errors and API documents, each with its first line."""

import ast
import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MARKERS = frozenset({"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "translatable"})
REFUSALS = frozenset({"Refused", "Invalid", "Conflict", "CommandError"})
_DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
_TAG = re.compile(r"{%\s*(?:translate|trans)\s+(\"[^\"]*\"|'[^']*')|_\((\"[^\"]*\"|'[^']*')\)")
_DESCRIPTION = re.compile(r'\s*"(?:description|summary)": ("(?:[^"\\]|\\.)*"),?$')
_BLOCK = re.compile(r"{%\s*blocktranslate[^%]*%}(.*?){%\s*endblocktranslate\s*%}", re.DOTALL)


class Text(NamedTuple):
    """A text for readers, and its line in the source (from 1)."""

    line: int
    text: str


def docstrings(source: str) -> Iterator[Text]:
    """Yield the docstrings of a module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, _DOCUMENTED) and (text := ast.get_docstring(node)):
            yield Text(node.body[0].lineno, text)


def marked_words(source: str) -> Iterator[Text]:
    """Yield the words marked for translation, and the sentences of refusals and command errors."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in MARKERS:
            yield from (Text(node.lineno, text) for text in map(_literal, node.args) if text)
        elif name in REFUSALS and node.args and (text := _literal(node.args[0])):
            yield Text(node.lineno, text)


def template_words(source: str) -> Iterator[Text]:
    """Yield the words of a template that are marked for translation."""
    for match in _TAG.finditer(source):
        yield Text(_line(source, match.start()), (match[1] or match[2])[1:-1])
    for match in _BLOCK.finditer(source):
        for part in re.split(r"{%\s*plural\s*%}", match[1]):
            yield Text(_line(source, match.start()), re.sub(r"{{\s*[\w.]+\s*}}", "X", part))


def error_sentences(source: str) -> Iterator[Text]:
    """Yield the problems and remedies of the catalogue of errors."""
    rows = csv.DictReader(source.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    for line, row in enumerate(rows, 2):
        yield from (Text(line, row[column]) for column in ("problem", "remedy") if row[column])


def descriptions(source: str) -> Iterator[Text]:
    """Yield the descriptions and summaries of an OpenAPI or AsyncAPI document with a value a line."""
    for line, row in enumerate(source.splitlines(), 1):
        if match := _DESCRIPTION.match(row):
            yield Text(line, json.loads(match[1]))


def texts(path: Path, kind: str) -> list[Text]:
    """Return the texts of a file: kind "docstrings" or "words"."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        return list(template_words(source))
    if path.suffix == ".json":
        return list(descriptions(source))
    if path.suffix == ".tsv":
        return list(error_sentences(source))
    return list(docstrings(source) if kind == "docstrings" else marked_words(source))


def _literal(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
    return ""


def _line(source: str, offset: int) -> int:
    return source.count("\n", 0, offset) + 1
