"""Completions while a person types a search: fields, then the values in the log."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import TypeAlias

import msgspec
from django.db.models import QuerySet
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from backoffice.event_log import figures_hidden_before_counts
from backoffice.surveillance.search import deadline_of_database_statements
from backoffice.surveillance.search.english_translation_of_search import (
    ENGLISH,
    field_in_english,
    field_word,
    key,
    title,
)
from backoffice.surveillance.search.field_conditions import FIELDS, HAS, base
from backoffice.surveillance.search.grammar import quoted
from backoffice.surveillance.search.index_walks import distinct_values as known_values
from backoffice.wording.code_to_word_translation import word
from events.catalogue import event_types
from events.house.alert_rules import RULES
from events.roles import WORDS
from events.text.id_spelling_normalization import spellings
from projections.eventlog.models import EventLog
from projections.eventlog.search_filter_vocabulary import EXACT, VOCABULARY
from projections.eventlog.text_folding import fold
from projections.floor.models import Irregularity
from projections.tables.models import TableDay

Rows: TypeAlias = "QuerySet[EventLog]"
AT_MOST = 12
LATELY = 2_000  # events in which the values of a field without an index are looked for
INDEXED = ("dealer", "inspector", "player", "correlation")
OF_PEOPLE = ("actor", "dealer", "inspector", "player")
SENTENCES = {
    "day": _("A gaming day 2026-11-20 or a range 2026-11-20..2026-11-22"),
    "amount": _("An amount: 500, 500..1000, >=500"),
    "due": _("Amount due on a bet"),
    "paid": _("Amount paid"),
    "time": _("Time of day at the property: 22:00..23:00"),
    "around": _("Two minutes around the event with this id"),
    "has": _("Events with this kind of entry: has:irregularity"),
    "irregularity": _("All events of an irregularity of this kind"),
    "alert": _("Evidence and history of alerts of this rule"),
    "position": _("Positions in the event store"),
    "slip": _("Events of the slip with this number: 12, 12..15"),
    "die": _("Events of the die with this serial number"),
    "shoe": _("Loading and cards of this shoe"),
    "queued": _("Recorded by a device without signal: yes or no"),
}
_LAST = ("amount_minor", "gaming_day", "causation", "corrects", "stream", "device", "position")


class Completion(msgspec.Struct, frozen=True):
    """Completion: the whole search with it, and the place of the cursor (characters from its beginning).

    `value` is the new text, a field with its colon or a value. `meaning` describes it, `person` is the person of an id.
    """

    value: str
    text: str
    caret: int
    meaning: str = ""
    person: str = ""


def people_in(offered: Sequence[Completion]) -> list[str]:
    """Return the ids of people and players among the completions."""
    return [completion.person for completion in offered if completion.person]


class _TypedText(msgspec.Struct, frozen=True):
    """Text before and behind the part being typed, and its field and value so far."""

    before: str
    behind: str
    field: str
    value: str

    def with_value(self, value: str) -> tuple[str, int]:
        start = self.before + value
        return start + self.behind, len(start)


def completions(
    text: str,
    at: int,
    people: Mapping[str, str],
    hidden_streams: tuple[str, ...] = (),
    language: str = ENGLISH,
    until: float | None = None,
) -> tuple[Completion, ...]:
    """Return the completions at a place of a search. At most one query a value, and one of the newest events.

    `until`: the deadline (`search_deadline`), with the completions that are known by then.

    Fields and values with titles are offered in the words of the language. `people` are names by id, as the reader may
    know them; `hidden_streams` are streams whose buy-ins the reader may not see.
    """
    typed_text = _typed_text(text, max(0, min(at, len(text))), language)
    rows = (
        EventLog.objects.exclude(figures_hidden_before_counts.hidden_events(hidden_streams, is_of_buyins=False))
        if hidden_streams
        else EventLog.objects.all()
    )
    values_or_fields = (
        _values(typed_text, people, rows, language) if typed_text.field else _fields(typed_text, language)
    )
    offered: list[Completion] = []
    with suppress(deadline_of_database_statements.OutOfTime), deadline_of_database_statements.limited(rows.db, until):
        for completion in islice(values_or_fields, AT_MOST):
            offered.append(completion)  # noqa: PERF402 - those before the deadline stay
    return tuple(offered)


def _typed_text(text: str, at: int, language: str = ENGLISH) -> _TypedText:
    start = _behind_last(text[:at], str.isspace)
    end = at
    while end < len(text) and not text[end].isspace() and text[end] != ")":
        end += 1
    start += len(text[start:at]) - len(text[start:at].lstrip("-("))
    field, colon, _rest = text[start:at].partition(":")
    if not colon or '"' in field:
        return _TypedText(text[:start], text[end:], "", text[start:at])
    values = start + len(field) + 1
    last = values + _behind_last(text[values:at], lambda character: character == ",")
    name = field_in_english(field.lower().replace("-", "_"), language)
    return _TypedText(text[:last], text[end:], name, text[last:at].removeprefix('"'))


def _behind_last(text: str, separates: Callable[[str], bool]) -> int:
    """Return the beginning of the part being typed: behind the last separator outside quotes."""
    start, quotes = 0, False
    for i, character in enumerate(text):
        quotes ^= character == '"'
        if separates(character) and not quotes:
            start = i + 1
    return start


# --- fields -----------------------------------------------------------------------------------------------------------


def _fields(typed_text: _TypedText, language: str) -> Iterator[Completion]:
    wanted = typed_text.value.lower().replace("-", "_")
    field_names = [field for field in FIELDS if field not in _LAST]
    field_names += [field for field in _LAST if field in FIELDS and wanted]
    for name in field_names:
        own = name if language == ENGLISH else field_word(name, language)
        is_own = own != name and key(own).startswith(key(wanted))
        if is_own or name.startswith(wanted):
            offered = f"{own if is_own else name}:"
            text, caret = typed_text.with_value(offered)
            yield Completion(offered, text, caret, _sentence(name))


def _sentence(field: str) -> str:
    sentence = SENTENCES.get(field) or (VOCABULARY[field].sentence if field in VOCABULARY else "")
    return gettext(str(sentence)) if sentence else ""


# --- values -----------------------------------------------------------------------------------------------------------


def _values(typed_text: _TypedText, people: Mapping[str, str], rows: Rows, language: str) -> Iterator[Completion]:
    seen: set[str] = set()
    for value, meaning in _occurring(typed_text, people, rows):
        if value in seen:
            continue
        seen.add(value)
        own = title(value, typed_text.field, language)
        text, caret = typed_text.with_value(quoted(own or value))
        person = value if typed_text.field in OF_PEOPLE else ""
        yield Completion(own or value, text, caret, value if own else "" if person else meaning, person)


def _occurring(typed_text: _TypedText, people: Mapping[str, str], rows: Rows) -> Iterator[tuple[str, str]]:
    """Yield values that begin with the text, or whose words do; with those words."""
    field, prefix = typed_text.field, typed_text.value
    if field in OF_PEOPLE and prefix:
        folded_prefix = fold(prefix)
        yield from ((person, "") for person, name in sorted(people.items()) if _begins(name, folded_prefix))
    if field in INDEXED:
        values = {value for spelling in spellings(prefix) for value in _skipping(rows, field, spelling)}
        yield from ((value, "") for value in sorted(values))
    elif field in _CLOSED:
        folded_prefix = fold(prefix)
        for code in _CLOSED[field]():
            meaning = word(code, field)
            if fold(code).startswith(folded_prefix) or _begins(meaning, folded_prefix):
                yield code, "" if fold(meaning) == fold(code) else meaning
    elif field in _OF_LOG:
        yield from ((value, "") for value in _newest_values(rows, _OF_LOG[field], prefix))


def _begins(words_of_name: str, wanted: str) -> bool:
    """Return whether one of its words begins with the text."""
    folded = fold(words_of_name)
    return bool(wanted) and (folded.startswith(wanted) or f" {wanted}" in folded)


def _skipping(rows: Rows, column: str, prefix: str) -> Iterator[str]:
    """Different values of an indexed column: one step in its index each, however many events have it."""
    column_values = rows.filter(**{f"{column}__isnull": False}).order_by(column).values_list(column, flat=True)
    value = column_values.filter(**{f"{column}__gte": prefix}).first()
    while value is not None and value.startswith(prefix):
        yield value
        value = column_values.filter(**{f"{column}__gt": value}).first()


def _newest_values(rows: Rows, column: str, prefix: str) -> list[str]:
    """Return different values among the newest events."""
    newest = rows.order_by("-position").values_list(column, flat=True)[:LATELY]
    values = {str(value) for value in newest if value is not None}
    return sorted(value for value in values if value.startswith(spellings(prefix)))


def _of_tables(column: str) -> Callable[[], list[str]]:
    def values() -> list[str]:
        names = TableDay.objects.order_by(column).values_list(column, flat=True).distinct()
        return [name for name in names if name]

    return values


def _days() -> list[str]:
    return _of_tables("gaming_day")()[::-1]


_CLOSED: dict[str, Callable[[], Iterable[str]]] = {
    "type": lambda: dict.fromkeys(base(type_) for type_ in sorted(event_types())),
    "table": _of_tables("table"),
    "pit": _of_tables("pit"),
    "ruleset": _of_tables("ruleset"),
    "day": _days,
    "gaming_day": _days,
    "irregularity": lambda: list(Irregularity.objects.order_by("kind").values_list("kind", flat=True).distinct()),
    "alert": lambda: RULES,
    "has": lambda: [name for name in HAS if name not in ("type", "stream")],
    "wager": lambda: known_values("wager", "default"),
    "outcome": lambda: known_values("outcome", "default"),
    "tender": lambda: ("cash", "chips", "marker", "promotional"),
    "actorrole": lambda: WORDS,
    "queued": lambda: ("yes", "no"),
}
_OF_LOG = {
    filter_.name: filter_.column
    for filter_ in EXACT
    if filter_.name in ("actor", "shift", "seat", "box", "device", "stream")
}
