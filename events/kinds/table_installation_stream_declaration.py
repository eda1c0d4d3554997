"""Declaration of the floor: its tables. A link to a progressive is checked against it."""

from collections.abc import Sequence

from events.envelope import ActionData, EventData
from events.floor import table_installation_decider
from events.house import property_currency_lookup
from events.money.single_currency_rule import chosen
from events.progressives import history_reader
from events.streams.stream_kind_declaration import Decisions, Kind, StreamView
from events.tables import linked_progressive_terms
from events.text.translation_marker import translatable as _

WORDS = {
    "floor": _("floor"),
    "table.install": _("install table"),
    "table.installed": _("table installed"),
    "ruleset.recorded": _("ruleset recorded"),
}


def confirm(
    view: StreamView,
    _stream: str,
    _floor: table_installation_decider.FloorState,
    batch: Sequence[ActionData | EventData],
) -> None:
    """Confirm that the progressive of an installed table is open, in the table's own currency."""
    for entry in batch:
        if (
            isinstance(entry, table_installation_decider.InstallTable | table_installation_decider.TableInstalled)
            and entry.progressive is not None
        ):
            of_table = chosen(entry.currency, property_currency_lookup.bound(view))
            linked_progressive_terms.require(entry.progressive, of_table, history_reader.link(view, entry.progressive))


def kind() -> Kind:
    """Return the declaration."""
    return Kind(
        streams="PROPERTY/floor",
        title="Of the floor",
        summary="Arrange the floor",
        types=("events.floor.table_installation_decider", "events.rules.ruleset_adoption_and_recording"),
        rules=table_installation_decider.RULES,
        words=WORDS,
        decisions=Decisions(
            begin=lambda _look, _stream: table_installation_decider.FloorState(),
            decide=table_installation_decider.decide,
            evolve=table_installation_decider.evolve,
            context=lambda view, _stream, _floor, _data, _who: property_currency_lookup.bound(view),
            rests_on=("house",),  # the currency that is set
            confirm=confirm,
            is_alone=True,
        ),
    )
