"""State of dice and shooter, for a terminal that starts again."""

import msgspec

from events.games.craps.point_shooter_and_dice_state import layout_of
from events.tables.table_session_state_structs import Session
from events.tables.terminal_snapshot import Playing


class DieOnTable(msgspec.Struct, frozen=True, kw_only=True):
    """A die on the table."""

    serial: str
    colour: str


class Dice(Playing, frozen=True, kw_only=True, omit_defaults=True, tag="craps"):
    """The point, the shooter, the dice on the table and the two (places from 0) that the shooter took."""

    point: int | None = None
    shooter: str | None = None
    seat: int | None = None
    dice_pass: bool = False
    declined: tuple[str, ...] = ()
    dice: tuple[DieOnTable, ...] = ()
    chosen: tuple[int, ...] = ()


def terminal_state(session: Session) -> Dice:
    """Return the state from the session."""
    layout = layout_of(session)
    return Dice(
        point=layout.point,
        shooter=layout.shooter,
        seat=layout.seat,
        dice_pass=layout.dice_pass,
        declined=tuple(sorted(layout.declined)),
        dice=tuple(DieOnTable(serial=die.serial, colour=die.colour) for die in layout.dice),
        chosen=layout.chosen,
    )
