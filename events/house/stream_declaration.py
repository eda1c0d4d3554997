"""Declaration of the house: its settings and its chips. The present figures are part of the judgement."""

from events.envelope import ActionData, Who
from events.house import property_currency_lookup, setting_and_chip_issue_decider
from events.house.displayed_names import WORDS
from events.streams.stream_kind_declaration import Decisions, Kind, StreamView


def _bound_to(
    view: StreamView, _stream: str, house: setting_and_chip_issue_decider.House, _data: ActionData, _who: Who
) -> setting_and_chip_issue_decider.Bound:
    """The property's currency, and whether a table or a progressive is in it already."""
    of_floor = view.property_state("floor").currency or property_currency_lookup.opened_by_now(view)
    return setting_and_chip_issue_decider.Bound(house.settings.currency or of_floor, is_used=bool(of_floor))


def kind() -> Kind:
    """The declaration."""
    return Kind(
        streams="PROPERTY/house",
        title="Of the house",
        summary="Change a setting, issue chips",
        types=("events.house.setting_and_chip_structs",),
        rules=setting_and_chip_issue_decider.RULES,
        words=WORDS,
        decisions=Decisions(
            begin=lambda _look, _stream: setting_and_chip_issue_decider.House(),
            decide=setting_and_chip_issue_decider.decide,
            evolve=setting_and_chip_issue_decider.evolve,
            context=_bound_to,
            rests_on=("floor",),  # its first table
            is_alone=True,
        ),
    )
