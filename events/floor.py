"""The floor: which tables there are, what is played at them, and what they are linked to. Stream PROPERTY/floor."""

from typing import ClassVar

import msgspec

from events.envelope import Action, ActionData, EventData, Who
from events.errors import Forbidden, Refused

LEADS = frozenset({"administrator", "pit boss"})


class TableInstalled(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A table stands on the floor. `ruleset` is played there; `progressive` names the jackpot it is linked to."""

    TYPE: ClassVar[str] = "table.installed.v1"
    pit: str
    table: str
    game: str
    ruleset: str
    currency: str
    progressive: str | None = None


class InstallTable(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Put a table on the floor, or change what is played there from the next session on."""

    TYPE: ClassVar[str] = "table.install"
    pit: str
    table: str
    game: str
    ruleset: str
    currency: str = "EUR"
    progressive: str | None = None


class Floor(msgspec.Struct, frozen=True):
    """All tables by name."""

    tables: dict[str, TableInstalled] = {}


def decide(floor: Floor, action: Action, data: ActionData, who: Who) -> list[EventData]:
    """Only an administrator or a pit boss arranges the floor."""
    if not isinstance(data, InstallTable):
        raise Refused("house floor", f"{action.type} is nothing that the floor does")
    if not who.roles & LEADS:
        raise Forbidden("only an administrator or a pit boss arranges the floor")
    if not data.table.replace("-", "").isalnum():
        raise Refused("house floor", "a table's name is letters, digits and dashes")
    return [
        TableInstalled(
            pit=data.pit,
            table=data.table,
            game=data.game,
            ruleset=data.ruleset,
            currency=data.currency,
            progressive=data.progressive,
        )
    ]


def evolve(floor: Floor, event: EventData) -> Floor:
    """The floor after the event."""
    if isinstance(event, TableInstalled):
        return Floor({**floor.tables, event.table: event})
    return floor
