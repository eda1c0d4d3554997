"""Words of a search in the reader's language: fields, operators, and titles of types, irregularities and other codes.

On the page they become the English words when they are read: addresses, saved searches and the API know no others.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from unicodedata import normalize

import msgspec
from django.utils.translation import gettext, gettext_noop, override, pgettext

from backoffice.surveillance.search.field_conditions import FIELDS, HAS, base
from backoffice.surveillance.search.free_text_conditions import irregularity_codes
from backoffice.surveillance.search.grammar import Clause, Mistake, Value, clauses, parse, quoted
from backoffice.wording.code_to_word_translation import word
from backoffice.wording.field_labels import label
from events.catalogue import event_types
from events.error_codes.coded_error_text import Name
from events.house.alert_rules import RULES
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from projections.eventlog.search_filter_vocabulary import VOCABULARY
from projections.eventlog.text_folding import fold

ENGLISH = "en"
CODES_MAX = 24  # codes that one bare word may stand for
WORD_MIN = 3  # letters of a bare word that is looked for in titles
ALIASES = ("amount_minor", "gaming_day")  # the grammar has a shorter name for them
# Further words for a field, beside its label and its title in the vocabulary.
_FURTHER_MEANINGS: dict[str, tuple[str, ...]] = {
    "actor": (gettext_noop("person"),),
    "actorrole": (gettext_noop("role"),),
    "due": (gettext_noop("Due"),),
    "paid": (gettext_noop("Paid"),),
    "slip": (gettext_noop("slip"),),
    "case": (gettext_noop("case"),),
    "queued": (gettext_noop("without signal"),),
}


class CodesByTitle(msgspec.Struct, frozen=True):
    """Codes by their titles: as written, in small letters, and folded."""

    exact: Mapping[str, frozenset[str]]
    folded: Mapping[str, frozenset[str]]

    def meanings(self, text: str) -> frozenset[str]:
        """Return the codes of a title; where it is written with its accents, no others."""
        return self.exact.get(_lower_case(text)) or self.folded.get(key(text), frozenset())

    @property
    def codes(self) -> frozenset[str]:
        """Return all codes."""
        return frozenset[str]().union(*self.folded.values())


class Language(msgspec.Struct, frozen=True):
    """The words of one language, folded: fields, OR, AND, NOT, and the titles of each field's codes."""

    fields: CodesByTitle
    operators: Mapping[str, str]
    titles: Mapping[str, CodesByTitle]


def key(text: str) -> str:
    """Return a word without case and accents; Turkish dotless and dotted letters are the same."""
    return " ".join(fold(text).replace("ı", "i").replace("_", " ").replace("-", " ").split())


def _lower_case(text: str) -> str:
    return " ".join(normalize("NFC", text).casefold().replace("_", " ").split())


def in_english(text: str, language: str) -> str:
    """Return a search with the English words for those of a language. Raises Mistake, also for a word that has several
    meanings."""
    if language == ENGLISH or not text:
        return text
    words = of_language(language)
    text = normalize("NFC", text)
    parts = [*clauses(parse(text))]
    changes: list[tuple[Clause, str]] = []
    for at, clause in enumerate(parts):
        operator = _operator(clause, words)
        new_text = operator if operator and _stands_between(text, parts, at, words) else _part_in_english(clause, words)
        if new_text != clause.source:
            changes.append((clause, new_text))
    for clause, new_text in reversed(changes):
        start = clause.column - 1
        text = text[:start] + new_text + text[start + len(clause.source) :]
    return text


def field_in_english(field: str, language: str) -> str:
    """Return the English name of a field; the name itself where it is no word of the language, or of several fields."""
    if language == ENGLISH or field in FIELDS:
        return field
    meanings = of_language(language).fields.meanings(field)
    return next(iter(meanings)) if len(meanings) == 1 else field


def field_word(field: str, language: str) -> str:
    """Return the word for a field in a language, as a search takes it; its English name without one."""
    with override(language):
        names = [*_names(field)]
    field_words = of_language(language).fields
    own = (name for name in names if key(name) != key(field) and field_words.meanings(name) == {field})
    return next(own, field).lower().replace(" ", "_")


def title(code: str, field: str, language: str) -> str:
    """Return the title of a code in a language, where it means no other code; else ""."""
    if language == ENGLISH:
        return ""
    with override(language):
        words_of_code = word(code, _word_field(field))
    titles = of_language(language).titles.get(field)
    return words_of_code if titles is not None and titles.meanings(words_of_code) == {code} else ""


def _operator(clause: Clause, words: Language) -> str:
    """Return OR for its word in any case; AND and NOT only in capitals, since small letters make ordinary words."""
    if clause.field or clause.negated or clause.values[0].quoted:
        return ""
    operator = words.operators.get(key(clause.source), "")
    return operator if operator == "OR" or clause.source.isupper() else ""


def _stands_between(text: str, parts: Sequence[Clause], at: int, words: Language) -> bool:
    """Return whether a part is between two others in the same parentheses."""
    start = parts[at].column - 1
    before, behind = text[:start].rstrip(), text[start + len(parts[at].source) :].lstrip()
    neighbours = [*parts[max(at - 1, 0) : at], *parts[at + 1 : at + 2]]
    if any(_operator(clause, words) for clause in neighbours):
        return False
    is_not = words.operators.get(key(parts[at].source)) == "NOT"
    return (is_not or bool(before and not before.endswith("("))) and bool(behind and not behind.startswith(")"))


