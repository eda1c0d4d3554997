"""The way in over HTTP: the same actions as JSON, with the badges of the people who act."""

import json
from collections.abc import Sequence
from functools import cache

import msgspec
from django.test import Client

from backoffice.api import credentials
from events.envelope import Action
from events.problems import Problem
from tests.house import House
from tests.live.table import Door, Reply


def over_http(house: House) -> Door:
    """A door that posts what it is given. The web process must answer from this house's desk."""
    client = Client()

    @cache
    def badge(person: str) -> str:
        return credentials.issue_badge(person, person)

    def post(kind: str, name: str, person: str, actions: Sequence[Action]) -> Reply:
        body = msgspec.json.encode({"mode": "atomic", "actions": actions})
        headers = {"Authorization": f"Bearer {badge(person)}"}
        path = f"/api/v1/{kind}/{name}/actions"
        response = client.post(path, body, content_type="application/json", headers=headers)
        answer = json.loads(response.content)
        if response.status_code != 200:
            return msgspec.convert(answer, Problem)
        events = [event for reply in answer["answers"] for event in reply["events"]]
        return [event.get("event", event) for event in events]

    return post
