"""Make deliveries of new items, and send them: at least once, each under one id.

A delivery and the new position of its subscription are written in one transaction. It is claimed for an attempt before
it is sent, and marked as sent afterwards. A sender that dies in between leaves it for the next attempt, under the same
id.
"""

import hashlib
import logging
from datetime import datetime, timedelta
from typing import TypeVar

from django.db import transaction
from django.db.models import QuerySet

from backoffice.deliveries import digest_times_and_quiet_hours
from backoffice.deliveries.mail_and_webhook_sending import Post, WebhookMessage, send_mail, send_webhook
from backoffice.deliveries.news_sources_for_subscribers import SOURCES, may_receive
from backoffice.deliveries.report_delivery_to_folders import write_reports
from backoffice.deliveries.webhook_requests import post
from backoffice.kit.reader_and_read_rule_types import Reader, answering
from backoffice.models import Delivery, DeliveryAttempt, OutboxMessage, Person, Subscription
from backoffice.people.current_roles import of_all
from events.errors import PitledgerError
from events.runtime import clock
from events.settings.settings_from_environment import settings
from projections.engine.projection_positions_and_wait import watermarks
from projections.registry import PROJECTORS

TRIES_MAX = 10
FIRST_PAUSE = timedelta(minutes=1)
PAUSE_MAX = timedelta(hours=6)
DELIVERY_RETENTION = timedelta(days=90)  # that the log of deliveries shows a finished one
AT_ONCE = 200
Message = TypeVar("Message", bound=OutboxMessage)

log = logging.getLogger(__name__)


def deliver(send: Post = post) -> int:
    """Make the deliveries that are due, and send those that wait. Return the number sent."""
    for subscription in Subscription.objects.filter(ended_at=None).order_by("id"):
        try:
            _make(subscription)
        except PitledgerError as error:  # such as a saved search that is no longer valid; the others continue
            log.warning("subscription %d cannot be counted: %s", subscription.id, error)
    Delivery.objects.exclude(state="waiting").filter(made_at__lt=clock.moment() - DELIVERY_RETENTION).delete()
    return sum(_send(delivery, send) for delivery in due_messages(Delivery.objects.select_related("subscription")))


def reader_of(person: str) -> Reader | None:
    """Return a person with the roles of now; None where the account is closed."""
    if not Person.objects.filter(id=person, is_active=True).exists():
        return None
    return Reader(person=person, roles=of_all().get(person, frozenset()))


# --- making -----------------------------------------------------------------------------------------------------------


def _make(subscription: Subscription) -> None:
    reader, moment = reader_of(subscription.person), clock.moment()
    if reader is None or not may_receive(subscription, reader):
        _end_subscription(subscription)
        return
    after, upto = subscription.position, min(watermarks(list(PROJECTORS)).values())
    if upto <= after or not digest_times_and_quiet_hours.is_due(subscription, moment):
        return
    is_news = _count(subscription, reader, after, upto) > 0
    with transaction.atomic():
        changes = {"position": upto, "looked_at": moment} | ({"last_at": moment} if is_news else {})
        if not Subscription.objects.filter(id=subscription.id, position=after).update(**changes) or not is_news:
            return  # another process was first, or there is no news
        Delivery.objects.create(
            id=id_of(subscription.id, upto),
            subscription=subscription,
            after=after,
            upto=upto,
            made_at=moment,
            next_try_at=moment,
        )


def id_of(subscription: int, upto: int) -> str:
    """Return the id of the delivery that ends with this position."""
    return "msg_" + hashlib.sha256(f"pitledger delivery {subscription} {upto}".encode()).hexdigest()[:32]


def _end_subscription(subscription: Subscription) -> None:
    """End a subscription whose person may no longer receive it."""
    Subscription.objects.filter(id=subscription.id).update(ended_at=clock.moment(), end_reason="no access")
    Delivery.objects.filter(subscription=subscription, state="waiting").update(state="dropped", answer="no access")


def _count(subscription: Subscription, reader: Reader, after: int, upto: int) -> int:
    """Return how many new items the reader may see between two positions."""
    with answering(reader):
        return SOURCES[subscription.source].count(subscription, reader, after, upto)


# --- sending ----------------------------------------------------------------------------------------------------------


