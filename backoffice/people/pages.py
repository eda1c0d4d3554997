"""The directory: people with their roles, and the actions of an administrator on them."""

from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec
from django import forms
from django.contrib import messages
from django.core.validators import RegexValidator
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from django.utils.translation import gettext_lazy as lazy

from backoffice.access.personal_data_access_log import PERSON
from backoffice.kit.access_log_rules import AccessLogRule
from backoffice.kit.page_declaration import Act, MenuEntry, Page, PageAddress, PageRequest, approval_acts
from backoffice.kit.reader_and_read_rule_types import ReadRule, roles
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.models import Device
from backoffice.people import (
    badge_and_key_authentication,
    password_setup_links,
    staff_change_access_log_line,
    staff_list_and_name_lookup,
)
from backoffice.people.signed_in_person_action_sender import is_fresh
from backoffice.wording.error_code_sentences import error_sentence
from events.errors import Invalid
from events.people.role_grant_decider import ROLES

OF_PEOPLE = (
    Act("people", "role.grant", gettext_lazy("Grant role"), choices={"role": sorted(ROLES)}),
    Act("people", "role.revoke", gettext_lazy("Revoke role"), choices={"role": sorted(ROLES)}),
    Act("people", "person.admit", gettext_lazy("Request sign-in link")),
    *approval_acts("people"),
)


ADMINISTRATORS = ReadRule(("administrator",))
ID = RegexValidator(
    r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", lazy("Use letters, digits and . _ - only, and not the person's name.")
)


class Directory(msgspec.Struct, frozen=True):
    """People and terminals, as one asked for them."""

    members: tuple[staff_list_and_name_lookup.Member, ...]
    terminals: tuple[staff_list_and_name_lookup.TerminalEntry, ...]
    is_part: bool


def _directory(request: PageRequest) -> Directory:
    """Return all people, or the people in `?ids=`."""
    ids = request.text("ids", 4_000)
    members = staff_list_and_name_lookup.members(ids.split(",")) if ids else staff_list_and_name_lookup.members()
    return Directory(tuple(members), tuple(staff_list_and_name_lookup.terminals()), bool(ids))


def _who_reads(visit: Visit, people: Directory) -> dict[str, Any]:
    may = ADMINISTRATORS.admits(visit.reader)
    return {
        "with_names": staff_list_and_name_lookup.knows_names(visit.reader),
        "deeds": DEEDS if may else (),
        "may": may,
    }


# --- forms ------------------------------------------------------------------------------------------------------------


class PersonForm(forms.Form):
    """A person."""

    person = forms.CharField(max_length=64, label=lazy("Id"), validators=[ID])

    def clean_person(self) -> str:
        """Refuse an unknown id."""
        person = str(self.cleaned_data["person"])
        if not staff_list_and_name_lookup.members([person]):
            raise forms.ValidationError(_("No person has this id."))
        return person


class ActivePersonForm(PersonForm):
    """A known person whose account is not disabled."""

    def clean_person(self) -> str:
        """Refuse a disabled account."""
        person = super().clean_person()
        if staff_list_and_name_lookup.is_shut(person):
            raise forms.ValidationError(_("This account is disabled. Create a sign-in link to enable it."))
        return person


class NewPersonForm(forms.Form):
    """A new person."""

    person = forms.CharField(
        max_length=64, validators=[ID], label=lazy("Id"), help_text=lazy("The id appears in events permanently.")
    )
    name = forms.CharField(max_length=200, required=False, label=pgettext_lazy("person", "Name"))


class NameForm(PersonForm):
    """A person and their new name; an empty one erases it."""

    name = forms.CharField(max_length=200, required=False, label=lazy("Name (leave empty to erase it)"))


class TerminalForm(forms.Form):
    """A terminal at a table."""

    device = forms.CharField(max_length=64, validators=[ID], label=lazy("Terminal"))
    table = forms.CharField(max_length=64, validators=[ID], label=lazy("Table"))


class KnownTerminalForm(forms.Form):
    """A terminal that is there."""

    device = forms.ModelChoiceField(Device.objects.order_by("id"), label=lazy("Terminal"))


FormData: TypeAlias = dict[str, Any]


class DirectoryAct(msgspec.Struct, frozen=True):
    """An administrator's act in the directory. `do` returns the secret that is shown once, "" for none."""

    name: str
    title: Any
    meaning: Any
    form: type[forms.Form]
    do: Callable[[str, FormData], str]


def _add(by: str, data: FormData) -> str:
    staff_list_and_name_lookup.add(data["person"], data["name"])
    return ""


def _call(by: str, data: FormData) -> str:
    staff_list_and_name_lookup.rename_person(data["person"], data["name"])
    return ""


def _badge(by: str, data: FormData) -> str:
    badge_and_key_authentication.revoke(person=data["person"])
    return badge_and_key_authentication.issue_badge(data["person"])


def _revoke(by: str, data: FormData) -> str:
    badge_and_key_authentication.revoke(person=data["person"])
    return ""


def _key(by: str, data: FormData) -> str:
    badge_and_key_authentication.revoke(device=data["device"])
    return badge_and_key_authentication.issue_device_key(data["device"], data["table"])


