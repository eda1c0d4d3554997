"""Everything on the page of open matters."""

import msgspec

from backoffice.queries.matters import requests, shares, signs
from backoffice.queries.matters.doing import pairs
from backoffice.queries.matters.rows import SHOWN, rows_beside
from backoffice.queries.open_matters import Counts, open_matters
from events.progressives.readings import VARIANCE_LIMIT_MINOR
from projections.progressives.models import Progressive


class Matters(msgspec.Struct, frozen=True):
    """Everything on the page of open matters."""

    progressive: str
    stream: str
    currency: str
    counts: Counts
    approvals: tuple[requests.Asking, ...]
    asked_before: tuple[requests.Asking, ...]
    variances: tuple[signs.Off, ...]
    closed: tuple[signs.Off, ...]
    levels: tuple[signs.Waiting, ...]
    cleared: tuple[signs.Waiting, ...]
    misfits: tuple[signs.Unfit, ...]
    older_misfits: int
    unpaid: tuple[shares.Unpaid, ...]
    missed: tuple[shares.Missed, ...]
    late: tuple[shares.Late, ...]
    house_payments: tuple[shares.Paid, ...]
    due: tuple[signs.Owed, ...]
    readings: tuple[signs.Shown, ...]

    @property
    def variance_limit_minor(self) -> int:
        """A reading that is off by more opens a case."""
        return VARIANCE_LIMIT_MINOR


def matters(name: str) -> Matters | None:
    """The open matters of a progressive; None where it was never opened. At most eight queries."""
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
        approvals=tuple(requests.asking(rows, one) for one in now.waiting[:SHOWN]),
        asked_before=tuple(requests.asking(rows, one) for one in [*requests.overtaken(now), *rows.asked]),
        variances=tuple(signs.off(rows, one) for one in now.variances),
        closed=tuple(signs.off(rows, one) for one in rows.closed),
        levels=tuple(signs.waiting(rows, one) for one in now.waits),
        cleared=tuple(signs.waiting(rows, one) for one in rows.cleared),
        misfits=tuple(
            signs.Unfit(one, rows.times.get(one.position), signs.todo(one)) for one in now.misfits[-SHOWN:][::-1]
        ),
        older_misfits=rows.misfits_before,
        unpaid=tuple(shares.unpaid(rows, one) for one in now.unpaid[:SHOWN]),
        missed=tuple(shares.missed(rows, one) for one in now.missed[:SHOWN]),
        late=tuple(shares.late(rows, one) for one in rows.late),
        house_payments=tuple(shares.paid(rows, one) for one in rows.house_payments),
        due=tuple(signs.owed(now, one) for one in now.due),
        readings=tuple(signs.Shown(one, rows.times.get(one.position), pairs(one.people)) for one in rows.readings),
    )
