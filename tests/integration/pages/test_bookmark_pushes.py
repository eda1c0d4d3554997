"""Bookmarks that go to a video system: signed, under one id, as long as the person may read the case."""

from pathlib import Path
from typing import Any

import pytest

from backoffice.access.models import Look
from backoffice.cases.video_bookmarks.configured_video_system_names import video_systems
from backoffice.deliveries.due_delivery_creation_and_sending import TRIES_MAX
from backoffice.deliveries.video_system_bookmark_sender import push_bookmarks
from backoffice.models import BookmarkPush
from events.cases.case_key_and_file_vault import vault
from events.runtime import clock
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import House
from tests.support.pages.page_actors import at
from tests.support.pages.page_text_and_queries import source, words
from tests.support.processes.subscriptions_and_receivers import KEY, WebhookReceiver, later

pytestmark = pytest.mark.django_db
TIMES = {"from": "2026-11-20T20:00:00.000Z", "to": "2026-11-20T20:05:00.000Z"}


@pytest.fixture
def house(evening_house: House, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> House:
    file = tmp_path / "destinations.toml"
    file.write_text(f'[video_systems.recorder]\naddress = "https://video.test/in"\nkey = "{KEY}"\n', encoding="utf-8")
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_ACCESS", f"sqlite:///{tmp_path}/notes.sqlite3")
    monkeypatch.setenv("PITLEDGER_DESTINATIONS", str(file))
    monkeypatch.setattr("backoffice.people.current_roles.REMEMBERED_S", -1.0)
    return evening_house


def bookmarked(house: House, **fields: Any) -> str:
    opening = {"title": "Short pays", "category": "theft", "severity": "high"}
    [event] = house.ok("cases", "new", "sven", house.action("case.open", **opening))
    case = str(event.data.case)
    data = {"camera": "C7", "note": "the left hand", "send_to": "recorder", **TIMES, **fields}
    house.ok("cases", case, "sven", house.action("case.bookmark", **data))
    at("sven")  # the account of the person
    evening_with_everything.project(house)
    return case


def test_a_bookmark_is_sent_once_as_the_video_system_takes_it(house: House) -> None:
    hook, case = WebhookReceiver(), bookmarked(house)
    assert [*video_systems()] == ["recorder"]
    house.ok("cases", case, "sven", house.action("case.bookmark", camera="C8", **TIMES))  # to no system
    assert [push_bookmarks(hook) for _time in range(3)] == [1, 0, 0]
    [(delivery, body)] = hook.messages
    assert body == {
        "header": f"Pitledger case {case}",
        "description": "the left hand",
        "timeBegin": TIMES["from"],
        "timeTriggered": TIMES["from"],
        "timeEnd": TIMES["to"],
        "reference": f"athens/cases/{case}@2",
        "devicePath": {"type": "cameras", "id": "C7"},
    }
    assert delivery == BookmarkPush.objects.get().id
    assert Look.objects.filter(kind="export", what=f"case bookmark {case} to recorder", person="sven").count() == 1
    assert "recorder: sent" in words(at("sven"), f"/cases/{case}")


def test_no_row_has_a_text_of_the_case(house: House) -> None:
    bookmarked(house)
    push_bookmarks(WebhookReceiver())
    row = str(BookmarkPush.objects.values().get())
    assert not any(text in row for text in ("left hand", "C7", "Short pays"))


def test_a_killed_sender_sends_again_under_the_same_id(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    hook = WebhookReceiver()
    bookmarked(house)
    hook.dies = True
    with pytest.raises(KeyboardInterrupt):
        push_bookmarks(hook)
    hook.dies = False
    assert push_bookmarks(hook) == 0, "its attempt is not over"
    later(monkeypatch, minutes=2)
    assert [push_bookmarks(hook), push_bookmarks(hook)] == [1, 0]
    assert len({delivery for delivery, _body in hook.messages}) == 1


def test_a_refused_push_waits_longer_each_time_and_then_fails(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    hook, waits = WebhookReceiver(), []
    bookmarked(house)
    hook.status = 503
    for _try in range(TRIES_MAX + 1):
        push_bookmarks(hook)
        push = BookmarkPush.objects.get()
        waits.append(push.next_try_at - clock.moment())
        later(monkeypatch, hours=7)
    assert (push.state, push.answer, len(hook.messages)) == ("failed", "status 503", TRIES_MAX)
    assert waits[:TRIES_MAX] == sorted(waits[:TRIES_MAX])


def test_rights_are_judged_when_it_is_sent(house: House) -> None:
    hook, case = WebhookReceiver(), bookmarked(house)
    house.ok("cases", case, "olga", house.action("case.add", subjects=["sven"]))
    assert push_bookmarks(hook) == 0
    assert (hook.messages, BookmarkPush.objects.get().answer) == ([], "no access")


def test_a_case_whose_key_is_gone_sends_nothing(house: House) -> None:
    hook, case = WebhookReceiver(), bookmarked(house)
    hook.status = 503
    push_bookmarks(hook)
    vault().destroy([case])
    BookmarkPush.objects.update(next_try_at="2020-01-01T00:00:00Z")
    assert push_bookmarks(hook) == 0
    assert (len(hook.messages), BookmarkPush.objects.get().answer) == (1, "nothing to see")


def test_an_unknown_video_system_is_reported(house: House) -> None:
    bookmarked(house, send_to="elsewhere")
    assert push_bookmarks(WebhookReceiver()) == 0
    assert BookmarkPush.objects.get().answer == "no such destination"


# --- the administrator's list -----------------------------------------------------------------------------------------

URL, AGAIN = "/system/deliveries", "/system/deliveries/do/again"


def failed_push(house: House, hook: WebhookReceiver, monkeypatch: pytest.MonkeyPatch) -> str:
    case = bookmarked(house)
    hook.status = 503
    for _try in range(TRIES_MAX):
        push_bookmarks(hook)
        later(monkeypatch, hours=7)
    hook.status = 200
    return case


def test_a_failed_push_is_listed_and_sent_again_under_its_id(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    hook = WebhookReceiver()
    case = failed_push(house, hook, monkeypatch)
    push = BookmarkPush.objects.get().id
    assert f"recorder failed status 503 10 — {push} Send again" in words(at("adam"), URL)
    assert push_bookmarks(hook) == 0
    assert at("olga").post(AGAIN, {"id": push}).status_code == 403
    assert at("adam").post(AGAIN, {"id": push}).status_code == 302
    at("adam").post(AGAIN, {"id": push})  # one that waits is left as it is
    assert [push_bookmarks(hook), push_bookmarks(hook)] == [1, 0]
    assert {delivery for delivery, _body in hook.messages} == {push}
    [row] = at("adam").get(f"/api/v1{URL}?state=sent&destination=recorder").json()["pushes"]
    assert (row["state"], row["requested_by"], row["tries"]) == ("sent", "adam", 1)
    for query in ("state=failed", "destination=desk", "after=1"):
        assert at("adam").get(f"/api/v1{URL}?{query}").json()["pushes"] == []
    text = source(at("adam"), URL) + str(row)
    assert not any(secret in text for secret in (case, "left hand", "Short pays", "C7", "video.test", KEY))


def test_a_subject_neither_sees_a_push_nor_sends_it_again(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    hook = WebhookReceiver()
    case = failed_push(house, hook, monkeypatch)
    house.ok("cases", case, "sven", house.action("case.add", subjects=["adam"]))
    evening_with_everything.project(house)
    push = BookmarkPush.objects.get().id
    assert push not in at("adam").get(URL).content.decode()
    assert at("adam").get(f"/api/v1{URL}").json()["pushes"] == []
    at("adam").post(AGAIN, {"id": push})
    assert (push_bookmarks(hook), BookmarkPush.objects.get().state) == (0, "failed")
    assert push in at("olga").get(URL).content.decode(), "the auditor reads it"


# --- the page of the case ---------------------------------------------------------------------------------------------


def test_a_failed_push_is_sent_again_from_the_page_of_its_case(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    hook = WebhookReceiver()
    case = failed_push(house, hook, monkeypatch)
    push, url = BookmarkPush.objects.get().id, f"/cases/{case}"
    again = f"{url}/recordings/again"
    for person, level in (("ines", "read"), ("paul", "none")):
        house.ok("cases", case, "sven", house.action("case.grant", person=person, level=level))
    longer = {"camera": "C7", "expires": "2026-12-20T20:05:00.000Z", **TIMES}
    house.ok("cases", case, "sven", house.action("case.bookmark", **longer))
    evening_with_everything.project(house)
    assert "recorder: failed, status 503 Send again" in words(at("sven"), url), "also after a later bookmark of it"
    assert "Send again" not in words(at("ines"), url)
    refused = [at(person).post(again, {"id": push}).status_code for person in ("ines", "paul")]
    assert (refused, BookmarkPush.objects.get().state) == ([403, 404], "failed")
    assert at("sven").get(again).status_code == 302
    assert push_bookmarks(hook) == 0, "only a form has it sent"
    for _time in range(2):  # one that waits is left as it is
        assert at("sven").post(again, {"id": push}).headers["Location"] == f"{url}#videos"
    assert "recorder: waiting" in words(at("sven"), url)
    assert [push_bookmarks(hook), push_bookmarks(hook)] == [1, 0]
    assert {delivery for delivery, _body in hook.messages} == {push}
    assert "recorder: sent" in words(at("sven"), url)
    assert BookmarkPush.objects.get().requested_by == "sven"


def test_a_case_sends_no_push_of_another_one(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    hook = WebhookReceiver()
    case = failed_push(house, hook, monkeypatch)
    house.ok("cases", case, "olga", house.action("case.add", subjects=["sven"]))
    own = bookmarked(house)
    push_bookmarks(hook)
    push = BookmarkPush.objects.get(case=case).id
    for mine in (case, own):
        at("sven").post(f"/cases/{mine}/recordings/again", {"id": push})
    assert (push_bookmarks(hook), BookmarkPush.objects.get(case=case).state) == (0, "failed")