def _without_key(by: str, data: FormData) -> str:
    badge_and_key_authentication.revoke(device=data["device"].pk)
    return ""


def _link(by: str, data: FormData) -> str:
    return f"{reverse('enrol')}#{password_setup_links.approved_link(data['person'], by)}"


def _shut(by: str, data: FormData) -> str:
    staff_list_and_name_lookup.add(data["person"], "")  # a person may be in a role and have no row yet
    password_setup_links.disable_account(data["person"])
    return ""


DEEDS = (
    DirectoryAct(
        "add",
        lazy("Add person"),
        lazy("Choose an id that does not reveal the person. The name can be erased later."),
        NewPersonForm,
        _add,
    ),
    DirectoryAct(
        "name",
        lazy("Change or erase name"),
        lazy("Events keep the id. An erased name cannot be restored."),
        NameForm,
        _call,
    ),
    DirectoryAct(
        "enrol",
        lazy("Create sign-in link"),
        lazy("The link works once. It also replaces a lost password and enables a disabled account."),
        PersonForm,
        _link,
    ),
    DirectoryAct("badge", lazy("Issue badge"), lazy("Earlier ones stop working."), ActivePersonForm, _badge),
    DirectoryAct("revoke", lazy("Revoke badges"), lazy("All badges of this person stop working."), PersonForm, _revoke),
    DirectoryAct(
        "shut",
        lazy("Disable account"),
        lazy("Sessions, badges and links stop working. A new sign-in link enables the account."),
        PersonForm,
        _shut,
    ),
    DirectoryAct(
        "terminal",
        lazy("Issue terminal key"),
        lazy("Earlier ones stop working."),
        TerminalForm,
        _key,
    ),
    DirectoryAct(
        "without-key",
        lazy("Revoke terminal keys"),
        lazy("The terminal can no longer send actions."),
        KnownTerminalForm,
        _without_key,
    ),
)


def _act_address(deed: DirectoryAct) -> PageAddress:
    def view(visit: Visit) -> HttpResponse:
        request = visit.request
        form = deed.form(request.POST if request.method == "POST" else None, initial=request.GET.dict())
        if request.method != "POST" or not form.is_valid():
            return visit.render("pages/people/deed.html", status=422 if form.errors else 200, deed=deed, form=form)
        if not is_fresh(request):
            query = urlencode({name: form.data[name] for name in ("person", "device", "table") if name in form.data})
            back = urlencode({"next": f"{request.path}?{query}"})
            return redirect(f"{reverse('mfa_reauthenticate')}?{back}")
        try:
            password_setup_links.require_two(request)
            return _complete_act(visit, deed, form)
        except password_setup_links.NotAgreed as error:
            form.add_error(next(iter(form.fields)), str(error))
            return visit.render("pages/people/deed.html", status=422, deed=deed, form=form)
        except Invalid as error:
            form.add_error(error.field if error.field in form.fields else None, error_sentence(error))
            return visit.render("pages/people/deed.html", status=422, deed=deed, form=form)

    return PageAddress(f"people-{deed.name}", f"people/do/{deed.name}", view, does=True, open_to=ADMINISTRATORS)


def _complete_act(visit: Visit, deed: DirectoryAct, form: forms.Form) -> HttpResponse:
    result = deed.do(visit.reader.person, form.cleaned_data)
    about = str(form.data.get("person") or form.data.get("device") or "")
    staff_change_access_log_line.record_staff_change(visit.reader.person, deed.name, about)
    if result:
        secret = visit.request.build_absolute_uri(result) if result.startswith("/") else result
        return visit.render("pages/people/shown.html", deed=deed, about=about, secret=secret)
    messages.success(visit.request, _("Done: %(deed)s, %(about)s.") % {"deed": deed.title, "about": about})
    new = f"?{urlencode({'ids': about})}#person-{about}" if deed.name == "add" else ""
    return HttpResponseRedirect(reverse("people") + new)


def _find(visit: Visit) -> HttpResponse:
    """A name becomes ids: no address and no log has it."""
    name = str(visit.request.POST.get("name", ""))[:200].strip()
    if not name or not staff_list_and_name_lookup.knows_names(visit.reader):
        return HttpResponseRedirect(reverse("people"))
    ids = staff_list_and_name_lookup.ids_by_name(name)
    if not ids:
        messages.warning(visit.request, _("No person has this name."))
    return HttpResponseRedirect(f"{reverse('people')}?{urlencode({'ids': ','.join(ids)})}")


PEOPLE = Page(
    name="people",
    path="people",
    title=lazy("People"),
    open_to=roles("administrator", "pit boss", "inspector", "surveillance"),
    template="pages/people.html",
    query=_directory,
    shown_as="directory",
    add_context=_who_reads,
    menu=MenuEntry(lazy("People"), "w", lazy("go to people")),
    acts=OF_PEOPLE,
    looks=AccessLogRule(PERSON),
    also=(*(_act_address(deed) for deed in DEEDS), PageAddress("people-find", "people/find", _find, does=True)),
)
