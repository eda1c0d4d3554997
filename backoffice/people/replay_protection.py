"""One-time credentials work once: a code of an authenticator app, a challenge, the counter of a security key.

Used credentials are stored in the database (`durable_cache.py`). So a restarted process knows them, and only one of two
concurrent attempts succeeds. Django-allauth has no setting for this: `install` replaces its functions.
"""

from typing import Any

from allauth.core.internal.cryptokit import compare_user_code
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth as totp
from allauth.mfa.totp.internal import flows as totp_flows
from allauth.mfa.utils import decrypt
from allauth.mfa.webauthn.internal import auth as webauthn
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.cache import cache
from django.db import transaction
from django.http import HttpRequest

from backoffice.people import hashed_recovery_codes

REMEMBERED_S = 86_400  # longer than any code is good, also by a clock that is set back
COUNTER = "sign_count"

_complete = webauthn.complete_authentication
_activate = totp_flows.activate_totp


class OneTimePassword(totp.TOTP):  # type: ignore[misc]  # of a library without types
    """An authenticator app whose codes work once in all the time in which they are valid."""

    def validate_code(self, code: str) -> bool:
        """Return whether the code is valid now, and use it up."""
        secret = decrypt(self.instance.data["secret"])
        counters = [
            counter
            for counter in totp.yield_hotp_counters_from_time()
            if compare_user_code(actual=code, expected=totp.format_hotp_value(totp.hotp_value(secret, counter)))
        ]
        # Two moments may have the same code: both are used up.
        firsts = [_is_first(f"totp:{self.instance.pk}:{counter}") for counter in counters]
        return bool(firsts) and all(firsts)


def activate_totp(request: HttpRequest, form: Any) -> Any:
    """Add an authenticator app. The code that shows that it works is used up by it."""
    added = _activate(request, form)
    OneTimePassword(added[0]).validate_code(form.cleaned_data["code"])
    return added


def complete_authentication(user: AbstractBaseUser, response: dict[str, Any]) -> Authenticator:
    """The security key that answered, for a challenge that no one has answered before.

    Raises django.core.exceptions.ValidationError.
    """
    challenge = (webauthn.get_state() or {}).get("challenge", "")
    authenticator = _complete(user, response)
    answer = webauthn.parse_authentication_response(response)
    counter = int(answer.response.authenticator_data.counter)
    if not (_is_first(f"webauthn:{challenge}") and _has_counted(authenticator, counter)):
        raise get_adapter().validation_error("incorrect_code")
    authenticator.refresh_from_db()
    return authenticator


def install() -> None:
    """Put these in the places of django-allauth's own."""
    totp.TOTP = totp_flows.TOTP = OneTimePassword
    totp_flows.activate_totp = activate_totp
    webauthn.complete_authentication = complete_authentication
    hashed_recovery_codes.install()


def _is_first(use: str) -> bool:
    return cache.add(use, 1, timeout=REMEMBERED_S)


def _has_counted(authenticator: Authenticator, counter: int) -> bool:
    """Return whether the key's counter has grown since its last use: a copy's has not. Keys without a counter send
    0."""
    with transaction.atomic():
        row = Authenticator.objects.select_for_update().get(pk=authenticator.pk)
        last = int(row.data.get(COUNTER, 0))
        if counter <= last and (counter or last):
            return False
        row.data[COUNTER] = counter
        row.save(update_fields=["data"])
    return True
