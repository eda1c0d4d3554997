"""Contents of the page of open items."""

import msgspec

from backoffice.kit.due_actions import pairs
from backoffice.progressives.matters import requests, shares, signs
from backoffice.progressives.matters.rows import SHOWN, rows_beside
from backoffice.progressives.open_matters import Counts, open_matters
from events.progressives.readings import VARIANCE_LIMIT_MINOR
from projections.progressives.models import Progressive


class Matters(msgspec.Struct, frozen=True):
    """Contents of the page of open items."""

    progressive: str
    stream: str
    currency: str
    counts: Counts
    approvals: tuple[requests.RequestShown, ...]
    asked_before: tuple[requests.RequestShown, ...]
    variances: tuple[signs.VarianceShown, ...]
    closed: tuple[signs.VarianceShown, ...]
    levels: tuple[signs.WaitingLevel, ...]
    cleared: tuple[signs.WaitingLevel, ...]
    misfits: tuple[signs.MisfitShown, ...]
    older_misfits: int
    unpaid: tuple[shares.UnpaidHit, ...]
    missed: tuple[shares.UndeclaredHit, ...]
    late: tuple[shares.LateHit, ...]
    house_payments: tuple[shares.PaymentShown, ...]
    due: tuple[signs.DueTask, ...]
    readings: tuple[signs.ReadingShown, ...]

    @property
    def variance_limit_minor(self) -> int:
        """A reading that is off by more opens a case."""
        return VARIANCE_LIMIT_MINOR


def matters(name: str) -> Matters | None:
    """Return the open items of a progressive; None where it was never opened. At most eight queries."""
    row = Progressive.objects.filter(progressive=name).first()
    if row is None:
        return None
    rows = rows_beside(open_matters([row])[row.id])
    now = rows.open
    return Matters(
        progressive=row.progressive,
        stream=row.id,
        currency=row.currency,
        counts=now.counts(),
        approvals=tuple(requests.asking(rows, request) for request in now.waiting[:SHOWN]),
        asked_before=tuple(requests.asking(rows, request) for request in [*requests.overtaken(now), *rows.asked]),
        variances=tuple(signs.off(rows, variance) for variance in now.variances),
        closed=tuple(signs.off(rows, variance) for variance in rows.closed),
        levels=tuple(signs.waiting(rows, wait) for wait in now.waits),
        cleared=tuple(signs.waiting(rows, wait) for wait in rows.cleared),
        misfits=tuple(
            signs.MisfitShown(misfit, rows.times.get(misfit.position), signs.todo(misfit))
            for misfit in now.misfits[-SHOWN:][::-1]
        ),
        older_misfits=rows.misfits_before,
        unpaid=tuple(shares.unpaid(rows, hit) for hit in now.unpaid[:SHOWN]),
        missed=tuple(shares.missed(rows, hit) for hit in now.missed[:SHOWN]),
        late=tuple(shares.late(rows, hit) for hit in rows.late),
        house_payments=tuple(shares.paid(rows, payment) for payment in rows.house_payments),
        due=tuple(signs.owed(now, due) for due in now.due),
        readings=tuple(
            signs.ReadingShown(reading, rows.times.get(reading.position), pairs(reading.people))
            for reading in rows.readings
        ),
    )
