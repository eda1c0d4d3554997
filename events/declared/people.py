"""The people, declared: who is in which role. Every decision rests on it."""

from events import people
from events.kinds import Kind


def kind() -> Kind:
    """The declaration."""
    return Kind(
        streams="PROPERTY/people",
        title="Of people",
        summary="Grant and revoke roles",
        types=("events.people",),
        rules=people.RULES,
        begin=lambda _look, _stream: people.People(),
        decide=people.decide,
        evolve=people.evolve,
        is_alone=True,
    )
