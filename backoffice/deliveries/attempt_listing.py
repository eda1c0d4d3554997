"""The administrator's log of attempts, newest first. It shows ids, destinations and results, and no content."""

from datetime import datetime

import msgspec
from django.db.models import Count, QuerySet

from backoffice.deliveries.bookmark_push_list_and_repeat import PushRow, push_log
from backoffice.deliveries.destinations_configuration_file import destinations
from backoffice.deliveries.personal_subscriptions import STATE_WORDS, result_words, title_of
from backoffice.kit.reader_and_read_rule_types import Reader
from backoffice.models import Delivery, DeliveryAttempt

PAGE = 100


class AttemptRow(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt to send a delivery. `is_interrupted`: it has no result, since the sender was killed or still sends."""

    number: int
    at: datetime
    delivery: str
    person: str
    title: str
    kind: str
    destination: str
    state: str
    status: str
    result: str
    next_try_at: datetime | None
    requested_by: str
    is_interrupted: bool
    may_repeat: bool


class AttemptLog(msgspec.Struct, frozen=True, kw_only=True):
    """A page of the log. `after=next` continues, null at the end. `states`: the number of deliveries by state.

    `pushes`: the newest bookmarks that go to video systems, on the first page.
    """

    attempts: tuple[AttemptRow, ...]
    next: str | None
    states: tuple[tuple[str, str, int], ...]
    destinations: tuple[str, ...]
    state: str
    destination: str
    pushes: tuple[PushRow, ...] = ()


def attempt_log(reader: Reader, state: str = "", destination: str = "", after: str = "") -> AttemptLog:
    """Return a page of the log: attempts whose delivery has this state now, to this destination ("mail": e-mails)."""
    rows = _matching(state, destination)
    if after.isascii() and after.isdecimal() and len(after) < 18:
        rows = rows.filter(id__lt=int(after))
    page_rows = [*rows.select_related("delivery__subscription").order_by("-id")[: PAGE + 1]]
    counted = dict(Delivery.objects.values("state").annotate(n=Count("id")).values_list("state", "n"))
    return AttemptLog(
        attempts=tuple(map(_row, page_rows[:PAGE])),
        next=str(page_rows[PAGE - 1].id) if len(page_rows) > PAGE else None,
        states=tuple((name, str(words), counted.get(name, 0)) for name, words in STATE_WORDS.items()),
        destinations=_names(),
        state=state,
        destination=destination,
        pushes=() if after else push_log(reader, state, destination),
    )


def _matching(state: str, destination: str) -> QuerySet[DeliveryAttempt]:
    rows = DeliveryAttempt.objects.all()
    if state in STATE_WORDS:
        rows = rows.filter(delivery__state=state)
    if destination == "mail":
        return rows.filter(kind="mail")
    return rows.filter(destination=destination) if destination else rows


def _names() -> tuple[str, ...]:
    """Return the names of all destinations in the file; addresses are never shown."""
    named = destinations()
    return ("mail", *sorted({*named.webhooks, *named.folders, *named.video_systems}))


def _row(row: DeliveryAttempt) -> AttemptRow:
    delivery = row.delivery
    state = row.state or "waiting"
    return AttemptRow(
        number=row.id,
        at=row.at,
        delivery=delivery.id,
        person=delivery.subscription.person,
        title=title_of(delivery.subscription),
        kind=row.kind,
        destination=row.destination,
        state=state,
        status=str(STATE_WORDS[state]),
        result=result_words(row.result),
        next_try_at=row.next_try_at if delivery.state == "waiting" else None,
        requested_by=row.requested_by,
        is_interrupted=not row.state,
        may_repeat=delivery.state in ("failed", "sent") and delivery.subscription.ended_at is None,
    )
