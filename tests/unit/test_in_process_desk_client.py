"""Actions from views in the door's process: at its desk, under the limits of an action from outside."""

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from backoffice.door import desk_client_for_views
from backoffice.door.action_receiver import ActionLimits
from backoffice.door.desk_client_for_views import InProcessDeskClient
from backoffice.http import signed_person_passes
from events.settings.settings_from_environment import settings
from tests.support.houses.small_house import House, serving

pytestmark = pytest.mark.django_db
PATH = "/api/v1/tables/FR1/actions"
LIMIT = 4


@pytest.fixture
def house(db: None) -> Iterator[House]:
    house = House()
    house.open_table("FR1")
    with serving(house):
        yield house
    house.close()


@pytest.fixture
def client() -> InProcessDeskClient:
    return InProcessDeskClient(ActionLimits(msgspec.structs.replace(settings(), limit_badge=LIMIT)))


def post(client: InProcessDeskClient, key: str, person: str = "dora") -> tuple[int, Any]:
    token = signed_person_passes.to_act(person, None, device="tablet-1", table="FR1")
    body = json.dumps({"mode": "each", "actions": [{"type": "round.open", "key": key, "data": {}}]})
    headers = {"Authorization": f"{signed_person_passes.SCHEME} {token}"}
    answer = client.post(PATH, content=body.encode(), headers=headers)
    return answer.status_code, json.loads(answer.content)


def test_an_action_is_recorded_by_its_person_at_their_device(house: House, client: InProcessDeskClient) -> None:
    status, answer = post(client, "first-round")
    [reply] = answer["answers"]
    event = reply["events"][0]["event"]
    assert (status, event["type"], event["actor"], event["actordevice"]) == (200, "round.opened.v1", "dora", "tablet-1")


def test_a_person_over_their_limit_is_refused(house: House, client: InProcessDeskClient) -> None:
    statuses = [post(client, f"action-{number}")[0] for number in range(3 * LIMIT * 5)]
    assert {200, 429} == set(statuses), "a quiet client may use the limit of five seconds at once"


def test_a_message_that_was_not_signed_here_is_refused(house: House, client: InProcessDeskClient) -> None:
    answer = client.post(PATH, content=b"{}", headers={"Authorization": f"{signed_person_passes.SCHEME} forged"})
    assert answer.status_code == 401


def test_nothing_is_sent_to_a_desk_that_closes(house: House, client: InProcessDeskClient) -> None:
    client.close()
    with pytest.raises(ConnectionError):
        post(client, "late")


def test_an_error_of_the_desk_is_no_answer(
    house: House, client: InProcessDeskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def respond(*_: object) -> None:
        raise RuntimeError("a fault")

    monkeypatch.setattr(desk_client_for_views, "respond", respond)
    with pytest.raises(ConnectionError):
        post(client, "failed")
