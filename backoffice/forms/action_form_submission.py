"""Forms of actions: filled in, previewed, sent. The answer is shown once the read models have it, and leads back to
the page.

A form has one key from the beginning, so that a double click or a reload does nothing twice. If the sender must sign
in first, or show the second factor again, the form is kept in the session (`backoffice/kit/unsent_forms.py`).
"""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.utils.translation import gettext as _

from backoffice.forms.action_form_from_struct import ActionForm, form_of
from backoffice.forms.request_and_action_wording import ActionPlace, SummaryLine, Wording, effect_wording
from backoffice.forms.subject_summary import context_of
from backoffice.kit import unsent_forms
from backoffice.kit.page_declaration import Act
from backoffice.kit.unsent_forms import BACK, CORRECTS, KEY, OF, STEP
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.wording import formats
from events import catalogue
from events.desk.command_and_answer_structs import Answer, Checked, Reply
from events.envelope import Action
from events.people import authority
from events.streams.problem_details import Problem

SECOND_FACTOR = "Second factor"  # the title of the refusal
APPROVAL_REQUESTED = "approval.requested.v1"
SETTLED = frozenset({"request", "content", "change"})  # the subject of a form, without any field to fill in


def perform(visit: Visit, act: Act) -> HttpResponse:
    """Show the form of an action or its effect, or do the action."""
    attempt = Attempt(visit, act, _posted_form(visit))
    if attempt.step == "send" and visit.request.method != "POST":
        return attempt.go_on()
    if attempt.step == "send":
        return attempt.send()
    return attempt.look() if attempt.step == "look" else attempt.shown()


def _posted_form(visit: Visit) -> QueryDict | None:
    """Return the posted form, or the one that was kept while the sender signed in or showed the second factor."""
    request = visit.request
    return request.POST if request.method == "POST" else unsent_forms.kept_form(request, visit.reader.person)


