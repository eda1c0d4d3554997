"""Forms of the second factor: the code of an authenticator app, a recovery code, and passkeys.

A refused code leaves a line in the access log. A passkey is shown at an address of the house itself, and not on a page
of another host below its name. django-allauth checks the name of the relying party only, and a browser lets any host
below that name use it.
"""

from typing import Any

from allauth.core import context
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base import forms as code_forms
from allauth.mfa.webauthn import forms as passkey_forms
from django.core.exceptions import ValidationError
from fido2.utils import websafe_decode
from fido2.webauthn import CollectedClientData

from backoffice.people.allauth_adapters import note_refusal
from events.settings.settings_from_environment import settings


class _NotesRefusals(code_forms.BaseAuthenticateForm):  # type: ignore[misc]  # allauth has no types
    """A form with a code."""

    def clean_code(self) -> str:
        """Return the code. Raises ValidationError for one that is refused."""
        try:
            return str(super().clean_code())
        except ValidationError:
            note_refusal(context.request, str(self.user.pk), "second factor refused")
            raise


class SignInCode(_NotesRefusals, code_forms.AuthenticateForm):  # type: ignore[misc]  # allauth has no types
    """The second factor of a sign-in."""


class FreshCode(_NotesRefusals, code_forms.ReauthenticateForm):  # type: ignore[misc]  # allauth has no types
    """The second factor shown again."""


def require_our_origin(credential: Any) -> None:
    """Raise ValidationError for a signature that a browser made on a page of another site."""
    addresses = settings().addresses
    if not addresses:  # at loopback the name of the relying party is enough
        return
    try:
        origin = CollectedClientData(websafe_decode(credential["response"]["clientDataJSON"])).origin
    except (KeyError, TypeError, ValueError):
        raise _incorrect_code() from None
    if origin not in {address.origin for address in addresses}:
        raise _incorrect_code()


def _incorrect_code() -> ValidationError:
    refusal: ValidationError = get_adapter().validation_error("incorrect_code")
    return refusal


class _OfOurPages:
    """A form whose credential comes from a page of the house."""

    cleaned_data: dict[str, Any]

    def clean_credential(self) -> Any:
        require_our_origin(self.cleaned_data["credential"])
        cleaned = getattr(super(), "clean_credential", None)
        return self.cleaned_data["credential"] if cleaned is None else cleaned()


class AddPasskey(_OfOurPages, passkey_forms.AddWebAuthnForm):  # type: ignore[misc]  # the library has no types
    """Adds one."""


class LoginPasskey(_OfOurPages, passkey_forms.LoginWebAuthnForm):  # type: ignore[misc]  # the library has no types
    """Signs a person in."""


class SecondFactorPasskey(_OfOurPages, passkey_forms.AuthenticateWebAuthnForm):  # type: ignore[misc]  # the library has no types
    """Passkey as the second factor after a password."""


class ReauthenticationPasskey(_OfOurPages, passkey_forms.ReauthenticateWebAuthnForm):  # type: ignore[misc]  # the library has no types
    """Passkey shown again before actions that move money."""
