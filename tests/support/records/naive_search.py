"""A search by reading every event: a few lines over the exported JSON, that share nothing with the product's own.

Each makes one part of a search and the same as a function of events, from what occurs in them.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from datetime import datetime
from random import Random
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

from events.house.code_to_words_lookup import word

Event: TypeAlias = dict[str, Any]
Part: TypeAlias = tuple[str, Callable[[Event], bool]]

OF_DATA = ("pit", "table", "shift", "dealer", "inspector", "player", "tender", "corrects", "wager", "outcome")
OF_ENVELOPE = {"stream": "subject", "actor": "actor", "actorrole": "actorrole", "device": "actordevice"}
OF_ENVELOPE |= {"correlation": "correlation", "causation": "causation"}
WRITTEN = ("reason", "reasons", "detail", "document")


def money(event: Event, name: str) -> Any:
    """The `amount`, `due` or `paid` of an event."""
    data, type_ = event["data"], event["type"].split(".v")[0]
    if name == "amount":
        return data.get("amount_minor")
    if name == "paid":
        return data.get("amount_minor") if type_ in ("payment.made", "jackpot.paid", "envy.paid") else None
    if type_ == "payment.made":
        return data.get("due_minor")
    return data["profit_minor"] if type_ == "bet.settled" and data.get("profit_minor", 0) > 0 else None


def words(text: str) -> list[str]:
    """Without case and accents."""
    plain = unicodedata.normalize("NFKD", text.lower())
    return re.findall("[a-z0-9]+", "".join(letter for letter in plain if unicodedata.category(letter) != "Mn"))


class RandomSearchParts:
    """Parts of searches, made of the values that occur in these events."""

    def __init__(self, events: Sequence[bytes], random: Random, zone: str) -> None:
        self.events = [json.loads(raw) for raw in events]
        self.random = random
        self.zone = ZoneInfo(zone)
        self.makers: list[Callable[[], Part]] = [self.exact, self.envelope, self.kind, self.number, self.money]
        self.makers += (
            self.day,
            self.clock,
            self.moment,
            self.around_event,
            self.irregular,
            self.of_kind,
            self.a_round,
            self.text,
            self.beginning,
            self.slip,
        )

    def some(self) -> Part:
        """One part, half of the time one of three negated."""
        text, finds = self.random.choice(self.makers)()
        if self.random.random() < 0.2:
            return f"-{text}", lambda event: not finds(event)
        return text, finds

    def nested(self, depth: int = 3) -> Part:
        """Parts with OR between them, in parentheses, and all of that again."""
        if depth == 0 or self.random.random() < 0.4:
            return self.some()
        parts = [self.nested(depth - 1) for _ in range(self.random.choice((2, 2, 3)))]
        is_or, negated = self.random.random() < 0.6, self.random.random() < 0.2
        between = " OR " if is_or else self.random.choice((" ", " AND "))
        text = f"{'-' if negated else ''}({between.join(text for text, _ in parts)})"
        every = any if is_or else all
        return text, lambda event: every(finds(event) for _, finds in parts) != negated

    def an(self, says: Callable[[Event], Any]) -> Any:
        """A value that occurs."""
        values = [value for event in self.random.choices(self.events, k=200) if (value := says(event)) is not None]
        return self.random.choice(values) if values else "nothing"

    def exact(self) -> Part:
        name = self.random.choice(OF_DATA)
        wanted = {str(self.an(lambda event: event["data"].get(name))) for _ in range(2)}
        if name == "tender":  # it has few values, and "nothing" is none
            wanted = {self.random.choice(("cash", "chips", "promotional"))}
        values = ",".join(f'"{value}"' for value in wanted)
        return f"{name}:{values}", lambda event: event["data"].get(name) in wanted

    def envelope(self) -> Part:
        name, field = self.random.choice(list(OF_ENVELOPE.items()))
        wanted = self.an(lambda event: event.get(field))
        return f'{name}:"{wanted}"', lambda event: event.get(field) == wanted

    def beginning(self) -> Part:
        """A value cut off, with a star."""
        name = self.random.choice((*OF_DATA[:6], "stream", "type"))
        value = str(self.an(lambda event: self.field_value(event, name)))
        begin = value[: self.random.randrange(1, len(value) + 1)]
        return f'{name}:"{begin}"*', lambda event: str(self.field_value(event, name) or "").startswith(begin)

    @staticmethod
    def field_value(event: Event, name: str) -> Any:
        """Return the value of a field of an event."""
        if name in ("stream", "type"):
            return event["subject" if name == "stream" else "type"]
        return event["data"].get(name)

    def slip(self) -> Part:
        """Search for a number in any series, for one slip by name, or for a series."""

        def slip_name(event: Event) -> str:
            slip = event["data"].get("slip")
            name = slip if isinstance(slip, str) else str(event.get("correlation") or "") if slip is not None else ""
            return name if re.fullmatch(r"[a-z_]+(-\d{4})?-\d+", name) else ""

        name = str(self.an(lambda event: slip_name(event) or None))
        number = name.rpartition("-")[2]
        if not number.isdecimal() or self.random.random() < 0.3:
            return "slip:fill-*", lambda event: slip_name(event).startswith("fill-")
        if self.random.random() < 0.5:
            return f"slip:{name}", lambda event: slip_name(event) == name

        def numbered(event: Event) -> bool:
            slip = event["data"].get("slip")
            return str(slip) == number or (isinstance(slip, str) and slip.endswith(f"-{number}"))

        return f"slip:{number}", numbered

    def kind(self) -> Part:
        wanted = self.an(lambda event: event["type"])
        if self.random.random() < 0.5:
            return f"type:{wanted}", lambda event: event["type"] == wanted
        base = wanted.rpartition(".v")[0]
        return f"type:{base}", lambda event: event["type"].rpartition(".v")[0] == base

    def number(self) -> Part:
        name = self.random.choice(("seat", "box", "round"))
        least, most = sorted(self.random.sample(range(9), 2))
        return f"{name}:{least}..{most}", lambda event: least <= event["data"].get(name, -1) <= most

    def money(self) -> Part:
        name = self.random.choice(("amount", "due", "paid"))
        least, most = sorted(self.random.choices([-50_000, -1, 0, 1, 500, 1_000, 2_500, 50_000], k=2))
        values = f"{least / 100:.2f}..{most / 100:.2f}"
        return f"{name}:{values}", lambda event: (amount := money(event, name)) is not None and least <= amount <= most

    def day(self) -> Part:
        day = self.an(lambda event: event["data"].get("gaming_day"))
        return f"day:{day}..{day}", lambda event: event["data"].get("gaming_day") == day

    def clock(self) -> Part:
        start, end = (f"{self.random.randrange(24):02}:{self.random.choice(('00', '30'))}" for _ in range(2))
        end = end if end != start else "23:59"

        def finds(event: Event) -> bool:
            now = datetime.fromisoformat(event["time"]).astimezone(self.zone).strftime("%H:%M:%S.%f")
            return start <= now < end if start < end else now >= start or now < end

        return f"time:{start}..{end}", finds

    def moment(self) -> Part:
        start, end = sorted(self.an(lambda event: event["time"]) for _ in range(2))
        end = end if end != start else "2030-01-01T00:00Z"
        first, last = datetime.fromisoformat(start), datetime.fromisoformat(end)
        return f"time:{start}..{end}", lambda event: first <= datetime.fromisoformat(event["time"]) < last

    def around_event(self) -> Part:
        event = self.random.choice(self.events)
        at = datetime.fromisoformat(event["time"])

        def finds(other: Event) -> bool:
            return abs((datetime.fromisoformat(other["time"]) - at).total_seconds()) <= 30

        return f"around:{event['id']}~30s", finds

    def irregular(self) -> Part:
        actions = {event.get("causation") for event in self.events if event["type"] == "irregularity.recorded.v1"}
        return "has:irregularity", lambda event: event.get("causation") in actions - {None}

    def of_kind(self) -> Part:
        kinds = [event for event in self.events if event["type"] == "irregularity.recorded.v1"]
        kind = self.random.choice(kinds)["data"]["kind"] if kinds else "mispay"
        actions = {event.get("causation") for event in kinds if event["data"]["kind"] == kind}
        return f'irregularity:"{kind}"', lambda event: event.get("causation") in actions - {None}

    def a_round(self) -> Part:
        rounds = [event for event in self.events if event["data"].get("round")]
        if not rounds:  # a short log
            return self.day()
        data = self.random.choice(rounds)["data"]
        names = ("table", "gaming_day", "round")
        wanted = [data[name] for name in names]
        text = "/".join(map(str, wanted))
        return f"round:{text}", lambda event: [event["data"].get(name) for name in names] == wanted

    def text(self) -> Part:
        """Search for a text that people wrote, or for the name of a type or an irregularity."""
        value = self.an(lambda event: next((event["data"][name] for name in WRITTEN if name in event["data"]), None))
        value = value if self.random.random() < 0.5 else word(self.random.choice(self.events)["type"])
        row = words(str(value))[:2] or ["nothing"]

        def finds(event: Event) -> bool:
            texts = [event["data"][name] for name in WRITTEN if name in event["data"]] + [word(event["type"])]
            texts += [word(event["data"]["kind"])] if event["type"] == "irregularity.recorded.v1" else []
            return any(f" {' '.join(row)} " in f" {' '.join(words(str(value)))} " for value in texts)

        return f'"{" ".join(row)}"', finds
