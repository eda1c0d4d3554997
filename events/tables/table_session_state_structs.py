"""The state of a table session, as much of it as the next decision needs. Frozen: `evolve` makes a new one."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias, TypeVar

import msgspec

from events.controls.slip_issued_event import SlipIssued
from events.envelope import Action, AnyEnvelope, EventData, Who
from events.error_codes import coded, recorded_text
from events.errors import Invalid, Refused
from events.floor.table_installation_decider import TableInstalled
from events.house.settings import DEFAULTS, HouseSettings
from events.people.approval_request_lifecycle import Request, all_approvers
from events.rules.chip_sums_by_denomination import chips_minor
from events.rules.game_declaration_and_registry import at_tables
from events.rules.taken_ruleset_version_struct import TakenRuleset, taken_ruleset
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.tables.armed_round_rebuilt_from_events import ArmedRoundPeople
from events.tables.event_types.progressive import DealCompleted, HitDeclared, ProgressiveArmed
from events.tables.event_types.rounds import BetSettled
from events.tables.event_types.session import IrregularityRecorded
from events.tables.event_types.shoe_and_dealt_cards import CardDealt
from events.tables.linked_progressive_terms import LinkedProgressive


@cached_until_forgotten
def acting() -> tuple[type[EventData], ...]:
    """Return the events whose actors acted in a round: they arm bets, make the outcome, or declare a hit."""
    general = (ProgressiveArmed, CardDealt, DealCompleted, HitDeclared)
    return (*general, *(event for game in at_tables().values() for event in game.acting))


class Bet(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A stake on the layout (minor units).

    `number` is the present number of a come bet. `zeros` is the number of zeros that have fallen on a stake en prison.
    `voucher` is the part that was laid with a voucher.
    """

    id: str
    wager: str
    stake: int
    player: str
    seat: int | None = None
    box: int | None = None
    numbers: tuple[int, ...] = ()
    which: int | None = None
    base: str | None = None
    on_zero: Literal["half", "prison"] | None = None
    after_win: Literal["stay", "down"] | None = None
    working: bool | None = None
    number: int | None = None
    zeros: int = 0
    commission: int = 0
    placed_in: int = 0
    voucher: int = 0


class DueWinnings(msgspec.Struct, frozen=True, gc=False):
    """Winnings that the dealer has not paid yet; `won_in` is their round where that is over."""

    bet: Bet
    amount: int
    won_in: int | None = None


class BetSettlement(msgspec.Struct, frozen=True, gc=False):
    """A settlement of this round, and the bet as it lay before: a void takes them back."""

    bet: Bet
    event: BetSettled = msgspec.field(name="said")


class SettlementCorrection(msgspec.Struct, frozen=True, gc=False):
    """A correction of a round's settlement, named by the settlement's event.

    It has the stake, the player's profit (below zero: the loss), and the part of the loss that was laid with a voucher.
    """

    settlement: str
    stake: int
    profit: int
    promotional: int = 0


class GamePlay(msgspec.Struct, frozen=True, kw_only=True, tag_field="game", gc=False):
    """State of one game beyond the bets: base of each game's own state."""

    @property
    def armed_rounds(self) -> tuple[ArmedRoundPeople, ...]:
        """The last rounds that were armed for a progressive and dealt, where the game keeps them."""
        return ()

    def carried(self) -> "GamePlay":
        """Return the part that goes along into the next gaming day, between two rounds."""
        return self


