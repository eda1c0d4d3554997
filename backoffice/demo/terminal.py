"""A terminal: sends actions and repeats what was not answered, under the same keys, until it is."""

import time
from typing import Any

import httpx
import msgspec

from backoffice.demo.house import Keys
from events import catalogue
from events.clock import Played
from events.envelope import AnyEnvelope

GIVE_UP_SECONDS = 180.0
PAUSE_SECONDS = 0.1
_AGAIN = frozenset({429, 500, 502, 503, 504})


class TurnedDown(Exception):
    """The house refused what the demo asked: a mistake in the demo, or in the house."""


class Terminal:
    """Speaks HTTP to the action interface for everybody. `sent` and `written` count actions and events."""

    def __init__(self, base_url: str, keys: Keys, clock: Played | None = None) -> None:
        self.http = httpx.Client(base_url=base_url, timeout=30.0)
        self.keys = keys
        self.clock = clock  # the house's, if it goes with the night
        self.sent = 0
        self.repeated = 0
        self.written = 0

    def close(self) -> None:
        """Hang up."""
        self.http.close()

    def send(
        self, path: str, person: str, actions: list[dict[str, Any]], device: str | None = None
    ) -> list[AnyEnvelope]:
        """All or nothing; the events that were written, in order. Raises TurnedDown for what is refused."""
        headers = {"Authorization": f"Bearer {self.keys.badges[person]}"}
        if device is not None:
            headers["Pitledger-Device"] = self.keys.devices[device]
        if self.clock is not None:
            self.clock.advance(max(action["time"] for action in actions))
        body = msgspec.json.encode({"mode": "atomic", "actions": actions})
        answer = self._until_answered(f"/api/v1/{path}/actions", body, headers)
        events = [event["event"] for reply in answer["answers"] for event in reply["events"]]
        self.sent += len(actions)
        self.written += len(events)
        return [catalogue.decode(event["type"], msgspec.json.encode(event)) for event in events]

    def _until_answered(self, path: str, body: bytes, headers: dict[str, str]) -> dict[str, Any]:
        deadline = time.monotonic() + GIVE_UP_SECONDS
        while True:
            try:
                response = self.http.post(path, content=body, headers=headers)
                if response.status_code == 200:
                    found: dict[str, Any] = response.json()
                    return found
                why = f"{response.status_code} {response.text[:300]}"
                if response.status_code not in _AGAIN:
                    raise TurnedDown(f"{path}: {why}")
            except httpx.TransportError as error:
                why = repr(error)
            if time.monotonic() > deadline:
                raise TurnedDown(f"{path}: no answer for {GIVE_UP_SECONDS:.0f} seconds: {why}")
            self.repeated += 1
            time.sleep(PAUSE_SECONDS)
