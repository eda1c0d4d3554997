"""A person's own subscriptions: add, end, list with their deliveries."""

from collections.abc import Mapping, Sequence
from datetime import datetime, time

import msgspec
from django.db.models import F
from django.utils.translation import gettext_lazy

from backoffice.deliveries.destinations import destinations
from backoffice.deliveries.schedule import PERIOD_WORDS, PERIODS
from backoffice.deliveries.sources import SOURCES, open_sources
from backoffice.kit.readers import Reader
from backoffice.models import Delivery, Subscription
from events.error_codes import coded
from events.errors import Invalid
from events.runtime import clock
from projections.engine.watermark import watermarks
from projections.registry import PROJECTORS

AT_MOST = 50  # of one person
DELIVERIES_SHOWN = 50
STATE_WORDS = {
    "waiting": gettext_lazy("waiting"),
    "sent": gettext_lazy("sent"),
    "failed": gettext_lazy("failed"),
    "dropped": gettext_lazy("not sent"),
}
ANSWER_WORDS = {
    "no access": gettext_lazy("access ended"),
    "ended": gettext_lazy("subscription ended"),
    "nothing to see": gettext_lazy("nothing left to show"),
    "no such destination": gettext_lazy("the destination was removed"),
    "address refused": gettext_lazy("the address is not allowed"),
    "no mail address": gettext_lazy("no e-mail address"),
    "no mail server": gettext_lazy("no mail server"),
}


class SubscriptionRow(msgspec.Struct, frozen=True):
    """A subscription as its person reads it."""

    id: int
    title: str
    choice: str
    webhook: str
    period: str
    quiet: str
    last_at: datetime | None
    ended_at: datetime | None


class DeliveryRow(msgspec.Struct, frozen=True):
    """A delivery as its person reads it."""

    id: str
    title: str
    made_at: datetime
    sent_at: datetime | None
    state: str
    status: str
    tries: int
    answer: str

    @property
    def is_failed(self) -> bool:
        """Return whether it can be sent again."""
        return self.state == "failed"


class OwnSubscriptions(msgspec.Struct, frozen=True):
    """The subscriptions of a person, and their newest deliveries."""

    subscriptions: tuple[SubscriptionRow, ...]
    deliveries: tuple[DeliveryRow, ...]


def own(reader: Reader) -> OwnSubscriptions:
    """Return the reader's subscriptions and their newest deliveries. Two queries and one a kind of choice."""
    rows = list(Subscription.objects.filter(person=reader.person).order_by(F("ended_at").asc(nulls_first=True), "id"))
    named = {source.name: dict(source.choices(reader)) for source in open_sources(reader)}
    sent = Delivery.objects.filter(subscription__person=reader.person).select_related("subscription")
    return OwnSubscriptions(
        tuple(_row(row, named) for row in rows),
        tuple(_delivery(delivery) for delivery in sent.order_by("-made_at", "id")[:DELIVERIES_SHOWN]),
    )


def _title(subscription: Subscription) -> str:
    return str(SOURCES[subscription.source].title) if subscription.source in SOURCES else subscription.source


def _row(row: Subscription, named: Mapping[str, Mapping[str, object]]) -> SubscriptionRow:
    choice = str(named.get(row.source, {}).get(row.choice, row.choice))
    quiet = f"{row.quiet_from}–{row.quiet_to}" if row.quiet_from else ""
    return SubscriptionRow(
        row.id, _title(row), choice, row.webhook, str(PERIOD_WORDS[row.period]), quiet, row.last_at, row.ended_at
    )


def _delivery(row: Delivery) -> DeliveryRow:
    return DeliveryRow(
        row.id,
        _title(row.subscription),
        row.made_at,
        row.sent_at,
        row.state,
        str(STATE_WORDS[row.state]),
        row.tries,
        str(ANSWER_WORDS.get(row.answer, row.answer)),
    )


def webhooks() -> Sequence[str]:
    """Return the names of the webhooks of this machine."""
    return sorted(destinations().webhooks)


def subscribe(reader: Reader, form: Mapping[str, str]) -> None:
    """Add a subscription that begins with the next event. Raises Invalid, with the field."""
    source = SOURCES.get(form.get("source", "").partition(":")[0])
    choice = form.get("source", "").partition(":")[2]
    if source is None or not source.open_to.admits(reader) or choice not in dict(source.choices(reader)):
        raise Invalid("source", coded("subscription-source"))
    if form.get("webhook", "") not in ("", *webhooks()):
        raise Invalid("webhook", coded("subscription-webhook"))
    if form.get("period") not in PERIODS:
        raise Invalid("period", coded("subscription-period"))
    quiet = [_clock_time(form.get(name, ""), name) for name in ("quiet_from", "quiet_to")]
    if bool(quiet[0]) != bool(quiet[1]):
        raise Invalid("quiet_to", coded("subscription-quiet-hours"))
    if Subscription.objects.filter(person=reader.person, ended_at=None).count() >= AT_MOST:
        raise Invalid("source", coded("subscriptions-full", most=AT_MOST))
    Subscription.objects.create(
        person=reader.person,
        source=source.name,
        choice=choice,
        webhook=form.get("webhook", ""),
        period=form["period"],
        quiet_from=quiet[0],
        quiet_to=quiet[1],
        position=min(watermarks(list(PROJECTORS)).values()),
        made_at=clock.moment(),
    )


def _clock_time(text: str, field: str) -> str:
    if not text:
        return ""
    try:
        return time.fromisoformat(text).strftime("%H:%M")
    except ValueError as error:
        raise Invalid(field, coded("subscription-time")) from error


def end(reader: Reader, number: int) -> None:
    """End a subscription of the reader; deliveries that wait are dropped."""
    rows = Subscription.objects.filter(id=number, person=reader.person, ended_at=None)
    if rows.update(ended_at=clock.moment()):
        Delivery.objects.filter(subscription=number, state="waiting").update(state="dropped", answer="ended")


def send_again(reader: Reader, delivery: str) -> None:
    """Let a failed delivery of the reader be tried again, under the same id."""
    rows = Delivery.objects.filter(id=delivery, subscription__person=reader.person, subscription__ended_at=None)
    rows.filter(state="failed").update(state="waiting", tries=0, next_try_at=clock.moment())
