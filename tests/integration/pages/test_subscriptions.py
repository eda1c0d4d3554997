"""Subscriptions: news by mail and webhook, at least once under one id, as long as the person may see it."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.core import mail

from backoffice.deliveries.digest_times_and_quiet_hours import is_quiet
from backoffice.deliveries.due_delivery_creation_and_sending import TRIES_MAX, deliver
from backoffice.models import Delivery, Person, SavedSearch, Subscription
from backoffice.people import current_roles
from events.runtime import clock
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import House
from tests.support.pages.page_actors import at
from tests.support.pages.page_text_and_queries import words
from tests.support.processes.subscriptions_and_receivers import KEY, WebhookReceiver, later, subscribe

pytestmark = pytest.mark.django_db


def test_new_alerts_are_posted_once_with_count_kind_and_link(hook: WebhookReceiver) -> None:
    subscribe("sven", "alerts:")
    assert [deliver(hook) for _time in range(3)] == [1, 0, 0]
    [(delivery, news)] = hook.messages
    assert {*news} == {"id", "kind", "count", "property", "link"}
    assert (news["id"], news["kind"], news["count"] > 0) == (delivery, "alerts", True)
    assert news["link"].endswith("/alerts")


def test_a_mail_has_a_count_and_a_link_and_no_names(hook: WebhookReceiver) -> None:
    subscribe("sven", "alerts:", webhook="")
    Person.objects.filter(id="sven").update(email="sven@example.org")
    assert deliver(hook) == 1
    [sent] = mail.outbox
    assert re.fullmatch(r"\d+ new items?\. Open (it|them) here:\nhttp://localhost:\d+/alerts\n", str(sent.body))
    assert Delivery.objects.get().id in sent.extra_headers["Message-ID"]


def test_a_sender_that_dies_sends_again_under_the_same_id(
    hook: WebhookReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscribe("sven", "alerts:")
    hook.dies = True
    with pytest.raises(KeyboardInterrupt):
        deliver(hook)
    hook.dies = False
    assert deliver(hook) == 0, "its try is not over"
    later(monkeypatch, minutes=2)
    assert deliver(hook) == 1
    assert len({delivery for delivery, _news in hook.messages}) == 1


def test_a_refused_delivery_is_tried_with_growing_waits_and_then_failed(
    hook: WebhookReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscribe("sven", "alerts:")
    hook.status, waits = 503, []
    for _try in range(TRIES_MAX):
        deliver(hook)
        delivery = Delivery.objects.get()
        waits.append(delivery.next_try_at - clock.moment())
        later(monkeypatch, hours=7)
    assert (delivery.state, delivery.answer, len(hook.messages)) == ("failed", "status 503", TRIES_MAX)
    assert waits == sorted(waits)
    assert waits[0] < timedelta(minutes=2) < timedelta(hours=5) < waits[-1]
    page = at("sven")
    assert "failed status 503" in words(page, "/subscriptions")
    page.post("/subscriptions/again", {"id": delivery.id})
    hook.status = 200
    assert deliver(hook) == 1


def test_a_subscription_ends_with_the_role(
    hook: WebhookReceiver, evening_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(current_roles, "REMEMBERED_S", 0.0)
    subscribe("sven", "alerts:")
    hook.status = 503
    deliver(hook)
    hook.status = 200
    evening_house.grant("wim", "surveillance")
    evening_house.ok("people", "", "adam", evening_house.action("role.revoke", person="sven", role="surveillance"))
    evening_with_everything.project(evening_house)
    hook.messages.clear()
    assert deliver(hook) == 0
    assert hook.messages == []
    assert Subscription.objects.get().ended_at is not None
    assert Delivery.objects.get().state == "dropped"


def test_a_closed_account_receives_nothing(hook: WebhookReceiver) -> None:
    subscribe("sven", "alerts:")
    Person.objects.filter(id="sven").update(is_active=False)
    assert deliver(hook) == 0
    assert hook.messages == []


def test_results_of_a_saved_search_are_counted(hook: WebhookReceiver) -> None:
    saved = SavedSearch.objects.create(person="sven", name="mispays", query="q=irregularity%3Amispay")
    subscribe("sven", f"search:{saved.id}")
    assert deliver(hook) == 1
    assert hook.messages[0][1]["link"].endswith("/events?q=irregularity%3Amispay")


def test_a_search_that_no_longer_reads_keeps_no_other_news_back(hook: WebhookReceiver) -> None:
    saved = SavedSearch.objects.create(person="sven", name="mispays", query="q=irregularity%3Amispay")
    subscribe("sven", f"search:{saved.id}")
    SavedSearch.objects.update(query="q=nonsense%3A1")
    subscribe("sven", "alerts:")
    assert deliver(hook) == 1
    assert [news["kind"] for _delivery, news in hook.messages] == ["alerts"]


@pytest.mark.parametrize("source", ["alerts:", "alerts:none", "search:1", "report:slips", "x:y"])
def test_nobody_subscribes_to_what_they_may_not_see(hook: WebhookReceiver, source: str) -> None:
    SavedSearch.objects.create(id=1, person="sven", name="mine", query="q=table%3AFR1")
    answer = at("ines").post("/subscriptions/add", {"source": source, "webhook": "", "period": "day"})
    assert (answer.status_code, "Choose news from the list." in answer.content.decode()) == (422, True)
    assert not Subscription.objects.exists()


def test_a_destination_of_nobody_is_refused(hook: WebhookReceiver) -> None:
    form = {"source": "alerts:", "webhook": "https://elsewhere.example", "period": "day"}
    assert at("sven").post("/subscriptions/add", form).status_code == 422


def test_a_digest_waits_for_its_hour(hook: WebhookReceiver, monkeypatch: pytest.MonkeyPatch) -> None:
    subscribe("sven", "alerts:", period="hour")
    assert deliver(hook) == 0
    later(monkeypatch, minutes=61)
    assert deliver(hook) == 1


def test_nothing_is_sent_in_quiet_hours(hook: WebhookReceiver, monkeypatch: pytest.MonkeyPatch) -> None:
    subscription = subscribe("sven", "alerts:", quiet_from="00:00", quiet_to="23:59")
    assert deliver(hook) == 0
    Subscription.objects.update(quiet_from="", quiet_to="")
    assert deliver(hook) == 1
    subscription.quiet_from, subscription.quiet_to = "22:00", "06:30"
    quiet = [hour for hour in range(24) if is_quiet(subscription, datetime(2026, 11, 20, hour, tzinfo=UTC))]
    assert quiet == [0, 1, 2, 3, 4, 5, 6, 22, 23]


def test_others_subscriptions_are_not_seen_and_not_ended(hook: WebhookReceiver) -> None:
    mine = subscribe("sven", "alerts:")
    at("anna").post("/subscriptions/end", {"id": str(mine.id)})
    assert Subscription.objects.get().ended_at is None
    assert "No subscriptions yet." in words(at("anna"), "/subscriptions")
    at("sven").post("/subscriptions/end", {"id": str(mine.id)})
    assert deliver(hook) == 0


def test_the_page_names_destinations_and_never_their_addresses(hook: WebhookReceiver) -> None:
    page = at("sven").get("/subscriptions").content.decode()
    assert '<option value="desk"' in page
    assert "hooks.test" not in page
    assert KEY not in page


def test_a_search_by_case_counts_what_the_receiver_may_see(
    hook: WebhookReceiver, evening_house: House, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_ACCESS", f"sqlite:///{tmp_path}/notes.sqlite3")
    monkeypatch.setattr(current_roles, "REMEMBERED_S", 0.0)
    house = evening_house
    house.grant("sara", "surveillance")
    opening = {"title": "Short pays", "category": "theft", "severity": "high", "roles": ["surveillance"]}
    [event] = house.ok("cases", "new", "sven", house.action("case.open", **opening, rounds=["FR1/2026-11-20/3"]))
    case = event.data.case
    evening_with_everything.project(house)
    for person in ("sven", "sara", "paul"):
        saved = SavedSearch.objects.create(person=person, name="The case", query=f"q=case:{case}", role="")
        subscribe(person, f"search:{saved.id}")
        Subscription.objects.filter(person=person).update(position=house.store.position() - 1)
    assert deliver(hook) == 2, "the case was opened with a round; the pit boss may not see it"
    counts = [news["count"] for _delivery, news in hook.messages]
    assert counts[0] == counts[1] > 3
    assert case not in str(hook.messages)
    house.ok("cases", case, "sven", house.action("case.add", events=["athens/floor@1"]))
    evening_with_everything.project(house)
    later(monkeypatch, minutes=2)
    hook.messages.clear()
    assert deliver(hook) == 2
    assert [news["count"] for _delivery, news in hook.messages] == [1, 1], "only what was added meanwhile"
    house.ok("cases", case, "sven", house.action("case.add", events=["athens/floor@2"], subjects=["sara"]))
    evening_with_everything.project(house)
    later(monkeypatch, minutes=4)
    assert deliver(hook) == 1, "a subject gets nothing"
