"""The page of a person's subscriptions and deliveries."""

from typing import Any

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from backoffice.deliveries import personal_subscriptions
from backoffice.deliveries.digest_times_and_quiet_hours import PERIOD_WORDS
from backoffice.deliveries.news_sources_for_subscribers import open_sources
from backoffice.kit.page_declaration import Page, PageAddress
from backoffice.kit.reader_and_read_rule_types import roles
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.wording.error_code_sentences import error_sentence
from events.errors import Invalid
from events.settings.settings_from_environment import settings

OPEN_TO = roles("inspector", "pit boss", "accountant", "progressive manager", "surveillance")


def _form(visit: Visit, _own: object) -> dict[str, Any]:
    return {
        "sources": [
            (source.title, [(f"{source.name}:{choice}", words) for choice, words in source.choices(visit.reader)])
            for source in open_sources(visit.reader)
        ],
        "webhooks": personal_subscriptions.webhooks(),
        "folders": [(f"{personal_subscriptions.FOLDER}{name}", name) for name in personal_subscriptions.folders()],
        "periods": [*PERIOD_WORDS.items()],
        "has_mail": bool(settings().mail),
    }


def _add(visit: Visit) -> HttpResponse:
    """Subscribe; a wrong form is shown again with its error."""
    form = {name: str(visit.request.POST.get(name, ""))[:120] for name in visit.request.POST}
    if not form.get("source"):
        return HttpResponseRedirect(reverse("subscriptions"))
    try:
        personal_subscriptions.subscribe(visit.reader, form)
    except Invalid as error:
        own = personal_subscriptions.own_subscriptions(visit.reader)
        context = {"own": own, **_form(visit, own), "entered": form, "error": error_sentence(error)}
        return visit.render("pages/subscriptions.html", status=422, **context)
    return HttpResponseRedirect(reverse("subscriptions"))


def _end_own_subscription(visit: Visit) -> HttpResponse:
    """End one's own subscription."""
    number = str(visit.request.POST.get("id", ""))
    if number.isascii() and number.isdecimal() and len(number) < 19:
        personal_subscriptions.end_subscription(visit.reader, int(number))
    return HttpResponseRedirect(reverse("subscriptions"))


def _retry_delivery(visit: Visit) -> HttpResponse:
    """Try a failed delivery again."""
    personal_subscriptions.send_again(visit.reader, str(visit.request.POST.get("id", ""))[:64])
    return HttpResponseRedirect(reverse("subscriptions"))


SUBSCRIPTIONS = Page(
    name="subscriptions",
    path="subscriptions",
    title=_("Subscriptions"),
    open_to=OPEN_TO,
    template="pages/subscriptions.html",
    query=lambda request: personal_subscriptions.own_subscriptions(request.reader),
    shown_as="own",
    add_context=_form,
    under="inbox",
    also=(
        PageAddress("subscriptions-add", "subscriptions/add", _add, does=True),
        PageAddress("subscriptions-end", "subscriptions/end", _end_own_subscription, does=True),
        PageAddress("subscriptions-again", "subscriptions/again", _retry_delivery, does=True),
    ),
)
