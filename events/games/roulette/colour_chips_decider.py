"""Colour chips: a player's colour, and the value of its chips. Stakes by colour count at this value.

The value is set at the buy-in or an exchange, within the limits of the table. It does not change while the player has
bets on the layout.
"""

from collections.abc import Mapping

from msgspec.structs import asdict, replace

from events.envelope import ActionData, EventData
from events.error_codes import ErrorText, coded
from events.errors import Refused
from events.games.roulette.action_structs import ReturnColour, SetColour
from events.games.roulette.event_types import ColourReturned, ColourSet
from events.games.roulette.wheel_state_and_personal_limits import NO_MAXIMUM, maximum_of, wheel_of
from events.rules.screen_declarations import ColourChips
from events.tables.table_session_state_structs import Events, Evolver, Handler, Session, TableCase

CLAUSE = "house colours"


def set_colour(case: TableCase, data: SetColour) -> Events:
    """Give a player a colour and the value of its chips."""
    session = case.session
    least, most = max(session.chip, 1), maximum_of(session, data.player, "straight") or NO_MAXIMUM
    if not least <= data.value_minor <= most or data.value_minor % least:
        _forbid(case, coded("colour-value", least=least, most=most), data.player)
    others = {chips.colour for player, chips in wheel_of(session).colours.items() if player != data.player}
    if data.colour in others:
        _forbid(case, coded("colour-of-another", colour=data.colour), data.player)
    _require_no_bets(case, data.player)
    return [ColourSet(**session.where(), **asdict(data))]


def return_colour(case: TableCase, data: ReturnColour) -> Events:
    """Take a player's colour back."""
    owned = wheel_of(case.session).colours.get(data.player)
    if owned is None:
        raise Refused(CLAUSE, coded("colour-not-given", player=data.player), field="data.player")
    _require_no_bets(case, data.player)
    return [
        ColourReturned(**case.session.where(), player=data.player, colour=owned.colour, value_minor=owned.value_minor)
    ]


def _require_no_bets(case: TableCase, player: str) -> None:
    """The value of chips on the layout does not change."""
    if player in wheel_of(case.session).colours and any(bet.player == player for bet in case.session.bets.values()):
        _forbid(case, coded("colour-in-play", player=player), player)


def _forbid(case: TableCase, why: ErrorText, player: str) -> None:
    case.forbid("colour chips", Refused(CLAUSE, why), player=player)


def colour_set(session: Session, event: ColourSet) -> Session:
    wheel = wheel_of(session)
    colours = {**wheel.colours, event.player: ColourChips(event.seat, event.colour, event.value_minor)}
    return replace(session, play=replace(wheel, colours=colours))


def colour_returned(session: Session, event: ColourReturned) -> Session:
    wheel = wheel_of(session)
    colours = {player: chips for player, chips in wheel.colours.items() if player != event.player}
    return replace(session, play=replace(wheel, colours=colours))


def colours_of(session: Session) -> Mapping[str, ColourChips]:
    """Return the colour chips of each player who has some."""
    return wheel_of(session).colours


HANDLERS: Mapping[type[ActionData], Handler] = {SetColour: set_colour, ReturnColour: return_colour}
EVOLVERS: Mapping[type[EventData], Evolver] = {ColourSet: colour_set, ColourReturned: colour_returned}
