"""Messages to people and webhooks: a count, a kind and a link. They have no names, no amounts and no files."""

from collections.abc import Callable
from smtplib import SMTPException

import msgspec
from django.core.mail import EmailMessage
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from backoffice.deliveries.destinations_configuration_file import Webhook, destinations
from backoffice.deliveries.news_sources_for_subscribers import SOURCES
from backoffice.deliveries.webhook_requests import AddressRefused
from backoffice.models import Person
from backoffice.wording.reader_language_choice import language_for
from events.settings.settings_from_environment import settings

Post = Callable[..., int]


class WebhookMessage(msgspec.Struct, frozen=True):
    """A message to a webhook: counts, kind and link, no names."""

    id: str
    kind: str
    count: int
    property: str
    link: str


def send_webhook(news: WebhookMessage, name: str, send: Post) -> str:
    """Send to a webhook; return why it was not accepted, or ""."""
    return send_signed(destinations().webhooks.get(name), news.id, msgspec.json.encode(news), send)


def send_signed(webhook: Webhook | None, delivery: str, body: bytes, send: Post) -> str:
    """Send a body to a destination under an id; return why it was not accepted, or ""."""
    import httpcore  # here: most runs send nothing

    if webhook is None:
        return "no such destination"
    try:
        status = send(webhook, delivery, body)
    except AddressRefused:
        return "address refused"
    except (OSError, ValueError, httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError) as error:
        return type(error).__name__
    return "" if 200 <= status < 300 else f"status {status}"


def send_mail(news: WebhookMessage, person_id: str) -> str:
    """Send a mail with count, kind and link; return why it was not sent, or ""."""
    person = Person.objects.get(id=person_id)
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
