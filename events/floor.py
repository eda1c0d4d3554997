"""The floor: which tables there are, what is played at them, and what they are linked to. Stream PROPERTY/floor."""

from typing import ClassVar

import msgspec

from events import approvals, authority, rulesets
from events.approvals import Moment, Requests
from events.envelope import Action, ActionData, EventData, Who
from events.errors import Invalid, Refused
from events.fields import Currency, Denomination, Name, Slug, TableName
from events.game import at_tables, named
from events.roles import FLOOR_LEADS, SECOND_KEYS, Rule

CLAUSE = "house floor"
RULES: dict[str, Rule] = {
    "table.install": Rule(
        ask=FLOOR_LEADS,
        keys=(FLOOR_LEADS, (*FLOOR_LEADS, *(role for role in SECOND_KEYS if role != "pit boss"))),
        excluded=("asked",),
        clause=CLAUSE,
    ),
}


class TableInstalled(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A table stands on the floor. `ruleset` is played there; `progressive` names the jackpot it is linked to.

    `chip_minor` is its smallest chip, where that is not simply the smallest of its opener.
    """

    TYPE: ClassVar[str] = "table.installed.v1"
    pit: str
    table: str
    game: str
    ruleset: str
    currency: str
    progressive: str | None = None
    chip_minor: int | None = None


class InstallTable(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Put a table on the floor, or change what is played there from the next session on.

    `game` is baccarat, blackjack, craps or roulette, `ruleset` one of its rulesets, the casino's own included.
    `chip_minor` is the smallest chip of the table, in which the rules of craps-by count odds and place bets; without
    it that is the smallest denomination in the opener of each session.
    """

    TYPE: ClassVar[str] = "table.install"
    pit: Name
    table: TableName
    game: Name
    ruleset: Name
    currency: Currency = "EUR"
    progressive: Slug | None = None
    chip_minor: Denomination | None = None


class Floor(msgspec.Struct, frozen=True):
    """All tables by name, and what waits for a second person."""

    tables: dict[str, TableInstalled] = {}
    requests: Requests = {}


def decide(
    floor: Floor, action: Action, data: ActionData, who: Who, moment: Moment, _beside: None = None
) -> list[EventData]:
    """Which game is played where is arranged by two people."""

    def judge(action: Action, data: ActionData, before: approvals.Pairs) -> list[EventData]:
        if not isinstance(data, InstallTable):
            raise Refused(CLAUSE, f"{action.type} is nothing that the floor does")
        event = _installed(data)
        authority.require(RULES[data.TYPE], approvals.everybody(before, who))
        return [event]

    return approvals.decide("floor", floor.requests, action, data, who, moment, judge)


def _installed(data: InstallTable) -> TableInstalled:
    _must_be_playable(data.game, data.ruleset)
    return TableInstalled(
        pit=data.pit,
        table=data.table,
        game=data.game,
        ruleset=data.ruleset,
        currency=data.currency,
        progressive=data.progressive,
        chip_minor=data.chip_minor,
    )


def _must_be_playable(game: str, ruleset: str) -> None:
    """Now, and only now: what was installed once stays installed, whatever becomes of the ruleset's file."""
    if game not in at_tables():
        raise Invalid("data.game", f"there is no game {game!r:.40}; there are: {', '.join(at_tables())}")
    if ruleset not in (there_are := rulesets.of_game(game)):
        raise Invalid("data.ruleset", f"{game} has no ruleset {ruleset!r:.40}; it has: {', '.join(there_are)}")
    try:
        named(game).rules(ruleset)
    except Invalid as error:
        raise Invalid("data.ruleset", str(error)) from error


def evolve(floor: Floor, event: EventData, actor: str = "") -> Floor:
    """The floor after the event, whoever it was (`actor`)."""
    if isinstance(event, TableInstalled):
        return msgspec.structs.replace(floor, tables={**floor.tables, event.table: event})
    if isinstance(event, approvals.EVENTS):
        return msgspec.structs.replace(floor, requests=approvals.evolve(floor.requests, event))
    return floor
