"""Make deliveries of new items, and send them: at least once, each under one id.

A delivery and the new position of its subscription are written in one transaction. It is claimed for a try before it is
sent, and marked as sent afterwards. A sender that dies in between leaves it for the next try, under the same id.
"""

import hashlib
import logging
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from smtplib import SMTPException

import msgspec
from django.core.mail import EmailMessage
from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from backoffice.deliveries import schedule
from backoffice.deliveries.destinations import Destinations, destinations
from backoffice.deliveries.posting import AddressRefused, post
from backoffice.deliveries.sources import SOURCES, may_receive
from backoffice.kit.readers import Reader
from backoffice.models import Delivery, Person, Subscription
from backoffice.people.roles import of_all
from backoffice.wording.languages import language_for
from events.errors import PitledgerError
from events.runtime import clock
from events.settings.settings import settings
from projections.engine.watermark import watermarks
from projections.registry import PROJECTORS

TRIES_MAX = 10
FIRST_PAUSE = timedelta(minutes=1)
PAUSE_MAX = timedelta(hours=6)
KEPT = timedelta(days=90)  # that the log of deliveries shows a finished one
AT_ONCE = 200
Post = Callable[..., int]

log = logging.getLogger(__name__)


class News(msgspec.Struct, frozen=True):
    """A message to a webhook: counts, kind and link, no names."""

    id: str
    kind: str
    count: int
    property: str
    link: str


def deliver(send: Post = post) -> int:
    """Make the deliveries that are due, and send those that wait. Return the number sent."""
    for subscription in Subscription.objects.filter(ended_at=None).order_by("id"):
        try:
            _make(subscription)
        except PitledgerError as error:  # such as a saved search that no longer reads: the others go on
            log.warning("subscription %d cannot be counted: %s", subscription.id, error)
    Delivery.objects.exclude(state="waiting").filter(made_at__lt=clock.moment() - KEPT).delete()
    return sum(_send(delivery, send) for delivery in _waiting())


def reader_of(person: str) -> Reader | None:
    """Return a person with the roles of now; None where the account is closed."""
    if not Person.objects.filter(id=person, is_active=True).exists():
        return None
    return Reader(person=person, roles=of_all().get(person, frozenset()))


# --- making -----------------------------------------------------------------------------------------------------------


def _make(subscription: Subscription) -> None:
    reader, moment = reader_of(subscription.person), clock.moment()
    if reader is None or not may_receive(subscription, reader):
        _end(subscription)
        return
    after, upto = subscription.position, min(watermarks(list(PROJECTORS)).values())
    if upto <= after or not schedule.is_due(subscription, moment):
        return
    is_news = SOURCES[subscription.source].count(subscription, reader, after, upto) > 0
    with transaction.atomic():
        changes = {"position": upto} | ({"last_at": moment} if is_news else {})
        if not Subscription.objects.filter(id=subscription.id, position=after).update(**changes) or not is_news:
            return  # another process was first, or there is nothing to say
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


def _end(subscription: Subscription) -> None:
    """End a subscription whose person may no longer receive it."""
    Subscription.objects.filter(id=subscription.id).update(ended_at=clock.moment())
    Delivery.objects.filter(subscription=subscription, state="waiting").update(state="dropped", answer="no access")


# --- sending ----------------------------------------------------------------------------------------------------------


def _waiting() -> Iterator[Delivery]:
    rows = Delivery.objects.filter(state="waiting", next_try_at__lte=clock.moment()).select_related("subscription")
    yield from rows.order_by("next_try_at", "id")[:AT_ONCE]


def _send(delivery: Delivery, send: Post) -> bool:
    """Send a delivery once; False where it is not sent."""
    subscription, moment = delivery.subscription, clock.moment()
    if schedule.is_quiet(subscription, moment) or not _claim(delivery, moment):
        return False
    reader = reader_of(subscription.person)
    if reader is None or not may_receive(subscription, reader):
        _end(subscription)
        return False
    source = SOURCES[subscription.source]
    try:
        count = source.count(subscription, reader, delivery.after, delivery.upto)
    except PitledgerError:
        count = 0
    if not count:
        return _finish(delivery, "dropped", "nothing to see")
    news = News(
        delivery.id, subscription.source, count, settings().property_, settings().link + source.path(subscription)
    )
    answer = _webhook(news, subscription.webhook, send) if subscription.webhook else _mail(news, subscription)
    if not answer:
        return _finish(delivery, "sent", "")
    is_last = delivery.tries + 1 >= TRIES_MAX
    log.warning("the delivery %s was not accepted: %s", delivery.id, answer)
    _finish(delivery, "failed" if is_last else "waiting", answer)
    return False


def _claim(delivery: Delivery, moment: datetime) -> bool:
    """Take the delivery for one try; the next one waits twice as long."""
    pause = min(FIRST_PAUSE * 2**delivery.tries, PAUSE_MAX)
    mine = Delivery.objects.filter(id=delivery.id, state="waiting", tries=delivery.tries)
    return bool(mine.update(tries=delivery.tries + 1, next_try_at=moment + pause))


def _finish(delivery: Delivery, state: str, answer: str) -> bool:
    is_sent = state == "sent"
    changes = {"state": state, "answer": answer[:80]} | ({"sent_at": clock.moment()} if is_sent else {})
    Delivery.objects.filter(id=delivery.id).update(**changes)
    return is_sent


def _webhook(news: News, name: str, send: Post) -> str:
    """Send to a webhook; return why it was not accepted, or ""."""
    import httpcore  # here: most runs send nothing

    webhook = _known().webhooks.get(name)
    if webhook is None:
        return "no such destination"
    try:
        status = send(webhook, news.id, msgspec.json.encode(news))
    except AddressRefused:
        return "address refused"
    except (OSError, httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError) as error:
        return type(error).__name__
    return "" if 200 <= status < 300 else f"status {status}"


def _known() -> Destinations:
    return destinations()


def _mail(news: News, subscription: Subscription) -> str:
    """Send a mail with count, kind and link; return why it was not sent, or ""."""
    person = Person.objects.get(id=subscription.person)
    if not settings().mail or not person.email:
        return "no mail address" if settings().mail else "no mail server"
    host = settings().link.partition("://")[2].partition(":")[0]
    with translation.override(language_for(person.language)):
        title = SOURCES[news.kind].title
        line = ngettext("%(count)d new item. Open it here:", "%(count)d new items. Open them here:", news.count)
        message = EmailMessage(
            subject=_("Pitledger: %(title)s") % {"title": title},
            body=f"{line % {'count': news.count}}\n{news.link}\n",
            to=[person.email],
            headers={"Message-ID": f"<{news.id}@{host}>"},
        )
    try:
        message.send()
    except (OSError, SMTPException) as error:
        return type(error).__name__
    return ""
