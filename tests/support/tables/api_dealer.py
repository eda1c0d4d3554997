"""A dealer who works by the API over HTTP, with a badge and the key of a terminal.

`repeat` repeats the play of another table of the same game: the same places, cards and decisions. The names are new,
and the payments are those that this table's layout gives as due.
"""

import json
import re
import secrets
from collections.abc import Iterable, Mapping
from contextlib import closing
from http.client import HTTPConnection
from typing import Any

import msgspec

from backoffice.models import Credential, Device
from backoffice.table_screen.device_authentication import digest_of
from tests.servers.ports import LOOPBACK
from tests.support.houses.small_house import House
from tests.support.tables.table_screens import Screens

NAMES = ("bet", "base")  # fields that hold the name of a bet
REFERENCES = (*NAMES, "request", "content", "corrects")  # names that differ from table to table


class ApiDealer:
    """Dealer and inspector at one terminal of a table."""

    def __init__(self, house: Screens, table: str) -> None:
        self.house, self.table = house, table
        self.key = secrets.token_urlsafe(12)
        house.night.do(self._register)
        self.badges = {person: house.night.badge(person) for person in ("dora", "ines")}
        self.names: dict[str, str] = {}
        self.sent = 0

    def _register(self, _house: House) -> None:
        night = self.house.night
        terminal = Device.objects.using(night.alias).create(id=f"terminal-{self.table}", table=self.table)
        Credential.objects.using(night.alias).create(digest=digest_of(self.key), device=terminal)

    def _request(self, path: str, person: str, body: Any = None) -> Any:
        headers = {"Authorization": f"Bearer {self.badges[person]}", "Pitledger-Device": self.key}
        content = None if body is None else json.dumps(body).encode()
        with closing(HTTPConnection(LOOPBACK, self.house.door.port, timeout=30)) as connection:
            method = "GET" if body is None else "POST"
            address = f"/api/v1/tables/{self.table}/{path}"
            connection.request(method, address, content, {**headers, "Content-Type": "application/json"})
            response = connection.getresponse()
            answer = response.read()
        assert response.status == 200, (path, body, answer)
        return json.loads(answer)

    def layout(self) -> Mapping[str, Any]:
        """The table as a terminal reads it."""
        answer: Mapping[str, Any] = self._request("layout?screen=1", "dora")
        return answer

    def act(self, do: str, data: Mapping[str, Any], person: str = "dora", **fields: str) -> None:
        """Send one action. `fields` have its intent, or the event that it corrects. A refusal fails the test."""
        self.sent += 1
        action = {"type": do, "key": f"{self.table}-{self.sent}", "intent": "ask", "data": self._named(data), **fields}
        self._request("actions", person, action)

    def _named(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """The data with this dealer's own names of bets."""
        return {name: self.names.setdefault(value, f"n{len(self.names) + 1}") if name in NAMES else value
                for name, value in data.items()}  # fmt: skip

    # --- repeating ----------------------------------------------------------------------------------------------

    def repeat(self, deeds: Iterable[tuple[str, dict[str, Any]]], other: str) -> None:
        """Repeat the actions of the other table, whose name is part of its players' names."""
        for do, about in json.loads(json.dumps(list(deeds)).replace(f"{other}-", f"{self.table}-")):
            if do == "stake":
                self._stake(**about)
            elif do == "pay":
                self._pay()
            elif do == "fact":
                self.act(about["do"], about["data"], self._person(about["do"]), intent="fact")
            elif do == "correct":
                self._correct(about)
            elif do == "agreed":
                self._agree(about["do"], about["data"])
            else:
                self.act(do, about, self._person(do))

    def _correct(self, data: Mapping[str, Any]) -> None:
        """Correct the latest bet."""
        placed = [event for event in self.house.night.events(self.table) if event.type == "bet.placed.v1"][-1]
        self.names.setdefault(placed.data.bet, placed.data.bet)
        self.act("bet.correct", {**data, "bet": placed.data.bet}, "ines", corrects=placed.id)

    def _agree(self, do: str, data: Mapping[str, Any]) -> None:
        """The pit boss asks for it, surveillance agrees."""
        self.house.night.do(
            lambda house: house.agreed("tables", self.table, ("paul", "sven"), house.action(do, **data))
        )

    def _person(self, do: str) -> str:
        """The dealer where he may, else the inspector."""
        roles = next((step["roles"] for step in self.layout()["steps"] if step["do"] == do), ["dealer"])
        return "dora" if not roles or "dealer" in roles else "ines"

    def _stake(self, place: str, minor: int, seat: int, name: str) -> None:
        shown = self.layout()
        spot = next(spot for spot in shown["places"] if spot["place"] == place)
        own = next(holder for holder in shown["seats"] if holder["seat"] == seat)
        extra = [entry["data"] for entry in shown["place_data"] if (entry["place"], entry["seat"]) == (place, seat)]
        data = {**spot["data"], **(extra[0] if extra else {}), "bet": name, "amount_minor": minor}
        field = own.get("field", "seat")
        base = {"base": data.pop("base")} if "base" in data else {}
        named = {**self._named(data), **base, "player": own["player"], field: seat}
        self.sent += 1
        key = f"{self.table}-{self.sent}"
        self._request("actions", "dora", {"type": "bet.place", "key": key, "intent": "ask", "data": named})

    def _pay(self) -> None:
        for due in self.layout()["due"]:
            self.sent += 1
            action = {"type": "payment.make", "key": f"{self.table}-{self.sent}", "intent": "ask", "data": due["data"]}
            self._request("actions", "dora", action)


def comparable(events: Iterable[Any], table: str) -> list[dict[str, Any]]:
    """Events without devices and times, with bets and requests named by the order of their appearance."""
    contents: list[dict[str, Any]] = []
    names: dict[str, str] = {}
    for event in events:
        content = msgspec.to_builtins(event.data, str_keys=True)
        _name(content, names)
        content.pop("until", None)  # when a request ends
        contents.append({"type": event.type, "actor": event.actor, "role": event.actorrole, "intent": event.intent,
                         "queued": event.queued is True, **content})  # fmt: skip
    text = json.dumps(contents)
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"\b{re.escape(name)}\b", names[name], text)
    plain: list[dict[str, Any]] = json.loads(text.replace(table, "TABLE"))
    return plain


def _name(value: Any, names: dict[str, str]) -> None:
    """Give each referenced id a name by the order of appearance."""
    if isinstance(value, dict):
        for field, item in value.items():
            if field in REFERENCES and isinstance(item, str):
                names.setdefault(item, f"name {len(names) + 1}")
            _name(item, names)
    elif isinstance(value, list | tuple):
        for item in value:
            _name(item, names)
