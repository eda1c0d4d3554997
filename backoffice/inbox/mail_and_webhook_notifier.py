"""Notifications by mail and webhook that something waits: each matter once, with nothing but the link.

A row records a notification; it is written before the mail is sent, so that no one is notified twice. If the mail
server cannot be reached, no row is written, and it is tried again.

The webhook, an address of the installation, gets all matters, signed, with a few retries. A message has ids, kinds and
roles. It has no names, no amounts and no author of a request. Only the environment names the address. Redirections are
not followed, and no proxy of the environment is used.
"""

import hashlib
import hmac
import logging
import time
from collections.abc import Sequence
from datetime import timedelta
from smtplib import SMTPException

import msgspec
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import IntegrityError, transaction
from django.db.models import F
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from backoffice.inbox.matter import Matter
from backoffice.inbox.open_items import house_matters
from backoffice.models import Person, Told
from backoffice.people.current_roles import of_all
from backoffice.wording.reader_language_choice import language_for
from events.runtime import clock
from events.settings.settings_from_environment import settings

NOTIFICATION_RETENTION = timedelta(days=30)  # that a person was notified of an item that is closed now
TRIES_MAX = 5
_POSTED_AT_ONCE = 200
_WEBHOOK_WITHIN_S = 10.0
SIGNATURE = "Pitledger-Signature"

log = logging.getLogger(__name__)


class NotificationCounts(msgspec.Struct, frozen=True):
    """The number of people notified by mail, and of matters that the webhook took."""

    mails: int = 0
    posted: int = 0


class WaitingMatter(msgspec.Struct, frozen=True):
    """An open item. Its `id` stays the same, so that a person who has seen it may leave it out."""

    id: str
    kind: str
    state: str
    roles: tuple[str, ...]
    link: str


def send_notifications() -> NotificationCounts:
    """Send all notifications that are due."""
    matters = {matter_digest(matter): matter for matter in house_matters(of_all()).matters}
    house_settings = settings()
    mails = _send_mails(matters) if house_settings.mail else 0
    long_ago = clock.moment() - NOTIFICATION_RETENTION
    Told.objects.filter(at__lt=long_ago).exclude(matter__in=matters).delete()
    posted = _post_waiting(_waiting_matters(matters)) if house_settings.webhook and house_settings.webhook_key else 0
    return NotificationCounts(mails, posted)


def matter_digest(matter: Matter) -> str:
    """Return a key for the matter that stays the same as long as it waits."""
    about = [msgspec.json.encode(do.data).decode() for do in matter.actions[:1]]
    since = "" if matter.position else str(matter.time)  # an item that no event began: a due reading
    parts = [matter.kind, matter.place.kind, matter.place.name, matter.position, *about, since]
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def _waiting_matters(matters: dict[str, Matter]) -> list[WaitingMatter]:
    link = settings().link + reverse("inbox")
    return [
        WaitingMatter(name, matter.kind, matter.state, tuple(sorted(matter.roles)), link)
        for name, matter in matters.items()
    ]


# --- mail -------------------------------------------------------------------------------------------------------------


def _send_mails(matters: dict[str, Matter]) -> int:
    """Send the due mails over one connection; return how many. If the server cannot be reached, they stay due."""
    people = Person.objects.filter(wants_mail=True, is_active=True).exclude(email="").order_by("id")
    due = [(person, fresh) for person in people if (fresh := _unnotified_matters(person, matters))]
    if not due:
        return 0
    try:
        with get_connection() as connection:
            return sum(_send_mail(person, fresh, connection) for person, fresh in due)
    except (OSError, SMTPException) as error:
        log.warning("people were not told, the mail server does not answer: %s", error)
        return 0


def _unnotified_matters(person: Person, matters: dict[str, Matter]) -> list[str]:
    """Return the matters of which this person was not notified."""
    roles = of_all().get(person.id, frozenset())
    own = [name for name, matter in matters.items() if matter.is_for(person.id, roles)]
    notified = set(Told.objects.filter(person=person.id, matter__in=own).values_list("matter", flat=True))
    return [name for name in own if name not in notified]


def _send_mail(person: Person, matters: list[str], connection: BaseEmailBackend) -> bool:
    """Send one mail for all matters; False if another process sends the same."""
    try:
        with transaction.atomic():
            Told.objects.bulk_create([Told(person=person.id, matter=name, is_done=True) for name in matters])
    except IntegrityError:
        return False
    link = settings().link + reverse("inbox")
    with translation.override(language_for(person.language)):
        EmailMessage(
            subject=_("Pitledger: you have an item to approve"),
            body=_("You have an item to approve. Open your inbox:\n%s\n") % link,
            to=[person.email],
            connection=connection,
        ).send()
    return True


# --- the webhook ------------------------------------------------------------------------------------------------------


def _post_waiting(matters: Sequence[WaitingMatter]) -> int:
    """Send the items that were not sent yet; return the number accepted."""
    finished = set(
        Told.objects.filter(person="").exclude(is_done=False, tries__lt=TRIES_MAX).values_list("matter", flat=True)
    )
    due = [matter for matter in matters if matter.id not in finished][:_POSTED_AT_ONCE]
    if not due:
        return 0
    rows = Told.objects.filter(person="", matter__in=[matter.id for matter in due])
    Told.objects.bulk_create([Told(person="", matter=matter.id) for matter in due], ignore_conflicts=True)
    rows.update(tries=F("tries") + 1)
    if not _is_accepted(msgspec.json.encode({"waiting": due})):
        return 0
    return rows.update(is_done=True)


def signature(body: bytes, at: int, key: str) -> str:
    """`t=SECONDS,v1=HEX`: the HMAC of the seconds, a dot and the body."""
    signed = hmac.new(key.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={signed}"


def _is_accepted(body: bytes) -> bool:
    import httpx  # imported here, because most calls send nothing

    house_settings = settings()
    headers = {
        "Content-Type": "application/json",
        SIGNATURE: signature(body, int(time.time()), house_settings.webhook_key),
    }
    try:
        with httpx.Client(timeout=_WEBHOOK_WITHIN_S, follow_redirects=False, trust_env=False) as http:
            status = http.post(house_settings.webhook, content=body, headers=headers).status_code
    except httpx.HTTPError as error:
        log.warning("the webhook was not reached: %s", type(error).__name__)
        return False
    if not 200 <= status < 300:
        log.warning("the webhook answered %d", status)
    return 200 <= status < 300
