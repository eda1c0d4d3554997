"""Page of the analysis of a past gaming day of a progressive under other parameters, with the differences."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import msgspec
from django import forms
from django.db.models import Max, Min
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from msgspec import UNSET

from backoffice.forms.fields import ScaledNumber
from backoffice.installation.dependency_injection import installation
from backoffice.jobs.job_progress_and_saved_steps import Progress, store_with_progress
from backoffice.jobs.job_state_and_lease_files import Basis
from backoffice.jobs.on_demand_jobs import Job, Task, background_jobs, basis_at
from backoffice.kit.page_declaration import Page, PageAddress
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.people.roles_allowed_per_page import FUNDS
from backoffice.progressives.what_if_day_comparison import WhatIfAnswer, compare_day
from backoffice.wording import formats
from backoffice.wording.code_to_word_translation import word
from events.error_codes import coded
from events.errors import Unknown
from events.fields import METER_MAX
from events.progressives.sharing_policies import POLICIES
from events.progressives.whatif import LevelChange, WhatIfChange
from events.rules.exact_amount_parsing import simple
from events.settings.settings_from_environment import settings
from projections.progressives.models import MICRO, Progressive, ProgressiveLevel
from projections.tables.models import TableDay

RATE = 1_000_000  # a whole stake in millionths


class LevelForm(msgspec.Struct, frozen=True):
    """A level's present parameters, with the fields that would change them."""

    name: str
    now: tuple[tuple[str, str], ...]  # its name, and its value
    fields: tuple[forms.BoundField, ...]


