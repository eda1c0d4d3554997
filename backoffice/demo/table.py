"""A table of the demo: its dealer's terminal, its players and their chips. What the games share."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from backoffice.demo.house import GAMING_DAY, TablePlan
from backoffice.demo.players import Player, arrive, buyin
from backoffice.demo.terminal import Terminal
from events.envelope import AnyEnvelope
from events.tables.types.rounds import BetSettled, PaymentMade

OPENS = datetime.fromisoformat(f"{GAMING_DAY}T18:00:00").replace(tzinfo=UTC)
MISPAID_BY = 500  # what a dealer once pays too much, in minor units


class DemoTable:
    """One table's evening. `clock` is the time at the table; every action carries it."""

    game = ""
    seats = 7
    round_seconds = 100
    arrivals = 0.1

    def __init__(self, plan: TablePlan, terminal: Terminal, seed: int, hours: float) -> None:
        self.plan = plan
        self.terminal = terminal
        self.random = Random(f"{seed}/{plan.name}")  # noqa: S311 - players, not secrets
        self.clock = OPENS
        self.closes = OPENS + timedelta(hours=hours)
        self.players: dict[int, Player] = {}
        self.seen_players = 0
        self.actions_made = 0
        self.rounds_played = 0
        self.cash = 0
        self.float_minor = 0
        self.mispay_next = False

    # --- speaking to the house ------------------------------------------------------------------------------------

    def act(self, kind: str, data: dict[str, Any] | None = None, intent: str = "ask") -> dict[str, Any]:
        """An action with this table's next key and the time at the table."""
        self.actions_made += 1
        return {
            "type": kind,
            "key": f"{self.plan.name}:{GAMING_DAY}:{self.actions_made}",
            "intent": intent,
            "time": self.clock.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "device_seq": self.actions_made,
            "data": data or {},
        }

    def send(self, actions: list[dict[str, Any]], person: str | None = None) -> list[AnyEnvelope]:
        """Send as the dealer (or somebody else) from the table's terminal; keep the float in step."""
        who = person or self.plan.dealer
        events = self.terminal.send(f"tables/{self.plan.name}", who, actions, device=self.plan.name)
        for event in events:
            self._count(event.data)
        return events

    def _count(self, data: Any) -> None:
        if isinstance(data, BetSettled):
            self.float_minor += max(0, -data.profit_minor)
        elif isinstance(data, PaymentMade):
            self.float_minor -= data.amount_minor

    # --- the evening ------------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Opener, limits, staff."""
        plan = self.plan
        opener = {str(denomination): count for denomination, count in plan.opener.items()}
        self.float_minor = sum(denomination * count for denomination, count in plan.opener.items())
        self.send(
            [
                self.act("session.open", {"gaming_day": GAMING_DAY, "shift": "night", "opener": opener}),
                self.act("limits.post", {"minimum_minor": plan.minimum, "maxima_minor": plan.maxima}),
                self.act("staff.assign", {"post": "dealer", "person": plan.dealer}),
                self.act("staff.assign", {"post": "inspector", "person": plan.inspector}),
            ],
            plan.inspector,
        )

    def play_round(self) -> Iterator[None]:
        """One round, pausing wherever another table could act."""
        raise NotImplementedError

    def finished(self) -> bool:
        """Whether the table has closed for the night."""
        return self.clock >= self.closes

    def pass_time(self, seconds: int) -> None:
        """The clock goes on."""
        self.clock += timedelta(seconds=seconds)

    def fill(self, slip: int) -> None:
        """Chips from the cage."""
        chips = {"500": 200, "2500": 80}
        self.float_minor += 500 * 200 + 2_500 * 80
        self.send([self.act("fill.receive", {"slip": slip, "chips": chips})], self.plan.inspector)

    def credit(self, slip: int) -> None:
        """Chips to the cage."""
        chips = {"10000": 40}
        self.float_minor -= 10_000 * 40
        self.send([self.act("credit.send", {"slip": slip, "chips": chips})], self.plan.inspector)

    def close(self, missing: int = 0) -> None:
        """Closer, drop, count. `missing`: a chip that the count of the float did not find."""
        closer = _chips(self.float_minor - missing)
        box = f"box-{self.plan.name}"
        self.send(
            [self.act("session.close", {"closer": closer}), self.act("drop.remove", {"drop_box": box})],
            self.plan.inspector,
        )
        self.send([self.act("drop.count", {"drop_box": box, "amount_minor": self.cash})], "n-501")

    # --- players ----------------------------------------------------------------------------------------------------

    def seat_players(self) -> list[dict[str, Any]]:
        """Players leave and arrive; whoever is short of chips buys in or goes."""
        for seat, player in list(self.players.items()):
            player.left -= 1
            goes = player.left <= 0 or (player.chips < player.unit and self.random.random() < 0.6)
            if goes and self.may_leave(player):
                del self.players[seat]
        while len(self.players) < 2 or (len(self.players) < self.seats and self.random.random() < self.arrivals):
            free = [seat for seat in range(1, self.seats + 1) if seat not in self.players]
            self.seen_players += 1
            seat = self.random.choice(free)
            number = self.seen_players + 1_000 * (ord(self.plan.name[0]) % 7 + int(self.plan.name[-1]))
            self.players[seat] = arrive(self.random, number, seat, self.game, self.plan.minimum)
        return [self._buyin(player) for player in self.players.values() if player.chips < player.unit]

    def may_leave(self, player: Player) -> bool:
        """Whether the round lets him go."""
        return True

    def _buyin(self, player: Player) -> dict[str, Any]:
        amount = buyin(self.random, player, self.game)
        player.chips += amount
        player.buyins += 1
        self.cash += amount
        self.float_minor -= amount
        return self.act("buyin.make", {"seat": player.seat, "player": player.name, "amount_minor": amount})

    def payments(self, settled: list[BetSettled]) -> list[dict[str, Any]]:
        """Hand out what is due, with the dealer's one mistake of the night where it was asked for."""
        actions = []
        for bet in settled:
            owner = next((player for player in self.players.values() if player.name == bet.player), None)
            got = bet.returned_minor + max(0, bet.profit_minor)
            if owner is not None:
                owner.chips += got
            if bet.profit_minor <= 0:
                continue
            wrong = MISPAID_BY if self.mispay_next else 0
            self.mispay_next = False
            data = {"bet": bet.bet, "amount_minor": bet.profit_minor + wrong}
            actions.append(self.act("payment.make", data, "fact" if wrong else "ask"))
        return actions


def _chips(amount: int) -> dict[str, int]:
    """An amount in the fewest chips; the smallest denomination takes the rest."""
    chips: dict[str, int] = {}
    for denomination in (50_000, 10_000, 2_500, 500, 100, 50, 25, 5, 1):
        count, amount = divmod(amount, denomination)
        if count:
            chips[str(denomination)] = count
    return chips


def settled_in(events: list[AnyEnvelope]) -> list[BetSettled]:
    """What these events settled."""
    return [event.data for event in events if isinstance(event.data, BetSettled)]
