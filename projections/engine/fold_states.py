"""States of the fold with their rows: decoded once, written as JSON once a batch."""

from collections.abc import Callable, Iterable
from typing import Any, Generic, Protocol, TypeVar, cast

import msgspec
from django.db import models

from projections.engine.batch_rows import RowCache
from projections.engine.bulk_writer import Changes, Target

KEPT_MAX = 5_000  # decoded states in memory between batches


class _StateRow(Protocol):
    state: str


M = TypeVar("M", bound=models.Model)
S = TypeVar("S")


class States(Generic[M, S]):
    """The states of one model by primary key; None where there is no row, or its state is empty."""

    def __init__(self, target: Target, model: type[M], shape: Any) -> None:
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
