"""Random timelines of every fact kind, most of them sensible, some not; the same seed makes the same timeline."""

import random
from typing import Any

Json = dict[str, Any]

INES, BORIS = {"name": "Ines", "role": "inspector"}, {"name": "Boris", "role": "pit boss"}
SOFIA, MAX = {"name": "Sofia", "role": "surveillance"}, {"name": "Max", "role": "surveillance"}
PETRA, ADA = {"name": "Petra", "role": "progressive manager"}, {"name": "Ada", "role": "accountant"}
ANYONE = [
    INES,
    BORIS,
    SOFIA,
    MAX,
    PETRA,
    ADA,
    {"name": "Ines", "role": "surveillance"},
    {"name": "Dora", "role": "dealer"},
    {"name": "Cora", "role": "count"},
    {"name": "Carl", "role": "cage"},
    {"name": "Aldo", "role": "auditor"},
    {"name": "Root", "role": "administrator"},
    {"name": "Petra", "role": "accountant"},
    {"name": "Nobody", "role": "guest"},
]
RATES = [("1/10", "1/100", "1/25", "0", "1/40", "0"), ("1/7", "0", "1/50", "1/1000", "1/300", "1/200")]
REASONS = ["malfunction", "above-maximum", "reserve-booked-as-receipts", "seed-recovered", "reading-variance", "whim"]
POLICIES = ["split", "full-each", "sequential"]


