"""An attacker at the table screen cannot act.

The attacker has the tablet in hand, a photographed or used code, an edited queue, a revoked device, or a stolen cookie.
"""

import itertools
import json
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from backoffice.access.models import Access
from backoffice.models import BadgeSession, QueueEntry, RefusedEntry, TableDevice
from backoffice.people import badge_and_key_authentication
from backoffice.table_screen import badge_sessions, device_authentication, device_keys_and_signatures, pairing
from backoffice.table_screen.queued_entry_structs_and_chain import first_digest
from events.settings.settings_from_environment import settings
from tests.support.houses.small_house import House
from tests.support.pages.page_actors import at, complaints, done
from tests.support.tables.table_device import Tablet, act, paired
from tools.readers.signed_reader_queue import PairingProof

pytestmark = pytest.mark.django_db


def events(house: House) -> int:
    return house.store.position()


def dealing(house: House) -> Tablet:
    tablet = paired(house)
    assert tablet.come(badge_and_key_authentication.issue_badge("dora")).status_code == 200
    return tablet


def test_a_photographed_code_pairs_once_and_the_second_is_seen(house: House) -> None:
    device, secret = pairing.invite("FR1", "screen", "paul")
    thief, tablet = Tablet(), Tablet()
    assert thief.pair(secret).status_code == 200
    assert tablet.pair(secret).status_code == 409
    device.refresh_from_db()
    assert device.used_again == 1
    shown = at("paul").get(f"/pit/FR1/devices/{device.pk}/waiting").content.decode()
    assert "Another device tried the same code" in shown
    assert thief.state().status_code == 403
    at("paul").post(f"/pit/FR1/devices/{device.pk}/do/refuse")
    assert thief.client.get(f"/table/pairings/{device.pk}").json()["state"] == "refused"


def test_a_device_that_got_no_answer_asks_again_until_its_digits_are_shown(house: House) -> None:
    """The same key with the same commitment is the same device. Its first cookie was never used."""
    device, secret = pairing.invite("FR1", "screen", "paul")
    tablet = Tablet()
    proof = PairingProof(secret, tablet.jwk)
    body = {**proof.sent, "public_key": tablet.jwk, "device_name": "Tablet"}
    assert tablet.post("/table/pair", body).status_code == 200
    tablet.client.cookies.clear()
    again = tablet.post("/table/pair", body)
    assert (again.status_code, again.json()["pairing"]) == (200, device.pk)
    for _repeat in range(2):
        shown = tablet.post(f"/table/pairings/{device.pk}", {"nonce": proof.nonce})
        assert shown.json()["digits"] == proof.digits(again.json()["nonce"])
    assert tablet.post("/table/pair", body).status_code == 409, "the digits are shown"
    device.refresh_from_db()
    assert device.used_again == 1
    assert tablet.client.get(f"/table/pairings/{device.pk}").json()["state"] == "waiting"


def test_a_man_in_the_middle_cannot_make_the_digits_of_his_key_the_same(house: House) -> None:
    """He knows the code and speaks for both sides: his key is chosen before a nonce is known, and one try is all."""
    device, secret = pairing.invite("FR1", "screen", "paul")
    thief, tablet = Tablet(), Tablet()
    mine, theirs = PairingProof(secret, thief.jwk), PairingProof(secret, tablet.jwk)
    answer = thief.post("/table/pair", {**mine.sent, "public_key": thief.jwk}).json()
    assert answer["digits"] == ""
    boss = at("paul")
    waiting = f"/pit/FR1/devices/{device.pk}/waiting"
    assert b"Confirm device" not in boss.get(waiting).content
    shown = theirs.digits("0" * 32)  # of the tablet, for a nonce that the thief has made up
    wanted = next(nonce for nonce in _nonces() if _digits(thief, secret, nonce, answer["nonce"]) == shown)
    opened = thief.post(f"/table/pairings/{device.pk}", {"nonce": wanted})
    assert (opened.status_code, opened.json()["code"]) == (403, "pairing-proof")
    assert thief.post(f"/table/pairings/{device.pk}", {"nonce": mine.nonce}).status_code == 409
    assert b"Confirm device" not in boss.get(waiting).content
    assert thief.client.get(f"/table/pairings/{device.pk}").json()["state"] == "refused"


def _nonces() -> Iterator[str]:
    return (f"{number:064x}" for number in itertools.count())


def _digits(thief: Tablet, secret: str, nonce: str, house_nonce: str) -> str:
    key = device_keys_and_signatures.canonical(thief.jwk)
    return pairing.pairing_digits(pairing.key_of(secret), key, nonce, house_nonce)


