"""Catalogues of translations: `python -m tools.translations update` adds new texts to them, and compiles them.

The English sentences are collected from templates, Python modules, the catalogue of errors, and the words that the
house and its games declare. A catalogue is `backoffice/locale/LANGUAGE/LC_MESSAGES/django.po`. A changed sentence is a
new one: a translation of the old sentence is never copied for its similarity.
"""

import io
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import django
from babel.messages import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from msgspec import Struct, inspect

from events.error_codes.catalogue import CODES, SOURCE

ROOT = Path(__file__).parents[1]
LOCALE = ROOT / "backoffice/locale"
LANGUAGES = ("el", "tr", "ru")
PACKAGES = ("events", "projections", "workers", "backoffice")
KEYWORDS = {
    **DEFAULT_KEYWORDS,
    "lazy": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext_lazy": (1, 2),
    "pgettext_lazy": ((1, "c"), 2),
}

_TEXT = r"""\s*u?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\s*"""
_CALL = re.compile(rf"\b(?P<name>n?p?gettext|_)\((?P<texts>{_TEXT}(?:,{_TEXT})*)(?:,\s*count)?\)", re.DOTALL)


def english() -> Catalog:
    """Return every sentence that people read, with the places where it stands."""
    catalogue = Catalog(domain="django", fuzzy=False)
    for path in sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        _add(catalogue, path, path.read_text())
    for path in sorted((ROOT / "backoffice").glob("*/templates/**/*.html")):
        _add(catalogue, path, _as_python(path))
    for text in (text for entry in CODES.values() for text in (entry.sentence, entry.todo) if _has_words(text)):
        catalogue.add(text, locations=[(SOURCE.relative_to(ROOT).as_posix(), 0)])
    for word in sorted(_declared_words()):
        catalogue.add(word, locations=[("events", 0)])
    return catalogue


def translated(language: str) -> Catalog:
    """Read a language's catalogue; an empty one without a file."""
    path = source_of(language)
    if not path.exists():
        return Catalog(locale=language, domain="django", fuzzy=False)
    with path.open("rb") as catalogue:
        return read_po(catalogue, locale=language, domain="django")


def source_of(language: str) -> Path:
    """Return the path of a language's catalogue."""
    return LOCALE / language / "LC_MESSAGES/django.po"


def updated(language: str) -> Catalog:
    """Return a language's catalogue with the sentences of today, those without a translation empty."""
    today, catalogue = english(), translated(language)
    fresh = Catalog(locale=language, domain="django", fuzzy=False, project="Pitledger", charset="utf-8")
    for message in _sorted(today):
        before = catalogue.get(message.id, context=message.context)
        fresh.add(
            message.id,
            string=before.string if before else "",
            flags=message.flags,
            context=message.context,
            locations=sorted({(path, 0) for path, _line in message.locations}),
        )
    return fresh


def missing(catalogue: Catalog) -> list[str]:
    """Return the sentences of a catalogue without a translation."""
    return [str(message.id) for message in catalogue if message.id and not _is_whole(message)]


def compiled(catalogue: Catalog) -> bytes:
    """Return a catalogue as Django reads it."""
    content = io.BytesIO()
    write_mo(content, catalogue)
    return content.getvalue()