class Timeline:
    def __init__(self, seed: int, policy: str | None = None, live: bool = False) -> None:
        self.rng = random.Random(seed)
        self.live = live  # only what live integers can say
        rng = self.rng
        self.facts: list[Json] = []
        self.open: dict[str, Json] = {}  # the round that is open at a table, as the generator believes
        self.done: list[Json] = []
        self.hits: list[str] = []
        self.names = 0
        self.levels = {
            name: self.level(size, RATES[0 if live else seed % 2][2 * i : 2 * i + 2])
            for i, (name, size) in enumerate([("mega", 5000), ("major", 800), ("minor", 90)])
        }
        self.given: Json = {
            "kind": "timeline",
            "levels": self.levels,
            "policy": policy or rng.choice(POLICIES),
            "stakes": rng.choice([[500, 1000], [333, 777], [1, 2]]),
            "envy": {"mega": [50, 100], "major": [12, 25], "minor": [0, 5]},
            "envy_to_winner": rng.random() < 0.5,
            "surveillance_over": rng.choice([0, 100, 1000, 10**9]),
        }

    def level(self, size: int, rates: tuple[str, ...]) -> Json:
        rng = self.rng
        seeds: list[int | str] = [0, size // 2, size * 3, "1001/3"]
        meters: list[int | str] = [0, size, size * 2, f"{size * 3 + 1}/3"]
        seed, meter = rng.choice(seeds[: 3 if self.live else 4]), rng.choice(meters[: 3 if self.live else 4])
        cap = None if rng.random() < 0.6 else max(int(eval_fraction(x)) + 1 for x in (seed, meter)) + rng.randrange(200)
        reserve = rng.choice([0, 0, size // 4, size // 5 if self.live else "121/7"])
        return {
            "seed": seed,
            "meter": meter,
            "reserve": reserve,
            "feed": rates[0],
            "reserve_rate": rates[1],
            "cap": cap,
        }

    def add(self, **fact: Any) -> None:
        self.facts.append({"at": len(self.facts) * 2 + 5, **fact})

    def by(self, *usual: Json) -> list[Json]:
        rng = self.rng
        if rng.random() < 0.85:
            return list(usual)
        return rng.sample(ANYONE, rng.randrange(0, 4))

    def build(self, length: int) -> Json:
        rng = self.rng
        steps = [
            (10, self.arm),
            (12, self.hit),
            (9, self.dealt),
            (7, self.over),
            (3, self.late_hit),
            (1, self.void_round),
            (9, self.authorise),
            (9, self.pay),
            (4, self.void),
            (3, self.parameters),
            (4, self.adjust),
            (3, self.finish),
            (1, self.fall),
        ]
        weights = [weight for weight, _ in steps]
        while len(self.facts) < length:
            rng.choices([step for _, step in steps], weights)[0]()
        for table in list(self.open) if rng.random() < 0.6 else []:
            self.add(dealt={"table": table, "round": self.open[table]["round"]})
            self.add(over={"table": table, "round": self.open[table]["round"]})
        for hit in rng.sample(self.hits, len(self.hits)):
            self.add(authorise={"hit": hit, "by": [INES, SOFIA]})
        for hit in rng.sample(self.hits, len(self.hits)):
            self.add(pay={"hit": hit})
        facts = list(self.facts)
        if rng.random() < 0.5:
            facts += rng.sample(facts, len(facts) // 4)
            rng.shuffle(facts)
        return {**self.given, "facts": facts}

    def arm(self) -> None:
        rng = self.rng
        free = [t for t in ("T1", "T2", "T3", "T4") if t not in self.open]
        if not free or rng.random() < 0.05:
            table = rng.choice(["T1", "T2"])
        else:
            table = rng.choice(free)
        self.names += 1
        boxes = rng.sample(range(1, 8), rng.randrange(1, 6))
        bets = [{"box": b, "player": rng.choice("ABCDE"), "stake": rng.choice(self.given["stakes"])} for b in boxes]
        name = str(self.names)
        if rng.random() < 0.06:
            amiss: list[tuple[str, list[Json]]] = [
                (name, []),
                (name, [*bets, bets[0]]),
                (name, [{**bets[0], "stake": 17}]),
            ]
            if not self.live:  # live, numbers ascend at a table
                amiss.append((str(self.names - 1), bets))
            name, bets = rng.choice(amiss)
        body = {"table": table, "round": name, "dealer": rng.choice(["Dora", "Ines", "Sofia"]), "bets": bets}
        self.add(arm=body)
        if table in free and len(bets) == len(boxes):
            self.open[table] = body

    def target(self) -> Json:
        rng = self.rng
        round_ = list(self.open.values()) or self.done
        if rng.random() < 0.05 or not round_:
            round_ = self.done or [{"table": "T9", "round": "9", "bets": [{"box": 1}]}]
        return rng.choice(round_)

    def hit(self) -> None:
        """One hit, or several of one level in one round."""
        round_, level = self.target(), self.pick_level()
        for _ in range(self.rng.choice([1, 1, 2, 3])):
            self.declare("hit", round_, level)

    def late_hit(self) -> None:
        rng = self.rng
        round_ = rng.choice(self.done) if self.done and rng.random() < 0.8 else self.target()
        self.declare("late_hit", round_, self.pick_level())

    def pick_level(self) -> str:
        return self.rng.choices(["mega", "major", "minor", "none"], [10, 5, 5, 1])[0]

    def declare(self, kind: str, round_: Json, level: str) -> None:
        rng = self.rng
        box = rng.choice(round_["bets"])["box"] if round_["bets"] and rng.random() < 0.95 else 9
        name = rng.choice(self.hits) if self.hits and rng.random() < 0.05 else f"h{len(self.facts)}"
        body = {"id": name, "table": round_["table"], "round": round_["round"], "box": box, "level": level}
        if kind == "late_hit":
            body["by"] = self.by(BORIS, MAX)
        self.add(**{kind: body})
        if name not in self.hits:
            self.hits.append(name)

    def finish(self) -> None:
        """A round with hits is dealt and finished, one of its hits approved and paid, the others left for later."""
        round_ = self.target()
        before = len(self.hits)
        level = self.pick_level()
        for _ in range(3):
            self.declare("hit", round_, level)
        self.add(dealt={"table": round_["table"], "round": round_["round"]})
        self.add(over={"table": round_["table"], "round": round_["round"]})
        if self.open.get(round_["table"]) is round_:
            self.done.append(self.open.pop(round_["table"]))
        for hit in self.hits[before:][:1]:
            self.add(authorise={"hit": hit, "by": [BORIS, MAX]})
            self.add(pay={"hit": hit})

    def fall(self) -> None:
        """A lock whose seed is taken out again, another lock behind it, and the first one void."""
        level = self.rng.choice(list(self.levels))
        for turn in range(2):
            self.arm()
            round_ = list(self.open.values())[-1] if self.open else self.target()
            before = len(self.hits)
            self.declare("hit", round_, level)
            self.add(dealt={"table": round_["table"], "round": round_["round"]})
            for hit in self.hits[before:]:
                self.add(authorise={"hit": hit, "by": [BORIS, MAX]})
            if turn and self.rng.random() < 0.7:
                break
            amount = -int(eval_fraction(self.levels[level]["seed"])) + self.rng.choice([0, 3])
            self.add(adjust={"level": level, "amount": amount, "reason": "seed-recovered", "by": [PETRA, SOFIA]})
        if self.rng.random() < 0.5:
            self.finish()
        if len(self.hits) > 1:
            self.add(void={"hit": self.rng.choice(self.hits[-3:]), "by": [BORIS, MAX], "reason": "wrong card"})

    def dealt(self) -> None:
        round_ = self.target()
        self.add(dealt={"table": round_["table"], "round": round_["round"]})
        self.done.append(round_)

    def over(self) -> None:
        round_ = self.target()
        self.add(over={"table": round_["table"], "round": round_["round"]})
        if round_ in self.done and self.open.get(round_["table"]) is round_:
            del self.open[round_["table"]]

    def void_round(self) -> None:
        round_ = self.target()
        reason = self.rng.choice(["misdeal", "misdeal", " "])
        self.add(
            void_round={"table": round_["table"], "round": round_["round"], "by": self.by(BORIS, MAX), "reason": reason}
        )
        if self.open.get(round_["table"]) is round_ and reason != " ":
            del self.open[round_["table"]]
            self.done.append(round_)

    def some_hit(self) -> str:
        rng = self.rng
        if not self.hits or rng.random() < 0.03:
            return "nothing"
        return rng.choice(self.hits[-6:] if rng.random() < 0.7 else self.hits)

    def authorise(self) -> None:
        self.add(authorise={"hit": self.some_hit(), "by": self.by(self.rng.choice([INES, BORIS]), MAX)})

    def pay(self) -> None:
        self.add(pay={"hit": self.some_hit()})

    def void(self) -> None:
        reason = self.rng.choice(["wrong card", "wrong card", "wrong card", "\t"])
        self.add(void={"hit": self.some_hit(), "by": self.by(BORIS, MAX), "reason": reason})

    def parameters(self) -> None:
        rng = self.rng
        level = rng.choice([*self.levels, "mega", "none"])
        change = rng.choice(
            [
                {"seed": rng.choice([0, 50, 999, -1, 2500 if self.live else "5/2"])},
                {"feed": rng.choice(["1/8", "1/80" if self.live else "1/9", "1/100", "1/2", "-1/10"])},
                {"reserve_rate": rng.choice(["0", "1/50", "1/200"])},
                {"cap": rng.choice([None, 0, 1000, 6000, 20000])},
                {"seed": 10, "cap": rng.choice([9, 10, 7000])},
                {},
            ]
        )
        self.add(parameters={"level": level, "set": change, "by": self.by(PETRA, ADA)})

    def adjust(self) -> None:
        rng = self.rng
        self.add(
            adjust={
                "level": rng.choice([*self.levels, "none"]),
                "amount": rng.choice([-1, -100, -4000, -40, 0, 1, 50, 5000, *([] if self.live else ["1/3", "-7/3"])]),
                "reason": rng.choice(REASONS),
                "by": self.by(PETRA, SOFIA),
            }
        )


def eval_fraction(value: int | str) -> float:
    top, _, bottom = str(value).partition("/")
    return int(top) / int(bottom or 1)


def timeline(seed: int, length: int = 60, policy: str | None = None, live: bool = False) -> Json:
    """A timeline of about `length` facts and the settling of its hits; `live`: without fractions of a millionth."""
    return Timeline(seed, policy, live).build(length)
