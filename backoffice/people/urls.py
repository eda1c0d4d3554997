"""The addresses of sign-in, sessions, factors and enrolment, most of them from django-allauth."""

from allauth.account import views as account
from allauth.usersessions import views as sessions
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import include, path
from django.utils.translation import gettext as _

from backoffice.kit.reader_and_read_rule_types import public
from backoffice.people import replay_protection
from backoffice.people.enrolment_and_own_preference_pages import (
    display,
    enrol,
    forgotten,
    language,
    notification_choice,
)

replay_protection.install()  # before a code is shown; commands do not need it, and start sooner


def _not_here(request: HttpRequest) -> HttpResponse:
    """Refuse an address of django-allauth that this house replaces by an administrator's link."""
    raise Http404(_("Ask an administrator for a sign-in link."))


urlpatterns = [
    path("enrol", public(enrol), name="enrol"),
    path("display", public(display), name="display"),
    path("sign-in", account.login, name="account_login"),
    path("sign-out", account.logout, name="account_logout"),
    path("account/again", account.reauthenticate, name="account_reauthenticate"),
    path("account/password", account.password_change, name="account_change_password"),
    path("account/inactive", account.account_inactive, name="account_inactive"),
    path("account/sessions", sessions.list_usersessions, name="usersessions_list"),
    path("account/mail", public(notification_choice), name="telling"),
    path("account/language", public(language), name="language"),
    path("account/factors/", include("allauth.mfa.urls")),
    path("account/forgotten", public(forgotten), name="account_reset_password"),
    path("account/none/email", _not_here, name="account_email"),
    path("account/none/set", _not_here, name="account_set_password"),
]
