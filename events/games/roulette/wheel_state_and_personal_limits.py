"""A wheel's own state, and the limits that hold for a player at it: the table's, or his own."""

from collections.abc import Mapping
from typing import Literal

from msgspec.structs import asdict, replace

from events.envelope import ActionData, EventData
from events.error_codes import coded
from events.errors import Invalid, Refused
from events.games.roulette import rules as roulette
from events.games.roulette.layout import TYPES
from events.games.roulette.stake_acceptance_and_payment_order import table_check
from events.rules.screen_declarations import ColourChips
from events.tables.actions.session_action_structs import MarkLimit
from events.tables.event_types.session import PersonalLimitSet
from events.tables.table_session_state_structs import Events, Evolver, GamePlay, Handler, Session, TableCase

NO_MAXIMUM = 10**12  # where none is posted for a kind of bet


class WheelPlay(GamePlay, frozen=True, kw_only=True, tag="roulette"):
    """The last direction of the wheel: it turns the other way each time (P.1). `ball` is this spin's.

    `last_coup`: the last spin of the day was played. `personal` are the limits of players who have their own, by
    player and kind of bet. `colours` are the colour chips of each player who has some.
    """

    turned: Literal["cw", "ccw"] | None = None
    ball: Literal["cw", "ccw"] | None = None
    last_coup: bool = False
    personal: Mapping[str, Mapping[str, tuple[int, int]]] = {}
    colours: Mapping[str, ColourChips] = {}

    def carried(self) -> "WheelPlay":
        """Return the wheel's last direction, and the limits; the next day has a last coup of its own."""
        return replace(self, ball=None, last_coup=False)


def wheel_of(session: Session) -> WheelPlay:
    """The wheel's own state."""
    return session.play if isinstance(session.play, WheelPlay) else WheelPlay()


def minimum_of(session: Session, player: str, wager: str) -> int:
    """The least that this player may lay on a place of this kind."""
    own = wheel_of(session).personal.get(player, {}).get(wager)
    return own[0] if own else session.minima.get(wager, session.minimum)


def maximum_of(session: Session, player: str, wager: str) -> int | None:
    """The most that this player may lay on a place of this kind; None: no maximum is posted."""
    own = wheel_of(session).personal.get(player, {}).get(wager)
    return own[1] if own else session.maxima.get(wager)


def least_maximum(session: Session) -> int:
    """Return an amount of stakes that is within every player's limits on any place; 0 without posted limits."""
    own = [most for limits in wheel_of(session).personal.values() for _, most in limits.values()]
    return min([*session.maxima.values(), *own], default=0)


def mark_limit(case: TableCase, data: MarkLimit) -> Events:
    """A player's own limits for a kind of bet: maxima hold by player and place (ROU-6), within their bands (L.)."""
    session, rules = case.session, roulette.rules(case.session.plays)
    case.phase("idle", "open")
    if data.wager is None or data.wager not in TYPES:
        raise Invalid("data.wager", coded("limit-needs-bet", bets=list(TYPES)))
    if data.minimum_minor > data.maximum_minor:
        raise Invalid("data.maximum_minor", coded("maximum-below-minimum"))
    if session.minimum == 0:
        raise Refused("house limits", coded("limits-not-posted"))
    if data.wager in table_check(rules, session.minimum, {data.wager: data.maximum_minor}):
        refused = Refused(
            f"{rules.name} L", coded("limit-outside-band", wager=data.wager), source="002 §7b", reading="ROU-14"
        )
        case.forbid("posted limits", refused, player=data.player, amount_minor=data.maximum_minor)
    return [PersonalLimitSet(**session.where(), **asdict(data))]


def limit_marked(session: Session, event: PersonalLimitSet) -> Session:
    wheel, player = wheel_of(session), event.player or ""
    limits = {**wheel.personal.get(player, {}), event.wager or "": (event.minimum_minor, event.maximum_minor)}
    return replace(session, play=replace(wheel, personal={**wheel.personal, player: limits}))


HANDLERS: Mapping[type[ActionData], Handler] = {MarkLimit: mark_limit}
EVOLVERS: Mapping[type[EventData], Evolver] = {PersonalLimitSet: limit_marked}
