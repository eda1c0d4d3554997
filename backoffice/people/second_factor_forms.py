"""Forms for the code of an authenticator app or a recovery code: a refused one leaves a line in the access log."""

from collections.abc import Callable

from allauth.core import context
from allauth.mfa.base import forms
from django.core.exceptions import ValidationError

from backoffice.people.allauth_adapters import note_refusal


class SignInCode(forms.AuthenticateForm):  # type: ignore[misc]  # allauth has no types
    """The second factor of a sign-in."""

    def clean_code(self) -> str:
        """Return the code. Raises ValidationError for one that is refused."""
        return _checked(self, super().clean_code)


class FreshCode(forms.ReauthenticateForm):  # type: ignore[misc]  # allauth has no types
    """The second factor shown again."""

    def clean_code(self) -> str:
        """Return the code. Raises ValidationError for one that is refused."""
        return _checked(self, super().clean_code)


def _checked(form: forms.BaseAuthenticateForm, clean: Callable[[], str]) -> str:
    try:
        return clean()
    except ValidationError:
        note_refusal(context.request, str(form.user.pk), "second factor refused")
        raise