def test_a_proof_is_of_its_key_and_the_secret_is_not_sent(house: House) -> None:
    _device, secret = pairing.invite("FR1", "screen", "paul")
    tablet, thief = Tablet(), Tablet()
    sent = PairingProof(secret, tablet.jwk).sent
    assert secret not in json.dumps(sent)
    assert pairing.key_of(secret) not in json.dumps(sent)
    wrong = thief.post("/table/pair", {**sent, "public_key": thief.jwk})
    assert (wrong.status_code, wrong.json()["code"]) == (403, "pairing-proof")
    assert thief.post("/table/pair", {"secret": secret, "public_key": thief.jwk}).status_code == 400
    assert tablet.pair(secret).json()["state"] == "waiting"


def test_a_code_lasts_two_minutes_and_its_confirmation_five(house: House) -> None:
    device, secret = pairing.invite("FR1", "screen", "paul")
    assert timedelta(seconds=110) < device.ends_at - timezone.now() <= timedelta(minutes=2)
    TableDevice.objects.update(ends_at=timezone.now())
    assert Tablet().pair(secret).status_code == 409
    assert Tablet().pair("guessed").status_code == 409


@pytest.mark.parametrize("person", ["dora", "ines", "sven", "adam", "olga"])
def test_only_a_pit_boss_confirms(house: House, person: str) -> None:
    device, secret = pairing.invite("FR1", "screen", "paul")
    Tablet().pair(secret)
    device.refresh_from_db()
    about = {"device": device.pk, "table": "FR1", "use": "screen", "key": device.fingerprint}
    house.no("devices", "", person, house.action("device.pair", **about))
    assert at(person).post("/pit/FR1/devices/do/code", {"use": "screen"}).status_code == 403


def test_another_key_or_table_than_was_confirmed_is_not_paired(house: House) -> None:
    tablet = paired(house)
    other = Tablet()
    TableDevice.objects.filter(pk=tablet.device).update(fingerprint="0" * 64)
    assert tablet.state().status_code == 403
    assert other.client.get(f"/table/pairings/{tablet.device}").status_code == 404


def test_a_tablet_at_another_table_is_nobody_there(house: House) -> None:
    tablet = dealing(house)
    tablet.table = "BJ1"
    assert tablet.state().status_code == 403
    assert tablet.send([tablet.entry(act("round.open"))]).status_code == 403


def test_a_tablet_in_hand_does_nothing_without_a_badge(house: House) -> None:
    tablet = paired(house)
    before = events(house)
    answer = tablet.send([tablet.entry(act("round.open"), session="guessed")]).json()
    assert [entry["state"] for entry in answer["answers"]] == ["held"]
    assert tablet.state().json()["layout"] is None
    assert tablet.come("guessed").status_code == 401
    assert tablet.come(badge_and_key_authentication.issue_badge("cage")).status_code == 403
    assert tablet.come(badge_and_key_authentication.issue_badge("dora"), "administrator").status_code == 400
    assert events(house) == before


def test_only_a_paired_device_listens_to_its_table(house: House) -> None:
    tablet, stranger = dealing(house), Tablet()
    cookies = "; ".join(f"{name}={cookie.value}" for name, cookie in tablet.client.cookies.items())
    assert device_authentication.may_listen("FR1", cookies)
    assert not device_authentication.may_listen("BJ1", cookies)
    assert not device_authentication.may_listen("XX9", cookies)
    _device, secret = pairing.invite("FR1", "screen", "paul")
    stranger.pair(secret)  # and nobody confirms it
    cookies_of_stranger = "; ".join(f"{name}={cookie.value}" for name, cookie in stranger.client.cookies.items())
    assert not device_authentication.may_listen("FR1", cookies_of_stranger)
    assert not device_authentication.may_listen("FR1", "")
    done(at("ines"), f"/pit/FR1/devices/do/device.revoke?device={tablet.device}", reason="lost")
    assert not device_authentication.may_listen("FR1", cookies)


def test_a_locked_session_does_nothing_more(house: House) -> None:
    tablet = dealing(house)
    session = tablet.sessions["dealer"]
    assert tablet.client.delete(f"/table/{tablet.table}/session").status_code == 204
    before = events(house)
    for queued in (False, True):
        answer = tablet.send([tablet.entry(act("round.open"), session=session, queued=queued)]).json()
        assert answer["answers"][0]["state"] == "held"
    assert events(house) == before


