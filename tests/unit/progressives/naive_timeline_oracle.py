"""A second, naive reading of the timeline rules: after every fact all is computed again from the facts accepted so far.

It shares no code with the product, works on the JSON itself in fractions, and takes any time it needs.
"""

from fractions import Fraction
from math import floor
from typing import Any

Json = dict[str, Any]
DEPARTMENTS = {
    "dealer": "pit",
    "inspector": "pit",
    "pit boss": "pit",
    "cage": "cage",
    "count": "accounting",
    "accountant": "accounting",
    "progressive manager": "progressives",
    "surveillance": "surveillance",
}
REASONS = ("malfunction", "above-maximum", "reserve-booked-as-receipts", "seed-recovered", "reading-variance")


def number(value: Any) -> Fraction:
    return Fraction(value)


def display(value: Fraction) -> int | str:
    return value.numerator if value.denominator == 1 else f"{value.numerator}/{value.denominator}"


def in_bounds(inputs: Json, rates: dict[str, tuple[Fraction, Fraction]]) -> bool:
    return Fraction(15, 100) <= sum(a + b for a, b in rates.values()) <= Fraction(20, 100)


class TimelineOracle:
    """The state that follows from a list of accepted facts, the amounts fixed by payments, and the approvals."""

    def __init__(self, inputs: Json, accepted: list[Json], fixes: Json, approved: list[tuple[str, int]]) -> None:
        self.given, self.fixes, self.approved = inputs, fixes, approved
        self.rounds: dict[tuple[str, str], Json] = {}
        self.hits: dict[str, Json] = {}
        self.params = {name: [(-(10**9), dict(level))] for name, level in inputs["levels"].items()}
        self.money: dict[str, list[tuple[int, str, Fraction]]] = {name: [] for name in inputs["levels"]}
        for fact in accepted:
            kind = next(key for key in fact if key != "at")
            getattr(self, f"on_{kind}")(fact["at"], fact[kind])
        self.locks: dict[str, list[Json]] = {}
        self.end: dict[str, tuple[Fraction, Fraction]] = {}
        for name in inputs["levels"]:
            self.compute(name)

    def on_arm(self, at: int, body: Json) -> None:
        self.rounds[body["table"], body["round"]] = dict(body, dealt=False, over=False, void=False)
        for name in self.money:
            for bet in body["bets"]:
                now = self.setting(name, at)
                self.money[name].append((at, "fed", bet["stake"] * number(now["feed"])))
                self.money[name].append((at, "reserve", bet["stake"] * number(now["reserve_rate"])))

    def on_hit(self, at: int, body: Json, late: bool = False) -> None:
        self.hits[body["id"]] = dict(body, at=at, late=late, void=False, paid=False)

    def on_late_hit(self, at: int, body: Json) -> None:
        self.on_hit(at, body, late=True)

    def on_dealt(self, at: int, body: Json) -> None:
        self.rounds[body["table"], body["round"]]["dealt"] = True

    def on_over(self, at: int, body: Json) -> None:
        self.rounds[body["table"], body["round"]]["over"] = True

    def on_void_round(self, at: int, body: Json) -> None:
        self.rounds[body["table"], body["round"]].update(dealt=True, over=True, void=True)
        for hit in self.hits.values():
            if (hit["table"], hit["round"]) == (body["table"], body["round"]):
                hit["void"] = True

    def on_authorise(self, at: int, body: Json) -> None:
        pass

    def on_pay(self, at: int, body: Json) -> None:
        self.hits[body["hit"]]["paid"] = True

    def on_void(self, at: int, body: Json) -> None:
        self.hits[body["hit"]]["void"] = True

    def on_parameters(self, at: int, body: Json) -> None:
        self.params[body["level"]].append((at, {**self.setting(body["level"], at), **body["set"]}))

    def on_adjust(self, at: int, body: Json) -> None:
        self.money[body["level"]].append((at, "adjusted", number(body["amount"])))

    def setting(self, level: str, at: int) -> Json:
        return [setting for since, setting in self.params[level] if since < at][-1]

    def key(self, hit: Json) -> str:
        if hit["late"] or self.given["policy"] == "sequential":
            return "one " + str(hit["id"])
        return f"{hit['table']} {hit['round']} {hit['level']}"

    def compute(self, level: str) -> None:
        groups: dict[str, list[Json]] = {}
        for hit in self.hits.values():
            if hit["level"] == level and not hit["void"]:
                groups.setdefault(self.key(hit), []).append(hit)
        places = {key: self.fixes[key][0] if key in self.fixes else hits[0]["at"] for key, hits in groups.items()}
        self.locks[level] = []
        for key in sorted(groups, key=lambda key: places[key]):
            first = groups[key][0]
            if not self.rounds[first["table"], first["round"]]["dealt"]:
                break
            self.locks[level].append(self.lock(level, key, places[key], groups[key]))
        self.end[level] = self.at(level, 10**9)

    def at(self, level: str, position: int) -> tuple[Fraction, Fraction]:
        start = self.given["levels"][level]
        meter, reserve = number(start["meter"]), number(start["reserve"])
        for at, kind, amount in self.money[level]:
            if at < position and kind == "reserve":
                reserve += amount
            elif at < position:
                meter += amount
        for lock in self.locks[level]:
            if lock["at"] < position:
                meter += lock["seed"] - lock["amount"]
                reserve -= lock["seed_from_reserve"]
        return meter, reserve

    def lock(self, level: str, key: str, position: int, hits: list[Json]) -> Json:
        meter, reserve = self.at(level, position)
        setting = self.setting(level, position)
        seed = number(setting["seed"])
        best = meter if setting["cap"] is None else min(meter, setting["cap"])
        d = max(0, floor(best))
        full = self.given["policy"] == "full-each"
        if key in self.fixes:
            share = self.fixes[key][1]
        else:
            share = d if full else floor(Fraction(d, len(hits)))
        expected = share if full else share * len(hits)
        amount = max(0, min(expected, floor(meter)))
        return {
            "key": key,
            "at": position,
            "hits": [hit["id"] for hit in hits],
            "meter": meter,
            "amount": amount,
            "house": share * len(hits) - amount,
            "seed": seed,
            "seed_from_reserve": min(seed, reserve),
            "share": share,
        }

    def lock_of(self, hit: str) -> Json | None:
        level = self.hits[hit]["level"]
        return next((lock for lock in self.locks[level] if hit in lock["hits"]), None)

    def status(self, hit: str) -> str:
        if self.hits[hit]["void"]:
            return "void"
        lock = self.lock_of(hit)
        if lock is None:
            return "pending"
        if self.hits[hit]["paid"]:
            return "paid"
        return "authorised" if (hit, lock["share"]) in self.approved else "locked"


