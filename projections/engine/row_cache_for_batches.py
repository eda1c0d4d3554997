"""Rows of a read model while a batch is merged: loaded once, changed in memory, written once.

A row may hold the state of a fold as JSON: it is decoded once, and written once a batch.
"""

from collections.abc import Callable, Iterable
from typing import Any, Generic, Protocol, TypeVar, cast

import msgspec
from django.db import models

from projections.engine.bulk_writer import Changes, WriteTarget

M = TypeVar("M", bound=models.Model)
S = TypeVar("S")

ROWS_MAX = 20_000  # kept in memory between batches
KEPT_MAX = 5_000  # decoded states in memory between batches


class RowCache(Generic[M]):
    """The rows of one model by primary key. There is one writer, so cached rows stay true until `forget`."""

    def __init__(self, target: WriteTarget, model: type[M]) -> None:
        self._target = target
        self._model = model
        self._row_by_id: dict[str, M | None] = {}
        self._changed_rows: dict[str, M] = {}
        self._attributes = [field.attname for field in model._meta.concrete_fields]

    def get(self, key: str) -> M | None:
        """The row, or None. Do not change it without `change`."""
        if key not in self._row_by_id:
            self.load([key])
        return self._row_by_id[key]

    def load(self, keys: Iterable[str]) -> None:
        """Bring these rows into memory, those that are not there yet, with one query."""
        missing = [key for key in dict.fromkeys(keys) if key not in self._row_by_id]
        if missing:
            rows = {row.pk: row for row in self._target.load(self._model, missing)}
            self._row_by_id.update((key, rows.get(key)) for key in missing)

    def adopt(self, rows: Iterable[M]) -> list[M]:
        """Return rows read by other means as they are in memory, changes not yet written included."""
        adopted = []
        for row in rows:
            if self._row_by_id.get(row.pk) is None:
                self._row_by_id[row.pk] = row
            adopted.append(self._row_by_id[row.pk] or row)
        return adopted

    def change(self, key: str, new: Callable[[], M]) -> M:
        """Return the row, to be changed and written at the next flush; `new` makes a missing row."""
        row = self._changed_rows.get(key)
        if row is None:
            row = self.get(key)
            if row is None:
                row = new()
                self._row_by_id[key] = row
            self._changed_rows[key] = row
        return row

    def add(self, key: str, **columns: Any) -> M:
        """Return the row as `change` does; a missing row is made of these columns."""
        return self.change(key, lambda: self._model(pk=key, **columns))

    def changes(self) -> Changes:
        """Return every changed row once, in the order of the keys (so that writers cannot deadlock). The caller writes
        them."""
        if not self._changed_rows:
            return self._model, ()
        changed, self._changed_rows = self._changed_rows, {}
        attributes = self._attributes
        rows = [[getattr(row, name) for name in attributes] for _, row in sorted(changed.items())]
        if len(self._row_by_id) > ROWS_MAX:
            self._row_by_id.clear()
        return self._model, rows

    def flush(self) -> None:
        """Write every changed row."""
        self._target.upsert([self.changes()])

    def forget(self) -> None:
        """The transaction was rolled back, or another person wrote: read again."""
        self._row_by_id.clear()
        self._changed_rows.clear()


class _StateRow(Protocol):
    state: str


class States(Generic[M, S]):
    """The states of one model by primary key; None where there is no row, or its state is empty."""

    def __init__(self, target: WriteTarget, model: type[M], shape: Any) -> None:
        self.rows = RowCache(target, model)
        self._decoder = msgspec.json.Decoder(shape)
        self._state_by_stream: dict[str, S | None] = {}
        self._changed_rows: dict[str, M] = {}

    def get(self, key: str) -> S | None:
        """Return the present state."""
        if key not in self._state_by_stream:
            row = self.rows.get(key)
            self._state_by_stream[key] = self._decode(row) if row is not None else None
        return self._state_by_stream[key]

    def put(self, key: str, state: S | None, new: Callable[[], M]) -> M:
        """Store the state under its key; return its row, for changes of other columns."""
        row = self.rows.change(key, new)
        self._state_by_stream[key], self._changed_rows[key] = state, row
        return row

    def load(self, keys: Iterable[str]) -> None:
        """Bring these rows into memory with one query."""
        self.rows.load(keys)

    def changes(self) -> Changes:
        """The changed rows, their states written."""
        for key, row in self._changed_rows.items():
            state = self._state_by_stream[key]
            cast("_StateRow", row).state = "" if state is None else msgspec.json.encode(state).decode()
        self._changed_rows = {}
        if len(self._state_by_stream) > KEPT_MAX:
            self._state_by_stream = {}
        return self.rows.changes()

    def forget(self) -> None:
        """The transaction was rolled back, or another person wrote."""
        self.rows.forget()
        self._state_by_stream, self._changed_rows = {}, {}

    def _decode(self, row: M) -> S | None:
        text = cast("_StateRow", row).state
        return cast("S", self._decoder.decode(text)) if text else None
