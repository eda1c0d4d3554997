"""A table of the demo: its dealer's terminal, its players and their chips. The common part of all games."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from random import Random
from typing import Any, Protocol

from events.envelope import AnyEnvelope
from events.rules.chip_sums_by_denomination import worth
from events.tables.event_types.rounds import BetSettled, PaymentMade
from tools.demo.demo_house_setup import GAMING_DAY, SHIFTS, TablePlan, opens
from tools.demo.http_terminal import DemoTerminal
from tools.demo.invented_players import Player, arrive, buyin

MISPAID_BY = 500  # a dealer's one overpayment, in minor units


@dataclass
class DemoBox:
    """A drop box under a table, with its buy-ins."""

    name: str
    cash: int = 0
    marker: int = 0
    promotional: int = 0

    @property
    def total(self) -> int:
        """Return the sum of the tenders."""
        return self.cash + self.marker + self.promotional


class GuestSource(Protocol):
    """Source and destination of players with chips in their hands."""

    def leaves(self, table: "DemoTable", player: Player) -> None: ...

    def arrives(self, table: "DemoTable", player: Player) -> None: ...


class DemoTable:
    """Table of the demo for one evening. `clock` is the time at the table; every action carries it.

    `boxes` were put under it, the last one is there; a table where none ever was has one that no one names before.
    """

    game = ""
    seats = 7
    round_seconds = 100
    arrivals = 0.1

    def __init__(
        self, plan: TablePlan, terminal: DemoTerminal, seed: int | str, hours: float, gaming_day: str = GAMING_DAY
    ) -> None:
        self.plan = plan
        self.terminal = terminal
        self.random = Random(f"{seed}/{plan.name}")  # noqa: S311 - players, not secrets
        self.gaming_day = gaming_day
        self.clock = opens(gaming_day)
        self.closes = self.clock + timedelta(hours=hours)
        self.players: dict[int, Player] = {}
        self.seen_players = 0
        self.actions_made = 0
        self.rounds_played = 0
        self.running: Iterator[None] | None = None  # the round that is played, step by step
        self.cash = 0
        self.purse = 1.0  # players' cash, against their cash of one evening
        self.float_minor = 0
        self.mispay_next = False
        self.boxes: list[DemoBox] = []
        self.markers: list[tuple[str, int]] = []  # player, amount
        self.in_tray = in_chips  # the amount there at the close
        self.closer: dict[int, int] = {}  # the count at that time
        self.guests: GuestSource | None = None
        self.tenders = Random(f"{seed}/{plan.name}/tenders")  # noqa: S311 - as above

    # --- speaking to the house ------------------------------------------------------------------------------------

    def act(self, kind: str, data: dict[str, Any] | None = None, intent: str = "ask") -> dict[str, Any]:
        """An action with this table's next key and the time at the table."""
        self.actions_made += 1
        return {
            "type": kind,
            "key": f"{self.plan.name}:{self.gaming_day}:{self.actions_made}",
            "intent": intent,
            "time": self.clock.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "device_seq": self.actions_made,
            "data": data or {},
        }

    def send(self, actions: list[dict[str, Any]], person: str | None = None) -> list[AnyEnvelope]:
        """Send as the dealer (or another person) from the table's terminal; keep the tray in step."""
        actor = person or self.plan.dealer
        events = self.terminal.send(f"tables/{self.plan.name}", actor, actions, device=self.plan.name)
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
        first = {"gaming_day": self.gaming_day, "shift": SHIFTS[0], "opener": opener, "witness": plan.dealer}
        self.send(
            [
                self.act("session.open", first),
                self.act("limits.post", {"minimum_minor": plan.minimum, "maxima_minor": plan.maxima}),
                self.act("staff.assign", {"post": "dealer", "person": plan.dealer}),
                self.act("staff.assign", {"post": "inspector", "person": plan.inspector}),
            ],
            plan.inspector,
        )

    def change_shoe(self) -> None:
        """Change the shoe before a round after its cut card."""

    def play_round(self) -> Iterator[None]:
        """Play one round; yield where another table could act."""
        raise NotImplementedError

    def finished(self) -> bool:
        """Return whether the table has closed for the night."""
        return self.clock >= self.closes

    def pass_time(self, seconds: int) -> None:
        """Move the clock forward."""
        self.clock += timedelta(seconds=seconds)

    # --- chips from the cage, and back to it ----------------------------------------------------------------------

    def ask(self, kind: str, chips: dict[int, int]) -> str:
        """Request a fill or a credit as the supervisor; return the request's key, for the cage's slip."""
        request = self.act(kind, {"chips": _by_denomination(chips)})
        self.send([request], self.plan.inspector)
        return str(request["key"])

    def receive(self, slip: int, chips: dict[int, int]) -> None:
        """Chips from the cage, as they are counted here."""
        self.float_minor += worth(chips)
        self.send([self.act("fill.receive", {"slip": slip, "chips": _by_denomination(chips)})], self.plan.inspector)

    def send_back(self, slip: int, chips: dict[int, int]) -> None:
        """Chips to the cage."""
        self.float_minor -= worth(chips)
        self.send([self.act("credit.send", {"slip": slip, "chips": _by_denomination(chips)})], self.plan.inspector)

    # --- boxes and counts -----------------------------------------------------------------------------------------

    def put_box(self) -> None:
        """Put the first box of the evening, before the first buy-in."""
        self.boxes.append(DemoBox(f"{self.plan.name}-1"))
        self.send([self.act("drop.put", {"drop_box": self.boxes[-1].name})], self.plan.inspector)

    def change_shift(self, shift: str, witness: str) -> None:
        """The tray is counted, the box is changed, and another shift begins."""
        self.boxes.append(DemoBox(f"{self.plan.name}-{len(self.boxes) + 1}"))
        tray_count = {"chips": in_chips(self.float_minor), "next_shift": shift, "witness": witness}
        self.send([self.act("shift.count", {**tray_count, "drop_box": self.boxes[-1].name})], self.plan.inspector)

    def close(self, missing: int = 0, witness: str | None = None) -> None:
        """Closer, and the box is taken away. `missing`: a chip that the count of the tray did not find."""
        closer = self.in_tray(self.float_minor - missing)
        self.closer = {int(denomination): count for denomination, count in closer.items()}
        closed = self.act("session.close", {"closer": closer})
        box = self.boxes[-1].name if self.boxes else f"box-{self.plan.name}"
        removed = self.act("drop.remove", {"drop_box": box} | ({"witness": witness} if witness else {}))
        self.send([closed, removed], self.plan.inspector)

    # --- players ----------------------------------------------------------------------------------------------------

    def seat_players(self) -> list[dict[str, Any]]:
        """Players leave and arrive; a person who is short of chips buys in or goes."""
        for seat, player in list(self.players.items()):
            player.left -= 1
            goes = player.left <= 0 or (player.chips < player.unit and self.random.random() < 0.6)
            if goes and self.may_leave(player):
                self.leave(self.players.pop(seat))
        while len(self.players) < 2 or (len(self.players) < self.seats and self.random.random() < self.arrivals):
            free = [seat for seat in range(1, self.seats + 1) if seat not in self.players]
            self.seen_players += 1
            seat = self.random.choice(free)
            number = self.seen_players + 1_000 * (ord(self.plan.name[0]) % 7 + int(self.plan.name[-1]))
            self.players[seat] = arrive(self.random, number, seat, self.game, self.plan.minimum)
            if self.guests is not None:
                self.guests.arrives(self, self.players[seat])
        return [self.buy_in(player) for player in self.players.values() if player.chips < player.unit]

    def may_leave(self, player: Player) -> bool:
        """Return whether the player may leave during the round."""
        return True

    def leave(self, player: Player) -> None:
        """Let a player leave with his chips."""
        if self.guests is not None:
            self.guests.leaves(self, player)

    def buy_in(self, player: Player) -> dict[str, Any]:
        """He changes money into chips: mostly cash, now and then a marker, or a voucher of the house."""
        amount = buyin(self.random, player, self.game, self.purse)
        player.chips += amount
        player.buyins += 1
        self.float_minor -= amount
        tender = self._tender()
        self.cash += amount if tender == "cash" else 0
        if tender == "marker":
            self.markers.append((player.name, amount))
        if self.boxes:
            setattr(self.boxes[-1], tender, getattr(self.boxes[-1], tender) + amount)
        bought = {"seat": player.seat, "player": player.name, "amount_minor": amount}
        return self.act("buyin.make", bought | ({"tender": tender} if tender != "cash" else {}))

    def _tender(self) -> str:
        """Return the tender, where boxes differ by contents."""
        if not self.boxes:
            return "cash"
        return self.tenders.choices(("cash", "marker", "promotional"), (92, 5, 3))[0]

    def payments(self, settled: list[BetSettled]) -> list[dict[str, Any]]:
        """Pay the due winnings, with the dealer's one mistake of the night where it is planned."""
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


def _by_denomination(chips: dict[int, int]) -> dict[str, int]:
    return {str(denomination): count for denomination, count in chips.items()}


def in_chips(amount: int) -> dict[str, int]:
    """An amount in the fewest chips; the smallest denomination takes the rest."""
    chips: dict[str, int] = {}
    for denomination in (50_000, 10_000, 2_500, 500, 100, 50, 25, 5, 1):
        count, amount = divmod(amount, denomination)
        if count:
            chips[str(denomination)] = count
    return chips


def settled_in(events: list[AnyEnvelope]) -> list[BetSettled]:
    """Return the settlements among these events."""
    return [event.data for event in events if isinstance(event.data, BetSettled)]