class Oracle:
    def __init__(self, inputs: Json) -> None:
        self.given = inputs
        self.accepted: list[Json] = []
        self.fixes: dict[str, tuple[int, int]] = {}
        self.approved: list[tuple[str, int]] = []
        self.envy: dict[str, int] = {}
        self.refused: list[int] = []
        self.world = TimelineOracle(inputs, [], {}, [])

    def build(self, extra: Json) -> TimelineOracle:
        return TimelineOracle(self.given, [*self.accepted, extra], self.fixes, self.approved)

    def take(self, fact: Json) -> None:
        kind = next(key for key in fact if key != "at")
        if not getattr(self, f"may_{kind}")(fact, fact[kind]):
            self.refused.append(fact["at"])
            return
        if kind == "authorise":
            lock = self.world.lock_of(fact[kind]["hit"])
            assert lock
            self.approved.append((fact[kind]["hit"], lock["share"]))
        if kind == "pay":
            self.pay(fact[kind]["hit"])
        self.world = self.build(fact)
        self.accepted.append(fact)

    def pay(self, name: str) -> None:
        lock, hit = self.world.lock_of(name), self.world.hits[name]
        assert lock
        self.fixes.setdefault(lock["key"], (lock["at"], lock["share"]))
        bets = self.world.rounds[hit["table"], hit["round"]]["bets"]
        winner = next(bet["player"] for bet in bets if bet["box"] == hit["box"])
        for player in {bet["player"] for bet in bets}:
            if player == winner and not self.given["envy_to_winner"]:
                continue
            stake = max(bet["stake"] for bet in bets if bet["player"] == player)
            bonus = self.given["envy"][hit["level"]][self.given["stakes"].index(stake)]
            if bonus:
                self.envy[player] = self.envy.get(player, 0) + bonus

    # --- may it be? ---

    def round(self, body: Json) -> Json | None:
        return self.world.rounds.get((body["table"], body["round"]))

    def may_arm(self, fact: Json, body: Json) -> bool:
        busy = any(t == body["table"] and not r["over"] for (t, _), r in self.world.rounds.items())
        boxes = [bet["box"] for bet in body["bets"]]
        stakes = all(bet["stake"] in self.given["stakes"] for bet in body["bets"])
        return not busy and not self.round(body) and stakes and bool(boxes) and len(boxes) == len(set(boxes))

    def hit_fits(self, body: Json, round_: Json) -> bool:
        taken = [
            h
            for h in self.world.hits.values()
            if (h["table"], h["round"], h["box"]) == (body["table"], body["round"], body["box"]) and not h["void"]
        ]
        boxes = [bet["box"] for bet in round_["bets"]]
        new = body["id"] not in self.world.hits
        return body["box"] in boxes and not taken and new and body["level"] in self.given["levels"]

    def may_hit(self, fact: Json, body: Json) -> bool:
        round_ = self.round(body)
        return round_ is not None and not round_["dealt"] and self.hit_fits(body, round_)

    def may_late_hit(self, fact: Json, body: Json) -> bool:
        round_ = self.round(body)
        if round_ is None or not round_["dealt"] or round_["void"]:
            return False
        return self.two_of_void(body["by"], round_["dealer"]) and self.hit_fits(body, round_)

    def may_dealt(self, fact: Json, body: Json) -> bool:
        round_ = self.round(body)
        return round_ is not None and not round_["dealt"]

    def may_over(self, fact: Json, body: Json) -> bool:
        round_ = self.round(body)
        return round_ is not None and round_["dealt"] and not round_["over"]

    def may_void_round(self, fact: Json, body: Json) -> bool:
        round_ = self.round(body)
        if round_ is None or round_["over"] or not body["reason"].strip():
            return False
        return self.two_of_void(body["by"], round_["dealer"]) and self.meters_stay(fact)

    def meters_stay(self, fact: Json) -> bool:
        return all(meter >= 0 for meter, _ in self.build(fact).end.values())

    @staticmethod
    def two_of_void(by: list[Json], dealer: str) -> bool:
        return any(
            a["role"] in ("inspector", "pit boss")
            and b["role"] == "surveillance"
            and len({a["name"], b["name"], dealer}) == 3
            for a in by
            for b in by
        )

    @staticmethod
    def two_departments(by: list[Json]) -> bool:
        return any(
            a["name"] != b["name"]
            and a["role"] in DEPARTMENTS
            and b["role"] in DEPARTMENTS
            and DEPARTMENTS[a["role"]] != DEPARTMENTS[b["role"]]
            for a in by
            for b in by
        )

    def dealer(self, hit: str) -> str:
        round_ = self.round(self.world.hits[hit])
        assert round_
        return str(round_["dealer"])

    def may_authorise(self, fact: Json, body: Json) -> bool:
        hit = body["hit"]
        if hit not in self.world.hits or self.world.status(hit) != "locked":
            return False
        lead = [p for p in body["by"] if p["role"] in ("inspector", "pit boss") and p["name"] != self.dealer(hit)]
        lock = self.world.lock_of(hit)
        assert lock
        if lock["share"] * len(lock["hits"]) > self.given["surveillance_over"]:
            return self.two_of_void(body["by"], self.dealer(hit))
        return bool(lead)

    def may_pay(self, fact: Json, body: Json) -> bool:
        hit = body["hit"]
        if hit not in self.world.hits or self.world.status(hit) != "authorised":
            return False
        round_ = self.round(self.world.hits[hit])
        own = self.world.lock_of(hit)
        assert round_
        assert own
        before = [lock for lock in self.world.locks[self.world.hits[hit]["level"]] if lock["at"] < own["at"]]
        locked = [h for lock in before for h in lock["hits"] if self.world.status(h) == "locked"]
        return round_["over"] and not locked

    def may_void(self, fact: Json, body: Json) -> bool:
        hit = body["hit"]
        if hit not in self.world.hits or self.world.status(hit) in ("paid", "void") or not body["reason"].strip():
            return False
        return self.two_of_void(body["by"], self.dealer(hit)) and self.meters_stay(fact)

    def may_parameters(self, fact: Json, body: Json) -> bool:
        level = body["level"]
        if level not in self.given["levels"] or not self.two_departments(body["by"]) or not body["set"]:
            return False
        now = {name: self.world.setting(name, 10**9) for name in self.given["levels"]}
        now[level] = {**now[level], **body["set"]}
        rates = {name: (number(s["feed"]), number(s["reserve_rate"])) for name, s in now.items()}
        new = now[level]
        if min(*rates[level], number(new["seed"])) < 0 or not in_bounds(self.given, rates):
            return False
        if new["cap"] is not None and new["cap"] < number(new["seed"]):
            return False
        return body["set"].get("cap") is None or body["set"]["cap"] >= self.world.end[level][0]

    def may_adjust(self, fact: Json, body: Json) -> bool:
        level, amount = body["level"], number(body["amount"])
        if level not in self.given["levels"] or not self.two_departments(body["by"]):
            return False
        if body["reason"] not in REASONS or amount == 0:
            return False
        if amount > 0:
            return True
        pending = any(h["level"] == level and self.world.status(i) == "pending" for i, h in self.world.hits.items())
        return body["reason"] != "reading-variance" and not pending and self.world.end[level][0] + amount >= 0

    # --- the answer ---

    def answer(self) -> Json:
        world, hits = self.world, {}
        for name in world.hits:
            status, lock = world.status(name), world.lock_of(name)
            hits[name] = {"status": status, **({"share": lock["share"]} if lock else {})}
        paid = sum(hits[name]["share"] for name, hit in world.hits.items() if hit["paid"])
        levels = {name: self.level_answer(name) for name in self.given["levels"]}
        fields = ("at", "hits", "meter", "amount", "house", "seed", "seed_from_reserve")
        locks = {
            name: [{f: display(v) if isinstance(v := lock[f], Fraction) else v for f in fields} for lock in locks]
            for name, locks in world.locks.items()
        }
        return {
            "refused": self.refused,
            "hits": hits,
            "locks": locks,
            "levels": levels,
            "envy": self.envy,
            "paid": paid,
        }

    def level_answer(self, name: str) -> Json:
        world = self.world
        meter, reserve = world.end[name]
        cap = world.setting(name, 10**9)["cap"]
        total = {
            kind: sum((a for _, k, a in world.money[name] if k == kind), Fraction(0)) for kind in ("fed", "adjusted")
        }
        return {
            "meter": display(meter),
            "shown": floor(meter if cap is None else min(meter, cap)),
            "overflow": 0 if cap is None else display(max(Fraction(0), meter - cap)),
            "reserve": display(reserve),
            "fed": display(total["fed"]),
            "locked": sum(lock["amount"] for lock in world.locks[name]),
            "adjusted": display(total["adjusted"]),
            "seeds": display(sum((lock["seed"] for lock in world.locks[name]), Fraction(0))),
        }


def oracle_answer(inputs: Json) -> Json:
    """The naive answer of a timeline with good parameters."""
    oracle = Oracle(inputs)
    for _, fact in sorted({fact["at"]: fact for fact in inputs["facts"]}.items()):
        oracle.take(fact)
    return oracle.answer()