class Attempt:
    """A request to the form of an action."""

    def __init__(self, visit: Visit, act: Act, posted: QueryDict | None) -> None:
        self.visit, self.act, self.sent = visit, act, posted
        self.stage = visit.page.stage(visit.page_request)
        self.key = (posted.get(KEY) if posted else None) or f"form:{uuid.uuid4()}"
        self.step = str(posted.get(STEP, "look")) if posted else ""
        self.back = self._back(posted or visit.request.GET)
        self.corrects = str((posted or visit.request.GET).get(CORRECTS, "")) if act.corrects else ""
        self.form = self._form(posted)
        if posted is None:
            self._begin()

    def _form(self, data: Mapping[str, Any] | None) -> ActionForm:
        form = form_of(catalogue.action_types()[self.act.type])(data, currency=self.stage.currency)
        form.offer({**self.stage.choices_of(self.act.type), **self.act.choices})
        form.set_denominations(self.stage.pieces)
        return form

    def _begin(self) -> None:
        """Fill in the form from its address. If the address fills in everything, show the preview at once; not if the
        page only offers the action or proposes values."""
        self.form.propose(self.stage.proposals.get(self.act.type, {}))
        self.form.begin_with(self.visit.request.GET, self.act.fixed)
        is_proposed = bool(
            self.stage.proposals.get(self.act.type)
        )  # people check the form before it is shown with its effect
        if not (self.act.is_offered or self.act.fixed or is_proposed) and (answers := self.form.complete) is not None:
            self.form, self.step = self._form(answers), "look"

    def _back(self, parameters: Mapping[str, Any]) -> str:
        """Return the page from which a person came, if it is one of the house."""
        back = str(parameters.get(BACK, ""))
        is_ours = back.startswith("/") and url_has_allowed_host_and_scheme(back, None)
        return back if is_ours else reverse(self.visit.page.name, kwargs=dict(self.visit.page_request.places))

    def look(self) -> HttpResponse:
        """Answer with the preview: the effects of the action, and the button that sends it."""
        if not self.form.is_valid():
            return self.shown()
        if not self.act.is_tried:
            is_asked = self.act.asks is not None and self.act.asks(self.form.data_of_action)
            return self.shown(self._effect_wording([APPROVAL_REQUESTED] if is_asked else ()))
        reply = self._ask("check")
        if isinstance(reply, Checked):
            return self.shown(self._effect_wording([event.type for event in reply.events]))
        return self._answered(reply)

    def _effect_wording(self, events: Sequence[str]) -> Wording:
        data = msgspec.to_builtins(self.form.data_of_action, str_keys=True)
        return effect_wording(self._place(), self.act.type, data, events, self._as_pairs())

    def _place(self) -> ActionPlace:
        day = self.stage.gaming_day or ""
        return ActionPlace(self.act.kind, self.stage.name, self.form.currency, day, self.stage.requests)

    def _subject_lines(self) -> tuple[SummaryLine, ...]:
        """Return the lines about the action's subject, from the values filled in. They are shown beside the form."""
        values = {name: self.form[name].value() for name in self.form.fields}
        return context_of(self._place(), self.act.type, values)

    def send(self) -> HttpResponse:
        """Do it. The same key again gets the first answer."""
        if not self.form.is_valid():
            return self.shown()
        if authority.needs_factor(self.act.type) and not self.visit.frame.services.is_fresh(self.visit.request):
            return self._by_the_second_factor()
        return self._answered(self._ask("fact" if authority.is_told(self.act.type) else "ask"))

    def go_on(self) -> HttpResponse:
        """Send the action that was confirmed before the second factor was requested; once, and only with a fresh
        factor.
        """
        if self.visit.request.method != "GET" or not self.visit.frame.services.is_fresh(self.visit.request):
            return self.look()
        unsent_forms.forget(self.visit.request)
        return self.send()

    def shown(self, would: Wording | None = None) -> HttpResponse:
        """Return the form as filled in, or the effect of the action."""
        hidden = {KEY: self.key, BACK: self.back, OF: unsent_forms.shown_to(self.visit.reader.person)}
        hidden |= {CORRECTS: self.corrects} if self.corrects else {}
        context = {"act": self.act, "form": self.form, "hidden": hidden, "would": would, "back": self.back}
        context |= {
            "called": self.stage.title,
            "may_change": bool(self.form.fields.keys() - SETTLED),
            "settled": SETTLED,
        }
        context |= {"about": () if would else self._subject_lines()}
        status = 422 if self.form.errors else 200
        return self.visit.render("pages/act.html", status=status, currency=self.form.currency, **context)

    def _ask(self, intent: Any) -> Reply:
        data = self.form.data_of_action
        action = Action(
            type=self.act.type,
            key=self.key,
            intent=intent,
            data=msgspec.Raw(msgspec.json.encode(data)),
            corrects=self.corrects or None,
        )
        return self.visit.frame.services.send(self.visit.request, self.act.target(self.stage, data), action)

    def _answered(self, reply: Reply) -> HttpResponse:
        if isinstance(reply, Answer):
            return self._show_answer(reply)
        assert isinstance(reply, Problem)
        if reply.title == SECOND_FACTOR:
            return self._by_the_second_factor()
        if reply.status == 409:  # the key belongs to another content: the next submission is another action
            self.key = f"form:{uuid.uuid4()}"
        self.form.answered(reply)
        return self.shown()

    def _show_answer(self, answer: Answer) -> HttpResponse:
        is_there = self.visit.frame.services.until(answer.position)
        events = [msgspec.json.decode(entry.event) for entry in answer.events]
        types = [event["type"] for event in events]
        sentences = [str(words) for type_, words in self.act.says.items() if type_ in types]
        position = formats.number(answer.position)
        if APPROVAL_REQUESTED in types:
            words = [_("Sent for approval (event %s).") % position]
        elif sentences:
            words = [*sentences, _("Event %s.") % position]
        else:
            words = [_("Saved (event %s).") % position]
        if not is_there:
            words.append(_("This page shows it in a moment."))
        messages.success(self.visit.request, " ".join(words))
        leads = self.act.leads(events) if self.act.leads is not None else ""
        return HttpResponseRedirect(leads or self.back)

    def _by_the_second_factor(self) -> HttpResponse:
        """Redirect to the page that asks for the second factor, and from there back to this form."""
        sent = QueryDict(mutable=True)
        sent.update(self.form.data)  # as sent, or complete in its address
        of = unsent_forms.shown_to(self.visit.reader.person)
        for name, value in {KEY: self.key, BACK: self.back, CORRECTS: self.corrects, OF: of}.items():
            sent[name] = value
        next_url = unsent_forms.keep_form(self.visit.request, sent, is_confirmed=self.step == "send")
        return redirect(f"{reverse('mfa_reauthenticate')}?{urlencode({'next': next_url})}")

    def _as_pairs(self) -> list[tuple[str, str]]:
        reader = self.visit.reader
        return [(reader.person, role) for role in sorted(reader.roles)]
