"""Likely meanings of a bare word of a search: a table, a round, an amount, a time, a person. `amount:1,250.00` reads as
1 or 250.00, and one amount was probably meant. A meaning is offered, never assumed."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from decimal import Decimal

import msgspec

from backoffice.surveillance.search import deadline_of_database_statements
from backoffice.surveillance.search.field_conditions import base
from backoffice.surveillance.search.grammar import Clause, Node, narrowed, quoted, search_text
from backoffice.surveillance.search.search_to_log_conditions import Search
from backoffice.wording import formats
from events.catalogue import event_types
from projections.eventlog.models import EventLog

INDEXED = ("table", "player", "dealer", "inspector", "actor", "correlation", "shift", "wager", "outcome", "tender")
OF_PEOPLE = ("dealer", "inspector", "actor", "player")
BARE_MAX = 4
LEAST_S = 0.05  # for offers, also behind a search that took all of its time
MONEY = ("amount", "due", "paid")
_GROUPED = re.compile(r"-?\d{1,3}(,\d{3})+(\.\d{1,3})?", re.ASCII)
_NUMBER = re.compile(r"\d{1,9}", re.ASCII)
_AMOUNT = re.compile(r"-?\d{1,12}(\.\d{1,3})?", re.ASCII)
_TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?|\d{4}-\d\d-\d\dT\d\d:\d\d\S*", re.ASCII)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_ROUND = re.compile(r"(?P<round>[^/#@\s]+/\d{4}-\d\d-\d\d/\d{1,9})", re.ASCII)


class Offer(msgspec.Struct, frozen=True):
    """A filter in the place of a word; `text` is the whole search with it. `person`: its person, by id."""

    field: str
    value: str
    text: str
    person: str = ""


def offers_for_search(search: Search, until: float | None = None) -> tuple[Offer, ...]:
    """Return offers for the bare words of a search, up to four of them. `until`: the deadline of the search."""
    bare = [clause for clause in search.filters if not clause.field and not clause.negated][:BARE_MAX]
    of_words = list(
        _in_time(
            search,
            bare,
            None if until is None else max(until, deadline_of_database_statements.monotonic_time() + LEAST_S),
        )
    )
    whole = (_whole_search_offer(search.nodes, clause) for clause in search.filters if _is_one_amount(clause))
    return (*of_words, *whole, *_alternatives(search.nodes))


def _in_time(search: Search, bare: Sequence[Clause], until: float | None) -> Iterator[Offer]:
    """Yield the offers that are known by a moment: a value that occurs nowhere may need a search of the whole log."""
    with (
        suppress(deadline_of_database_statements.OutOfTime),
        deadline_of_database_statements.limited(search.using, until),
    ):
        for clause in bare:
            yield from _offers_for_nodes(search.nodes, clause, search.using)


def of_people(text: str, people: tuple[str, ...]) -> tuple[Offer, ...]:
    """Return offers for people named in a search: their possible roles in it."""
    return tuple(
        Offer(field, person, narrowed(text, f"{field}:{quoted(person)}"), person)
        for person in people
        for field in OF_PEOPLE
    )


def _is_one_amount(clause: Clause) -> bool:
    """Return whether its values are an amount in groups of three digits."""
    is_bare = clause.field in MONEY and not any(value.quoted for value in clause.values)
    return is_bare and _GROUPED.fullmatch(",".join(value.text for value in clause.values)) is not None


def _whole_search_offer(nodes: tuple[Node, ...], clause: Clause) -> Offer:
    value = "".join(value.text for value in clause.values)
    return Offer(
        clause.field, value, _replace_word(nodes, clause, f"{'-' if clause.negated else ''}{clause.field}:{value}")
    )


def _replace_word(nodes: tuple[Node, ...], clause: Clause, part: str) -> str:
    """The search with another part in the place of a word."""
    return search_text(msgspec.structs.replace(node, source=part) if node is clause else node for node in nodes)


def _alternatives(nodes: tuple[Node, ...]) -> Iterator[Offer]:
    """OR for each "or" between two parts: in small letters it is a word."""
    words = [node.source for node in nodes]
    inner = range(1, len(words) - 1)
    if any(words[at] in ("or", "Or") for at in inner):
        text = " ".join("OR" if at in inner and word in ("or", "Or") else word for at, word in enumerate(words))
        yield Offer("OR", text, text)


def _offers_for_nodes(nodes: tuple[Node, ...], clause: Clause, using: str) -> Iterator[Offer]:
    word = clause.values[0].text.strip()
    for field, value in dict.fromkeys(_filters(word, using)):
        yield Offer(field, value, _replace_word(nodes, clause, f"{field}:{quoted(value)}"))


def _filters(word: str, using: str) -> Iterator[tuple[str, str]]:
    """Yield filters that find such a value: indexed values are looked up, a query each."""
    rows = EventLog.objects.using(using)
    yield from ((field, word) for field in INDEXED if rows.filter(**{field: word}).exists())
    if word in {base(type_) for type_ in event_types()}:
        yield "type", word
    if _TIME.fullmatch(word):
        yield "time", word
    if _DAY.fullmatch(word):
        yield "day", word
    if _ROUND.fullmatch(word):
        yield "round", word
    if _NUMBER.fullmatch(word):
        yield "round", word
    if "@" in word and rows.named(word).exists():
        yield "around", word
    if (amount := _amount(word)) is not None:
        yield "amount", amount


def _amount(word: str) -> str | None:
    """An amount with a point, as a filter takes it: also one as the property writes it, 42,122.50."""
    if _AMOUNT.fullmatch(word):
        return word
    if _GROUPED.fullmatch(word):
        return word.replace(",", "")
    is_money = any(character.isdigit() for character in word) and not any(character.isalpha() for character in word)
    read: Decimal | None = formats.read(word) if is_money and not _TIME.fullmatch(word) else None
    return None if read is None or not read.is_finite() or len(word) > 20 else f"{read:f}"
