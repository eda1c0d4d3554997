"""A shoe is counted down: every card of it, at its end or at surveillance's request, against its packs.

Missing, surplus and unshuffled cards are recorded, with both people. Nothing at the table changes with it.
"""

from events.envelope import ActionData
from events.error_codes import coded
from events.errors import Invalid
from events.tables.actions.card_action_structs import CountShoe
from events.tables.event_types.shoe_and_dealt_cards import ShoeCounted
from events.tables.required_witness_checks import require_witness
from events.tables.table_session_state_structs import Events, Handler, TableCase

CLAUSE = "house shoe"


def count_shoe(case: TableCase, data: CountShoe) -> Events:
    """Record the count, in any phase and also after the table has closed. Raises Invalid."""
    if data.unshuffled_packs > data.packs:
        raise Invalid("data.unshuffled_packs", coded("packs-above-shoe", packs=data.packs))
    for field in ("missing", "surplus"):
        _check_pieces(field, getattr(data, field), data.packs if field == "missing" else None)
    if both := sorted(data.missing.keys() & data.surplus.keys()):
        raise Invalid("data.surplus", coded("card-missing-and-surplus", card=both[0]))
    if data.witness is not None:
        require_witness(case, data.witness, CLAUSE)
    return [
        ShoeCounted(
            **case.session.where(),
            shoe=data.shoe,
            packs=data.packs,
            missing=dict(sorted(data.missing.items())),
            surplus=dict(sorted(data.surplus.items())),
            unshuffled_packs=data.unshuffled_packs,
            detail=data.detail,
            witness=data.witness,
        )
    ]


def _check_pieces(field: str, cards: dict[str, int], most: int | None) -> None:
    for card, count in cards.items():
        if count < 1 or (most is not None and count > most):
            raise Invalid(f"data.{field}", coded("card-count-impossible", card=card, count=count))


HANDLERS: dict[type[ActionData], Handler] = {CountShoe: count_shoe}
