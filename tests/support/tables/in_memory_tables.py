"""Table sessions without desk or store, for tests in steps: a table, then actions, then the expected events.

    table = craps_table("craps-gr").round()
    table.ask("bet.place", bet="a", wager="pass", amount_minor=1000, player="Ann", seat=1)

    table.refused("bet.place", ..., clause="craps-gr B.1")
    assert table.settled("a").profit_minor == 1000

Every event of a decision is evolved and counted at once. `players` has the chips of each player. `chips_are_conserved`
compares the chips in tray, on the layout and with players with the opener.
"""

from collections import Counter
from copy import copy
from typing import Any, Literal, TypeVar

import msgspec
import pytest
from msgspec.structs import replace

from events import catalogue
from events.envelope import Action, EventData, Who
from events.errors import Invalid, Refused
from events.floor.table_installation_decider import TableInstalled
from events.games.blackjack.event_types import HandDoubled, HandSplit, InsuranceTaken
from events.people.approval_request_lifecycle import ApprovalRequested, Moment
from events.rules.ruleset_adoption_and_recording import take
from events.streams.stream_kind_declaration import ForeignEvent
from events.tables import main_table_decider as tables
from events.tables.event_types.money import BuyinMade
from events.tables.event_types.rounds import (
    BetCorrected,
    BetPlaced,
    BetRestaked,
    BetSettled,
    BetWithdrawn,
    PaymentMade,
    SettlementCorrected,
    SettlementVoided,
)
from events.tables.event_types.session import IrregularityRecorded
from events.tables.linked_progressive_terms import LinkedProgressive
from events.tables.table_session_state_structs import Session, TableContext, new_session

PROPERTY, DAY = "athens", "2026-11-20"
NOW = "2026-11-20T20:00:00.000Z"
OPENER = {"500": 2_000, "2500": 400}
Intent = Literal["ask", "fact"]
E = TypeVar("E", bound=EventData)

DEALER = Who(person="dora", roles=frozenset({"dealer"}))
INSPECTOR = Who(person="ines", roles=frozenset({"inspector"}), factor_s=0)
WATCH = Who(person="sven", roles=frozenset({"surveillance"}), factor_s=0)
AT_WORK = {"dora": "dealer", "sam": "security", "carl": "count"}  # whoever else is there, and may be named


