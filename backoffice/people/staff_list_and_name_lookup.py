"""The directory: staff with id, name, badge and factors. None of it is an event.

A name can be erased; the id is in events permanently. Names are shown to departments that speak with people about
their work (pit, surveillance, cage, accounting) and to the administrator. Others see ids only.
"""

from collections.abc import Iterable

import msgspec
from allauth.mfa.models import Authenticator

from backoffice.kit.reader_and_read_rule_types import Reader
from backoffice.models import Credential, Device, Person
from backoffice.people.current_roles import read_people
from backoffice.people.lookalike_id_refusal import new_id, visible_name

KNOW_NAMES = frozenset({"administrator", "pit boss", "inspector", "surveillance", "cage", "accountant"})
FOUND_MOST = 50


class Member(msgspec.Struct, frozen=True):
    """A person of the directory: roles, badge, second factor."""

    person: str
    name: str
    roles: tuple[str, ...]
    has_badge: bool
    has_factor: bool
    is_active: bool


class TerminalEntry(msgspec.Struct, frozen=True):
    """A table's terminal, and whether it has a key."""

    device: str
    table: str
    has_key: bool


def knows_names(reader: Reader) -> bool:
    """Return whether this reader may know people's names."""
    return bool(KNOW_NAMES.intersection(reader.roles))


def members(person_ids: Iterable[str] = ()) -> list[Member]:
    """Return all people, or those of these ids, with their roles as of now. Three queries, and one of the event
    store."""
    roles, rows = read_people().roles, {row.id: row for row in Person.objects.all()}
    badges = set(Credential.objects.filter(revoked_at=None).values_list("person_id", flat=True))
    factors = set(Authenticator.objects.values_list("user_id", flat=True))
    ids = set(person_ids) or rows.keys() | roles.keys()
    people = sorted(ids & (rows.keys() | roles.keys()))
    return [
        Member(
            person=person_id,
            name=rows[person_id].name if person_id in rows else "",
            roles=tuple(sorted(roles.get(person_id, ()))),
            has_badge=person_id in badges,
            has_factor=person_id in factors,
            is_active=person_id in rows and rows[person_id].is_active,
        )
        for person_id in people
    ]


def terminals() -> list[TerminalEntry]:
    """Every terminal. Two queries."""
    keys = set(Credential.objects.filter(revoked_at=None).values_list("device_id", flat=True))
    return [TerminalEntry(row.id, row.table, row.id in keys) for row in Device.objects.order_by("id")]


def ids_by_name(name: str) -> list[str]:
    """Return the ids of people by a part of their name: a search by name becomes these ids first."""
    text = name.casefold()  # here, and not by a database: each knows the cases of other letters
    people = Person.objects.order_by("id").values_list("id", "name")
    return [person for person, shown_name in people if person == name or text in shown_name.casefold()][:FOUND_MOST]


def names_for(reader: Reader) -> dict[str, str]:
    """Return the names by id that this reader may know, without people who have no name. One query, or none."""
    return names() if knows_names(reader) else {}


def names() -> dict[str, str]:
    """The names by id of all who have one. One query."""
    return dict(Person.objects.exclude(name="").values_list("id", "name"))


def is_shut(person: str) -> bool:
    """Return whether an administrator has disabled the account."""
    return Person.objects.filter(id=person, is_active=False).exists()


def add(person: str, name: str) -> None:
    """Add a person, without role, badge or password. Raises Invalid for an id that looks like another person's."""
    person, name = new_id(Person, person, "person", "person"), visible_name(name)
    Person.objects.get_or_create(id=person, defaults={"name": name})


def rename_person(person: str, name: str) -> None:
    """Change a person's name; "" erases name and mail. Raises Invalid for invisible characters."""
    visible_name(name)
    Person.objects.filter(id=person).update(name=name, **({} if name else {"email": ""}))
