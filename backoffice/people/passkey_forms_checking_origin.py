"""Passkeys are shown at an address of the house itself, and not on a page of another host below its name.

django-allauth checks the name of the relying party only, and a browser lets any host below that name use it.
"""

from typing import Any

from allauth.mfa.adapter import get_adapter
from allauth.mfa.webauthn import forms
from django.core.exceptions import ValidationError
from fido2.utils import websafe_decode
from fido2.webauthn import CollectedClientData

from events.settings.settings_from_environment import settings


def require_our_origin(credential: Any) -> None:
    """Raise ValidationError for a signature that a browser made on a page of another site."""
    addresses = settings().addresses
    if not addresses:  # at loopback the name of the relying party is enough
        return
    try:
        origin = CollectedClientData(websafe_decode(credential["response"]["clientDataJSON"])).origin
    except (KeyError, TypeError, ValueError):
        raise _refusal() from None
    if origin not in {address.origin for address in addresses}:
        raise _refusal()


def _refusal() -> ValidationError:
    refusal: ValidationError = get_adapter().validation_error("incorrect_code")
    return refusal


class _OfOurPages:
    """A form whose credential comes from a page of the house."""

    cleaned_data: dict[str, Any]

    def clean_credential(self) -> Any:
        require_our_origin(self.cleaned_data["credential"])
        cleaned = getattr(super(), "clean_credential", None)
        return self.cleaned_data["credential"] if cleaned is None else cleaned()


class AddPasskey(_OfOurPages, forms.AddWebAuthnForm):  # type: ignore[misc]  # the library has no types
    """Adds one."""


class LoginPasskey(_OfOurPages, forms.LoginWebAuthnForm):  # type: ignore[misc]  # the library has no types
    """Signs a person in."""


class SecondFactorPasskey(_OfOurPages, forms.AuthenticateWebAuthnForm):  # type: ignore[misc]  # the library has no types
    """Passkey as the second factor after a password."""


class ReauthenticationPasskey(_OfOurPages, forms.ReauthenticateWebAuthnForm):  # type: ignore[misc]  # the library has no types
    """Passkey shown again before actions that move money."""
