"""Actions over HTTP: the same actions as JSON, with an internal token of the acting person, as the pages make it."""

import json
import time
from collections.abc import Sequence

import msgspec
from django.test import Client

from backoffice.http import signed_person_passes
from events.envelope import Action
from events.streams.problem_details import Problem
from tests.live.live_table import Door, Reply
from tests.support.houses.small_house import House


def over_http(house: House) -> Door:
    """Return a door that posts each action over HTTP. The web process must answer from this house's desk."""
    client = Client()

    def post(kind: str, name: str, person: str, actions: Sequence[Action]) -> Reply:
        body = msgspec.json.encode({"mode": "atomic", "actions": actions})
        headers = {"Authorization": f"{signed_person_passes.SCHEME} {signed_person_passes.to_act(person, time.time())}"}
        path = f"/api/v1/{kind}/{name}/actions"
        response = client.post(path, body, content_type="application/json", headers=headers)
        answer = json.loads(response.content)
        if response.status_code != 200:
            return msgspec.convert(answer, Problem)
        events = [event for reply in answer["answers"] for event in reply["events"]]
        return [event.get("event", event) for event in events]

    return post
