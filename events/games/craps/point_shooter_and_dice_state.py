"""A craps table's own state, and its bets in the form of the rules (`roll_results.py`, `lawful_bet_changes.py`)."""

import msgspec
from msgspec.structs import replace

from events.games.craps.craps_bet_struct_and_validity import CrapsBet as CrapsBet
from events.games.craps.lawful_bet_changes import BettingTable
from events.games.craps.ruleset import CrapsRules, rules
from events.games.craps.table_limits_and_size_checks import TableLimits
from events.tables.table_session_state_structs import Bet, GamePlay, Session

MAXIMUM = "maximum"  # the posted maximum of the even chances, from which others follow


class TableDie(msgspec.Struct, frozen=True):
    """A die: its serial number or series, and its colour."""

    serial: str
    colour: str


class CrapsLayout(GamePlay, frozen=True, kw_only=True, tag="craps"):
    """The point, the shooter, the dice on the table and the two (places from 0) that the shooter took."""

    point: int | None = None
    shooter: str | None = None
    seat: int | None = None
    dice_pass: bool = False
    declined: frozenset[str] = frozenset()
    dice: tuple[TableDie, ...] = ()
    chosen: tuple[int, ...] = ()


def layout_of(session: Session) -> CrapsLayout:
    """The craps table's own state."""
    return session.play if isinstance(session.play, CrapsLayout) else CrapsLayout()


def rules_of(session: Session) -> CrapsRules:
    """The ruleset that is played."""
    return rules(session.plays)


def as_bet(bet: Bet) -> CrapsBet:
    """A bet as the rules know it."""
    after = bet.after_win or "down"
    return CrapsBet(bet.id, bet.wager, bet.stake, bet.number, bet.base, bet.working, after, bet.player)


def table_of(session: Session) -> BettingTable:
    """The layout as the rules know it."""
    bets = tuple(as_bet(bet) for bet in session.bets.values())
    return BettingTable(layout_of(session).point, bets, session.phase == "dice_offered")


def limits_of(session: Session) -> TableLimits:
    """The limits in force."""
    own = {name: most for name, most in session.maxima.items() if name != MAXIMUM}
    return TableLimits(session.minimum, session.maxima.get(MAXIMUM), own, session.minima, session.chip or 1)


def with_layout(session: Session, **changes: object) -> Session:
    """The session with its layout changed."""
    return replace(session, play=replace(layout_of(session), **changes))
