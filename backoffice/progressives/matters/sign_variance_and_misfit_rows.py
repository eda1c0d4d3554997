"""Readings of signs, their variances and the actions that close them, waiting levels, misfits."""

from datetime import datetime

import msgspec
from django.utils.translation import gettext as _

from backoffice.kit.due_action_and_link_structs import DueAction, People, pairs
from backoffice.progressives.matters.blank_fields import CAGE_DAY, SIGN_SHOWS, WHOM, WHY, blanks
from backoffice.progressives.matters.rows_shown_with_open_items import MatterRows
from backoffice.progressives.open_item_rows_and_counts import DueReading, OpenMatters, address
from projections.matters.models import LevelWait, Misfit, Reading, Variance

KEY = "A NEW KEY"


class VarianceShown(msgspec.Struct, frozen=True):
    """A variance of a reading: the read amount against the expected one at its position."""

    row: Variance
    opened: datetime | None
    closed: datetime | None
    people: People
    dos: tuple[DueAction, ...] = ()


class WaitingLevel(msgspec.Struct, frozen=True):
    """A level that waits, or waited, for an undealt round."""

    row: LevelWait
    hit_time: datetime | None
    recorded_at: datetime | None
    cleared: datetime | None


class MisfitShown(msgspec.Struct, frozen=True):
    """A fact that did not fit, and the actions of people on it."""

    row: Misfit
    time: datetime | None
    todo: str


class DueTask(msgspec.Struct, frozen=True):
    """Task of accounting at a sign, and the action that records it."""

    due: DueReading
    do: DueAction


class SignReadingShown(msgspec.Struct, frozen=True):
    """A reading of a sign or an increment test, in displayed form."""

    row: Reading
    time: datetime | None
    people: People


def owed(now: OpenMatters, due: DueReading) -> DueTask:
    to, accounting = address(now), _("count room or accountant")
    if due.kind == "test":
        return DueTask(due, DueAction(_("Record test"), accounting, to, KEY, "increment.test", {"level": due.level}))
    data = {"level": due.level, "read_minor": SIGN_SHOWS}
    return DueTask(due, DueAction(_("Record reading"), accounting, to, KEY, "meter.read", data, blanks=blanks(data)))


def variance_row(rows: MatterRows, row: Variance) -> VarianceShown:
    now, key = rows.open, f"close:{row.case}"
    reading_again = {"case": row.case, "way": "misread", "reason": WHY, "read_minor": SIGN_SHOWS}
    add = {"case": row.case, "way": "added", "reason": WHY}
    pay = {"case": row.case, "way": "paid", "reason": WHY, "player": WHOM, "gaming_day": CAGE_DAY}
    to, kind = address(now), "variance.close"
    accounting = _("two people from two departments, one from Accounting")
    departments = _("two people from two departments")
    with_the_cage = _("two people from two departments, one from the cage")
    ways = (
        (_("Record new reading"), accounting, "misread", reading_again),
        (_("Correct meter"), departments, "added", add),
        (_("Pay player"), with_the_cage, "paid", pay),
    )
    dos = tuple(
        DueAction(label, who, to, f"{key}:{way}", kind, data, blanks=blanks(data)) for label, who, way, data in ways
    )
    times = rows.times
    closed = times.get(row.closed_at or 0)
    return VarianceShown(row, times.get(row.position), closed, pairs(row.people), () if row.closed_at else dos)


def waiting_level_row(rows: MatterRows, row: LevelWait) -> WaitingLevel:
    times = rows.times
    return WaitingLevel(row, times.get(row.since), times.get(row.position), times.get(row.cleared_at or 0))


def todo(row: Misfit) -> str:
    """Return the task for people about a misfit: the fact stays, its consequence is corrected."""
    if row.type.startswith("progressive.armed"):
        return _(
            "This round did not contribute, and its hits are not valid. Declare it void while it "
            "runs, or correct the meter afterwards."
        )
    if row.type.startswith("hit.declared"):
        return _("No share is awarded. If the hand won, declare the hit late at the table. Otherwise do nothing.")
    return _("This changed no meter. Check the round at the table and correct the wrong entry.")
