"""A kind of stream of another author: the items that guests have left behind, and the vault for the valuable ones.

All of it is in this file, with one registration (docs/howto/add-a-kind-of-stream.md):
`stream_kind_declaration.register(LOST)`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from events.envelope import Action, ActionData, EventData, Who
from events.errors import Refused, Unknown
from events.fields import Amount, Id, Name, TableName
from events.people import approval_request_lifecycle, authority
from events.people.approval_request_lifecycle import Moment, Requests
from events.roles import SUPERVISORS, WATCH, AuthorityRule
from events.streams.stream_kind_declaration import Decisions, ForeignEvent, Kind, Routing, StreamView
from events.text.translation_marker import translatable as _

CLAUSE = "house lost property"
DEAR_MINOR = 100_000
VAULT_STREAM = "athens/vault"


class FindItem(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something was left at a table."""

    TYPE: ClassVar[str] = "item.find"
    item: Id
    table: TableName
    worth_minor: Amount


class ReturnItem(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Return an item to its owner."""

    TYPE: ClassVar[str] = "item.return"
    item: Id
    player: Name


class ItemFound(EventData, frozen=True, kw_only=True):
    """A lost item was found and kept."""

    TYPE: ClassVar[str] = "item.found.v1"
    item: str
    table: str
    worth_minor: int


class ItemReturned(EventData, frozen=True, kw_only=True):
    """A lost item was returned."""

    TYPE: ClassVar[str] = "item.returned.v1"
    item: str
    player: str


class ItemStored(EventData, frozen=True, kw_only=True):
    """A lost item was put into the vault."""

    TYPE: ClassVar[str] = "item.stored.v1"
    item: str


class LostItemRegister(msgspec.Struct, frozen=True):
    """The lost items by name, and the requests that await a second person."""

    items: Mapping[str, ItemFound] = {}
    requests: Requests = {}


RULES = {
    "item.find": AuthorityRule(ask=("dealer", *SUPERVISORS), clause=CLAUSE),
    "item.return": AuthorityRule(ask=SUPERVISORS, keys=(SUPERVISORS, WATCH), excluded=("asked",), clause=CLAUSE),
}


def decide(
    lost: LostItemRegister, action: Action, data: ActionData, who: Who, moment: Moment, _context: None
) -> Sequence[EventData | ForeignEvent]:
    """Record a found item. The return of an item needs two people."""

    def judge(_action: Action, data: ActionData, before: approval_request_lifecycle.Pairs) -> Sequence[EventData]:
        people = approval_request_lifecycle.all_approvers(before, who)
        return _find_item(lost, data) if isinstance(data, FindItem) else _returned(lost, data, people)

    happened = approval_request_lifecycle.decide("lost", lost.requests, action, data, who, moment, judge)
    return [*happened, *(_stored(data) if isinstance(data, FindItem) else ())]


def _find_item(lost: LostItemRegister, data: FindItem) -> Sequence[EventData]:
    if data.item in lost.items:
        raise Refused(CLAUSE, f"{data.item} lies here already")
    return [ItemFound(item=data.item, table=data.table, worth_minor=data.worth_minor)]


def _returned(lost: LostItemRegister, data: Any, people: approval_request_lifecycle.Pairs) -> Sequence[EventData]:
    if data.item not in lost.items:
        raise Refused(CLAUSE, f"{data.item} does not lie here")
    authority.require(RULES["item.return"], people)
    return [ItemReturned(item=data.item, player=data.player)]


def _stored(data: FindItem) -> Sequence[ForeignEvent]:
    """Put a valuable item into the vault, in the same append."""
    dear = data.worth_minor >= DEAR_MINOR
    return [ForeignEvent(VAULT_STREAM, ItemStored(item=data.item))] if dear else []


def evolve(lost: LostItemRegister, event: EventData, _actor: str) -> LostItemRegister:
    """Return the lost items after the event."""
    if isinstance(event, ItemFound):
        return msgspec.structs.replace(lost, items={**lost.items, event.item: event})
    if isinstance(event, ItemReturned):
        return msgspec.structs.replace(lost, items={k: value for k, value in lost.items.items() if k != event.item})
    return msgspec.structs.replace(lost, requests=approval_request_lifecycle.evolve(lost.requests, event))


def confirm(view: StreamView, _stream: str, _lost: LostItemRegister, facts: Sequence[Any]) -> None:
    """Check that the item's table is on the floor. Raises Unknown."""
    for fact in facts:
        if isinstance(fact, FindItem) and fact.table not in view.property_state("floor").tables:
            raise Unknown(f"there is no table {fact.table!r:.40} on the floor")


LOST = Kind(
    streams="PROPERTY/lost",
    title="Of lost property",
    summary="Note what was found, and give it back",
    types=(__name__,),
    rules=RULES,
    words={"item.find": _("note what was found"), "item.found": _("found")},  # what people call its codes
    decisions=Decisions(
        begin=lambda _look, _stream: LostItemRegister(),
        decide=decide,
        evolve=evolve,
        confirm=confirm,
        rests_on=("floor",),
    ),
    routing=Routing(
        belongs_to=lambda event, _stream: getattr(event, "item", None),
        appends_to={"item.find": ("vault",)},
    ),
)


# --- the vault --------------------------------------------------------------------------------------------------------


def _decide_nothing(*_: Any) -> Sequence[EventData]:
    raise Refused("house vault", "nothing is asked of the vault")


VAULT = Kind(
    streams="PROPERTY/vault",
    title="Of the vault",
    summary="Nothing",
    types=(),
    rules={},
    decisions=Decisions(
        begin=lambda _look, _stream: (),
        decide=_decide_nothing,
        evolve=lambda lies, event, _actor: (*lies, event.item) if isinstance(event, ItemStored) else lies,
    ),
)
