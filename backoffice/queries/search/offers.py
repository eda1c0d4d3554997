"""What a bare word of a search probably is: a table, a round, an amount, somebody. It is offered, never assumed."""

import re
from collections.abc import Iterator

import msgspec

from backoffice.queries.search.asked import Search
from backoffice.queries.search.grammar import Clause, quoted, written
from projections.eventlog.models import EventLog

INDEXED = ("table", "player", "dealer", "inspector", "correlation")
OF_PEOPLE = ("dealer", "inspector", "actor", "player")
BARE_MAX = 4
_NUMBER = re.compile(r"\d{1,9}", re.ASCII)
_AMOUNT = re.compile(r"-?\d{1,12}(\.\d{1,3})?", re.ASCII)


class Offer(msgspec.Struct, frozen=True):
    """A filter in the place of a word; `text` is the whole search with it. `person`: whom it is about, by id."""

    field: str
    value: str
    text: str
    person: str = ""


def offers(asked: Search) -> tuple[Offer, ...]:
    """For the bare words of a search, up to four of them."""
    bare = [one for one in asked.clauses if not one.field and not one.negated][:BARE_MAX]
    return tuple(offer for clause in bare for offer in _of(asked.clauses, clause, asked.using))


def of_people(text: str, people: tuple[str, ...]) -> tuple[Offer, ...]:
    """For those who were named in a search: what each may have been in it."""
    return tuple(
        Offer(field, one, f"{text} {field}:{quoted(one)}".strip(), one) for one in people for field in OF_PEOPLE
    )


def _of(clauses: tuple[Clause, ...], clause: Clause, using: str) -> Iterator[Offer]:
    said = clause.values[0].text.strip()
    for field in _fields(said, using):
        parts = [f"{field}:{quoted(said)}" if one is clause else written((one,)) for one in clauses]
        yield Offer(field, said, " ".join(parts))


def _fields(said: str, using: str) -> Iterator[str]:
    """Under which fields such a value stands: what has an index is looked up in it, a query each."""
    if "\x00" in said:
        return
    rows = EventLog.objects.using(using)
    yield from (field for field in INDEXED if rows.filter(**{field: said}).exists())
    if _NUMBER.fullmatch(said):
        yield "round"
    if _AMOUNT.fullmatch(said):
        yield "amount"
