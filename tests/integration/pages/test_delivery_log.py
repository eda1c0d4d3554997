"""The administrator's log of deliveries: every attempt with its result, no content; and deliveries sent again."""

from pathlib import Path

import pytest

from backoffice.deliveries.delivery_log_page import PAGE
from backoffice.deliveries.due_delivery_creation_and_sending import deliver
from backoffice.models import Delivery, DeliveryAttempt, Subscription
from events.runtime import clock
from tests.support.pages.page_actors import at
from tests.support.pages.page_text_and_queries import source, words
from tests.support.processes.subscriptions_and_receivers import KEY, WebhookReceiver, later, subscribe

pytestmark = pytest.mark.django_db
URL = "/system/deliveries"


def test_each_attempt_is_listed_with_its_result_and_the_next_one(
    hook: WebhookReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscribe("sven", "alerts:")
    hook.status = 503
    deliver(hook)
    later(monkeypatch, minutes=2)
    hook.status = 200
    deliver(hook)
    delivery = Delivery.objects.get()
    page = words(at("adam"), URL)
    assert page.count(delivery.id) == 2
    assert "sven New alerts desk sent" in page
    assert "sven New alerts desk waiting status 503" in page
    log = at("adam").get("/api/v1/system/deliveries").json()
    assert [(row["state"], row["result"]) for row in log["attempts"]] == [("sent", ""), ("waiting", "status 503")]
    assert log["destinations"] == ["mail", "accounting", "desk"]


def test_a_killed_attempt_has_no_result(hook: WebhookReceiver) -> None:
    subscribe("sven", "alerts:")
    hook.dies = True
    with pytest.raises(KeyboardInterrupt):
        deliver(hook)
    assert "sven New alerts desk no result" in words(at("adam"), URL)


def test_the_log_has_neither_content_nor_addresses(hook: WebhookReceiver, tmp_path: Path) -> None:
    subscribe("sven", "alerts:")
    deliver(hook)
    page = source(at("adam"), URL) + at("adam").get("/api/v1/system/deliveries").content.decode()
    for secret in ("hooks.test", str(tmp_path), KEY, '"count"'):
        assert secret not in page, secret


def test_it_is_filtered_by_state_and_destination(hook: WebhookReceiver) -> None:
    subscribe("sven", "alerts:")
    deliver(hook)
    delivery = Delivery.objects.get().id
    for query, is_listed in {
        "state=sent": True,
        "state=failed": False,
        "destination=desk": True,
        "destination=mail": False,
        "state=sent&destination=desk": True,
        "state=nonsense": True,
    }.items():
        assert (delivery in words(at("adam"), f"{URL}?{query}")) == is_listed, query


def test_a_long_log_goes_on_page_by_page(hook: WebhookReceiver) -> None:
    subscribe("sven", "alerts:")
    deliver(hook)
    delivery = Delivery.objects.get()
    rows = [DeliveryAttempt(delivery=delivery, at=clock.moment(), kind="webhook") for _ in range(PAGE)]
    DeliveryAttempt.objects.bulk_create(rows)
    first = at("adam").get("/api/v1/system/deliveries").json()
    second = at("adam").get("/api/v1/system/deliveries", {"after": first["next"]}).json()
    assert (len(first["attempts"]), len(second["attempts"]), second["next"]) == (PAGE, 1, None)


def test_an_administrator_sends_again_and_is_named(hook: WebhookReceiver) -> None:
    subscribe("sven", "alerts:")
    deliver(hook)
    delivery = Delivery.objects.get()
    assert at("adam").post(f"{URL}/do/again", {"id": delivery.id}).status_code == 302
    assert deliver(hook) == 1
    assert [sent for sent, _news in hook.messages] == [delivery.id] * 2, "the receiver can drop the repeat"
    assert "Requested by adam" in words(at("adam"), URL)


def test_nothing_is_sent_again_after_the_subscription_has_ended(hook: WebhookReceiver) -> None:
    subscription = subscribe("sven", "alerts:")
    deliver(hook)
    at("sven").post("/subscriptions/end", {"id": str(subscription.id)})
    at("adam").post(f"{URL}/do/again", {"id": Delivery.objects.get().id})
    assert deliver(hook) == 0
    assert Subscription.objects.get().end_reason == "ended"


@pytest.mark.parametrize("person", ["olga", "sven"])
def test_only_an_administrator_sends_again(hook: WebhookReceiver, person: str) -> None:
    """The auditor reads the log and changes nothing."""
    subscribe("sven", "alerts:")
    deliver(hook)
    assert at(person).post(f"{URL}/do/again", {"id": Delivery.objects.get().id}).status_code == 403
    assert deliver(hook) == 0
    assert at(person).get(URL).status_code == (200 if person == "olga" else 403)
    assert "Send again" not in (source(at("olga"), URL))
