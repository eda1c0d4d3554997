"""A person's own subscriptions: add, end, list with their deliveries."""

from collections.abc import Mapping, Sequence
from datetime import datetime, time

import msgspec
from django.db.models import F, QuerySet
from django.utils.translation import gettext_lazy

from backoffice.deliveries.destinations_configuration_file import destinations
from backoffice.deliveries.digest_times_and_quiet_hours import PERIOD_WORDS
from backoffice.deliveries.news_sources_for_subscribers import SOURCES, open_sources
from backoffice.kit.reader_and_read_rule_types import Reader
from backoffice.models import Delivery, Subscription
from events.error_codes import coded
from events.errors import Invalid
from events.runtime import clock
from projections.engine.projection_positions_and_wait import watermarks
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
    "folder full": gettext_lazy("the folder is full"),
    "folder gone": gettext_lazy("the folder does not exist"),
    "folder not writable": gettext_lazy("the folder is not writable"),
    "name taken": gettext_lazy("the folder has another file of this name"),
    "report not ready": gettext_lazy("the report is not ready"),
    "TimeoutError": gettext_lazy("no answer in time"),
}
FOLDER = "folder:"  # in front of a folder's name in the form


class SubscriptionRow(msgspec.Struct, frozen=True):
    """A subscription as its person reads it."""

    id: int
    title: str
    choice: str
    webhook: str
    folder: str
    period: str
    quiet: str
    last_at: datetime | None
    ended_at: datetime | None
    has_lost_access: bool


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
    next_try_at: datetime | None

    @property
    def is_failed(self) -> bool:
        """Return whether it can be sent again."""
        return self.state == "failed"


class OwnSubscriptions(msgspec.Struct, frozen=True):
    """The subscriptions of a person, and their newest deliveries."""

    subscriptions: tuple[SubscriptionRow, ...]
    deliveries: tuple[DeliveryRow, ...]


def own_subscriptions(reader: Reader) -> OwnSubscriptions:
    """Return the reader's subscriptions and their newest deliveries. Two queries and one a kind of choice."""
    rows = list(Subscription.objects.filter(person=reader.person).order_by(F("ended_at").asc(nulls_first=True), "id"))
    named = {source.name: dict(source.choices(reader)) for source in open_sources(reader)}
    sent = Delivery.objects.filter(subscription__person=reader.person).select_related("subscription")
    return OwnSubscriptions(
        tuple(_row(row, named) for row in rows),
        tuple(_delivery(delivery) for delivery in sent.order_by("-made_at", "id")[:DELIVERIES_SHOWN]),
    )


def title_of(subscription: Subscription) -> str:
    """Return the kind of news of a subscription, in the reader's language."""
    return str(SOURCES[subscription.source].title) if subscription.source in SOURCES else subscription.source


def _row(row: Subscription, names_by_source: Mapping[str, Mapping[str, object]]) -> SubscriptionRow:
    choice = str(names_by_source.get(row.source, {}).get(row.choice, row.choice))
    quiet = f"{row.quiet_from}–{row.quiet_to}" if row.quiet_from else ""
    return SubscriptionRow(
        row.id,
        title_of(row),
        choice,
        row.webhook,
        row.folder,
        str(PERIOD_WORDS[row.period]),
        quiet,
        row.last_at,
        row.ended_at,
        row.end_reason == "no access",
    )


def _delivery(row: Delivery) -> DeliveryRow:
    return DeliveryRow(
        row.id,
        title_of(row.subscription),
        row.made_at,
        row.sent_at,
        row.state,
        str(STATE_WORDS[row.state]),
        row.tries,
        result_words(row.answer),
        row.next_try_at if row.state == "waiting" and row.tries else None,
    )


def result_words(answer: str) -> str:
    """Return why a delivery was not sent, in the reader's language."""
    return str(ANSWER_WORDS.get(answer, answer))


def webhooks() -> Sequence[str]:
    """Return the names of the webhooks of this machine."""
    return sorted(destinations().webhooks)


def folders() -> Sequence[str]:
    """Return the names of the report folders of this machine."""
    return sorted(destinations().folders)


def subscribe(reader: Reader, form: Mapping[str, str]) -> None:
    """Add a subscription that begins with the next event. Raises Invalid, with the field."""
    source = SOURCES.get(form.get("source", "").partition(":")[0])
    choice = form.get("source", "").partition(":")[2]
    if source is None or not source.open_to.admits(reader) or choice not in dict(source.choices(reader)):
        raise Invalid("source", coded("subscription-source"))
    webhook, folder = _destination(form.get("webhook", ""))
    if folder and source.name != "report":
        raise Invalid("webhook", coded("subscription-folder"))
    if form.get("period") not in PERIOD_WORDS:
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
        webhook=webhook,
        folder=folder,
        period=form["period"],
        quiet_from=quiet[0],
        quiet_to=quiet[1],
        position=min(watermarks(list(PROJECTORS)).values()),
        made_at=clock.moment(),
    )


def _destination(chosen: str) -> tuple[str, str]:
    """Return the webhook or the folder that was chosen; "" and "" for mail. Raises Invalid."""
    folder = chosen.removeprefix(FOLDER)
    if chosen in ("", *webhooks()):
        return chosen, ""
    if chosen.startswith(FOLDER) and folder in folders():
        return "", folder
    raise Invalid("webhook", coded("subscription-webhook"))


def _clock_time(text: str, field: str) -> str:
    if not text:
        return ""
    try:
        return time.fromisoformat(text).strftime("%H:%M")
    except ValueError as error:
        raise Invalid(field, coded("subscription-time")) from error


def end_subscription(reader: Reader, number: int) -> None:
    """End a subscription of the reader; deliveries that wait are dropped."""
    rows = Subscription.objects.filter(id=number, person=reader.person, ended_at=None)
    if rows.update(ended_at=clock.moment(), end_reason="ended"):
        Delivery.objects.filter(subscription=number, state="waiting").update(state="dropped", answer="ended")


def send_again(reader: Reader, delivery: str) -> None:
    """Let a failed delivery of the reader be tried again, under the same id."""
    let_try_again(Delivery.objects.filter(id=delivery, state="failed", subscription__person=reader.person), reader)


def let_try_again(deliveries: QuerySet[Delivery], reader: Reader) -> int:
    """Let deliveries of subscriptions that have not ended be tried at once, and note who asked for it."""
    ids = [*deliveries.filter(subscription__ended_at=None).values_list("id", flat=True)]
    changes = {"state": "waiting", "tries": 0, "next_try_at": clock.moment(), "requested_by": reader.person}
    return Delivery.objects.filter(id__in=ids, state__in=("failed", "sent")).update(**changes)
