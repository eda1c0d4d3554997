"""Choices of people for forms: all people in certain roles."""

from collections.abc import Collection, Mapping, Sequence

from backoffice.kit.page_declaration import Choice
from backoffice.kit.reader_and_read_rule_types import Reader
from backoffice.people.current_roles import read_people
from backoffice.people.staff_list_and_name_lookup import names_for
from backoffice.wording.code_to_word_translation import word

Choices = Mapping[str, Sequence[Choice]]


def people_in_roles(allowed: Collection[str], reader: Reader) -> tuple[tuple[str, str], ...]:
    """Return the people in one of these roles now, with the name for readers who may know names."""
    names, roles = names_for(reader), read_people().roles
    fit = sorted(person for person, held_roles in roles.items() if held_roles.intersection(allowed))
    return tuple((person, _person_label(person, names.get(person, ""), sorted(roles[person]))) for person in fit)


def partners(allowed: Collection[str], reader: Reader) -> tuple[tuple[str, str], ...]:
    """Return the possible second persons of the reader's action: never the reader."""
    return tuple(choice for choice in people_in_roles(allowed, reader) if choice[0] != reader.person)


def _person_label(person: str, name: str, roles: Sequence[str]) -> str:
    who = f"{name} ({person})" if name else person
    return f"{who}, {', '.join(word(role) for role in roles)}"
