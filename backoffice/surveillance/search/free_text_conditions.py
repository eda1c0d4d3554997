"""Words of a search: in texts of people, and in the pages' names of types and irregularities."""

from collections.abc import Sequence

from django.db.models import Q

from backoffice.surveillance.entity_event_queries import types_with
from backoffice.surveillance.search.condition_of_sql_and_predicate import WALKS_MAX, Condition, Event
from backoffice.surveillance.search.grammar import Mistake, Value
from backoffice.surveillance.search.index_walks import VALUES_MAX, values_with_prefix
from backoffice.surveillance.search.word_and_irregularity_index_walks import WORDS, WordBounds
from events.catalogue import event_types
from events.house import code_to_words_lookup
from events.house.code_to_words_lookup import of_the_house
from events.rules.game_declaration_and_registry import at_tables
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from projections.eventlog.text_folding import WRITTEN, event_texts, folded_words


def free_text(value: Value, irregular: Sequence[str], using: str) -> Condition:
    """Return the condition for whole words, in a row; with a star the last is a prefix. `irregular`: irregularity
    types.

    The longest whole word is looked up in the index: it is likely to be the rarest.
    """
    search_words = folded_words(value.text)
    if not search_words:
        raise Mistake(value.column, "search-word-missing")
    is_prefix = value.is_prefix
    titled = {type_ for type_, title in _types_titled() if _has_words_in_row(search_words, title, is_prefix=is_prefix)}
    types = titled.union(irregular, types_with(*WRITTEN))

    def finds(at: int, event: Event) -> bool:
        texts = _texts(event, irregular)
        return event["type"] in titled or any(
            _has_words_in_row(search_words, folded_words(text), is_prefix=is_prefix) for text in texts
        )

    leading = _leading(search_words, using, is_prefix=is_prefix)
    codes = tuple(code for code, title in _titles() if _has_words_in_row(search_words, title, is_prefix=is_prefix))
    is_short = leading is not None and len(titled) <= VALUES_MAX and len(codes) <= WALKS_MAX
    word_sources = WordBounds(tuple(sorted(titled)), leading or (), codes) if is_short else None
    return Condition(Q(type__in=sorted(types)), finds, words=word_sources)


def irregularity_codes() -> tuple[str, ...]:
    """The codes of all that may be recorded as irregular, in the house or at one of its games."""
    return tuple(code for code, _ in _titles())


def _has_words_in_row(wanted: Sequence[str], text: Sequence[str], *, is_prefix: bool) -> bool:
    """Return whether the words occur in a text in a row; the last may be the beginning of a word."""
    if not is_prefix and wanted[-1] not in text:  # as of nearly every text
        return False
    size = len(wanted)
    for at in range(len(text) - size + 1):
        *whole, last = text[at : at + size]
        if whole == list(wanted[:-1]) and (last.startswith(wanted[-1]) if is_prefix else last == wanted[-1]):
            return True
    return False


def _leading(wanted: Sequence[str], using: str, *, is_prefix: bool) -> tuple[str, ...] | None:
    """Return words of which every result has one; None for too many."""
    whole = wanted[:-1] if is_prefix else wanted
    if whole:
        return (max(whole, key=len),)
    begun = values_with_prefix("word", wanted, using, VALUES_MAX, table=WORDS)
    return None if begun is None else tuple(begun) or tuple(wanted)


@cached_until_forgotten
def _types_titled() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return every type of event with its English title: a search finds the same in every language."""
    return tuple((type_, folded_words(code_to_words_lookup.word(type_))) for type_ in event_types())


@cached_until_forgotten
def _titles() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return every code with its English title."""
    houses = [of_the_house(), *(table.words for table in at_tables().values())]
    return tuple({(code, folded_words(title)) for titles in houses for code, title in titles.items()})


def _texts(event: Event, irregular: Sequence[str]) -> list[str]:
    """Return the texts that people wrote in an event, and the name of its irregularity."""
    texts = list(event_texts(event))
    if event["type"] in irregular:
        texts.append(code_to_words_lookup.word(event["data"]["kind"], "kind", event["data"].get("ruleset", "")))
    return texts
