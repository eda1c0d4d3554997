"""Forms for the code of an authenticator app or a recovery code: a refused one leaves a line in the access log."""

from allauth.core import context
from allauth.mfa.base import forms
from django.core.exceptions import ValidationError

from backoffice.people.allauth_adapters import note_refusal


class _NotesRefusals(forms.BaseAuthenticateForm):  # type: ignore[misc]  # allauth has no types
    """A form with a code."""

    def clean_code(self) -> str:
        """Return the code. Raises ValidationError for one that is refused."""
        try:
            return str(super().clean_code())
        except ValidationError:
            note_refusal(context.request, str(self.user.pk), "second factor refused")
            raise


class SignInCode(_NotesRefusals, forms.AuthenticateForm):  # type: ignore[misc]  # allauth has no types
    """The second factor of a sign-in."""


class FreshCode(_NotesRefusals, forms.ReauthenticateForm):  # type: ignore[misc]  # allauth has no types
    """The second factor shown again."""
