"""Indexes of further tables of the log: words, and the actions that recorded an irregularity."""

from collections.abc import Sequence
from typing import Any

import msgspec
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.db.models.lookups import IsNull

from backoffice.surveillance.search.index_walks import Asks, CombinedWalk, IndexChoice, Row, SearchWalk, Sql, ValueWalk
from backoffice.surveillance.search.position_spans_to_search import LOG, Stretch
from events.store import MAX_BATCH
from projections.eventlog.models import EventLog, EventWord
from projections.eventlog.text_folding import of_kind

ACTIONS_MAX = 1_000  # whose events are looked up in one query
WORDS = EventWord._meta.db_table


class WordBounds(msgspec.Struct, frozen=True):
    """Bounds of a search. Every event found matches one of them.

    It is of one of these types, has one of these words, or is an irregularity of one of these kinds.
    """

    types: tuple[str, ...]
    words: tuple[str, ...]
    kinds: tuple[str, ...]


class IrregularTypes(msgspec.Struct, frozen=True):
    """Events of these types that recorded something irregular: of these codes, or any."""

    types: tuple[str, ...]
    codes: tuple[str, ...] = ()

    def rows(self, using: str) -> "QuerySet[EventLog]":
        """Return all rows."""
        events = EventLog.objects.using(using).filter(type__in=self.types)
        words = EventWord.objects.using(using).filter(word__in=self._words)
        return events.filter(position__in=words.values("position")) if self.codes else events

    def is_of_action(self, using: str) -> Q:
        """Match the rows of the actions that recorded one. Each row's own action is looked up: a list of all actions
        would grow with the house."""
        own = self._of_codes(EventLog.objects.using(using).filter(type__in=self.types), using)
        in_action = own.filter(causation=OuterRef("causation")).values("position")
        return Q(_exists(in_action)) | self._itself(using)

    def _itself(self, using: str) -> Q:
        """Match an irregularity itself, also one without an action."""
        is_typed = Q(type__in=self.types)
        return is_typed & Q(_exists(self._word_rows(using))) if self.codes else is_typed

    def _of_codes(self, events: "QuerySet[EventLog]", using: str) -> "QuerySet[EventLog]":
        return events.filter(_exists(self._word_rows(using))) if self.codes else events

    def _word_rows(self, using: str) -> "QuerySet[EventWord, Any]":
        words = EventWord.objects.using(using).filter(position=OuterRef("position"), word__in=self._words)
        return words.values("position")

    @property
    def positions(self) -> Sql:
        """Return a statement of their positions, open to conditions: each type along its index, in its own order."""
        if not self.codes:
            each = " UNION ALL ".join([f"SELECT position FROM {LOG} WHERE type = %s"] * len(self.types))
            return f"SELECT position FROM ({each}) AS recorded WHERE true", [*self.types]
        return f"SELECT position FROM {WORDS} WHERE word IN ({', '.join(['%s'] * len(self.codes))})", self._words

    @property
    def _words(self) -> list[str]:
        return [of_kind(code)[0] for code in self.codes]


def _exists(rows: "QuerySet[Any]") -> IsNull:
    """Match where there are rows. PostgreSQL may read all rows of the log once for an EXISTS; for this it may not."""
    return IsNull(Subquery(rows[:1]), False)