class TableInMemory:
    """A table's gaming day in memory."""

    def __init__(
        self,
        game: str,
        ruleset: str,
        progressive: str | None = None,
        chip_minor: int | None = None,
        *,
        recorded: bool = True,
    ) -> None:
        took, _ = take({}, game, ruleset)
        about: dict[str, Any] = {"progressive": progressive, "chip_minor": chip_minor, "ruleset_digest": took.digest}
        about["recorded"] = recorded
        installed = TableInstalled(pit="A", table="T1", game=game, ruleset=took.stamp, currency="EUR", **about)
        link = LinkedProgressive(progressive, "EUR", (500, 1_000), "to") if progressive else None
        self.context = TableContext(linked=link)
        self.new = new_session(PROPERTY, installed, DAY)
        self.state = self.new
        self.events: list[EventData] = []
        self.actors: list[str] = []
        self.roles: dict[str, frozenset[str]] = {person: frozenset({role}) for person, role in AT_WORK.items()}
        self.players: Counter[str] = Counter()
        self.elsewhere: list[ForeignEvent] = []
        self._keys = 0

    # --- acting -------------------------------------------------------------------------------------------------

    def act(
        self, kind: str, *, who: Who = DEALER, intent: Intent = "ask", corrects: str | None = None, **data: Any
    ) -> list[EventData]:
        """Decide and evolve; the new events. Raises what the decision raises."""
        self._keys += 1
        action = Action(
            type=kind,
            key=f"k{self._keys}",
            intent=intent,
            corrects=corrects,
            data=msgspec.Raw(msgspec.json.encode(data)),
        )
        self.roles[who.person] = who.roles
        moment = Moment(NOW, self.roles)
        decided = tables.decide(self.state, action, catalogue.decode_action(action), who, moment, self.context)
        happened = [event for event in decided if not isinstance(event, ForeignEvent)]
        self.elsewhere = [event for event in decided if isinstance(event, ForeignEvent)]
        for event in happened:
            self.state = tables.evolve(self.state, event, who.person)
            self._count(event)
        self.events += happened
        self.actors += [who.person] * len(happened)
        return happened

    def roll(self, into: str, **closer: int) -> "TableInMemory":
        """Count the tray and roll the day. Return the table on the next day, with its players; this one is closed."""
        self.act("session.roll", who=INSPECTOR, gaming_day=into, closer=closer)
        after = copy(self)
        stream = f"{self.new.stream.rpartition('/')[0]}/{into}"
        after.new = after.state = replace(self.new, stream=stream, gaming_day=into)
        after.events, after.actors, after.players = [], [], Counter(self.players)
        assert {foreign.stream for foreign in self.elsewhere} == {stream}
        for foreign in self.elsewhere:
            after.state = tables.evolve(after.state, foreign.event, INSPECTOR.person)
            after.events.append(foreign.event)
            after.actors.append(INSPECTOR.person)
        return after

    def ask(self, kind: str, **data: Any) -> "TableInMemory":
        """Ask for an action. It must be allowed, without an irregularity."""
        happened = self.act(kind, **data)
        assert not any(isinstance(event, IrregularityRecorded) for event in happened), happened
        return self

    def lead(self, kind: str, **data: Any) -> "TableInMemory":
        """Ask for an action as the inspector, as `ask` does."""
        return self.ask(kind, who=INSPECTOR, **data)

    def fact(self, kind: str, *, irregular: str | None = None, who: Who = DEALER, **data: Any) -> "TableInMemory":
        """Record a fact. `irregular` is the clause of the irregularity that must come with it."""
        happened = self.act(kind, intent="fact", who=who, **data)
        clauses = [event.clause for event in happened if isinstance(event, IrregularityRecorded)]
        assert clauses == ([irregular] if irregular else []), clauses
        return self

    def refused(self, kind: str, *, clause: str, intent: Intent = "ask", who: Who = DEALER, **data: Any) -> Refused:
        """Send an action that must be refused with this clause, without any change."""
        before = self.state
        with pytest.raises(Refused) as caught:
            self.act(kind, intent=intent, who=who, **data)
        assert caught.value.clause == clause
        assert self.state is before
        return caught.value

    def invalid(self, kind: str, *, field: str, **data: Any) -> None:
        """Send an invalid action. The error must name this field."""
        with pytest.raises(Invalid) as caught:
            self.act(kind, **data)
        assert caught.value.field == field

    def both(self, kind: str, *, clause: str, who: Who = DEALER, **data: Any) -> "TableInMemory":
        """Refused when it is asked; when it has happened, recorded with an irregularity of the same clause."""
        self.refused(kind, clause=clause, who=who, **data)
        return self.fact(kind, irregular=clause, who=who, **data)

    def approved(self, kind: str, *, who: Who = INSPECTOR, by: Who = WATCH, **data: Any) -> list[EventData]:
        """Request an action by one person and approve it by another. Return the events of the approval."""
        [request] = self.act(kind, who=who, **data)
        assert isinstance(request, ApprovalRequested)
        return self.act("approval.give", who=by, request=request.request, content=request.content)

    # --- looking ------------------------------------------------------------------------------------------------

    def last(self, kind: type[E]) -> E:
        """The latest event of a type."""
        return next(event for event in reversed(self.events) if isinstance(event, kind))

    def count(self, kind: type[EventData]) -> int:
        """Return the number of events of a type."""
        return sum(isinstance(event, kind) for event in self.events)

    def settled(self, bet: str) -> BetSettled:
        """Return the last settlement of a bet."""
        return next(e for e in reversed(self.events) if isinstance(e, BetSettled) and e.bet == bet)

    def pay(self) -> "TableInMemory":
        """Hand out everything that is due."""
        for name, due in list(self.state.due.items()):
            self.ask("payment.make", bet=name, amount_minor=due.amount)
        return self

    def end(self) -> "TableInMemory":
        """Pay, and finish the round."""
        return self.pay().ask("round.end")

    # --- what always holds --------------------------------------------------------------------------------------

    def _count(self, event: EventData) -> None:
        """Chips that a player gets (+) or gives (-)."""
        change = 0
        if isinstance(event, BuyinMade | PaymentMade):
            change = event.amount_minor
        elif isinstance(event, BetPlaced | BetRestaked | BetCorrected):
            change = -event.amount_minor - event.commission_minor
        elif isinstance(event, BetWithdrawn):
            change = event.amount_minor + event.commission_minor
        elif isinstance(event, HandDoubled | HandSplit | InsuranceTaken):
            change = -event.amount_minor
        elif isinstance(event, BetSettled):
            change = event.returned_minor - event.commission_minor
        elif isinstance(event, SettlementVoided):
            change = event.commission_minor - event.returned_minor
        elif isinstance(event, SettlementCorrected):
            change = -event.lost_minor - event.commission_minor
        if change:
            self.players[getattr(event, "player", None) or ""] += change

    def chips_are_conserved(self) -> None:
        """Check that tray, layout and players together hold the chips of the opener.

        The layout holds no settled bet.
        """
        came = sum(int(value) * count for value, count in OPENER.items())
        layout = sum(bet.stake for bet in self.state.bets.values())
        assert self.state.float_minor + layout + sum(self.players.values()) == came

    def replayed(self) -> Session:
        """The session from its events alone, each through its bytes."""
        state = self.new
        for event, actor in zip(self.events, self.actors, strict=True):
            raw = msgspec.json.encode(event)
            state = tables.evolve(state, msgspec.json.decode(raw, type=type(event)), actor)
        return state

    def replays(self) -> None:
        """The events give the same state and money again, and so does a snapshot."""
        assert self.replayed() == self.state
        assert tables.load(msgspec.json.encode(self.state)) == self.state


