"""A sign-in link, issued on the page: for a person who turns keys after the approval of surveillance.

Two people approve by `person.admit`. The grant of a person's first such role includes this approval, and gives the
first link. One approval gives one link. A login that one person alone opened turns no key, in any later role.
"""

from datetime import datetime

from django.db import IntegrityError
from django.http import HttpRequest
from django.utils.translation import gettext as _

from backoffice.models import Person
from backoffice.people import password_setup_links
from backoffice.people.current_roles import now
from backoffice.people.signed_in_person_action_sender import lets_turn_keys
from backoffice.wording.error_code_sentences import coded_sentence
from events.people.role_grants import Admission, GrantRole
from events.runtime import clock


class NotAgreed(Exception):
    """Another person must approve first, as the message says."""


def require_two(request: HttpRequest) -> None:
    """Raise NotAgreed for a person whom one person alone let in: they issue no links."""
    if not lets_turn_keys(request):
        raise NotAgreed(coded_sentence("login-let-in-by-one", {}))


def link(person: str, by: str) -> str:
    """The code of a new link. Raises NotAgreed."""
    people = now()
    if not (people.is_watched and people.turns_keys(person)):
        return password_setup_links.invite(person, by, turns_keys=not people.is_watched)
    admission = people.admitted.get(person)
    if admission is None or not _stands(admission, person):
        raise NotAgreed(_("This person can approve requests. Surveillance must approve the sign-in link first."))
    try:
        return password_setup_links.invite(person, by, agreed=admission.request)
    except IntegrityError as error:
        raise NotAgreed(_("The approved link is already issued. Surveillance must approve a new one.")) from error


def _stands(admission: Admission, person: str) -> bool:
    """Return whether the approval is still valid. A new role admits only a person without a login."""
    if datetime.fromisoformat(admission.until) <= clock.moment():
        return False
    return admission.action != GrantRole.TYPE or not _has_login(person)


def _has_login(person: str) -> bool:
    row = Person.objects.filter(id=person).first()
    return row is not None and row.has_usable_password()