class Supposition(forms.Form):
    """The gaming day, and the changed parameters: empty fields stay as they were."""

    day = forms.CharField(label=gettext_lazy("Gaming day"))
    policy = forms.ChoiceField(label=gettext_lazy("Tie rule"), required=False)

    def __init__(self, data: Mapping[str, Any] | None, row: Progressive, levels: Sequence[ProgressiveLevel]) -> None:
        super().__init__(data)
        self.row, self.rows = row, levels
        played = first_and_last_day()
        policies = dict.fromkeys(name for name, _version in POLICIES)
        self._choose("policy", [("", _("unchanged")), *((policy, word(policy, "policy")) for policy in policies)])
        if played is not None:
            self.initial["day"] = played[1]
            self.fields["day"].widget = forms.DateInput({"type": "date", "min": played[0], "max": played[1]})
        for level in levels:
            self.fields |= _of_level(level.level, formats.exponent(row.currency))

    def _choose(self, name: str, choices: Sequence[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices

    def clean_day(self) -> str:
        """However long ago."""
        day = str(self.cleaned_data["day"])
        if not was_played(day):
            raise forms.ValidationError(_("No rounds on this gaming day."))
        return day

    def clean(self) -> dict[str, Any]:
        """Require at least one change."""
        answers = {
            name: value for name, value in self.cleaned_data.items() if name != "day" and value not in (None, "")
        }
        if not self.errors and not any(value is not False for value in answers.values()):
            self.add_error(None, _("Change at least one rate, seed, cap or the tie rule."))
        for level in self.rows:
            if self.cleaned_data.get(f"{level.level}-none") and answers.get(f"{level.level}-cap") is not None:
                self.add_error(f"{level.level}-cap", _("Enter a cap or choose no cap, not both."))
        return self.cleaned_data

    @property
    def change(self) -> WhatIfChange:
        """Return the change for the deciders' fold."""
        changes = {level.level: self._level(level.level) for level in self.rows}
        named = {name: change for name, change in changes.items() if change != LevelChange()}
        return WhatIfChange(levels=named, policy=self.cleaned_data["policy"] or None)

    def _level(self, name: str) -> LevelChange:
        values = {part: self.cleaned_data.get(f"{name}-{part}") for part in ("feed", "reserve", "seed", "cap", "none")}
        return LevelChange(
            feed=_rate(values["feed"]),
            reserve_rate=_rate(values["reserve"]),
            seed=UNSET if values["seed"] is None else values["seed"],
            cap=None if values["none"] else UNSET if values["cap"] is None else values["cap"],
        )

    @property
    def levels(self) -> list[LevelForm]:
        """Return each level with its present values."""
        return [
            LevelForm(
                row.level,
                _present_values(row, self.row.currency),
                tuple(self[f"{row.level}-{part}"] for part in ("feed", "reserve", "seed", "cap", "none")),
            )
            for row in self.rows
        ]


def _of_level(name: str, digits: int) -> dict[str, forms.Field]:
    def rate(label: Any) -> forms.Field:
        return ScaledNumber(digits=4, least=0, most=RATE, label=label, required=False)

    def amount(label: Any) -> forms.Field:
        return ScaledNumber(digits=digits, least=0, most=METER_MAX, label=label, required=False)

    return {
        f"{name}-feed": rate(_("Contribution rate, %")),
        f"{name}-reserve": rate(_("Reserve rate, %")),
        f"{name}-seed": amount(_("Seed")),
        f"{name}-cap": amount(_("Cap")),
        f"{name}-none": forms.BooleanField(label=_("No cap"), required=False),
    }


def _rate(millionths: int | None) -> Any:
    return UNSET if millionths is None else simple(Fraction(millionths, RATE))


def _present_values(row: ProgressiveLevel, currency: str) -> tuple[tuple[str, str], ...]:
    cap = _("no cap") if row.cap_micro is None else formats.money(row.cap_micro // MICRO, currency)
    return (
        (_("contribution rate"), formats.percent(row.feed_millionths)),
        (_("reserve rate"), formats.percent(row.reserve_millionths)),
        (_("seed"), formats.money(row.seed_micro // MICRO, currency)),
        (_("cap"), cap),
    )


# --- the page ---------------------------------------------------------------------------------------------------------


def _part(visit: Visit) -> HttpResponse:
    """The answer alone: asked for until it is there."""
    return _show(visit, "pages/what_if/answer.html")


def _show(visit: Visit, template: str = "") -> HttpResponse:
    """Return the form, with the answer to its content below."""
    name = visit.place("name")
    row = Progressive.objects.filter(progressive=name).first()
    if row is None:
        raise Unknown(coded("progressive-unknown", progressive=name))
    levels = ProgressiveLevel.objects.filter(progressive=name).order_by("rank")
    form = Supposition(visit.request.GET or None, row, list(levels))
    context: dict[str, Any] = {"form": form, "row": row, "query": visit.query_without("retry")}
    if form.is_valid():
        job = _job(visit, name, form, any_basis=bool(template))
        context |= {"is_asked": True, "job": job, "answer": job.answer if job is not None else None}
    return visit.render(template, status=422 if form.errors else 200, currency=row.currency, **context)


def _job(visit: Visit, name: str, form: Supposition, *, any_basis: bool) -> Job | None:
    """Return the job that plays the facts of the day again. `any_basis`: an answer as of an earlier position."""
    store, day, change = installation().store, form.cleaned_data["day"], form.change

    def work(progress: Progress, basis: Basis) -> WhatIfAnswer:
        return compare_day(
            store_with_progress(store, progress, basis.position), name, day, change, progress.stoppable_items
        )

    change_json = msgspec.json.encode(change, order="sorted", enc_hook=str).decode()
    task = Task(question=("what-if", settings().property_, name, day, change_json), shape=WhatIfAnswer, work=work)
    jobs, retry = installation().part(background_jobs), visit.page_request.text("retry", 5) == "1"
    return jobs.ask(task, basis_at(store), any_basis=any_basis, retry=retry)


WHAT_IF = Page(
    name="what-if",
    path="progressives/<str:name>/what-if",
    title=gettext_lazy("What if"),
    open_to=FUNDS,
    template="pages/what_if.html",
    view=_show,
    under="progressives",
    also=(PageAddress("what-if-part", "progressives/<str:name>/what-if/part", _part),),
)


def first_and_last_day() -> tuple[str, str] | None:
    """Return the first and the last played gaming day."""
    bounds = TableDay.objects.aggregate(first=Min("gaming_day"), last=Max("gaming_day"))
    return (bounds["first"], bounds["last"]) if bounds["last"] else None


def was_played(gaming_day: str) -> bool:
    """Return whether a table was opened for it."""
    return TableDay.objects.filter(gaming_day=gaming_day).exists()