def due_messages(messages: QuerySet[Message]) -> QuerySet[Message]:
    """Return the messages to be tried now."""
    due = messages.filter(state="waiting", next_try_at__lte=clock.moment())
    return due.order_by("next_try_at", "id")[:AT_ONCE]


def claim(message: OutboxMessage, moment: datetime) -> datetime | None:
    """Take a message for one attempt. Return the time of the next one, which waits twice as long; None if taken."""
    next_try_at = moment + min(FIRST_PAUSE * 2**message.tries, PAUSE_MAX)
    waiting_rows = type(message)._default_manager.filter(id=message.id, state="waiting", tries=message.tries)
    return next_try_at if waiting_rows.update(tries=message.tries + 1, next_try_at=next_try_at) else None


def finish(message: OutboxMessage, state: str, answer: str) -> bool:
    """Note how an attempt ended. Return whether the message is sent."""
    is_sent = state == "sent"
    changes = {"state": state, "answer": answer[:80]} | ({"sent_at": clock.moment()} if is_sent else {})
    type(message)._default_manager.filter(id=message.id).update(**changes)
    return is_sent


def _send(delivery: Delivery, send: Post) -> bool:
    """Send a delivery once; False where it is not sent."""
    moment = clock.moment()
    if (
        digest_times_and_quiet_hours.is_quiet(delivery.subscription, moment)
        or (attempt := _claim(delivery, moment)) is None
    ):
        return False
    reader = reader_of(delivery.subscription.person)
    if reader is None or not may_receive(delivery.subscription, reader):
        _end_subscription(delivery.subscription)
        return _finish(delivery, attempt, "dropped", "no access")
    try:
        state, answer = _send_delivery(delivery, reader, send)
    except Exception as error:  # one that cannot be sent keeps no other back
        log.exception("the delivery %s could not be sent", delivery.id)
        state, answer = "waiting", type(error).__name__
    if state == "waiting":
        log.warning("the delivery %s was not accepted: %s", delivery.id, answer)
        state = "failed" if delivery.tries + 1 >= TRIES_MAX else state
    return _finish(delivery, attempt, state, answer)


def _send_delivery(delivery: Delivery, reader: Reader, send: Post) -> tuple[str, str]:
    """Send a delivery; return its new state, and why it was not sent."""
    subscription = delivery.subscription
    try:
        count = _count(subscription, reader, delivery.after, delivery.upto)
    except PitledgerError:
        count = 0
    if not count:
        return "dropped", "nothing to see"
    if subscription.folder:
        answer = write_reports(delivery, reader)
    else:
        link = settings().link + SOURCES[subscription.source].path(subscription)
        news = WebhookMessage(delivery.id, subscription.source, count, settings().property_, link)
        by_webhook = subscription.webhook
        answer = send_webhook(news, by_webhook, send) if by_webhook else send_mail(news, subscription.person)
    return ("waiting", answer) if answer else ("sent", "")


def _claim(delivery: Delivery, moment: datetime) -> DeliveryAttempt | None:
    """Take the delivery for one attempt, and write that down."""
    with transaction.atomic():
        next_try_at = claim(delivery, moment)
        return None if next_try_at is None else _begin_attempt(delivery, moment, next_try_at)


def _finish(delivery: Delivery, attempt: DeliveryAttempt, state: str, answer: str) -> bool:
    with transaction.atomic():
        _end_attempt(attempt, state, answer)
        return finish(delivery, state, answer)


def _begin_attempt(delivery: Delivery, moment: datetime, next_try_at: datetime) -> DeliveryAttempt:
    """Write down that an attempt begins. Without a result afterwards the sender was killed in it."""
    subscription = delivery.subscription
    return DeliveryAttempt.objects.create(
        delivery=delivery,
        at=moment,
        kind="folder" if subscription.folder else "webhook" if subscription.webhook else "mail",
        destination=subscription.folder or subscription.webhook,
        next_try_at=next_try_at,
        requested_by=delivery.requested_by,
    )


def _end_attempt(attempt: DeliveryAttempt, state: str, result: str) -> None:
    """Write down how an attempt ended: the state of its delivery, and a short code without any content."""
    changes = {"state": state, "result": result[:80]} | ({} if state == "waiting" else {"next_try_at": None})
    DeliveryAttempt.objects.filter(id=attempt.id).update(**changes)
