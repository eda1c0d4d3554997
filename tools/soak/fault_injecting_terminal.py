"""The demo's terminal with a memory of its requests, and with faults before or during some of them."""

import threading
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from events.envelope import AnyEnvelope
from tools.demo.demo_house_setup import Keys
from tools.demo.http_terminal import DemoTerminal

Sent = tuple[str, str, list[dict[str, Any]], str | None]
Deed = Callable[[], object]


class Patient(DemoTerminal):
    """`between`: faults before a request, by its number, while none waits; `during`: faults while it is sent."""

    def __init__(
        self, url: str, keys: Keys, between: Mapping[int, Deed], during: Mapping[int, Deed], random: Random
    ) -> None:
        super().__init__(url, keys)
        self.log: list[Sent] = []
        self._between, self._during, self._random = dict(between), dict(during), random
        self._deeds: list[threading.Timer] = []

    def send(
        self, path: str, person: str, actions: list[dict[str, Any]], device: str | None = None
    ) -> list[AnyEnvelope]:
        number = len(self.log)
        self.log.append((path, person, actions, device))
        if (deed := self._between.get(number)) is not None:
            deed()
        if (deed := self._during.get(number)) is not None:
            self._deeds.append(threading.Timer(self._random.uniform(0.0, 0.05), deed))
            self._deeds[-1].start()
        return super().send(path, person, actions, device)

    def send_all_again(self) -> None:
        """Everything that was answered so far, under the same keys: what the house does not know any more is done."""
        for path, person, actions, device in self.log[:-1]:
            super().send(path, person, actions, device)

    def close(self) -> None:
        for deed in self._deeds:
            deed.join()
        super().close()
