"""People who ask for notifications get one mail about open work. The installation's webhook gets a signed message."""

import hashlib
import hmac
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import msgspec
import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend

from backoffice.inbox import mail_and_webhook_notifier
from backoffice.inbox.mail_and_webhook_notifier import send_notifications
from backoffice.models import Person, Told
from events.settings.settings_from_environment import settings
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import House
from tests.support.pages.page_actors import at
from tests.support.pages.page_text_and_queries import words
from workers.celery_app import of_celery

KEY = "0123456789abcdef0123456789abcdef"
pytestmark = pytest.mark.django_db


@pytest.fixture
def house_with_request(house: House, monkeypatch: pytest.MonkeyPatch) -> House:
    """A house with a mail server, where a change of a cap waits for a second person."""
    monkeypatch.setenv("PITLEDGER_MAIL", "smtp://127.0.0.1:25")
    ask(house, 9_000_000)
    return house


def ask(house: House, cap: int) -> None:
    house.ok("progressives", "blazing", "mark", house.action("parameters.change", level="mega", cap_minor=cap))
    evening_with_everything.project(house)


def wants(person: str, address: str = "x@example.org") -> None:
    """Ask for mail on the person's own page."""
    answer = at(person).post("/account/mail", {"wants_mail": "on", "email": address})
    assert answer.status_code == 302, answer.content


def test_nobody_is_told_who_did_not_ask(house_with_request: House) -> None:
    assert send_notifications().mails == 0
    assert mail.outbox == []


def test_somebody_is_told_once_and_nothing_but_that_something_waits(house_with_request: House) -> None:
    wants("anna")
    assert [send_notifications().mails for _time in range(3)] == [1, 0, 0]
    [sent] = mail.outbox
    assert sent.to == ["x@example.org"]
    assert (sent.subject, sent.body) == (
        "Pitledger: you have an item to approve",
        f"You have an item to approve. Open your inbox:\nhttp://localhost:{settings().web_port}/inbox\n",
    )


def test_the_link_is_the_address_of_the_house(house_with_request: House, monkeypatch: pytest.MonkeyPatch) -> None:
    wants("anna")
    monkeypatch.setenv("PITLEDGER_ADDRESS", "https://pit.example.org:8443, https://b.example")
    assert send_notifications().mails == 1
    assert mail.outbox[0].body == "You have an item to approve. Open your inbox:\nhttps://pit.example.org:8443/inbox\n"


def test_what_comes_later_is_told_by_a_mail_of_its_own(house_with_request: House) -> None:
    wants("anna")
    send_notifications()
    ask(house_with_request, 9_100_000)
    assert send_notifications().mails == 1


def test_who_asked_and_who_has_no_role_for_it_hears_nothing(house_with_request: House) -> None:
    """Mark's own request is for others to approve. He still gets notifications about other work."""
    wants("dora")
    assert send_notifications().mails == 0


def test_who_is_shut_out_or_has_turned_it_off_hears_nothing(house_with_request: House) -> None:
    wants("anna")
    wants("cora")
    Person.objects.filter(id="anna").update(is_active=False)
    at("cora").post("/account/mail", {"email": "x@example.org"})
    assert send_notifications().mails == 0


def test_a_mail_server_that_is_away_takes_nobody_s_turn(
    house_with_request: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    wants("anna")

    def unreachable(_self: EmailBackend) -> None:
        raise OSError("no route")

    with monkeypatch.context() as broken:
        broken.setattr(EmailBackend, "open", unreachable, raising=False)
        assert send_notifications().mails == 0
    assert not Told.objects.exists()
    assert send_notifications().mails == 1


def test_the_page_says_what_it_is_about_and_wants_an_address(house: House) -> None:
    assert "No mail server is configured" in words(at("anna"), "/account/mail")
    answer = at("anna").post("/account/mail", {"wants_mail": "on", "email": ""})
    assert (answer.status_code, "Enter an e-mail address." in answer.content.decode()) == (422, True)
    assert not Person.objects.filter(wants_mail=True).exists()


def test_it_is_off_by_default_and_on_the_worker_s_schedule_where_the_house_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "tell" not in of_celery()["beat_schedule"]
    monkeypatch.setenv("PITLEDGER_MAIL", "smtps://u:p@mail.example.org:465")
    monkeypatch.setenv("PITLEDGER_TELL_S", "30")
    assert of_celery()["beat_schedule"]["tell"]["schedule"] == 30


# --- the webhook ------------------------------------------------------------------------------------------------------


class Hook(HTTPServer):
    """Replaces an installation's own program, and answers with `status`."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.status, self.got = 200, list[tuple[str, str, bytes]]()


class _Handler(BaseHTTPRequestHandler):
    server: Hook

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((self.path, self.headers[mail_and_webhook_notifier.SIGNATURE], body))
        self.send_response(self.server.status)
        self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_POST

    def log_message(self, *args: Any) -> None:
        """Quiet."""


@contextmanager
def served() -> Iterator[Hook]:
    hook = Hook()
    thread = threading.Thread(target=hook.serve_forever, daemon=True)
    thread.start()
    try:
        yield hook
    finally:
        hook.shutdown()
        hook.server_close()


@pytest.fixture
def hook(house_with_request: House, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hook]:
    with served() as server:
        monkeypatch.setenv("PITLEDGER_WEBHOOK", f"http://127.0.0.1:{server.server_port}/hook")
        monkeypatch.setenv("PITLEDGER_WEBHOOK_KEY", KEY)
        yield server


def test_the_webhook_is_told_what_waits_for_which_roles_once_and_signed(hook: Hook) -> None:
    assert send_notifications().posted > 0
    assert send_notifications().posted == 0
    [(path, signature, body)] = hook.got
    at_, _, digest = signature.removeprefix("t=").partition(",v1=")
    assert (path, digest) == ("/hook", hmac.new(KEY.encode(), f"{at_}.".encode() + body, hashlib.sha256).hexdigest())
    items = msgspec.json.decode(body)["waiting"]
    assert {tuple(sorted(item)) for item in items} == {("id", "kind", "link", "roles", "state")}
    assert [item["kind"] for item in items if "accountant" in item["roles"] and item["kind"] == "approvals"] == [
        "approvals"
    ]
    assert not [word for word in (b"mark", b"9000000", b"mega") if word in body]


def test_what_it_did_not_take_is_sent_again_a_few_times(hook: Hook) -> None:
    hook.status = 503
    assert [send_notifications().posted for _time in range(mail_and_webhook_notifier.TRIES_MAX + 2)] == [0] * (
        mail_and_webhook_notifier.TRIES_MAX + 2
    )
    assert len(hook.got) == mail_and_webhook_notifier.TRIES_MAX


def test_it_takes_what_it_refused_before(hook: Hook) -> None:
    hook.status = 500
    send_notifications()
    hook.status = 200
    assert send_notifications().posted > 0
    assert len(hook.got) == 2


def test_a_redirection_is_not_followed(hook: Hook) -> None:
    """Otherwise the redirecting server could make the house send requests to its own loopback address."""
    hook.status = 302
    assert send_notifications().posted == 0
    assert [path for path, _signature, _body in hook.got] == ["/hook"]


def test_without_a_key_nothing_is_sent(hook: Hook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITLEDGER_WEBHOOK_KEY", "")
    send_notifications()
    assert hook.got == []