def test_a_session_s_cookie_counts_at_its_device_only(house: House) -> None:
    tablet, other = dealing(house), paired(house)
    other.client.cookies["pitledger_badges"] = tablet.client.cookies["pitledger_badges"].value
    assert other.state().json()["me"] == []
    answer = other.send([other.entry(act("round.open"), session=tablet.sessions["dealer"])]).json()
    assert answer["answers"][0]["state"] == "held"
    thief = Tablet()
    thief.device, thief.prev = tablet.device, first_digest(tablet.device)
    thief.client.cookies.update(tablet.client.cookies)
    stolen = thief.send([thief.entry(act("round.open"), session=tablet.sessions["dealer"])])
    assert (stolen.status_code, stolen.json()["code"]) == (409, "queue-entry-changed")


def test_a_relieved_dealer_does_nothing_more(house: House) -> None:
    house.grant("dino", "dealer")
    tablet = dealing(house)
    before = tablet.sessions["dealer"]
    assert tablet.come(badge_and_key_authentication.issue_badge("dino")).status_code == 200
    assert [person["person"] for person in tablet.state().json()["me"]] == ["dino"]
    answer = tablet.send([tablet.entry(act("round.open"), session=before)]).json()
    assert answer["answers"][0]["state"] == "held"


def test_an_edited_missing_or_reordered_entry_is_refused_by_number(house: House) -> None:
    tablet = dealing(house)
    first, second, third = (tablet.entry(act("round.open")), tablet.entry(act("bets.close")), tablet.entry(act("x")))
    edited = {**first, "body": first["body"].replace("round.open", "round.void")}
    for sent, code, seq in (
        ([edited], "queue-entry-changed", 1),
        ([second], "queue-entry-missing", 1),
        ([second, first], "queue-entry-reordered", 1),
        ([first, third], "queue-entry-missing", 2),
    ):
        answer = tablet.send(sent)
        refusal = answer.json()
        assert (answer.status_code, refusal["code"], refusal["params"]["seq"]) == (409, code, seq)
    assert {(refused.seq, refused.code) for refused in RefusedEntry.objects.all()} == {
        (1, "queue-entry-changed"),
        (1, "queue-entry-missing"),
        (1, "queue-entry-reordered"),
        (2, "queue-entry-missing"),
    }
    assert tablet.state().json()["refused"] == []  # a dealer is told nothing of it
    tablet.come(badge_and_key_authentication.issue_badge("ines"), "inspector")
    assert {refused["seq"] for refused in tablet.state().json()["refused"]} == {1, 2}
    assert b"out of order" in at("sven").get("/pit/FR1/devices").content
    assert [entry["state"] for entry in tablet.send([first, second]).json()["answers"]] == ["done", "done"]


def test_a_revoked_device_is_held_and_an_inspector_decides(house: House) -> None:
    tablet = dealing(house)
    first = tablet.entry(act("round.open"), queued=True)
    stake = act("bet.place", bet="a", wager="red", amount_minor=500, player="p")
    second, third = tablet.entry(stake, queued=True), tablet.entry(stake, queued=True)
    answered, _sent = done(at("ines"), f"/pit/FR1/devices/do/device.revoke?device={tablet.device}", reason="lost")
    assert answered.status_code == 302, complaints(answered)
    assert tablet.state().json()["me"] == []
    assert tablet.come(badge_and_key_authentication.issue_badge("dora")).status_code == 403
    before = events(house)
    entries = tablet.send([first, second, third]).json()["answers"]
    assert [(entry["status"], entry["state"]) for entry in entries] == [(202, "held")] * 3
    assert events(house) == before
    address = f"/pit/FR1/devices/{tablet.device}/entries"
    for person in ("dora", "sven", "olga"):
        assert at(person).post(f"{address}/1/do/accept").status_code == 403
    page = at("ines").get("/pit/FR1/devices").content.decode()
    assert page.count("Accept entry") == 3
    for number in (1, 2):
        at("ines").post(f"{address}/{number}/do/accept")
        at("ines").post(f"{address}/{number}/do/accept")  # twice is once
    stored = [event.raw.decode() for event in house.store.after(before, 100)]
    assert [json.loads(event)["type"] for event in stored] == [
        "device.entry_accepted.v1", "round.opened.v1", "device.reconnected.v1",
        "device.entry_accepted.v1", "bet.placed.v1", "device.reconnected.v1",
    ]  # fmt: skip
    assert all('"actor":"ines"' in event for event in stored)
    assert all('"queued":true' in event for event in stored if "/tables/" in event)
    link = re.search(r'href="([^"]*device.reject_entry[^"]*)"', at("ines").get("/pit/FR1/devices").content.decode())
    assert link is not None
    answered, _sent = done(at("ines"), link[1].replace("&amp;", "&"), reason="never happened")
    assert answered.status_code == 302, complaints(answered)
    assert at("ines").post(f"{address}/3/do/accept").status_code == 404
    assert "Accept entry" not in at("ines").get("/pit/FR1/devices").content.decode()


