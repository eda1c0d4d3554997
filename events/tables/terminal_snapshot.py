"""State of a table for a terminal after a restart, read from the session that decisions are made on.

Amounts in minor units. Unknown figures are left out.
"""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from events.people.approval_request_lifecycle import Moment, why_lapsed
from events.rules.game_declaration_and_registry import at_tables
from events.rules.screen_declarations import Place
from events.tables.table_session_state_structs import Bet, DueWinnings, Session
from events.tables.wager_places_on_screen import places_of


class Lying(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A bet on the layout. `number`: the present number of a come bet, or the number of the bet; `zeros`: the number of
    zeros that have fallen on it en prison."""

    bet: str
    wager: str
    amount_minor: int
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
    commission_minor: int = 0
    placed_in: int = 0


class Unpaid(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Winnings (without the stake) not paid yet; `won_in`: the round at whose end they were left unpaid."""

    bet: str
    wager: str
    amount_minor: int
    player: str
    seat: int | None = None
    box: int | None = None
    won_in: int | None = None


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """A request that waits for another person: an approval names `request` and `content`. `people`: the person who
    asked and those who agreed so far, with their roles; it stands `until` then (earlier ones had no end)."""

    request: str
    action: str
    input: dict[str, Any]
    content: str
    people: tuple[tuple[str, str], ...]
    until: str | None


class Playing(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="game"):
    """State of one game beyond its bets."""


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """State of a table after `version` events of its `stream`, the last of them at `position` of the store.

    `float_minor` is the rack's content when the table was closed, and null until then, since its counter must not know
    the expected amount. `box` is the drop box under the table, where boxes are put by name. At a table that is not
    `recorded` no bet is taken. `round` is the latest (0: none yet). `posts` are the people at work there, `chip_minor`
    the table's smallest chip, and `dues` the winnings due, those of earlier rounds included. `stakes_minor` and `basis`
    are the linked progressive's. `places` are those of all wagers of the ruleset, empty at a table that is not
    `recorded`.
    """

    stream: str
    version: int
    position: int
    table: str
    pit: str
    game: str
    ruleset: str
    currency: str
    gaming_day: str
    shift: str
    status: Literal["new", "open", "closed", "counted", "void"]
    progressive: str | None
    stakes_minor: tuple[int, int] | None
    basis: Literal["to", "for"]
    posts: Mapping[str, str]
    minimum_minor: int
    maxima_minor: Mapping[str, int]
    minima_minor: Mapping[str, int]
    chip_minor: int
    float_minor: int | None
    drop_box: str | None
    box: str | None
    recorded: bool
    round: int
    phase: str
    bets: tuple[Lying, ...]
    dues: tuple[Unpaid, ...]
    requests: tuple[Waiting, ...]
    places: tuple[Place, ...]
    play: Any  # the game's own part: `stands` in its declaration


def layout_of(session: Session, version: int, position: int, moment: Moment) -> Layout:
    """Return the table by its session, with its requests at this moment."""
    return Layout(
        stream=session.stream,
        version=version,
        position=position,
        table=session.table,
        pit=session.pit,
        game=session.game,
        ruleset=session.plays.stamp,
        currency=session.currency,
        gaming_day=session.gaming_day,
        shift=session.shift,
        status=session.status,
        progressive=session.progressive,
        stakes_minor=session.stakes,
        basis=session.basis,
        posts=session.posts,
        minimum_minor=session.minimum,
        maxima_minor=session.maxima,
        minima_minor=session.minima,
        chip_minor=session.chip,
        float_minor=session.float_minor if session.status in ("closed", "counted") else None,
        drop_box=session.drop_box,
        box=session.box,
        recorded=session.recorded,
        round=session.round,
        phase=session.phase,
        bets=tuple(_lying_bet(bet) for bet in session.bets.values()),
        dues=tuple(_unpaid(due) for due in (*session.unpaid, *session.due.values())),
        requests=_requests(session, moment),
        places=places_of(session.plays) if session.recorded else (),
        play=at_tables()[session.game].standing(session),
    )


def _lying_bet(bet: Bet) -> Lying:
    return Lying(
        bet=bet.id,
        wager=bet.wager,
        amount_minor=bet.stake,
        player=bet.player,
        seat=bet.seat,
        box=bet.box,
        numbers=bet.numbers,
        which=bet.which,
        base=bet.base,
        on_zero=bet.on_zero,
        after_win=bet.after_win,
        working=bet.working,
        number=bet.number,
        zeros=bet.zeros,
        commission_minor=bet.commission,
        placed_in=bet.placed_in,
    )


def _unpaid(due: DueWinnings) -> Unpaid:
    bet = due.bet
    return Unpaid(
        bet=bet.id,
        wager=bet.wager,
        amount_minor=due.amount,
        player=bet.player,
        seat=bet.seat,
        box=bet.box,
        won_in=due.won_in,
    )


def _requests(session: Session, moment: Moment) -> tuple[Waiting, ...]:
    """Return the requests that a person can approve; an expired one is left out, also before its expiry is recorded."""
    return tuple(
        Waiting(
            request=waits.event.request,
            action=waits.event.action,
            input=waits.event.input,
            content=waits.event.content,
            people=waits.people,
            until=waits.event.until,
        )
        for waits in session.requests.values()
        if not waits.done and why_lapsed(waits, moment) is None
    )
