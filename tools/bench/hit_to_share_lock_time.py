"""From lockable to locked: a hit's initial deal is complete, and its share is locked by the Celery worker."""

import contextlib
import time
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec

from events import catalogue
from events.desk.command_and_answer_structs import Answer, Command
from events.desk.desk import Desk
from events.envelope import Action, Who
from events.people.approval_request_lifecycle import ApprovalRequested
from events.progressives.event_types import SharesLocked
from events.store import EventStore
from events.streams.stream_kind_declaration import Target
from events.tables.event_types.progressive import DealCompleted
from events.tables.event_types.rounds import BetSettled
from tools.bench import generated_roulette_actions
from tools.bench.benchmark_report_formats import Line
from tools.bench.measurement_servers import MeasuredHouse, MeasurementServers
from tools.bench.turns_medians_and_percentiles import Options, percentile
from tools.demo import demo_house_setup as demo

PAUSE_S = 0.2  # between two hits
LOCKED_S = 60.0
TABLES = ("BJ1", "BJ2")
MANAGER = Who(person="p-701", roles=frozenset({"progressive manager"}), factor_s=0)
ACCOUNTANT = Who(person="k-601", roles=frozenset({"accountant"}), factor_s=0)
PROCESSES = ("relay", "projector", "worker", "beat")


def measure(options: Options, parts: MeasurementServers) -> Iterator[Line]:
    """Milliseconds between the two appends, by the times at which the events say that they were recorded."""
    hits = max(10, round(options.seconds * options.turns / PAUSE_S))
    for name in ("filesystem", "Redis"):
        with parts.house(parts.redis() if name == "Redis" else name) as house:
            latencies = _lock_times(house, hits, options)
        for percent, goal in ((50, None), (99, 1_000)):
            work = f"lockable to locked, Celery on {name}, {hits} hits, p{percent}"
            yield Line(work=work, ours=percentile(latencies, percent), unit="ms", goal=goal, of="amount")


def _lock_times(house: MeasuredHouse, hits: int, options: Options) -> list[float]:
    with contextlib.closing(Desk(house.store, generated_roulette_actions.PROPERTY)) as desk:
        _open_progressive(desk)
        tables = [_Blackjack(desk, name) for name in TABLES]
        with house.running(*PROCESSES):
            for number in range(hits):
                tables[number % len(tables)].hit()
                time.sleep(PAUSE_S)
            _wait_for(house.store, hits)
    waits = list(_deal_to_lock_times(house.store))
    options.tell(f"  {len(waits)} hits locked, the slowest after {max(waits):,.0f} ms")
    return waits


class _Blackjack:
    """A table at which every round is a Minor: two red sevens, and the dealer's red one."""

    def __init__(self, desk: Desk, name: str) -> None:
        self._desk = desk
        self._table = generated_roulette_actions.RouletteTerminal(name)
        self._rounds = 0
        data = {"pit": "B", "table": name, "game": "blackjack", "ruleset": "blackjack-trilux"}
        generated_roulette_actions.install(desk, f"setup:{name}", **data, progressive=demo.PROGRESSIVE)
        opening = self._table.opening()
        limits = self._table.act("limits.post", minimum_minor=1_000, maxima_minor={"main": 50_000})
        actions = [limits if action.type == "limits.post" else action for action in opening.actions]
        generated_roulette_actions.answered(desk, self._table.command(actions, opening.who))

    def _send(self, *actions: Action) -> list[Answer]:
        return generated_roulette_actions.answered(self._desk, self._table.command(actions))

    def hit(self) -> None:
        """One round, with a shoe of its own."""
        self._rounds += 1
        act, name = self._table.act, str(self._rounds)
        stake = {"box": 1, "player": "g-0001"}
        self._send(
            act("shoe.load", shoe=f"{self._table.name}-{name}", packs=6),
            act("round.open"),
            act("bet.place", bet=f"{name}-m", wager="main", amount_minor=1_000, **stake),
            act("bet.place", bet=f"{name}-7", wager="blazing7s", amount_minor=500, **stake),
            act("bets.close"),
            act("progressive.arm"),
            act("card.deal", to="box", box=1, card="7D"),
            act("card.deal", to="dealer", card="7H"),
            act("card.deal", to="box", box=1, card="7H"),
            act("hit.declare", box=1, level="minor"),
        )
        settled = self._send(act("deal.complete"))
        settled += self._send(act("hand.stand", box=1), act("card.deal", to="dealer", card="TC"))
        payments = [
            act("payment.make", bet=data.bet, amount_minor=data.profit_minor)
            for data in _event_contents(settled)
            if isinstance(data, BetSettled) and data.profit_minor > 0
        ]
        self._send(*payments, act("round.end"))


def _event_contents(answers: list[Answer]) -> Iterator[Any]:
    """Yield the content of the events of these answers."""
    for answer in answers:
        for recorded in answer.events:
            raw = bytes(recorded.event)
            yield catalogue.decode(msgspec.json.decode(raw)["type"], raw).data


def _open_progressive(desk: Desk) -> None:
    """Filed by the progressive manager, approved by accounting."""
    target = Target("progressives", demo.PROGRESSIVE)
    generated_roulette_actions.hire(desk, generated_roulette_actions.CHIEF, MANAGER, ACCOUNTANT)
    for data in _event_contents(_do(desk, target, MANAGER, "progressive.open", demo.progressive())):
        if isinstance(data, ApprovalRequested):
            approval = {"request": data.request, "content": data.content}
            _do(desk, target, ACCOUNTANT, "approval.give", approval)


def _do(desk: Desk, target: Target, who: Who, kind: str, data: dict[str, Any]) -> list[Answer]:
    key = f"setup:{target.kind}:{target.name}:{kind}:{data.get('table', '')}"
    action = Action(type=kind, key=key, time=desk.store.clock(), data=msgspec.Raw(msgspec.json.encode(data)))
    return generated_roulette_actions.answered(desk, Command(target, (action,), who))


def _wait_for(store: EventStore, hits: int) -> None:
    """Until so many shares are locked. Raises TimeoutError."""
    deadline = time.monotonic() + LOCKED_S
    while (locked := len(list(_recorded(store, SharesLocked)))) < hits:
        if time.monotonic() > deadline:
            raise TimeoutError(f"{locked} of {hits} hits are locked after {LOCKED_S:.0f} s")
        time.sleep(PAUSE_S)


def _deal_to_lock_times(store: EventStore) -> Iterator[float]:
    """For every locked hit, the milliseconds since its deal was complete."""
    complete = {f"{data.table}-{data.gaming_day}-{data.round}": at for data, at in _recorded(store, DealCompleted)}
    for data, at in _recorded(store, SharesLocked):
        for share in data.shares:
            yield (at - complete[share.hit.rpartition("-")[0]]).total_seconds() * 1000


def _recorded(store: EventStore, kind: type[Any]) -> Iterator[tuple[Any, datetime]]:
    after = 0
    while batch := store.after(after, 1_000, [kind.TYPE]):
        for stored_event in batch:
            event = catalogue.decode(stored_event.type, stored_event.raw)
            yield event.data, datetime.fromisoformat(event.recordedat)
        after = batch[-1].position
