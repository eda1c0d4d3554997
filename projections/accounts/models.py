"""The accounts of the house as rows: each part of the fold (`events/accounting`) with its search keys.

A `state` is the fold's own Struct as JSON: amounts have no columns of their own, so that each is stored once. The
tables' gaming days are rows of `projections.tables.models.TableDay`, which has sums for the floor as well.
"""

from django.db import models

from projections.engine.models import ReadModelRow


class TableHour(ReadModelRow):
    """Amounts moved at a table in one clock hour (UTC) of its events. The id is STREAM#HOUR, as 2026-11-20T21."""

    stream = models.TextField()
    table = models.TextField()
    gaming_day = models.TextField()
    hour = models.TextField()
    first = models.BigIntegerField(default=0)
    last = models.BigIntegerField(default=0)
    state = models.TextField(default="")

    class Meta:
        indexes = [models.Index("gaming_day", "hour", name="account_hour")]


class BoxAccount(ReadModelRow):
    """A drop box of a table's gaming day. The id is STREAM#BOX; the positions are those of its steps (None: not
    yet)."""

    stream = models.TextField()
    table = models.TextField()
    gaming_day = models.TextField()
    drop_box = models.TextField()
    shift = models.TextField(default="")
    put_at = models.BigIntegerField(null=True)
    removed_at = models.BigIntegerField(null=True)
    entered_at = models.BigIntegerField(null=True)
    differed_at = models.BigIntegerField(null=True)
    counted_at = models.BigIntegerField(null=True)
    counters = models.TextField(default="[]")  # JSON list of people
    state = models.TextField(default="")  # the figures that are open by now (`Counts`)

    class Meta:
        indexes = [models.Index("gaming_day", "table", name="account_box")]


class SlipAccount(ReadModelRow):
    """A fill or credit slip. The id is its name; a request without an issued slip has the id REQUEST?KIND."""

    kind = models.TextField()
    number = models.BigIntegerField(default=0)  # 0: not issued yet
    year = models.TextField(default="")
    table = models.TextField()
    gaming_day = models.TextField()
    request = models.TextField(default="")
    asked_at = models.BigIntegerField(null=True)
    issued_at = models.BigIntegerField(null=True)
    sent_at = models.BigIntegerField(null=True)
    settled_at = models.BigIntegerField(null=True)
    state = models.TextField(default="")

    class Meta:
        indexes = [
            models.Index("gaming_day", name="account_slip"),
            models.Index("settled_at", name="account_slip_open"),
        ]


class FoundAccount(ReadModelRow):
    """A discrepancy. The id is that of its event, `content` the content of that event, as JSON.

    `since` is the position of the count from which it is measured; 0 for a discrepancy that is not of a tray.
    """

    position = models.BigIntegerField()
    stream = models.TextField()
    table = models.TextField(default="")
    gaming_day = models.TextField()
    kind = models.TextField()
    band = models.TextField()
    time = models.TextField()
    since = models.BigIntegerField(default=0)
    content = models.TextField(db_column="said")
    explained_at = models.BigIntegerField(null=True)
    explained_by = models.TextField(default="")
    reason = models.TextField(default="")
    state = models.TextField(default="")

    class Meta:
        indexes = [models.Index("gaming_day", "position", name="account_found")]

    def __str__(self) -> str:
        return f"{self.id}: {self.kind}"


class CageAccount(ReadModelRow):
    """A gaming day of the cage; `state` once it is closed. The id is the day."""

    opened_at = models.BigIntegerField(null=True)
    closed_at = models.BigIntegerField(null=True)
    state = models.TextField(default="")


class PaperAccount(ReadModelRow):
    """A slip of a progressive that was paid. The id is PROGRESSIVE/YEAR/NUMBER."""

    gaming_day = models.TextField()
    position = models.BigIntegerField()
    state = models.TextField(default="")

    class Meta:
        indexes = [models.Index("gaming_day", name="account_paper")]


class DayAccount(ReadModelRow):
    """A gaming day of the property: its place in the store, and whether it is closed."""

    first = models.BigIntegerField()
    last = models.BigIntegerField()
    is_closed = models.BooleanField(default=False)
    state = models.TextField(default="")


class DayReport(ReadModelRow):
    """Report of a closed day (0) or of a restatement (1, 2, ...). The id is DAY#NUMBER.

    `figures` are those of the canonical report without the progressives. `basis` are the accounts at the close (of 0).
    `changed` has each named event with the figures that it changed.
    """

    gaming_day = models.TextField()
    number = models.IntegerField()
    position = models.BigIntegerField()  # of the event that closed or restated it
    time = models.TextField()
    actor = models.TextField()
    reason = models.TextField(default="")
    digest = models.TextField()
    figures = models.TextField()
    basis = models.TextField(default="")
    changed = models.TextField(default="[]")


class LateEvent(ReadModelRow):
    """An event of a gaming day after its close. `named`: the restatement that includes it; 0: none yet.

    The id is that of the event. It is DAY|EVENT where the event is of a later day of the cage, and settles a slip that
    was open on this day.
    """

    gaming_day = models.TextField()
    position = models.BigIntegerField()
    stream = models.TextField()
    type = models.TextField()
    time = models.TextField()
    actor = models.TextField()
    raw = models.TextField()
    named = models.IntegerField(default=0)

    class Meta:
        indexes = [models.Index("gaming_day", "position", name="account_late")]

    def __str__(self) -> str:
        return f"{self.id} for {self.gaming_day}"

    @property
    def event(self) -> str:
        """The id of the event."""
        return self.id.rpartition("|")[2]


class AccountsNow(ReadModelRow):
    """State that belongs to no day (`CurrentState`), in one row: settings, expected cage, each table's last day."""

    state = models.TextField()
