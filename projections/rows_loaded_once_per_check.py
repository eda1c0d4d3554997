"""The rows of the read models, each model read once however many look at it."""

from operator import attrgetter
from typing import TypeVar, cast

from django.db import models

M = TypeVar("M", bound=models.Model)


class LoadedRows:
    """Every row of the requested models. Later reads see later rows: read all within one moment."""

    def __init__(self, using: str = "default") -> None:
        self._using = using
        self._rows: dict[type[models.Model], list[models.Model]] = {}

    def all(self, model: type[M], *order: str) -> list[M]:
        """The rows of a model, in the order of these columns; of its primary key, where none is named."""
        if model not in self._rows:
            # In Python's order: a database may have a collation of its own.
            self._rows[model] = sorted(model._default_manager.using(self._using).all(), key=attrgetter("pk"))
        rows = cast("list[M]", self._rows[model])
        return sorted(rows, key=attrgetter(*order)) if order else rows
