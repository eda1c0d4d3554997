"""The house, declared: its settings and its chips. What figures depend on is judged by what stands there."""

from events.house import decider
from events.house.words import WORDS
from events.kinds import Kind


def kind() -> Kind:
    """The declaration."""
    return Kind(
        streams="PROPERTY/house",
        title="Of the house",
        summary="Change a setting, issue chips",
        types=("events.house.types",),
        rules=decider.RULES,
        words=WORDS,
        begin=lambda _look, _stream: decider.House(),
        decide=decider.decide,
        evolve=decider.evolve,
        is_alone=True,
    )