def write(language: str) -> int:
    """Write a language's catalogue and its compiled form; return how many sentences have no translation."""
    catalogue, path = updated(language), source_of(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as opened:
        write_po(opened, catalogue, width=110, omit_header=False, include_lineno=False)
    path.with_suffix(".mo").write_bytes(compiled(catalogue))
    return len(missing(catalogue))


def _add(catalogue: Catalog, path: Path, source: str) -> None:
    where = path.relative_to(ROOT).as_posix()
    messages = extract("python", io.BytesIO(source.encode()), KEYWORDS, ("Translators:",), {"encoding": "utf-8"})
    for line, text, comments, context in messages:
        catalogue.add(text, locations=[(where, line)], auto_comments=comments, context=context)


def _has_words(text: str) -> bool:
    """Return whether a sentence has more than its parameters and marks."""
    return bool(re.sub(r"%\(\w+\)s|\W", "", text))


def _as_python(path: Path) -> str:
    """Return a template's marked words as calls, a line each. Django's own code of the rest is no valid Python."""
    from django.utils.translation.template import templatize

    calls = _CALL.finditer(templatize(path.read_text(), origin=str(path)))
    return "".join(f"{call['name']}({call['texts']})\n" for call in calls)


def _declared_words() -> Iterator[str]:
    """Yield the texts declared with codes: words, meanings of actions, filters and settings, titles of rules."""
    from backoffice.forms.action_form_from_struct import meaning_of
    from backoffice.house.opening.csv_columns import SHEETS
    from backoffice.wording import field_labels, glossary_terms
    from events.catalogue import action_types, event_types
    from events.house import alert_rules, code_to_words_lookup, settings
    from events.roles import Role
    from events.rules import game_declaration_and_registry, loading_and_pinning_rulesets
    from projections.eventlog.search_filter_vocabulary import VOCABULARY

    shapes = {**event_types(), **action_types()}
    yield from {*code_to_words_lookup.of_the_house().values(), *code_to_words_lookup.of_games().values()}
    yield from map(code_to_words_lookup.word, (*shapes, *get_args(Role), *game_declaration_and_registry.installed()))
    yield from (code_to_words_lookup.word(code, name) for shape in shapes.values() for name, code in _codes_of(shape))
    yield from (field_labels.label(name) for shape in shapes.values() for name in _fields_of(shape))
    yield from map(code_to_words_lookup.word, ("jackpot", "envy"))  # kinds of papers
    yield field_labels.label("sum")  # an amount of alerts
    yield from map(meaning_of, action_types().values())
    yield from (text for rule in alert_rules.RULES.values() for text in (rule.title, rule.means))
    yield from filter(None, map(loading_and_pinning_rulesets.title_of, loading_and_pinning_rulesets.names()))
    yield from (searchable.sentence for searchable in VOCABULARY.values())
    yield from (meaning.replace("`", "") for _name, meaning, _default in settings.rows())
    yield from (glossary_terms.meaning_of_term(name) for name in explained_terms())
    yield from (text for sheet in SHEETS for text in (sheet.title, *(column.meaning for column in sheet.columns)))


def explained_terms() -> set[str]:
    """Return the terms of the glossary that templates explain."""
    templates = "".join(path.read_text() for path in (ROOT / "backoffice").glob("*/templates/**/*.html"))
    tags = re.findall(r"{% (?:meaning|definition|glossary)((?: \"[^\"]+\")+)", templates)
    return {name for names in tags for name in re.findall(r'"([^"]+)"', names)}


def _fields_of(shape: type[Struct]) -> Iterator[str]:
    """Yield the names of the fields of an event or action, and of the rows in them."""
    for field in inspect.type_info(shape).fields:  # type: ignore[attr-defined]  # a Struct's
        yield field.encode_name
        yield from (name for row in _rows_in(field.type) for name in _fields_of(row))


def _rows_in(kind: object) -> Iterator[type[Struct]]:
    if isinstance(kind, inspect.StructType):
        yield kind.cls
    for part in _parts(kind):
        yield from _rows_in(part)


def _codes_of(shape: type[Struct]) -> Iterator[tuple[str, str]]:
    """Yield the fields of an event or action that take codes of a closed list, with each code."""
    for field in inspect.type_info(shape).fields:  # type: ignore[attr-defined]  # a Struct's
        if field.name != "currency":  # its codes are words in every language
            yield from ((field.encode_name, code) for code in _literals(field.type))


def _literals(kind: object) -> Iterator[str]:
    if isinstance(kind, inspect.LiteralType):
        yield from map(str, kind.values)
    for part in _parts(kind):
        yield from _literals(part)


def _parts(kind: object) -> Iterator[object]:
    """Yield the types that a type is made of."""
    yield from (*getattr(kind, "types", ()), *getattr(kind, "item_types", ()))
    parts = (getattr(kind, name, None) for name in ("item_type", "key_type", "value_type"))
    yield from (part for part in parts if part is not None)


def _sorted(catalogue: Catalog) -> list[Message]:
    messages = [message for message in catalogue if message.id]
    return sorted(messages, key=lambda message: (str(message.id), message.context or ""))


def _is_whole(message: Message) -> bool:
    return all(message.string) if isinstance(message.string, tuple | list) else bool(message.string)


def main() -> int:
    """Update every catalogue, and report missing translations."""
    if sys.argv[1:] != ["update"]:
        print("usage: python -m tools.translations update", file=sys.stderr)
        return 2
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backoffice.settings")
    django.setup()
    for language in LANGUAGES:
        print(f"{language}: {write(language)} sentences without a translation")
    return 0


if __name__ == "__main__":
    sys.exit(main())
