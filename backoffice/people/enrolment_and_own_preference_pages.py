"""Enrolment: the pages behind an administrator's links, for a person and for a screen on the casino floor."""

from typing import Any

from allauth.account.internal.flows.login import record_authentication
from allauth.usersessions.models import UserSession
from django import forms
from django.contrib import auth, messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.password_validation import password_validators_help_texts, validate_password
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods

from backoffice.models import Person
from backoffice.people import display_keys, password_setup_links
from backoffice.people.allauth_adapters import remember
from backoffice.people.house_address_of_request import mark_of_request
from backoffice.people.reader_language_middleware import CHOICE, choose
from backoffice.wording.reader_language_choice import offered_languages
from events.settings.settings_from_environment import settings
from projections.progressives.models import Progressive

_VOID = _("This link is used or expired. Ask an administrator for a new one.")
_SHUT = _("The account was disabled after this link was issued. Ask an administrator for a new link.")


def why_void(code: str) -> Any:
    """Return why a sign-in link is no longer valid."""
    return _SHUT if password_setup_links.was_disabled(code) else _VOID


class EnrolmentForm(forms.Form):
    """The code, which the page takes from its own address, and a password."""

    code = forms.CharField(max_length=64, widget=forms.TextInput(attrs={"autocomplete": "off"}))
    password = forms.CharField(
        max_length=200, strip=False, widget=forms.PasswordInput(attrs={"autocomplete": "new-password"})
    )
    again = forms.CharField(
        max_length=200,
        strip=False,
        label=_("Repeat password"),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    person: Person | None = None

    def clean_code(self) -> str:
        """Refuse an unknown code."""
        code = str(self.cleaned_data["code"]).strip()
        self.person = password_setup_links.person_of_code(code)
        if self.person is None:
            raise ValidationError(why_void(code))
        return code

    def clean(self) -> dict[str, object]:
        """Require two equal passwords, and no common one."""
        data = self.cleaned_data
        password = data.get("password")
        if password and self.person:
            try:
                validate_password(password, self.person)
            except ValidationError as error:
                self.add_error("password", error)
        if password and data.get("again") not in (None, password):
            self.add_error("again", _("The passwords differ."))
        return data


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "POST"])
def enrol(request: HttpRequest) -> HttpResponse:
    """Set a password, and continue to the second factor, signed in."""
    form = EnrolmentForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        person = password_setup_links.redeem_code(form.cleaned_data["code"], form.cleaned_data["password"])
        if person is not None:
            return _signed_in(request, person)
        form.add_error("code", why_void(form.cleaned_data["code"]))
    context = {"form": form, "rules": password_validators_help_texts()}
    return render(request, "people/enrol.html", context, status=422 if form.errors else 200)


class LanguageForm(forms.Form):
    """The person's choice of a language."""

    language = forms.ChoiceField(required=False, label=_("Language"), widget=forms.RadioSelect)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        own = self.fields["language"]
        assert isinstance(own, forms.ChoiceField)
        own.choices = [("", _("The language of the property")), *offered_languages().items()]


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def language(request: HttpRequest) -> HttpResponse:
    """Choose the language of pages, papers and mails."""
    data = request.POST if request.method == "POST" else None
    form = LanguageForm(data, initial={"language": request.session.get(CHOICE, "")})
    if request.method == "POST" and form.is_valid():
        choose(request, form.cleaned_data["language"])
        return redirect("language")
    return render(request, "people/language.html", {"form": form}, status=422 if form.errors else 200)


class TellingForm(forms.Form):
    """The person's choice of notifications by mail."""

    wants_mail = forms.BooleanField(required=False, label=_("Send me e-mail"))
    email = forms.EmailField(required=False, label=_("E-mail address"))

    def clean(self) -> dict[str, Any]:
        """Refuse notifications without a mail address."""
        data = self.cleaned_data
        if data.get("wants_mail") and not data.get("email") and "email" not in self.errors:
            self.add_error("email", _("Enter an e-mail address."))
        return data


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def notification_choice(request: HttpRequest) -> HttpResponse:
    """Show each person's own choice, off by default."""
    own = Person.objects.filter(pk=request.user.pk)
    data = request.POST if request.method == "POST" else None
    form = TellingForm(data, initial={**own.values("wants_mail", "email").get()})
    if request.method == "POST" and form.is_valid():
        own.update(**form.cleaned_data)
        messages.success(request, _("Saved."))
        return redirect("telling")
    context = {"form": form, "is_on": bool(settings().mail)}
    return render(request, "people/notifications.html", context, status=422 if form.errors else 200)


class DisplayForm(forms.Form):
    """The code, which the page takes from its own address."""

    code = forms.CharField(max_length=64, widget=forms.TextInput(attrs={"autocomplete": "off"}))


@never_cache
@require_http_methods(["GET", "POST"])
def display(request: HttpRequest) -> HttpResponse:
    """Take the key on the screen itself, and continue to a sign."""
    form = DisplayForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        response = redirect("display")
        if display_keys.let_in(response, form.cleaned_data["code"].strip(), mark_of_request(request)):
            return response
        form.add_error("code", _VOID)
    screen = display_keys.display_of(request)
    if screen is not None and screen.wall_of:
        return redirect("alert-wall")
    context = {"form": form, "display": screen.id if screen else "", "signs": _signs() if screen else ()}
    return render(request, "people/display.html", context, status=422 if form.errors else 200)


def _signs() -> list[str]:
    """Return the names of the progressives, each of which has a sign."""
    return list(Progressive.objects.order_by("progressive").values_list("progressive", flat=True))


def _signed_in(request: HttpRequest, person: Person) -> HttpResponse:
    auth.login(request, person, "allauth.account.auth_backends.AuthenticationBackend")
    UserSession.objects.create_from_request(request)  # allauth lists sign-in methods on its own page
    record_authentication(request, person, "password", reauthenticated=True)
    response = redirect("mfa_index")
    remember(request, response, person.pk)
    return response


@require_GET
def forgotten(request: HttpRequest) -> HttpResponse:
    """Name the administrator as the person to ask: no mail sets a password here."""
    return render(request, "account/forgotten.html")
