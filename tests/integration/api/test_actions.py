"""The API over HTTP: permissions, answers, and bad inputs that change nothing."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from backoffice.access.models import Access
from backoffice.people import badge_and_key_authentication
from events.errors import Busy
from tests.support.houses.small_house import DAY, House, serving

pytestmark = pytest.mark.django_db


@pytest.fixture
def house() -> Iterator[House]:
    """A house whose desk is the process's own."""
    house = House()
    house.open_table("FR1")
    with serving(house):
        yield house
    house.close()


@pytest.fixture
def dora(house: House) -> dict[str, str]:
    """A dealer at her terminal, as request headers."""
    badge = badge_and_key_authentication.issue_badge("dora", "Dora Samara")
    key = badge_and_key_authentication.issue_device_key("terminal-FR1", "FR1")
    return {"Authorization": f"Bearer {badge}", "Pitledger-Device": key}


def post(client: Client, path: str, body: Any, headers: dict[str, str]) -> tuple[int, dict[str, Any]]:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    response = client.post(f"/api/v1/{path}", content, content_type="application/json", headers=headers)
    return response.status_code, json.loads(response.content)


def action(kind: str, key: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "key": key, "intent": "ask", **fields}


def test_an_action_is_answered_with_its_position_and_its_events(
    client: Client, house: House, dora: dict[str, str]
) -> None:
    status, answer = post(client, "tables/FR1/actions", action("round.open", "k1"), dora)
    assert status == 200
    event = answer["events"][0]["event"]
    assert answer["position"] == house.store.position() == answer["events"][0]["position"]
    assert (event["type"], event["actor"], event["actorrole"]) == ("round.opened.v1", "dora", "dealer")
    assert (event["actordevice"], event["causation"], event["source"]) == ("terminal-FR1", "k1", "athens")
    assert event["data"]["round"] == 1
    again = post(client, "tables/FR1/actions", action("round.open", "k1"), dora)
    assert again == (200, {**answer, "repeated": True})


def test_atomic_answers_all_or_the_problem(client: Client, house: House, dora: dict[str, str]) -> None:
    both = [action("round.open", "a"), action("ball.land", "b", data={"number": 7})]
    before = house.store.position()
    status, problem = post(client, "tables/FR1/actions", {"mode": "atomic", "actions": both}, dora)
    assert (status, problem["index"], problem["key"]) == (422, 1, "b")
    assert house.store.position() == before
    status, answers = post(client, "tables/FR1/actions", {"mode": "each", "actions": both}, dora)
    assert status == 200
    assert [reply.get("status", 200) for reply in answers["answers"]] == [200, 422]
    assert answers["position"] == before + 1


def test_a_refusal_is_a_problem_with_the_clause_and_a_line_in_the_access_log(
    client: Client, house: House, dora: dict[str, str]
) -> None:
    post(client, "tables/FR1/actions", action("round.open", "k1"), dora)
    bet = {"bet": "b", "wager": "two_dozens", "amount_minor": 500, "player": "p", "seat": 1}
    response = client.post(
        "/api/v1/tables/FR1/actions",
        json.dumps(action("bet.place", "k2", data=bet)),
        content_type="application/json",
        headers=dora,
    )
    problem = json.loads(response.content)
    assert response.headers["Content-Type"] == "application/problem+json"
    assert (problem["status"], problem["clause"], problem["source"], problem["reading"]) == (
        422,
        "roulette-french P.7",
        "002 §8a",
        "ROU-7",
    )
    line = Access.objects.get()
    assert (line.person, line.device) == ("dora", "terminal-FR1")
    assert "roulette-french P.7" in line.outcome


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        (b"", 400, "body"),
        (b"{", 400, "body"),
        (b"\xff\xfe", 400, "body"),
        (b"[" * 50_000, 400, "body"),
        (b"[]", 400, "body"),
        (action("round.open", "k", surplus=1), 400, "surplus"),
        (action("round.open", "k") | {"intent": "maybe"}, 400, "intent"),
        (action("round.open", ""), 400, "key"),
        (action("no.such.thing", "k"), 400, "no.such.thing"),
        (action("round.open", "k", round=5), 409, "Round 5"),
        (action("bet.place", "k", data={"bet": "b", "wager": "red", "amount_minor": -1, "player": "p"}), 400, "amount"),
        (
            action("bet.place", "k", data={"bet": "b", "wager": "red", "amount_minor": 1.5, "player": "p"}),
            400,
            "amount",
        ),
        (action("round.open", "k", time="2026-11-20 20:00"), 400, "UTC"),
        ({"actions": []}, 400, "actions"),
        ({"actions": [action("round.open", f"k{n}") for n in range(201)]}, 400, "200"),
        ({"mode": "some", "actions": [action("round.open", "k")]}, 400, "mode"),
        (action("round.open", "k", data={"pad": "x" * 300_000}), 413, "bytes"),
    ],
)
def test_malformed_input_is_named_and_changes_nothing(
    client: Client, house: House, dora: dict[str, str], body: Any, status: int, says: str
) -> None:
    before = house.store.position()
    got, problem = post(client, "tables/FR1/actions", body, dora)
    assert (got, problem["status"]) == (status, status)
    assert says in problem["detail"]
    assert house.store.position() == before