def test_no_form_of_another_site_does_anything(house: House) -> None:
    tablet = dealing(house)
    strict = Client(enforce_csrf_checks=True)
    strict.cookies.update(tablet.client.cookies)
    body = json.dumps({"entries": [tablet.entry(act("round.open"))]})
    assert strict.post("/table/FR1/queue", body, "application/json").status_code == 403
    assert strict.delete("/table/FR1/session").status_code == 403
    for path in ("/table/pair", "/table/FR1/reader"):
        assert strict.post(path, body, "text/plain").status_code == 400
    token = strict.get("/table/FR1/state").json()["csrf"]
    sent = strict.post("/table/FR1/queue", body, "application/json", headers={"X-CSRFToken": token})
    assert sent.json()["answers"][0]["status"] == 200


def test_a_badge_and_the_secrets_lie_nowhere(house: House, caplog: pytest.LogCaptureFixture) -> None:
    _device, secret = pairing.invite("FR1", "screen", "paul")
    tablet, badge = dealing(house), badge_and_key_authentication.issue_badge("ines")
    Tablet().pair(secret)
    answer = tablet.come(badge, "inspector")
    tablet.send([tablet.entry(act("round.open"), queued=True)])
    tablet.state()
    held = [cookie.value for cookie in tablet.client.cookies.values()]
    secrets = [badge, secret, *[part for value in held for part in value.split(".") if len(part) > 20]]
    assert len(secrets) >= 5
    stored_bytes = (
        b"".join(stored_event.raw for stored_event in house.store.after(0, 10_000)) + caplog.text.encode() + _rows()
    )
    stored_bytes += b"".join(path.read_bytes() for path in Path(settings().data).rglob("*") if path.is_file())
    assert badge not in answer.content.decode()
    assert [secret for secret in secrets if secret.encode() in stored_bytes] == []


def test_no_badge_is_in_an_answer_a_log_or_a_figure_of_the_house(
    house: House, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This holds also for refused badges, badges in the wrong place, and faults of the house."""
    caplog.set_level("DEBUG")
    tablet, badge = dealing(house), badge_and_key_authentication.issue_badge("ines")
    path, stranger = f"/table/{tablet.table}/session", Tablet()
    answers = [
        tablet.come(badge, "administrator"),
        tablet.come(badge, badge),
        tablet.come(badge, "dealer"),
        tablet.come(badge + "x", "inspector"),
        tablet.come(badge, "inspector", relief=f"{badge}\u0000"),
        tablet.post(path, {"badge": [badge], "role": "inspector"}),
        tablet.post(path, {"badge": badge, "role": "inspector", badge: 1}),
        tablet.client.post(path, f'{{"badge": "{badge}"', "application/json"),
        tablet.client.post(path, {"badge": badge}),
        tablet.client.delete(path, json.dumps({"badge": badge}), "application/json"),
        stranger.come(badge, "inspector"),
        tablet.post(f"/table/{tablet.table}/second", {"session": badge, "action": {"type": "round.void"}}),
        tablet.post(f"/table/{tablet.table}/entries", {"session": badge}),
    ]
    assert all(answer.status_code in (204, 400, 401, 403) for answer in answers)
    monkeypatch.setattr(badge_sessions, "begin", _fault)
    tablet.client.raise_request_exception = False
    answers.append(tablet.come(badge, "inspector"))
    assert answers[-1].status_code == 500
    traces = b"".join(answer.content for answer in answers) + caplog.text.encode()
    traces += at("adam").get("/system").content + at("olga").get("/access").content
    traces += b"".join(path.read_bytes() for path in Path(settings().data).rglob("*") if path.is_file())
    traces += repr([vars(line) for line in Access.objects.all()]).encode()
    assert badge.encode() not in traces
    assert b"session" in caplog.text.encode()


def _fault(*_: Any) -> Any:
    raise RuntimeError("a fault of the house")


def _rows() -> bytes:
    """Everything in the tables of the house's database."""
    parts: list[Any] = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            parts.extend(cursor.fetchall())
    text = repr(parts).encode()
    assert BadgeSession.objects.get(role="inspector").id.encode() in text
    assert QueueEntry.objects.get().digest.encode() in text
    return text