def _part_in_english(clause: Clause, words: Language) -> str:
    """Return the part in English."""
    sign = "-" if clause.negated else ""
    if not clause.field:
        own = _bare_word_filters(clause.values[0], words)
        return f"{sign}{own}" if own else clause.source
    field = (
        clause.field
        if clause.field in FIELDS
        else _only_meaning(clause.field, clause.column + clause.negated, words.fields)
    )
    titles = words.titles.get(field)
    values = [_value(value, titles) if titles is not None else _value_text(value) for value in clause.values]
    if field == clause.field and values == [_value_text(value) for value in clause.values]:
        return clause.source
    return f"{sign}{field}:{','.join(values)}"


def _value(value: Value, titles: CodesByTitle) -> str:
    if value.is_prefix:
        begun = {code for name, codes in titles.folded.items() if name.startswith(key(value.text)) for code in codes}
        is_known_code = any(code.startswith(value.text) for code in titles.codes)
        return ",".join(map(quoted, sorted(begun))) if begun and not is_known_code else _value_text(value)
    if value.text in titles.codes:
        return _value_text(value)
    code = _only_meaning(value.text, value.column, titles)
    return _value_text(value) if code == value.text else quoted(code)


def _only_meaning(text: str, column: int, words: CodesByTitle) -> str:
    """Return the only meaning of a word; the word itself for an unknown one. Raises Mistake for several."""
    meanings = words.meanings(text)
    if len(meanings) > 1:
        raise Mistake(column, "search-word-ambiguous", text=text[:40], meanings=[*map(Name, sorted(meanings))])
    return next(iter(meanings)) if meanings else text


def _value_text(value: Value) -> str:
    escaped = value.text.replace("\\", "\\\\").replace('"', '\\"')
    text = f'"{escaped}"' if value.quoted else value.text
    return text + ("*" if value.is_prefix else "")


def _bare_word_filters(value: Value, words: Language) -> str:
    """Return the filters for bare words; "" for words of no title.

    A whole title gives its codes. Part of titles gives the words themselves, or the codes of these titles.
    """
    folded_value = key(value.text)
    if len(folded_value) < WORD_MIN:
        return ""
    fields = ("type", "irregularity")
    exact = {field: words.titles[field].meanings(value.text) for field in fields}
    if any(exact.values()) and not value.is_prefix:
        return _any_of(exact)
    ending = "" if value.is_prefix else " "
    within = {field: _with_words(f" {folded_value}{ending}", words.titles[field]) for field in fields}
    number = sum(map(len, within.values()))
    return _any_of(within, _value_text(value)) if 0 < number <= CODES_MAX else ""


def _with_words(wanted: str, titles: CodesByTitle) -> set[str]:
    return {code for name, codes in titles.folded.items() if wanted in f" {name} " for code in codes}


def _any_of(codes: Mapping[str, Iterable[str]], text: str = "") -> str:
    parts = [f"{field}:{','.join(map(quoted, sorted(values)))}" for field, values in codes.items() if values]
    parts = [text, *parts] if text else parts
    return f"({' OR '.join(parts)})" if len(parts) > 1 else parts[0]


# --- the words of a language ------------------------------------------------------------------------------------------


@cached_until_forgotten
def of_language(language: str) -> Language:
    """Return the words of a language, from its catalogue."""
    with override(language):
        fields = _by_title((field, name) for field in FIELDS if field not in ALIASES for name in _names(field))
        operators = {key(gettext("or")): "OR", key(gettext("and")): "AND", key(gettext("not")): "NOT"}
        titles = {field: _by_title(_titles(field, codes())) for field, codes in _CODES.items()}
        titles["has"] = _by_title((field, name) for field in HAS if field not in ALIASES for name in _names(field))
    return Language(fields, operators, titles)


def _names(field: str) -> Iterator[str]:
    """Yield the words for a field in the active language."""
    if field == "around":
        yield pgettext("search field", "around")
    yield from map(gettext, _FURTHER_MEANINGS.get(field, ()))
    yield label(field)
    if field in VOCABULARY:
        yield gettext(str(VOCABULARY[field].label))


def _titles(field: str, codes: Iterable[str]) -> Iterator[tuple[str, str]]:
    return ((code, word(code, _word_field(field))) for code in codes)


def _word_field(field: str) -> str:
    return "kind" if field == "irregularity" else "" if field == "type" else field


def _by_title(pairs: Iterable[tuple[str, str]]) -> CodesByTitle:
    exact: dict[str, frozenset[str]] = defaultdict(frozenset)
    folded: dict[str, frozenset[str]] = defaultdict(frozenset)
    for code, name in pairs:
        exact[_lower_case(name)] |= {code}
        folded[key(name)] |= {code}
    return CodesByTitle(dict(exact), dict(folded))


def _types() -> list[str]:
    return list(dict.fromkeys(base(type_) for type_ in event_types()))


def _kinds() -> list[str]:
    """Return the kinds of irregularities: codes that are no event or action, without the field before them."""
    return [
        code for code in irregularity_codes() if "." not in code and not code.startswith(("kind ", "policy ", "case "))
    ]


def _of_vocabulary(*codes: str) -> Callable[[], Sequence[str]]:
    return lambda: codes


_CODES: dict[str, Callable[[], Iterable[str]]] = {
    "type": _types,
    "irregularity": _kinds,
    "tender": _of_vocabulary("cash", "chips", "marker", "promotional"),
    "alert": lambda: list(RULES),
    "queued": _of_vocabulary("yes", "no"),
}
