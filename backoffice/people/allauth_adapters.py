"""Settings of django-allauth for this house."""

import base64
import hashlib
from functools import cache
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter, get_adapter
from allauth.core import context
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from backoffice.access.refusal_log_writer import access_log
from backoffice.installation.dependency_injection import installation
from backoffice.models import Person
from backoffice.people.house_address_of_request import mark_of_request, relying_party
from backoffice.people.second_factor_enforcement import factors
from backoffice.people.signed_in_person_action_sender import is_fresh

KNOWN = "pitledger_known"  # the cookie of a browser on which a person has signed in before
KNOWN_FOR_S = 180 * 86_400


class AccountAdapter(DefaultAccountAdapter):
    """Accounts without sign-up, in which no one can lock out a colleague.

    Failed attempts are counted for a browser and a person together. A browser with an earlier sign-in of that person
    has a count of its own. So attempts from elsewhere block unknown browsers only (OWASP, "Device Cookies").
    """

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "too_many_login_attempts": _(
            "Too many failed attempts. Wait five minutes, or use a browser in which you signed in before."
        ),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """An administrator lets people in: `password_setup_links.py`."""
        return False

    def is_reauthentication_required(self, *, app: str, **options: Any) -> bool:
        """A second factor that was shown lately is enough, however it was: by signing in, or again."""
        return not is_fresh(self.request)

    def get_reauthentication_methods(self, user: AbstractBaseUser) -> list[dict[str, Any]]:
        """Return the ways to confirm a sign-in: a person with a second factor must use that, not the password."""
        methods: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        return [method for method in methods if method["id"] != "reauthenticate"] or methods

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Refuse an attempt after too many, with a line in the access log."""
        try:
            super().pre_authenticate(request, **credentials)
        except ValidationError:
            self.authentication_failed(request, **credentials)
            raise

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Leave a line in the access log."""
        note_refusal(request, str(credentials.get("username", "")), "password refused")

    def post_login(self, request: HttpRequest, user: AbstractBaseUser, **options: Any) -> HttpResponse:
        """Remember the browser."""
        response: HttpResponse = super().post_login(request, user, **options)
        remember(request, response, str(user.pk))
        return response

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        person = str(credentials.get("username", ""))
        if request.get_signed_cookie(KNOWN, "", salt=_salt(request, person), max_age=KNOWN_FOR_S):
            return f"known:{request.COOKIES[KNOWN]}:{person}"
        return f"stranger:{self.get_client_ip(request)}:{person.lower()}"


def note_refusal(request: HttpRequest, login: str, what: str) -> None:
    """Count a refused sign-in in the access log. The typed text is logged only if it is a person's id."""
    person = login if Person.objects.filter(pk=login).exists() else ""
    installation().part(access_log).refused_sign_in(person, what, get_adapter().get_client_ip(request))


def remember(request: HttpRequest, response: HttpResponse, person: str) -> None:
    """Mark this browser, so that the person may try again here after failures elsewhere."""
    response.set_signed_cookie(
        KNOWN,
        person,
        salt=_salt(request, person),
        max_age=KNOWN_FOR_S,
        httponly=True,
        samesite="Strict",
    )


def _salt(request: HttpRequest, person: str) -> str:
    """Return the salt of a remembered browser's cookie: the person, and the address of the house where it counts."""
    return person + mark_of_request(request)


class SecondFactorAdapter(DefaultMFAAdapter):
    """The secrets of authenticator apps and the recovery codes are encrypted in the database."""

    def encrypt(self, text: str) -> str:
        """Encrypt by a key that is derived from Django's secret."""
        return _cipher(settings.SECRET_KEY).encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Decrypt the output of `encrypt`. Raises cryptography.fernet.InvalidToken for another secret."""
        return _cipher(settings.SECRET_KEY).decrypt(encrypted_text.encode()).decode()

    def can_delete_authenticator(self, authenticator: Authenticator) -> bool:
        """Return whether it is not the last one: `second_factor_enforcement.py` refuses that before."""
        return factors(authenticator.user) > 1

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        """Return the relying party of passkeys: the name of the house's first address, for any requested host."""
        return {"id": relying_party(context.request), "name": "Pitledger"}

    def get_totp_issuer(self) -> str:
        """Return the issuer that authenticator apps show."""
        return "Pitledger"


@cache
def _cipher(secret: str) -> Fernet:
    key = hashlib.sha256(b"pitledger second factors\0" + secret.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))
