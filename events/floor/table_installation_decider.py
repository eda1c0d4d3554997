"""The floor: its tables, their games, and their links to progressives. Stream PROPERTY/floor."""

from typing import ClassVar

import msgspec
from msgspec import UNSET, UnsetType

from events.envelope import Action, ActionData, EventData, Who
from events.error_codes import coded
from events.errors import Invalid, Refused
from events.fields import Currency, Denomination, Name, Slug, TableName
from events.money import single_currency_rule
from events.people import approval_request_lifecycle, authority
from events.people.approval_request_lifecycle import Moment, Requests
from events.roles import FLOOR_LEADS, SECOND_KEYS, AuthorityRule
from events.rules import loading_and_pinning_rulesets
from events.rules.game_declaration_and_registry import at_tables
from events.rules.ruleset_adoption_and_recording import Recorded, RulesetRecorded, take

CLAUSE = "house floor"
RULES: dict[str, AuthorityRule] = {
    "table.install": AuthorityRule(
        ask=FLOOR_LEADS,
        keys=(FLOOR_LEADS, (*FLOOR_LEADS, *(role for role in SECOND_KEYS if role != "pit boss"))),
        excluded=("asked",),
        clause=CLAUSE,
    ),
}


class TableInstalled(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A table is installed on the floor. `ruleset` is its ruleset; `progressive` names its linked jackpot.

    `chip_minor` is its smallest chip, where that is not simply the smallest of its opener. `ruleset_digest` is that of
    the recorded data (`ruleset.recorded.v1`) which applies from the next session on. A table that is not `recorded` is
    counted only: no bet there is an event.
    """

    TYPE: ClassVar[str] = "table.installed.v1"
    pit: str
    table: str
    game: str
    ruleset: str
    currency: str
    progressive: str | None = None
    chip_minor: int | None = None
    ruleset_digest: str = ""
    recorded: bool = True


class InstallTable(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Install a table, or change its game from the next session on.

    `game` is baccarat, blackjack, craps or roulette. `ruleset` is one of its rulesets, the casino's own included: its
    name alone means its present file, "name@version" a version recorded before. `chip_minor` is the smallest chip of
    the table, in which the rules of craps-by count odds and place bets. Without it, that is the smallest denomination
    in the opener of each session. `recorded`: every bet is recorded. Else the table is counted only: buy-ins, slips and
    counts are recorded, and no bet is taken. Without `currency` the table has the property's currency. The first table
    sets it, as EUR by default. Another currency is refused.
    """

    TYPE: ClassVar[str] = "table.install"
    pit: Name
    table: TableName
    game: Name
    ruleset: Name
    currency: Currency | UnsetType = UNSET
    progressive: Slug | None = None
    chip_minor: Denomination | None = None
    recorded: bool = True


class FloorState(msgspec.Struct, frozen=True):
    """All tables by name, requests that wait for a second person, and the recorded rulesets, by "name@version".

    `currency` is that of the first table; "" where there is no table.
    """

    tables: dict[str, TableInstalled] = {}
    requests: Requests = {}
    rulesets: Recorded = {}
    currency: str = ""


def decide(
    floor: FloorState, action: Action, data: ActionData, actor: Who, moment: Moment, bound_to: str = ""
) -> list[EventData]:
    """Decide an arrangement of the floor by two people, in the currency that the property is `bound_to`."""

    def judge(action: Action, data: ActionData, before: approval_request_lifecycle.Pairs) -> list[EventData]:
        if not isinstance(data, InstallTable):
            raise Refused(CLAUSE, coded("not-an-action-of-floor", action=action.type))
        events = _installed(floor, data, bound_to)
        authority.require(RULES[data.TYPE], approval_request_lifecycle.all_approvers(before, actor))
        return events

    return approval_request_lifecycle.decide("floor", floor.requests, action, data, actor, moment, judge)


def _installed(floor: FloorState, data: InstallTable, bound_to: str) -> list[EventData]:
    in_currency = single_currency_rule.chosen(data.currency, bound_to)
    if data.game not in at_tables():
        raise Invalid("data.game", coded("game-unknown", game=data.game, games=list(at_tables())))
    ruleset, events = take(floor.rulesets, data.game, data.ruleset)
    table_installed = TableInstalled(
        pit=data.pit,
        table=data.table,
        game=data.game,
        ruleset=ruleset.stamp,
        currency=in_currency,
        progressive=data.progressive,
        chip_minor=data.chip_minor,
        ruleset_digest=ruleset.digest,
        recorded=data.recorded,
    )
    return [*events, table_installed]


def evolve(floor: FloorState, event: EventData, actor: str = "") -> FloorState:
    """Return the floor after the event of any actor."""
    if isinstance(event, TableInstalled):
        tables = {**floor.tables, event.table: event}
        return msgspec.structs.replace(floor, tables=tables, currency=floor.currency or event.currency)
    if isinstance(event, RulesetRecorded):
        loading_and_pinning_rulesets.cache_ruleset(event.data)
        return msgspec.structs.replace(floor, rulesets={**floor.rulesets, event.ruleset: event})
    if isinstance(event, approval_request_lifecycle.EVENTS):
        return msgspec.structs.replace(floor, requests=approval_request_lifecycle.evolve(floor.requests, event))
    return floor


def stream_of(property_: str) -> str:
    """The floor's stream."""
    return f"{property_}/floor"
