"""The layout of a table over HTTP: its readers, its documented form, and read requests that write nothing."""

import json
from typing import Any

import pytest
from django.test import Client
from jsonschema import Draft202012Validator

from backoffice.access.models import Access
from backoffice.openapi import action_interface_openapi_document as openapi
from backoffice.people import badge_and_key_authentication
from events.progressives import due_lock_and_lapse_appending
from tests.integration.api.test_actions import action, dora, house, post
from tests.support.houses.cage_house import counted
from tests.support.houses.small_house import DAY, PROPERTY, House
from tests.unit.test_questions import deal

__all__ = ["dora", "house"]

pytestmark = pytest.mark.django_db
BET = {"bet": "b", "wager": "red", "amount_minor": 500, "player": "p", "seat": 1}


def look(client: Client, path: str, headers: dict[str, str]) -> tuple[int, dict[str, Any]]:
    response = client.get(f"/api/v1/tables/{path}", headers=headers)
    return response.status_code, json.loads(response.content)


def documented(name: str) -> Draft202012Validator:
    components = openapi.build()["components"]
    return Draft202012Validator({"$ref": f"#/components/schemas/{name}", "components": components})


def test_a_terminal_that_begins_again_gets_its_table_back(client: Client, house: House, dora: dict[str, str]) -> None:
    both = [action("round.open", "k1"), action("bet.place", "k2", data=BET)]
    _, done = post(client, "tables/FR1/actions", {"actions": both}, dora)
    status, answer = look(client, "FR1/layout", dora)
    assert status == 200
    documented("Layout").validate(answer)
    assert (answer["position"], answer["phase"], answer["round"]) == (done["position"], "open", 1)
    assert answer["bets"] == [{**BET, "placed_in": 1}]
    assert answer["play"] == {"game": "roulette"}
    assert look(client, f"FR1/layout?gaming_day={DAY}", dora) == (200, answer)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("FR9/layout", 403),  # a terminal is not told what there is elsewhere
        ("BJ1/layout", 403),
        ("FR1/layout?gaming_day=2026-01-01", 404),
        ("FR1/layout?gaming_day=today", 400),
    ],
)
def test_what_is_not_shown(client: Client, house: House, dora: dict[str, str], path: str, status: int) -> None:
    got, problem = look(client, path, dora)
    assert (got, problem["status"]) == (status, status)
    documented("Problem").validate(problem)


def test_who_is_not_known_is_shown_nothing(client: Client, house: House, dora: dict[str, str]) -> None:
    stranger = {"Authorization": f"Bearer {badge_and_key_authentication.issue_badge('zoe')}"}
    badge = {"Authorization": dora["Authorization"]}
    assert look(client, "FR1/layout", {})[0] == 401
    assert look(client, "FR1/layout", {"Pitledger-Device": dora["Pitledger-Device"]})[0] == 401
    assert look(client, "FR1/layout", stranger)[0] == 403
    assert look(client, "FR9/layout", badge)[0] == 404
    assert look(client, "BJ1/layout", badge)[0] == 404, "it was never opened"
    assert [line.what for line in Access.objects.order_by("pk")][-1] == "layout tables/BJ1"


def test_a_check_is_answered_as_documented_and_writes_nothing(
    client: Client, house: House, dora: dict[str, str]
) -> None:
    before = house.store.position()
    opening = action("round.open", "k1") | {"intent": "check"}
    status, answer = post(client, "tables/FR1/actions", opening, dora)
    assert status == 200
    documented("Checked").validate(answer)
    assert (answer["key"], answer["written"], answer["events"][0]["type"]) == ("k1", False, "round.opened.v1")
    both = {"mode": "each", "actions": [opening, action("bets.close", "k2") | {"intent": "check"}]}
    status, answer = post(client, "tables/FR1/actions", both, dora)
    documented("Answers").validate(answer)
    assert (status, answer["position"], answer["answers"][1]["status"]) == (200, 0, 422)
    mixed = {"actions": [opening, action("bets.close", "k2")]}
    assert post(client, "tables/FR1/actions", mixed, dora)[0] == 400
    assert house.store.position() == before


def test_a_no_to_a_check_leaves_a_line_only_where_it_was_not_theirs_to_ask(
    client: Client, house: House, dora: dict[str, str]
) -> None:
    checks = [action("bets.close", "k1"), action("session.close", "k2", data={"closer": {"100": 1}})]
    answers = [post(client, "tables/FR1/actions", check | {"intent": "check"}, dora)[0] for check in checks]
    assert answers == [422, 403]
    assert [line.what for line in Access.objects.all()] == ["check tables/FR1"]


