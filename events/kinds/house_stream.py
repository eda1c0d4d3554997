"""Declaration of the house: its settings and its chips. The present figures are part of the judgement."""

from events.envelope import ActionData, Who
from events.house import decider, property_currency_lookup
from events.house.words import WORDS
from events.streams.stream_kind_declaration import Decisions, Kind, StreamView


def _bound_to(look: StreamView, _stream: str, house: decider.House, _data: ActionData, _who: Who) -> decider.Bound:
    """The property's currency, and whether a table or a progressive is in it already."""
    of_floor = look.only("floor").currency or property_currency_lookup.opened_by_now(look)
    return decider.Bound(house.settings.currency or of_floor, is_used=bool(of_floor))


def kind() -> Kind:
    """The declaration."""
    return Kind(
        streams="PROPERTY/house",
        title="Of the house",
        summary="Change a setting, issue chips",
        types=("events.house.event_types",),
        rules=decider.RULES,
        words=WORDS,
        decisions=Decisions(
            begin=lambda _look, _stream: decider.House(),
            decide=decider.decide,
            evolve=decider.evolve,
            context=_bound_to,
            rests_on=("floor",),  # its first table
            is_alone=True,
        ),
    )
