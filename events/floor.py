"""The floor: which tables there are, what is played at them, and what they are linked to. Stream PROPERTY/floor."""

from importlib import import_module
from typing import ClassVar

import msgspec

from events.envelope import Action, ActionData, EventData, Who
from events.errors import Forbidden, Invalid, Refused
from events.fields import Currency, Denomination, Name, Slug, TableName
from events.games import rulesets

LEADS = frozenset({"administrator", "pit boss"})


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
    """All tables by name."""

    tables: dict[str, TableInstalled] = {}


def decide(floor: Floor, action: Action, data: ActionData, who: Who) -> list[EventData]:
    """Only an administrator or a pit boss arranges the floor."""
    if not isinstance(data, InstallTable):
        raise Refused("house floor", f"{action.type} is nothing that the floor does")
    if not who.roles & LEADS:
        raise Forbidden("only an administrator or a pit boss arranges the floor")
    _must_be_playable(data.game, data.ruleset)
    return [
        TableInstalled(
            pit=data.pit,
            table=data.table,
            game=data.game,
            ruleset=data.ruleset,
            currency=data.currency,
            progressive=data.progressive,
            chip_minor=data.chip_minor,
        )
    ]


def _must_be_playable(game: str, ruleset: str) -> None:
    """Now, and only now: what was installed once stays installed, whatever becomes of the ruleset's file."""
    if game not in rulesets.PLAYED:
        raise Invalid("data.game", f"there is no game {game!r:.40}; there are: {', '.join(rulesets.PLAYED)}")
    if ruleset not in (there_are := rulesets.of_game(game)):
        raise Invalid("data.ruleset", f"{game} has no ruleset {ruleset!r:.40}; it has: {', '.join(there_are)}")
    try:
        import_module(f"events.games.{game}").rules(ruleset)
    except Invalid as error:
        raise Invalid("data.ruleset", str(error)) from error


def evolve(floor: Floor, event: EventData) -> Floor:
    """The floor after the event."""
    if isinstance(event, TableInstalled):
        return Floor({**floor.tables, event.table: event})
    return floor