def test_what_comes_too_early_says_when_to_come_again(client: Client, house: House) -> None:
    house.open_progressive()
    house.open_table("BJ1")
    deal(house)
    house.ok("tables", "BJ1", "dora", house.action("hit.declare", box=1, level="mega"))
    ines = {"Authorization": f"Bearer {badge_and_key_authentication.issue_badge('ines')}"}
    body = action("hit.authorise", "early", data={"hit": f"BJ1-{DAY}-1-1", "amount_minor": 5_000_050})
    early = client.post(
        "/api/v1/progressives/blazing/actions", json.dumps(body), content_type="application/json", headers=ines
    )
    problem = json.loads(early.content)
    assert (early.status_code, early.headers["Retry-After"]) == (503, "1")
    assert problem["title"].startswith("Not yet")
    house.ok("tables", "BJ1", "dora", house.action("deal.complete"))
    assert post(client, "progressives/blazing/actions", body, ines)[0] == 200


def test_the_screen_of_a_table_is_the_layout_and_what_may_come(
    client: Client, house: House, dora: dict[str, str]
) -> None:
    both = [action("round.open", "k1"), action("bet.place", "k2", data=BET)]
    post(client, "tables/FR1/actions", {"actions": both}, dora)
    _, layout = look(client, "FR1/layout", dora)
    status, screen = look(client, "FR1/layout?screen=1", dora)
    assert status == 200
    documented("Screen").validate(screen)
    assert {name: value for name, value in screen.items() if name in layout} == layout
    large = [step["do"] for step in screen["steps"] if step["size"] == "large"]
    assert large == ["ball.launch", "ball.launch"]
    assert [way["do"] for way in screen["undo"]] == ["bet.withdraw"]


def test_a_declared_hit_shows_its_share_and_whom_it_waits_for(client: Client, house: House) -> None:
    house.open_progressive()
    house.open_table("BJ1")
    deal(house)
    ines = {"Authorization": f"Bearer {badge_and_key_authentication.issue_badge('ines')}"}
    _, before = look(client, "BJ1/layout?screen=1", ines)
    assert (before["progressive_view"]["name"], before["progressive_view"]["hits"]) == ("blazing", [])
    house.ok("tables", "BJ1", "dora", house.action("hit.declare", box=1, level="mega"))
    _, screen = look(client, "BJ1/layout?screen=1", ines)
    documented("Screen").validate(screen)
    [hit] = screen["progressive_view"]["hits"]
    assert (hit["level"], hit["box"], hit["state"], hit["share_minor"], hit["waits_for"]) == (
        "mega", 1, "pending", None, [],
    )  # fmt: skip
    house.ok("tables", "BJ1", "dora", house.action("deal.complete"))
    due_lock_and_lapse_appending.reconcile(house.store, PROPERTY, "blazing")
    _, screen = look(client, "BJ1/layout?screen=1", ines)
    [hit] = screen["progressive_view"]["hits"]
    assert hit["state"] == "locked"
    assert hit["share_minor"] == 5_000_050
    assert ["inspector", "pit boss"] in hit["waits_for"]


def test_fills_under_way_are_shown_with_their_slip(client: Client, house: House) -> None:
    ines = {"Authorization": f"Bearer {badge_and_key_authentication.issue_badge('ines')}"}
    assert look(client, "FR1/layout?screen=1", ines)[1]["slips"] == []
    request = house.action("fill.request", chips={"500": 4})
    house.ok("tables", "FR1", "ines", request)
    [slip] = look(client, "FR1/layout?screen=1", ines)[1]["slips"]
    assert slip == {
        "way": "fill", "slip": None, "year": "", "chips": {"500": 4}, "amount_minor": 2_000, "state": "requested",
    }  # fmt: skip
    house.ok("cage", "", "cage", house.action("cage.open", gaming_day=DAY, **counted()))
    house.ok("cage", "", "cage", house.action("slip.issue", request=request.key, runner="sid"))
    [slip] = look(client, "FR1/layout?screen=1", ines)[1]["slips"]
    assert (slip["slip"], slip["state"]) == (1, "to receive")
    house.ok("tables", "FR1", "ines", house.action("fill.receive", slip=1, chips={"500": 4}))
    assert look(client, "FR1/layout?screen=1", ines)[1]["slips"] == []
