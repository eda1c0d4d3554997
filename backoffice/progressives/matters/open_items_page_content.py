"""Contents of the page of open items."""

import msgspec

from backoffice.kit.due_action_and_link_structs import pairs
from backoffice.progressives.matters import (
    request_approvers_and_outcome,
    sign_variance_and_misfit_rows,
    unpaid_and_late_hit_rows,
)
from backoffice.progressives.matters.rows_shown_with_open_items import SHOWN, rows_with_open_items
from backoffice.progressives.open_item_rows_and_counts import Counts, open_matters
from events.progressives.sign_readings_and_variance_cases import VARIANCE_LIMIT_MINOR
from projections.progressives.models import Progressive


class Matters(msgspec.Struct, frozen=True):
    """Contents of the page of open items."""

    progressive: str
    stream: str
    currency: str
    counts: Counts
    approvals: tuple[request_approvers_and_outcome.RequestShown, ...]
    asked_before: tuple[request_approvers_and_outcome.RequestShown, ...]
    variances: tuple[sign_variance_and_misfit_rows.VarianceShown, ...]
    closed: tuple[sign_variance_and_misfit_rows.VarianceShown, ...]
    levels: tuple[sign_variance_and_misfit_rows.WaitingLevel, ...]
    cleared: tuple[sign_variance_and_misfit_rows.WaitingLevel, ...]
    misfits: tuple[sign_variance_and_misfit_rows.MisfitShown, ...]
    older_misfits: int
    unpaid: tuple[unpaid_and_late_hit_rows.UnpaidHit, ...]
    missed: tuple[unpaid_and_late_hit_rows.UndeclaredHit, ...]
    late: tuple[unpaid_and_late_hit_rows.LateHit, ...]
    house_payments: tuple[unpaid_and_late_hit_rows.PaymentShown, ...]
    due: tuple[sign_variance_and_misfit_rows.DueTask, ...]
    readings: tuple[sign_variance_and_misfit_rows.SignReadingShown, ...]

    @property
    def variance_limit_minor(self) -> int:
        """A reading that is off by more opens a case."""
        return VARIANCE_LIMIT_MINOR


def matters(name: str) -> Matters | None:
    """Return the open items of a progressive; None where it was never opened. At most eight queries."""
    row = Progressive.objects.filter(progressive=name).first()
    if row is None:
        return None
    rows = rows_with_open_items(open_matters([row])[row.id])
    now = rows.open
    return Matters(
        progressive=row.progressive,
        stream=row.id,
        currency=row.currency,
        counts=now.counts(),
        approvals=tuple(request_approvers_and_outcome.shown_request(rows, request) for request in now.waiting[:SHOWN]),
        asked_before=tuple(
            request_approvers_and_outcome.shown_request(rows, request)
            for request in [*request_approvers_and_outcome.impossible_requests(now), *rows.requests]
        ),
        variances=tuple(sign_variance_and_misfit_rows.variance_row(rows, variance) for variance in now.variances),
        closed=tuple(sign_variance_and_misfit_rows.variance_row(rows, variance) for variance in rows.closed),
        levels=tuple(sign_variance_and_misfit_rows.waiting_level_row(rows, wait) for wait in now.waits),
        cleared=tuple(sign_variance_and_misfit_rows.waiting_level_row(rows, wait) for wait in rows.cleared),
        misfits=tuple(
            sign_variance_and_misfit_rows.MisfitShown(
                misfit, rows.times.get(misfit.position), sign_variance_and_misfit_rows.todo(misfit)
            )
            for misfit in now.misfits[-SHOWN:][::-1]
        ),
        older_misfits=rows.misfits_before,
        unpaid=tuple(unpaid_and_late_hit_rows.unpaid_hit_row(rows, hit) for hit in now.unpaid[:SHOWN]),
        missed=tuple(unpaid_and_late_hit_rows.missed_hit_row(rows, hit) for hit in now.missed[:SHOWN]),
        late=tuple(unpaid_and_late_hit_rows.late_hit_row(rows, hit) for hit in rows.late),
        house_payments=tuple(unpaid_and_late_hit_rows.payment_row(rows, payment) for payment in rows.house_payments),
        due=tuple(sign_variance_and_misfit_rows.owed(now, due) for due in now.due),
        readings=tuple(
            sign_variance_and_misfit_rows.SignReadingShown(
                reading, rows.times.get(reading.position), pairs(reading.people)
            )
            for reading in rows.readings
        ),
    )