# --- tables ready to play ---------------------------------------------------------------------------------------


def opened(
    game: str, ruleset: str, progressive: str | None = None, *, chip_minor: int | None = None, **limits: Any
) -> TableInMemory:
    """Return a table with its tray, limits and staff."""
    table = TableInMemory(game, ruleset, progressive, chip_minor)
    table.lead("session.open", gaming_day=DAY, opener=OPENER)
    table.lead("limits.post", **{"minimum_minor": 500, "maxima_minor": {}, **limits})
    table.lead("staff.assign", post="dealer", person="dora")
    return table.lead("staff.assign", post="inspector", person="ines")


def roulette_table(ruleset: str = "roulette-french", **limits: Any) -> TableInMemory:
    """A wheel."""
    return opened("roulette", ruleset, **limits)


def counted_only_table() -> TableInMemory:
    """A wheel whose bets are not recorded."""
    table = TableInMemory("roulette", "roulette-french", recorded=False)
    return table.lead("session.open", gaming_day=DAY, opener=OPENER)


def blackjack_table(progressive: str | None = "blazing", **limits: Any) -> TableInMemory:
    """Six packs, linked to a progressive."""
    return opened("blackjack", "blackjack-trilux", progressive, **limits).ask("shoe.load", shoe="s1", packs=6)


def baccarat_table(ruleset: str = "baccarat", *, burnt: str | None = "2C", **limits: Any) -> TableInMemory:
    """Eight packs under a whole seal, opened by burning."""
    table = opened("baccarat", ruleset, **limits).ask("shoe.load", shoe="s1", packs=8, seal="A-77")
    return table.ask("shoe.burn", card=burnt) if burnt else table


FIVE = [{"serial": "K17", "colour": "red"}] * 5


def craps_table(
    ruleset: str = "craps-gr", *, shooter: str = "Ann", chip_minor: int = 100, **limits: Any
) -> TableInMemory:
    """A full table, five dice, and a shooter on seat 1 who has chosen his two."""
    table = opened("craps", ruleset, chip_minor=chip_minor, **limits)
    for post, person in (("second dealer", "dan"), ("stickman", "stan"), ("manager", "mia")):
        table.lead("staff.assign", post=post, person=person)
    table.lead("dice.put", dice=FIVE).ask("shooter.appoint", seat=1, player=shooter)
    return table.ask("round.open").ask("dice.choose", places=[0, 3])