class Session(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A table's gaming day. `phase` is "idle" between rounds; the other phases are the game's own.

    By bet and round: `due` are winnings not paid yet, `unpaid` those left so at the end of their round. `ahead` is the
    overpayment, below zero the underpayment. `settled_vouchers` are the voucher parts of settled stakes. Of this round,
    or of the last one between rounds: `settled`, `paid`, `returned` (bets returned unplayed) and `acted` (people who
    armed, dealt or declared). `requests` wait for a second person. `chip` is the smallest chip of the table, 0 before
    it opens. `plays` are the numbers of its ruleset; `stakes`, `basis` and `progressive_plays` are the linked
    progressive's, as of the opening. `is_moved`: money has moved since the opener. `shifts` are the ended ones.
    `closer` is the counted tray of the close. `drop_box` is the box that was removed last. Where a house puts and
    removes boxes by name (`has_boxes`), `box` is under the table, and old if it was put in an ended shift. `boxes` are
    all that were put or removed. `hanging` were put and not removed before the next one. `waiting_box` was put while no
    session was open. `by_cage` are the cage's slips that were used here. A table that is not `recorded` is counted
    only; with `has_results` its results are noted.
    """

    stream: str
    table: str
    pit: str
    game: str
    plays: TakenRuleset
    currency: str
    gaming_day: str
    progressive: str | None = None
    shift: str = "day"
    status: Literal["new", "open", "closed", "counted", "void"] = "new"
    dealer: str | None = None
    inspector: str | None = None
    posts: Mapping[str, str] = {}
    chip: int = 0
    float_minor: int = 0
    opener_minor: int = 0
    is_moved: bool = False
    minimum: int = 0
    maxima: Mapping[str, int] = {}
    minima: Mapping[str, int] = {}
    round: int = 0
    phase: str = "idle"
    bets: Mapping[str, Bet] = {}
    due: Mapping[str, DueWinnings] = {}
    unpaid: tuple[DueWinnings, ...] = ()
    ahead: Mapping[str, int] = {}
    settled_vouchers: Mapping[str, int] = {}
    used: frozenset[str] = frozenset()
    slips: frozenset[int] = frozenset()
    by_cage: frozenset[str] = frozenset()
    settled: tuple[BetSettlement, ...] = ()
    paid: Mapping[str, Bet] = {}
    returned: Mapping[str, Bet] = {}
    acted: tuple[str, ...] = ()
    drop_box: str | None = None
    box: str | None = None
    boxes: tuple[str, ...] = ()
    hanging: tuple[str, ...] = ()
    waiting_box: str | None = None
    has_boxes: bool = False
    is_box_old: bool = False
    recorded: bool = True
    has_results: bool = False
    corrected: tuple[SettlementCorrection, ...] = ()
    shifts: tuple[str, ...] = ()
    closer: Mapping[int, int] = {}
    stakes: tuple[int, int] | None = None
    basis: Literal["to", "for"] = "to"
    progressive_plays: TakenRuleset | None = None
    requests: Mapping[str, Request] = {}
    play: Any = None

    @property
    def ruleset(self) -> str:
        """Return the name of the ruleset, as clauses cite it."""
        return self.plays.name

    def where(self) -> dict[str, Any]:
        """The fields that every event of the table carries."""
        return {
            "pit": self.pit,
            "table": self.table,
            "gaming_day": self.gaming_day,
            "shift": self.shift,
            "ruleset": self.plays.stamp,
            "round": self.round or None,
            "dealer": self.dealer,
            "inspector": self.inspector,
        }


class TableContext(msgspec.Struct, frozen=True, gc=False):
    """Further input of a decision, read from other streams, or from earlier events of this one.

    `linked` is the table's progressive, None where it is not open (or not needed). `dealt` are the events of an earlier
    round of a late hit or payment, and `acted` the people who armed it, dealt or declared in it. `again` is the session
    that a void day is opened on, `last` the gaming day before, `waiting_box` the drop box that was put before this
    opening. `settings` are the house's. For a fill or a credit, in a house that `has_cage`, `slip` is the cage's slip,
    and `is_settled` its state. For reports of a closed table, `is_day_closed`: accounting has closed the gaming day.
    `box_at` is another table that has the same drop box. `shift` is the current one.
    """

    linked: LinkedProgressive | None = None
    dealt: tuple[AnyEnvelope, ...] = ()
    acted: tuple[str, ...] = ()
    again: Session | None = None
    last: Session | None = None
    waiting_box: str | None = None
    settings: HouseSettings = DEFAULTS
    has_cage: bool = False
    slip: SlipIssued | None = None
    is_settled: bool = False
    is_day_closed: bool = False
    box_at: str = ""
    shift: str = "day"


NOTHING = TableContext()


class TableCase(msgspec.Struct, gc=False):
    """An action on its way to a decision: the session, and its irregularities so far.

    `asked_by` are its earlier approvers, as (person, role), one for each role in force; `roles` are those of all
    people.
    """

    session: Session
    action: Action
    who: Who
    irregularities: list[EventData] = []
    asked_by: tuple[tuple[str, str], ...] = ()
    context: TableContext = NOTHING
    roles: Mapping[str, frozenset[str]] = {}

    def roles_of(self, person: str) -> frozenset[str]:
        """Return the present roles of a person."""
        return self.roles.get(person, frozenset())

    @property
    def people(self) -> tuple[tuple[str, str], ...]:
        """Return all people who agree to it, this person included."""
        return all_approvers(self.asked_by, self.who)

    def forbid(self, kind: str, refusal: Refused, **about: Any) -> None:
        """A rule forbids this. Asked for, it is refused; reported as a fact, it is recorded with an irregularity."""
        if self.action.intent == "ask":
            raise refusal
        self.irregularities.append(
            IrregularityRecorded(
                **self.session.where(),
                kind=kind,
                clause=refusal.clause,
                source=refusal.source,
                **recorded_text(refusal.text, self.session.currency),
                **about,
            )
        )

    def phase(self, *phases: str) -> None:
        """The action belongs to these phases; in any other it cannot be true."""
        if self.session.phase not in phases:
            raise Refused(
                f"{self.session.game} phase",
                coded("phase-wrong", action=self.action.type, phases=phases, phase=self.session.phase),
            )


def name_in_day(bet: str, round_: int | None) -> str:
    """Return the key of a bet by its round: a name of a bet comes again in later rounds."""
    return f"{bet}#{round_}"


def paid_ahead(session: Session, bet: str, round_: int, excess: int) -> Mapping[str, int]:
    """Return the overpayments with this excess for a bet of a round added; below zero: an underpayment."""
    name = name_in_day(bet, round_)
    now = session.ahead.get(name, 0) + excess
    return {**session.ahead, name: now} if now else without(session.ahead, name)


T = TypeVar("T")
Events: TypeAlias = list[EventData]
Handler: TypeAlias = Callable[[TableCase, Any], Events]
Evolver: TypeAlias = Callable[[Session, Any], Session]


def stream_of(property_: str, table: str, gaming_day: str) -> str:
    """The stream of a table's gaming day."""
    return f"{property_}/tables/{table}/{gaming_day}"


def new_session(property_: str, table: TableInstalled, gaming_day: str) -> Session:
    """A session before its first event."""
    return Session(
        stream=stream_of(property_, table.table, gaming_day),
        table=table.table,
        pit=table.pit,
        game=table.game,
        plays=taken_ruleset(table.ruleset, table.ruleset_digest),
        currency=table.currency,
        gaming_day=gaming_day,
        progressive=table.progressive,
        chip=table.chip_minor or 0,
        recorded=table.recorded,
    )


def at_hand(session: Session, round_: int) -> ArmedRoundPeople | None:
    """The armed round, if it is one of the last."""
    rounds: tuple[ArmedRoundPeople, ...] = session.play.armed_rounds if session.play is not None else ()
    return next((armed_round for armed_round in rounds if armed_round.round == round_), None)


def tray_minor(chips: Mapping[int, int], colours_minor: int, field: str) -> int:
    """Return the value of a counted tray. The colour chips that players hold have no value of their own: their price is
    missing in the tray, and is subtracted."""
    if colours_minor > (worth := chips_minor(chips, field)):
        raise Invalid("data.colours_minor", coded("colours-above-tray", worth=worth))
    return worth - colours_minor


def without(bets: Mapping[str, T], *names: str) -> dict[str, T]:
    """The mapping without these keys."""
    left = dict(bets)
    for name in names:
        left.pop(name, None)
    return left