class ActionWalk(SearchWalk):
    """The events of the actions that recorded something irregular."""

    description = "along the recorded irregularities and their actions"

    def __init__(self, asks: Asks, recorded: IrregularTypes, stretch: Stretch, using: str) -> None:
        super().__init__(asks, stretch, using)
        self._recorded = recorded

    def read_matches(self, at: int, width: int, most: int) -> tuple[list[Row], int]:
        """Return the matches up to the last action looked up."""
        edge, actions, alone = self._actions(at, width)
        rows = self._read(self._action_events(at, edge, actions, alone, most)) if actions or alone else []
        return rows, rows[-1][0] if len(rows) == most else edge

    def statement(self, at: int, width: int, most: int) -> Sql:
        """The events of those actions."""
        return self._action_events(at, *self._actions(at, width), most)

    def nth_position(self, at: int, number: int) -> int:
        return self._nth_of_statement(self._within(at), number)

    def _within(self, at: int) -> Sql:
        """Return a statement of the recorded positions, in order."""
        text, values = self._recorded.positions
        order = self._ordered("position")
        return f"{text} AND position > %s AND position < %s ORDER BY {order}", [
            *values,
            *self._bounds_around(at, self.stretch.end),
        ]

    def _actions(self, at: int, width: int) -> tuple[int, list[str], list[int]]:
        """Return an edge with about `width / 100` records before it, their actions' keys, and positions without action.

        The events of each action are looked up, so the width is a hundredth of other walks'.

        An action is stored in one transaction: its events are no further apart than that has room for.
        """
        number, newest = min(max(width // 100, 1), ACTIONS_MAX), self.stretch.newest
        (text, values), (inside, inside_values) = self._recorded.positions, self._within(at)
        last = f"coalesce(({inside} LIMIT 1 OFFSET %s), %s)"
        bounds = (
            ("position < %s", f"position > {last} - %s") if newest else ("position > %s", f"position < {last} + %s")
        )
        near = f"{text} AND {' AND '.join(bounds)}"
        rows = self._all(
            f"SELECT walk.position, causation FROM ({near}) AS walk JOIN {LOG} ON {LOG}.position = walk.position"
            f" ORDER BY {self._ordered('walk.position')}",
            [
                *values,
                at + MAX_BATCH if newest else at - MAX_BATCH,
                *inside_values,
                number - 1,
                self.stretch.end,
                MAX_BATCH,
            ],
        )
        beyond = [place for place, _ in rows if (place < at if newest else place > at)]
        edge = beyond[number - 1] if len(beyond) >= number else self.stretch.end
        return edge, [key for _, key in rows if key is not None], [place for place, key in rows if key is None]

    def _action_events(self, at: int, edge: int, actions: list[str], alone: list[int], most: int) -> Sql:
        marks = ", ".join(["%s"] * len(actions)) or "NULL"
        of_none = ", ".join(["%s"] * len(alone)) or "NULL"
        walk = f"(causation IN ({marks}) OR position IN ({of_none})) AND position > %s AND position < %s"
        values = [*actions, *alone, *self._bounds_around(at, edge)]
        return self._first_rows(walk, values, self._ordered("position"), 2 * MAX_BATCH * ACTIONS_MAX, most)


class WordWalk(SearchWalk):
    """The events with one of these words."""

    def __init__(self, asks: Asks, words: Sequence[str], stretch: Stretch, using: str) -> None:
        super().__init__(asks, stretch, using)
        self._plan_words = words

    def statement(self, at: int, width: int, most: int) -> Sql:
        """Return a statement that looks each up by its position."""
        number = min(width, ACTIONS_MAX) if self._rest[0] else most
        return self._rows_at_positions(self._positions(at, number), number, most)

    def nth_position(self, at: int, number: int) -> int:
        return self._nth_of_statement(self._positions(at, number), number)

    def _edge(self, at: int, width: int) -> int:
        return super()._edge(at, min(width, ACTIONS_MAX))

    def _positions(self, at: int, number: int) -> Sql:
        """The first of each word, then of all together."""
        order = self._ordered("position")
        where = "word = %s AND position > %s AND position < %s"
        each = f"SELECT position FROM {WORDS} WHERE {where} ORDER BY {order} LIMIT %s"
        within = self._bounds_around(at, self.stretch.end)
        unions = " UNION ".join([f"SELECT position FROM ({each}) AS word"] * len(self._plan_words))
        values = [value for word in self._plan_words for value in (word, *within, number)]
        return f"SELECT position FROM ({unions}) AS events_with_words ORDER BY {order}", values


def walk_of_words(asks: Asks, sources: WordBounds, stretch: Stretch, using: str) -> SearchWalk:
    """Return the walk along types with the title, events with the word, and events with such a kind."""
    all_words = [*sources.words, *(of_kind(kind)[0] for kind in sources.kinds)]
    walks: list[SearchWalk] = [WordWalk(asks, all_words, stretch, using)]
    walks += [ValueWalk(asks, IndexChoice(("type",), ()), (type_,), stretch, using) for type_ in sources.types]
    return CombinedWalk(walks, f"along the events with {' or '.join(map(repr, sources.words))}")
