"""A terminal of the demo: the actions of all people, by the client in docs/clients."""

import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import msgspec

from backoffice.http import signed_person_passes
from docs.clients.pitledger_client import Answers, Client, NoAnswer, Refused, Wire
from events import catalogue
from events.envelope import AnyEnvelope
from tools.demo.demo_house_setup import Keys

GIVE_UP_SECONDS = 180.0
PAUSE_SECONDS = 0.1  # at the most: the house is on this machine


class HouseClock(Protocol):
    """Clock of a played house, which can be advanced."""

    def __call__(self) -> str: ...

    def advance(self, to: str) -> None: ...


class TurnedDown(Exception):
    """The house refused an action of the demo: a mistake in the demo, or in the house."""


class DemoTerminal:
    """Client of the action interface for all people. `sent` and `written` count actions and events."""

    clock: HouseClock | None = None

    def __init__(self, base_url: str, keys: Keys, clock: HouseClock | None = None) -> None:
        self.wire = Wire(base_url, patience_s=GIVE_UP_SECONDS, pause_s=PAUSE_SECONDS)
        self.house = Client(base_url, wire=self.wire)
        self.keys = keys
        self.clock = clock  # the house's, if it goes with the night
        self.sent = 0
        self.written = 0

    @property
    def repeated(self) -> int:
        """Return the number of repeated requests."""
        return self.wire.repeated

    def close(self) -> None:
        """Hang up."""
        self.wire.close()

    def send(
        self, path: str, person: str, actions: list[dict[str, Any]], device: str | None = None
    ) -> list[AnyEnvelope]:
        """Send the actions, all or nothing; return the written events, in order. Raises TurnedDown for a refusal."""
        house = self._by(person, device)
        if self.clock is not None:
            self.clock.advance(max(action["time"] for action in actions))
        try:
            answer = _act(house, path)(actions)
        except (Refused, NoAnswer) as error:
            raise TurnedDown(f"{person} at {path}: {error}") from error
        replies: list[Any] = list(answer["answers"])
        events = [event["event"] for reply in replies for event in reply["events"]]
        self.sent += len(actions)
        self.written += len(events)
        return [catalogue.decode(event["type"], msgspec.json.encode(event)) for event in events]

    def _by(self, person: str, device: str | None) -> Client:
        """Return the credentials: at a table badge and device key, at a desk a session with a second factor."""
        if device is None:
            pass_ = signed_person_passes.to_act(person, time.time(), self.keys.secret or None)
            return self.house.by(pass_, scheme=signed_person_passes.SCHEME)
        return self.house.by(self.keys.badges[person], self.keys.devices[device])


def _act(house: Client, path: str) -> Callable[[Sequence[Any]], Answers]:
    """Return the method that acts on "tables/FR1", "progressives/blazing", "cage", "days" or "house"."""
    kind, _, name = path.partition("/")
    if kind in ("cage", "days", "house"):
        act_here: Callable[[Sequence[Any]], Answers] = getattr(house, f"act_{kind}")
        return act_here
    act = house.act_tables if kind == "tables" else house.act_progressives
    return lambda actions: act(name, actions)