BUYIN = b'{"type":"buyin.make","key":"k","data":{"seat":1,"player":"p","amount_minor":500,"tender":"cash"%s}}'


@pytest.mark.parametrize(
    ("added", "says"),
    [
        (b',"seat":2', "appears twice"),
        (b',"x":"\xff"', "UTF-8"),
        (b',"seat":2,"x":"\xff"', "UTF-8"),
        (b',"x\xff":1,"seat":2', "UTF-8"),
        (b',"x":"\xed\xa0\x80","seat":2', "UTF-8"),  # half of a surrogate pair
    ],
)
@pytest.mark.parametrize("several", [False, True])
def test_a_body_that_hides_a_name_from_the_decoder_is_refused(
    client: Client, house: House, dora: dict[str, str], added: bytes, says: str, several: bool
) -> None:
    """Given a body that hides a repeated name behind bytes that are no text, it is refused, and changes nothing."""
    before, body = house.store.position(), BUYIN % added
    got, problem = post(client, "tables/FR1/actions", b'{"actions":[%s]}' % body if several else body, dora)
    assert (got, problem["field"], house.store.position()) == (400, "body", before)
    assert says in problem["detail"]


@pytest.mark.parametrize("levels", [500, 900, 5_000, 100_000])
def test_a_deep_body_with_a_name_twice_is_refused(
    client: Client, house: House, dora: dict[str, str], levels: int
) -> None:
    before, deep = house.store.position(), b',"x":' + b"[" * levels + b"]" * levels
    for body in (BUYIN % (deep + b',"seat":2'), BUYIN % (b',"seat":2' + deep)):
        got, problem = post(client, "tables/FR1/actions", body, dora)
        assert (got, problem["field"], house.store.position()) == (400, "body", before)


def test_nobody_acts_without_a_badge(client: Client, house: House, dora: dict[str, str]) -> None:
    body = action("round.open", "k")
    for headers in ({}, {"Authorization": "Bearer nonsense"}, {"Authorization": "Basic x"}):
        assert post(client, "tables/FR1/actions", body, headers)[0] == 401
    stranger = {**dora, "Pitledger-Device": "nonsense"}
    assert post(client, "tables/FR1/actions", body, stranger)[0] == 401
    assert "round.opened.v1" not in {event.type for event in house.store.after(0, 1_000)}


def test_a_revoked_badge_is_dead(client: Client, house: House, dora: dict[str, str]) -> None:
    badge_and_key_authentication.revoke(person="dora")
    assert post(client, "tables/FR1/actions", action("round.open", "k"), dora)[0] == 401


def test_role_device_and_table_are_checked(client: Client, house: House, dora: dict[str, str]) -> None:
    house.open_table("BJ1")
    close = action("session.close", "c", data={"closer": {}})
    assert post(client, "tables/FR1/actions", close, dora)[0] == 403
    assert post(client, "tables/BJ1/actions", action("round.open", "k"), dora)[0] == 403
    assert post(client, "tables/XX9/actions", action("round.open", "k"), dora)[0] == 404


def test_the_person_comes_from_the_badge_never_from_the_body(
    client: Client, house: House, dora: dict[str, str]
) -> None:
    assert post(client, "tables/FR1/actions", action("round.open", "k", actor="ines"), dora)[0] == 400


def test_a_full_queue_says_come_again(
    client: Client, house: House, dora: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: object) -> None:
        raise Busy("10000 commands are waiting. Try again in a moment.")

    monkeypatch.setattr(house.desk, "submit", full)
    response = client.post(
        "/api/v1/tables/FR1/actions",
        json.dumps(action("round.open", "k")),
        content_type="application/json",
        headers=dora,
    )
    assert (response.status_code, response.headers["Retry-After"]) == (429, "1")


def test_a_late_count_goes_to_the_gaming_day_it_names(client: Client, house: House) -> None:
    badge = {"Authorization": f"Bearer {badge_and_key_authentication.issue_badge('cora')}"}
    ines = {"Authorization": f"Bearer {badge_and_key_authentication.issue_badge('ines')}"}
    close = [
        action("session.close", "c", data={"closer": {"100": 1}}),
        action("drop.remove", "d", data={"drop_box": "box"}),
    ]
    assert post(client, "tables/FR1/actions", {"actions": close}, ines)[0] == 200
    opened = action("session.open", "o", data={"gaming_day": "2026-11-21", "opener": {"100": 1}})
    assert post(client, "tables/FR1/actions", opened, ines)[0] == 200
    count = action("drop.count", "n", data={"drop_box": "box", "amount_minor": 100})
    assert post(client, "tables/FR1/actions", count, badge)[0] == 422, "the new day has no box to count"
    status, answer = post(client, f"tables/FR1/actions?gaming_day={DAY}", count, badge)
    assert status == 200
    assert answer["events"][0]["event"]["data"]["gaming_day"] == DAY


def test_a_get_is_not_an_action(client: Client, house: House) -> None:
    assert client.get("/api/v1/tables/FR1/actions").status_code == 405
