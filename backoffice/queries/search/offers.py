"""What a bare word of a search probably is: a table, a round, an amount, somebody; and that `amount:1,250.00`, which is
1 or 250.00, was probably one amount. It is offered, never assumed."""

import re
from collections.abc import Iterator

import msgspec

from backoffice.queries.search.asked import Search
from backoffice.queries.search.grammar import Clause, quoted, written
from projections.eventlog.models import EventLog

INDEXED = ("table", "player", "dealer", "inspector", "correlation")
OF_PEOPLE = ("dealer", "inspector", "actor", "player")
BARE_MAX = 4
MONEY = ("amount", "due", "paid")
_GROUPED = re.compile(r"-?\d{1,3}(,\d{3})+(\.\d{1,3})?", re.ASCII)
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
    of_words = (offer for clause in bare for offer in _of(asked.clauses, clause, asked.using))
    return (*of_words, *(_whole(asked.clauses, one) for one in asked.clauses if _is_one_amount(one)))


def of_people(text: str, people: tuple[str, ...]) -> tuple[Offer, ...]:
    """For those who were named in a search: what each may have been in it."""
    return tuple(
        Offer(field, one, f"{text} {field}:{quoted(one)}".strip(), one) for one in people for field in OF_PEOPLE
    )


def _is_one_amount(clause: Clause) -> bool:
    """Whether its values are an amount in groups of three digits."""
    is_bare = clause.field in MONEY and not any(one.quoted for one in clause.values)
    return is_bare and _GROUPED.fullmatch(",".join(one.text for one in clause.values)) is not None


def _whole(clauses: tuple[Clause, ...], clause: Clause) -> Offer:
    value = "".join(one.text for one in clause.values)
    said = f"{'-' if clause.negated else ''}{clause.field}:{value}"
    return Offer(clause.field, value, " ".join(said if one is clause else one.source for one in clauses))


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
