"""The demo's house: its tables, people and progressive, and how a new data folder is set up with them."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec
from django.conf import settings as of_django

from backoffice.people import badge_and_key_authentication
from events.desk.command_and_answer_structs import Command, Recorded
from events.desk.desk import Desk
from events.envelope import Action, Who
from events.settings.settings_from_environment import settings
from events.store import EventStore
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target

GAMING_DAY = "2026-11-20"
SHIFTS = ("evening", "night")
SET_UP = f"{GAMING_DAY}T12:00:00.000Z"
EVENING = "18:00:00"  # when the tables open
CURRENCY = "EUR"
PROGRESSIVE = "blazing"
SEEDS = {"mega": 2_500_000, "major": 500_000, "minor": 50_000}  # by level, as in the ruleset's data


def opens(gaming_day: str) -> datetime:
    """Return the time at which the tables open on this day."""
    return datetime.fromisoformat(f"{gaming_day}T{EVENING}").replace(tzinfo=UTC)


@dataclass(frozen=True)
class TablePlan:
    """A table of the floor. Amounts in minor units; `opener` by denomination."""

    name: str
    pit: str
    game: str
    ruleset: str
    dealer: str
    inspector: str
    minimum: int
    maxima: dict[str, int]
    opener: dict[int, int]
    progressive: str | None = None


def _roulette_maxima(minimum: int) -> dict[str, int]:
    """The lower end of the bands of 002 §7b."""
    numbers = {"straight": 20, "split": 40, "street": 60, "corner": 80, "line": 120, "column": 240, "dozen": 240}
    return {name: factor * minimum for name, factor in numbers.items()} | dict.fromkeys(
        ("red", "black", "odd", "even", "low", "high"), 360 * minimum
    )


FLOAT = {100: 400, 500: 1_000, 2_500: 600, 10_000: 200, 50_000: 20}

TABLES: tuple[TablePlan, ...] = (
    TablePlan(
        "FR1", "A", "roulette", "roulette-french", "d-101", "i-201", 500, _roulette_maxima(500), FLOAT
    ),
    TablePlan(
        "AR1", "A", "roulette", "roulette-american", "d-102", "i-201", 500, _roulette_maxima(500), FLOAT
    ),
    TablePlan(
        "BJ1", "B", "blackjack", "blackjack-trilux", "d-103", "i-202", 1_000,
        {"main": 50_000, "trilux": 25_000}, FLOAT, PROGRESSIVE,
    ),
    TablePlan(
        "BJ2", "B", "blackjack", "blackjack-trilux", "d-104", "i-202", 1_000,
        {"main": 50_000, "trilux": 25_000}, FLOAT, PROGRESSIVE,
    ),
    TablePlan(
        "PB1", "C", "baccarat", "baccarat", "d-105", "i-203", 1_000,
        {"player": 200_000, "banker": 200_000, "tie": 50_000, "player_pair": 50_000, "banker_pair": 50_000}, FLOAT,
    ),
    TablePlan(
        "PB2", "C", "baccarat", "baccarat-no-commission", "d-106", "i-203", 1_000,
        {"player": 200_000, "banker": 200_000, "tie": 50_000, "player_pair": 50_000, "banker_pair": 50_000}, FLOAT,
    ),
    TablePlan("CG1", "D", "craps", "craps-gr", "d-107", "i-204", 500, {"maximum": 50_000}, FLOAT),
    TablePlan("CB1", "D", "craps", "craps-by", "d-108", "i-204", 500, {"maximum": 50_000}, FLOAT),
)  # fmt: skip

PEOPLE: dict[str, tuple[str, str]] = {
    "a-001": ("administrator", "Amalia Vardaki"),
    "d-101": ("dealer", "Nikos Petridis"),
    "d-102": ("dealer", "Eleni Markou"),
    "d-103": ("dealer", "Dora Samara"),
    "d-104": ("dealer", "Petros Lekas"),
    "d-105": ("dealer", "Fotini Rapti"),
    "d-106": ("dealer", "Giorgos Vlachos"),
    "d-107": ("dealer", "Vasilis Nikou"),
    "d-108": ("dealer", "Oleg Markevich"),
    "d-121": ("dealer", "Zoi Pappa"),
    "d-122": ("dealer", "Aris Tsakiris"),
    "i-201": ("inspector", "Irini Kosta"),
    "i-202": ("inspector", "Yannis Dimou"),
    "i-203": ("inspector", "Maria Lambrou"),
    "i-204": ("inspector", "Takis Sotiriou"),
    "b-301": ("pit boss", "Stavros Galanis"),
    "c-401": ("cage", "Katerina Roussou"),
    "n-501": ("count", "Thanos Mavros"),
    "n-502": ("count", "Vaso Kanta"),
    "k-601": ("accountant", "Sofia Alexiou"),
    "p-701": ("progressive manager", "Marina Zervou"),
    "y-811": ("security", "Fanis Roumpos"),
    "u-901": ("auditor", "Lena Economou"),
    "s-801": ("surveillance", "Kostas Fotiou"),  # the last: from then surveillance agrees to who turns keys
}


def levels() -> list[dict[str, Any]]:
    """The three meters as they are filed: seeds and rates as in the ruleset's data, carried over from earlier days."""
    millionths = 1_000_000

    def level(name: str, meter: int, feed: int, reserve: int, cap: int | None) -> dict[str, Any]:
        return {
            "level": name,
            "seed_minor": SEEDS[name],
            "meter_micro": meter * millionths,
            "reserve_micro": 0,
            "feed_millionths": feed,
            "reserve_millionths": reserve,
            "cap_minor": cap,
        }

    return [
        level("mega", 4_137_250, 100_000, 10_000, None),
        level("major", 761_940, 40_000, 0, None),
        level("minor", 118_415, 25_000, 0, 250_000),
    ]


