"""The rows that are shown with the open items, and the times of all."""

from datetime import datetime

import msgspec

from backoffice.event_log.times_by_position import times_of
from backoffice.progressives.open_item_rows_and_counts import OpenMatters
from projections.combined_query import read_together
from projections.matters.models import ApprovalRequest, HousePayment, LevelWait, Misfit, Reading, Variance
from projections.progressives.models import ArmedRound, Hit

SHOWN = 50
DONE_SHOWN = 20


class MatterRows(msgspec.Struct):
    """Rows shown next to the open items, and the times of all events. Only the page has the finished ones."""

    open: OpenMatters
    requests: list[ApprovalRequest] = []
    closed: list[Variance] = []
    cleared: list[LevelWait] = []
    late: list[Hit] = []
    competing_hits: list[Hit] = []
    house_payments: list[HousePayment] = []
    readings: list[Reading] = []
    rounds: dict[str, str] = {}
    misfits_before: int = 0
    times: dict[int, datetime] = {}


def rows_with_open_items(now: OpenMatters) -> MatterRows:
    stream = now.progressive.id
    requests, closed_variances, cleared_waits, late_hits, readings, house_payments, rounds = read_together(
        ApprovalRequest.objects.filter(stream=stream, decided_at__isnull=False).order_by("-decided_at")[:DONE_SHOWN],
        Variance.objects.filter(stream=stream, closed_at__isnull=False).order_by("-closed_at")[:DONE_SHOWN],
        LevelWait.objects.filter(stream=stream, cleared_at__isnull=False).order_by("-cleared_at")[:10],
        Hit.objects.filter(stream=stream, is_late=True).exclude(status="refused").order_by("-position")[:SHOWN],
        Reading.objects.filter(stream=stream).order_by("-position")[:DONE_SHOWN],
        HousePayment.objects.filter(stream=stream).order_by("-position")[:SHOWN],
        ArmedRound.objects.filter(id__in={f"{hit.session}#{hit.round}" for hit in now.unpaid}),
    )
    sessions = {hit.session for hit in late_hits}
    same_rounds = Hit.objects.filter(session__in=sessions, round__in={hit.round for hit in late_hits}, status="paid")
    before = Misfit.objects.filter(stream=stream).count() - len(now.misfits)
    shown = (now.requests, requests, now.misfits, now.missed, readings, late_hits, house_payments)
    positions = [row.position for group in shown for row in group]
    for variance in (*now.variances, *closed_variances):
        positions += [variance.position, variance.closed_at or 0]
    for wait in (*now.waits, *cleared_waits):
        positions += [wait.position, wait.since, wait.cleared_at or 0]
    positions += [row.decided_at or 0 for row in requests] + [hit.since for hit in now.unpaid]
    return MatterRows(
        open=now,
        requests=requests,
        closed=closed_variances,
        cleared=cleared_waits,
        late=late_hits,
        competing_hits=list(same_rounds.filter(is_late=False)) if late_hits else [],
        house_payments=house_payments,
        readings=readings,
        rounds={row.id: row.status for row in rounds},
        misfits_before=before,
        times=times_of(positions),
    )
