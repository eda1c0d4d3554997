"""Declaration of the people and their roles. Every decision rests on it."""

from events.people import role_grant_decider
from events.streams.stream_kind_declaration import Decisions, Kind
from events.text.translation_marker import translatable as _

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
        types=("events.people.role_grant_decider",),
        rules=role_grant_decider.RULES,
        words=WORDS,
        decisions=Decisions(
            begin=lambda _look, _stream: role_grant_decider.People(),
            decide=role_grant_decider.decide,
            evolve=role_grant_decider.evolve,
            is_alone=True,
        ),
    )