def progressive() -> dict[str, Any]:
    """The data of `progressive.open`."""
    return {
        "progressive": PROGRESSIVE,
        "ruleset": "blazing7s@1",
        "currency": CURRENCY,
        "levels": levels(),
        "policy": "split",
        "stakes_minor": [500, 1_000],
        "envy_minor": {"mega": [50_000, 100_000], "major": [12_500, 25_000], "minor": [2_500, 5_000]},
        "envy_to_winner": False,
        "surveillance_over_minor": 500_000,
        "withhold_millionths": 150_000,
    }


@dataclass(frozen=True)
class Keys:
    """Keys of people and terminals: badge by person, device key by table.

    The house's own `secret` signs for people at a desk.
    """

    badges: dict[str, str]
    devices: dict[str, str]
    secret: str = ""


def found_house(store: EventStore) -> Keys:
    """Set up a new house: its first events, badges and device keys."""
    desk = Desk(store, settings().property_)
    try:
        begin(desk)
    finally:
        desk.close()
    return give_keys()


def begin(desk: Desk, at: str = SET_UP) -> None:
    """First administrator, people and roles, progressive, tables."""
    _do(desk, Target("people"), "installer", "role.grant", {"person": "a-001", "role": "administrator"}, at=at)
    for person, (role, _) in PEOPLE.items():
        if person != "a-001":
            _do(desk, Target("people"), "a-001", "role.grant", {"person": person, "role": role}, at=at)
    open_progressive(desk, at)
    for table in TABLES:
        installed = {
            "pit": table.pit,
            "table": table.name,
            "game": table.game,
            "ruleset": table.ruleset,
            "currency": CURRENCY,
            "progressive": table.progressive,
        }
        _agreed(desk, Target("floor"), ("a-001", "b-301"), "table.install", installed, f"setup:{table.name}", at)


def give_keys() -> Keys:
    """Return a badge for each person, and a device key for each table."""
    badges = {person: badge_and_key_authentication.issue_badge(person, name) for person, (_, name) in PEOPLE.items()}
    devices = {
        table.name: badge_and_key_authentication.issue_device_key(f"terminal-{table.name}", table.name)
        for table in TABLES
    }
    return Keys(badges, devices, of_django.PITLEDGER_LOGIN_KEY)


def open_progressive(desk: Desk, at: str = SET_UP) -> None:
    """Filed by the progressive manager, approved by accounting (NJ 1.52), before a table is linked to it."""
    target = Target("progressives", PROGRESSIVE)
    _agreed(desk, target, ("p-701", "k-601"), "progressive.open", progressive(), f"setup:{PROGRESSIVE}", at)


def _agreed(
    desk: Desk, target: Target, people: tuple[str, str], kind: str, data: dict[str, Any], key: str, at: str
) -> None:
    """Request an action as one person, and approve it as the other."""
    [request] = _do(desk, target, people[0], kind, data, key, at)
    approval = {"request": request["data"]["request"], "content": request["data"]["content"]}
    _do(desk, target, people[1], "approval.give", approval, f"{key}:agreed", at)


def _do(
    desk: Desk, target: Target, person: str, kind: str, data: dict[str, Any], key: str = "", at: str = SET_UP
) -> list[Any]:
    key = key or f"setup:{kind}:{':'.join(str(value) for value in data.values())}".replace(" ", "-")
    action = Action(type=kind, key=key, time=at, data=msgspec.Raw(msgspec.json.encode(data)))
    reply = desk.do(Command(target, (action,), Who(person=person, roles=frozenset(), factor_s=0)))[0]
    if isinstance(reply, Problem):
        raise SystemExit(f"setting up the house failed: {reply.detail}")
    return [msgspec.json.decode(recorded.event) for recorded in reply.events if isinstance(recorded, Recorded)]
