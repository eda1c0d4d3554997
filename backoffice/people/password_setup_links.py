"""Enrolment: a person's first or new password, by an administrator's link that works once.

The link holds its code behind the #: browsers do not send that part, so it is in no log and in no Referer.

Disabling an account voids its earlier links. Only a link that was made after that opens it again. Making a link, using
one and disabling the account lock the person's row, so that one comes after the other.

A person who turns keys gets a link after the approval of surveillance: two people approve by `person.admit`. The grant
of a person's first such role includes this approval, and gives the first link. One approval gives one link. A login
that one person alone opened turns no key, in any later role.
"""

import hashlib
import secrets
from datetime import datetime, timedelta

from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.db import IntegrityError, models, transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from backoffice.models import Enrolment, Person
from backoffice.people import badge_and_key_authentication, current_roles
from backoffice.people.lookalike_id_refusal import new_id
from backoffice.people.signed_in_person_action_sender import lets_turn_keys
from backoffice.wording.error_code_sentences import coded_sentence
from events.people.role_grant_decider import Admission, GrantRole
from events.runtime import clock

VALID_FOR = timedelta(days=2)


class NotAgreed(Exception):
    """Another person must approve first, as the message says."""


def invite(person: str, by: str, name: str = "", *, turns_keys: bool = True, agreed: str | None = None) -> str:
    """A new code for a person (made known if new). It is shown once; older ones that were not used are void.

    `turns_keys`: the login that it opens does, where the roles do. `agreed` is the request for it that two agreed to.
    Raises IntegrityError where that has been used.
    """
    person = new_id(Person, person, "person", "person")
    Person.objects.get_or_create(id=person, defaults={"name": name})
    code = secrets.token_urlsafe(24)
    with transaction.atomic():
        row = _locked_person(person)
        _void(row)
        ends_at = timezone.now() + VALID_FOR
        how = {"made_by": by, "ends_at": ends_at, "turns_keys": turns_keys, "agreed": agreed}
        Enrolment.objects.create(digest=_digest(code), person=row, **how)
    return code


def person_of_code(code: str) -> Person | None:
    """Return the person whom a code admits; None for a used or expired code."""
    enrolment = _valid().filter(digest=_digest(code)).select_related("person").first()
    return enrolment.person if enrolment else None


def was_disabled(code: str) -> bool:
    """Return whether a code is void because its account was disabled after it was issued."""
    return Enrolment.objects.filter(digest=_digest(code), used_at=None, person__is_active=False).exists()


def redeem_code(code: str, password: str) -> Person | None:
    """Set the password, and forget earlier second factors. None: another person was faster, or the code is void."""
    admitted = person_of_code(code)
    if admitted is None:
        return None
    with transaction.atomic():
        person = _locked_person(admitted.pk)
        if not _valid().filter(digest=_digest(code)).update(used_at=timezone.now()):
            return None
        person.set_password(password)
        person.is_active, person.turns_keys = True, Enrolment.objects.get(digest=_digest(code)).turns_keys
        person.save()
        Authenticator.objects.filter(user=person).delete()
        return person


def disable_account(person: str) -> None:
    """Disable an account: its sessions end, and its badges and links are void."""
    with transaction.atomic():
        row = _locked_person(person)
        row.is_active = False
        row.save(update_fields=["is_active"])
        _void(row)
        badge_and_key_authentication.revoke(person=person)
        for session in UserSession.objects.filter(user=row):
            session.end()


def _locked_person(person: str) -> Person:
    """The person's row, until the transaction ends."""
    return Person.objects.select_for_update().get(id=person)


def _void(person: Person) -> None:
    now = timezone.now()
    Enrolment.objects.filter(person=person, used_at=None, ends_at__gt=now).update(ends_at=now)


def _valid() -> models.QuerySet[Enrolment]:
    return Enrolment.objects.filter(used_at=None, ends_at__gt=timezone.now())


def _digest(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()


def require_two(request: HttpRequest) -> None:
    """Raise NotAgreed for a person whom one person alone let in: they issue no links."""
    if not lets_turn_keys(request):
        raise NotAgreed(coded_sentence("login-let-in-by-one", {}))


def approved_link(person: str, by: str) -> str:
    """Return the code of a new link for the page. Raises NotAgreed."""
    people = current_roles.read_people()
    if not (people.is_watched and people.turns_keys(person)):
        return invite(person, by, turns_keys=not people.is_watched)
    admission = people.admitted.get(person)
    if admission is None or not _is_valid(admission, person):
        raise NotAgreed(_("This person can approve requests. Surveillance must approve the sign-in link first."))
    try:
        return invite(person, by, agreed=admission.request)
    except IntegrityError as error:
        raise NotAgreed(_("The approved link is already issued. Surveillance must approve a new one.")) from error


def _is_valid(admission: Admission, person: str) -> bool:
    """Return whether the approval is still valid. A new role admits only a person without a login."""
    if datetime.fromisoformat(admission.until) <= clock.moment():
        return False
    row = Person.objects.filter(id=person).first()
    has_login = row is not None and row.has_usable_password()
    return admission.action != GrantRole.TYPE or not has_login
