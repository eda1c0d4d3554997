"""Values that end with a star: `player:g-10*` is any value that begins with g-10."""

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any

import msgspec
from django.db.models import F, Q
from django.db.models.functions import Left
from django.db.models.lookups import Exact

from backoffice.surveillance.search.grammar import Clause, Mistake, Value
from events.error_codes import coded
from events.error_codes.coded_error_text import Name
from events.text.id_spelling_normalization import spellings


class TextPatterns(msgspec.Struct, frozen=True):
    """Texts that are meant: `whole`, or all that begin with one of the `prefixes`."""

    whole: tuple[str, ...]
    prefixes: tuple[str, ...] = ()

    def begins(self, text: Any) -> bool:
        """Return whether a text begins with one of the prefixes."""
        return isinstance(text, str) and text.startswith(self.prefixes)

    def holds(self, text: Any) -> bool:
        """Return whether a text matches."""
        return text in self.whole or self.begins(text)

    def asks(self, column: str) -> Q:
        """Match the values of a column with this prefix, by their characters, in any collation of the database."""
        begins = (Q(Exact(Left(F(column), len(prefix)), prefix)) for prefix in self.prefixes)
        return Q(**{f"{column}__isnull": False}) & reduce(or_, begins)


def texts(clause: Clause) -> TextPatterns:
    """The values of a filter, in either spelling of Unicode: old events may have another than the door takes today."""
    whole = (text for value in clause.values if not value.is_prefix for text in spellings(value.text))
    prefixes = (text for value in clause.values if value.is_prefix for text in spellings(value.text))
    return TextPatterns(tuple(whole), tuple(prefixes))


def chosen(clause: Clause, known_values: Sequence[str]) -> Clause:
    """A filter with the values of a closed list that it means. Raises Mistake, which names these values."""
    values: list[Value] = []
    for value in clause.values:
        wanted = TextPatterns((), (value.text,)) if value.is_prefix else TextPatterns((value.text,))
        matching = [text for text in known_values if wanted.holds(text)]
        if not matching:
            hint = coded("did-you-mean", near=[*map(Name, known_values)])
            raise Mistake(value.column, "search-value-unknown", field=clause.field, text=value.text[:40], hint=hint)
        values += [Value(text, value.column) for text in matching]
    return msgspec.structs.replace(clause, values=tuple(values))


def refuse_prefix(clause: Clause) -> None:
    """Raise Mistake where a value ends with a star."""
    for value in clause.values:
        if value.is_prefix:
            raise Mistake(value.end, "search-star-not-allowed", field=clause.field)
