"""A second factor for every login: people without one can only open the page that sets it up.

Afterwards a person changes factors only with a fresh second factor, and cannot remove the last one. A password or an
earlier second factor is not enough to add or remove a factor, or to show the recovery codes.
"""

from collections.abc import Callable

from allauth.account.internal.flows.login import record_authentication  # the only call that records the time
from allauth.mfa.models import Authenticator
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import Resolver404, resolve, reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from backoffice.models import Person
from backoffice.people.signed_in_person_action_sender import is_fresh

OWN = ("account_", "mfa_", "usersessions_", "enrol", "display")  # names of the addresses that need no second factor
# recovery codes do not count: they come with the other factors
FACTORS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
TAKING_AWAY = ("mfa_deactivate_totp", "mfa_remove_webauthn")
CHANGING = (
    *TAKING_AWAY,
    *("mfa_activate_totp", "mfa_add_webauthn", "mfa_edit_webauthn"),
    *("mfa_generate_recovery_codes", "mfa_view_recovery_codes", "mfa_download_recovery_codes"),
)


class SecondFactorFirst:
    """Middleware, after authentication."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.user.is_authenticated:
            return self.get_response(request)
        name = _name(request.path_info)
        if not name.startswith(OWN) and not has_one(request):
            return redirect("mfa_index")
        return self._change_one_at_a_time(request, name) if name in CHANGING else self.get_response(request)

    def _change_one_at_a_time(self, request: HttpRequest, name: str) -> HttpResponse:
        """Change second factors one request at a time, so that two requests cannot remove the last two factors."""
        with transaction.atomic():
            Person.objects.select_for_update().get(pk=request.user.pk)
            had = factors(request.user)
            if had and not is_fresh(request):
                return redirect(f"{reverse('mfa_reauthenticate')}?{urlencode({'next': request.get_full_path()})}")
            if name in TAKING_AWAY and had < 2:
                messages.warning(request, _("This is your last second factor. Add another one first."))
                return redirect("mfa_index")
            response = self.get_response(request)
        if not had and factors(request.user):  # the first factor was used in its setup
            record_authentication(request, request.user, "mfa", reauthenticated=True)
        return response


def _name(path: str) -> str:
    """Return the name of the address; an unknown address gets its own answer."""
    try:
        return resolve(path).url_name or ""
    except Resolver404:
        return OWN[0]


def factors(user: Person | AnonymousUser) -> int:
    """Return the number of a person's second factors."""
    return int(Authenticator.objects.filter(user_id=user.pk, type__in=FACTORS).count())


def has_one(request: HttpRequest) -> bool:
    """Return whether the person has a second factor. The session remembers a yes."""
    if not request.session.get("has_second_factor"):
        if not factors(request.user):
            return False
        request.session["has_second_factor"] = True
    return True
