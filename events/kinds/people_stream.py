"""Declaration of the people and their roles. Every decision rests on it."""

from events.people import people
from events.streams.kinds import Decisions, Kind
from events.text.translatable import marked as _

WORDS = {
    "people": _("people"),
    "role.grant": _("grant role"),
    "role.revoke": _("revoke role"),
    "person.admit": _("request sign-in link"),
    "role.granted": _("role granted"),
    "role.revoked": _("role revoked"),
    "person.admitted": _("sign-in link approved"),
}


def kind() -> Kind:
    """The declaration."""
    return Kind(
        streams="PROPERTY/people",
        title="Of people",
        summary="Grant and revoke roles",
        types=("events.people.people",),
        rules=people.RULES,
        words=WORDS,
        decisions=Decisions(
            begin=lambda _look, _stream: people.People(),
            decide=people.decide,
            evolve=people.evolve,
            is_alone=True,
        ),
    )
