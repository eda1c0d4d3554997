"""Progressives by multiplication: the contributions of armed rounds, the awards and the liability."""

from tests.accountant.event_effects_on_tray import Json, Seen

MICRO = 1_000_000
SIGNS = {"fed": 1, "seeds": 1, "locked": -1}  # what moves a meter


def pools(events: list[Seen]) -> "list[ExpectedPool]":
    """Those that are open, by name."""
    opened = [event["data"] for _, event in events if event["type"] == "progressive.opened.v1"]
    return [ExpectedPool(data, events) for data in sorted(opened, key=lambda data: str(data["progressive"]))]


class ExpectedPool:
    """A progressive whose hits have one winner each, without a cap."""

    def __init__(self, opened: Json, events: list[Seen]) -> None:
        self.name, self.levels = opened["progressive"], opened["levels"]
        self.meters = {terms["level"]: terms["meter_micro"] for terms in self.levels}
        self.reserves = {terms["level"]: terms["reserve_micro"] for terms in self.levels}
        self.moved: list[tuple[str, str, str, int]] = []  # gaming day, level, what, how far
        self.declared: dict[tuple[str, int], str] = {}
        for _, event in events:
            self._take(event["type"], event["data"])

    def _take(self, kind: str, data: Json) -> None:
        if data.get("progressive") != self.name:
            return
        if kind == "progressive.armed.v1":
            self._feed(data)
        elif kind == "hit.declared.v1":
            self.declared[data["table"] + data["gaming_day"], data["round"]] = data["level"]
        elif kind == "deal.completed.v1":
            level = self.declared.pop((data["table"] + data["gaming_day"], data["round"]), None)
            if level is not None:
                self._lock(level, data["gaming_day"])
        elif kind == "jackpot.paid.v1":
            self.moved.append((data["paid_gaming_day"], data["level"], "unpaid", -data["amount_minor"] * MICRO))

    def _feed(self, data: Json) -> None:
        stakes = sum(bet["stake_minor"] for bet in data["bets"])
        for terms in self.levels:
            fed, reserved = stakes * terms["feed_millionths"], stakes * terms["reserve_millionths"]
            self._move(data["gaming_day"], terms["level"], fed=fed, reserve=reserved)

    def _lock(self, level: str, day: str) -> None:
        """Award a level. The winner gets whole cents, and the reserve pays as much of the new seed as it can."""
        [seed] = [each["seed_minor"] * MICRO for each in self.levels if each["level"] == level]
        taken = self.meters[level] // MICRO * MICRO
        from_reserve = min(seed, self.reserves[level])
        self._move(day, level, locked=taken, unpaid=taken, seeds=seed, reserve=-from_reserve)

    def _move(self, day: str, level: str, **moved: int) -> None:
        for what, amount in moved.items():
            self.moved.append((day, level, what, amount))
        self.meters[level] += moved.get("fed", 0) + moved.get("seeds", 0) - moved.get("locked", 0)
        self.reserves[level] += moved.get("reserve", 0)

    def report(self, day: str) -> Json:
        reserve = sum(terms["reserve_micro"] for terms in self.levels) + self._until(day, "reserve")
        return {
            "progressive": self.name,
            "reserve": decimal(reserve),
            "unpaid_jackpots_minor": self._until(day, "unpaid") // MICRO,
            "levels": [self._level(terms, day) for terms in self.levels],
        }

    def accounts(self, day: str) -> dict[str, int]:
        """Return the liability by account, and the contributions of the day."""
        owed = {
            terms["level"]: terms["meter_micro"] + sum(SIGNS[what] * amount for what, amount in self._moves(terms, day))
            for terms in self.levels
        }
        fed = sum(amount for on, _, what, amount in self.moved if on == day and what == "fed")
        reserved = sum(self._reserved(terms, day) for terms in self.levels)
        begun = sum(terms["reserve_micro"] for terms in self.levels)
        return {
            **{f"Liabilities:Progressive:{self.name}:{level}": -micro for level, micro in owed.items()},
            f"Liabilities:Progressive:{self.name}:reserve": -begun - self._until(day, "reserve"),
            "Liabilities:Jackpots": -self._until(day, "unpaid"),
            "Expenses:Progressive:Contributions": fed + reserved,
        }

    def _moves(self, terms: Json, day: str) -> list[tuple[str, int]]:
        level = terms["level"]
        return [(what, amount) for on, of, what, amount in self.moved if on <= day and of == level and what in SIGNS]

    def _reserved(self, terms: Json, day: str) -> int:
        """Return the amount that the day set aside for new seeds."""
        amounts = [a for on, of, what, a in self.moved if (on, of, what) == (day, terms["level"], "reserve")]
        return sum(amount for amount in amounts if amount > 0)

    def _until(self, day: str, what: str) -> int:
        return sum(amount for on, _, of, amount in self.moved if on <= day and of == what)

    def _level(self, terms: Json, day: str) -> Json:
        mine = [
            (on, what, amount) for on, level, what, amount in self.moved if level == terms["level"] and what in SIGNS
        ]
        begin = terms["meter_micro"] + sum(SIGNS[what] * amount for on, what, amount in mine if on < day)
        today = {name: sum(amount for on, what, amount in mine if (on, what) == (day, name)) for name in SIGNS}
        meter = begin + sum(SIGNS[name] * amount for name, amount in today.items())
        amounts = {
            "begin": begin,
            "fed": today["fed"],
            "seeds": today["seeds"],
            "adjusted": 0,
            "locked": today["locked"],
        }
        return {
            "level": terms["level"],
            **{name: decimal(amount) for name, amount in {**amounts, "meter": meter}.items()},
        }


def decimal(micro: int) -> str:
    """Return millionths of a cent as exact euros, with at least two decimals and no needless zeros."""
    whole, part = divmod(abs(micro), 100 * MICRO)
    digits = f"{part:08d}".rstrip("0").ljust(2, "0")
    return f"{'-' if micro < 0 else ''}{whole}.{digits}"
