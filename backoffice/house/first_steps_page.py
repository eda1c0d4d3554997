"""First steps: the missing parts of a new house, and the files that bring them, each with a preview."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from django.http import HttpResponse
from django.http.request import HttpRequest
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from backoffice.house.opening import folder_reading, import_checks, move_in_outcome_in_words
from backoffice.house.opening.csv_columns import BY_NAME, ImportSheet, template
from backoffice.house.opening.csv_reader import Fault
from backoffice.house.opening.first_steps import FirstStep, first_steps
from backoffice.house.opening.folder_reading import OpeningPlan
from backoffice.house.opening.house_state_reader_for_import import HouseState, last_types, read
from backoffice.house.opening.opening_actions_in_order import OpeningStep, opens_today, steps
from backoffice.house.opening.plan_step_execution import PlanRun, StepResult
from backoffice.installation.dependency_injection import installation
from backoffice.kit.page_declaration import Page, PageAddress
from backoffice.kit.reader_and_read_rule_types import AUDITOR, ReadRule, roles
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.people import staff_list_and_name_lookup
from backoffice.people.signed_in_person_action_sender import is_fresh, send
from backoffice.wording.code_to_word_translation import code_words
from backoffice.wording.error_code_sentences import text_sentence
from events.desk.command_and_answer_structs import Reply
from events.envelope import Action
from events.error_codes import coded
from events.people import authority
from events.settings.settings_from_environment import settings
from events.streams.stream_kind_declaration import Target

WHO = roles(
    "administrator", "pit boss", "inspector", "accountant", "cage", "progressive manager", "surveillance", "security"
)  # fmt: skip
IMPORTERS = ReadRule(tuple(role for role in WHO.roles if role != AUDITOR))  # auditors read, and change nothing
FILE_MAX = 600_000  # bytes of a file that the page takes; the command takes more
LINES_SHOWN = 12
FAULTS_SHOWN = 50


class Preview(msgspec.Struct, frozen=True):
    """The preview of a file. `rows` are its first lines by column, `others` the roles of which one must approve."""

    sheet: ImportSheet
    text: str
    faults: tuple[Fault, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    count: int = 0
    new: int = 0
    there: int = 0
    others: tuple[str, ...] = ()

    @property
    def left_out(self) -> int:
        """Return the number of lines that are not shown."""
        return self.count - len(self.rows)


class StepLine(msgspec.Struct, frozen=True):
    """A step as a person sees it: whether they may import its file and open its page, and who else begins it."""

    step: FirstStep
    may_import: bool
    may_open: bool
    roles: str


def _step_line(visit: Visit, step: FirstStep) -> StepLine:
    sheet = BY_NAME[step.sheet]
    asking = dict.fromkeys(role for type_ in _TYPES[sheet.name] for role in authority.roles_that_ask(type_))
    may_open = visit.frame.closed.is_open_to(step.form, visit.reader)
    return StepLine(step, _may_import(visit, sheet), may_open, code_words(asking))


def _may_import(visit: Visit, sheet: ImportSheet) -> bool:
    """Return whether the reader may request or approve the content of the file."""
    kinds = _TYPES[sheet.name]
    may = {role for type_ in kinds for role in (*authority.roles_that_ask(type_), *authority.agreeing(type_))}
    return not visit.reader.roles.isdisjoint(may)


_TYPES: Mapping[str, Sequence[str]] = {
    "property": ("setting.change",),
    "staff": ("role.grant",),
    "progressives": ("progressive.open",),
    "tables": ("table.install",),
    "history": ("setting.change",),
    "chips": ("chips.issue",),
    "opening-balances": ("session.open", "cage.open"),
    "markers": ("marker.carry",),
}


# --- a file -----------------------------------------------------------------------------------------------------------


def _upload(visit: Visit) -> HttpResponse:
    """Return the form of a file; then the effect of the file; and after confirmation the result."""
    request, sheet = visit.request, BY_NAME.get(str(visit.place("sheet")))
    if sheet is None or not _may_import(visit, sheet):
        return redirect("first-steps")
    if request.method != "POST":
        return _form(visit, sheet)
    uploaded = request.FILES.get("file")
    if uploaded is not None and (uploaded.size or 0) > FILE_MAX:
        return _form(visit, sheet, [Fault(sheet.file, 0, "", coded("import-page-size"))])
    raw = uploaded.read() if uploaded is not None else str(request.POST.get("text", "")).encode()
    if not raw.strip():
        return _form(visit, sheet, [Fault(sheet.file, 0, "", coded("import-file-missing"))])
    plan, faults = _plan(sheet, raw)
    if faults:
        return _form(visit, sheet, faults)
    if request.POST.get("step") != "import":
        return visit.render("pages/first_steps/file.html", sheet=sheet, preview=_preview(sheet, raw, plan))
    if not is_fresh(request):
        back = urlencode({"next": request.path})
        return redirect(f"{reverse('mfa_reauthenticate')}?{back}")
    results = _carried_out(visit, plan)
    context: dict[str, Any] = {
        "groups": move_in_outcome_in_words.groups(results),
        "left": move_in_outcome_in_words.open_steps(results),
    }
    return visit.render("pages/first_steps/file.html", sheet=sheet, **context)


def _form(visit: Visit, sheet: ImportSheet, faults: Sequence[Fault] = ()) -> HttpResponse:
    context: dict[str, Any] = {"faults": list(map(_fault_in_words, faults[:FAULTS_SHOWN])), "faults_count": len(faults)}
    return visit.render("pages/first_steps/file.html", status=422 if faults else 200, sheet=sheet, **context)


def _fault_in_words(fault: Fault) -> str:
    """Return a fault with its place, in the reader's language."""
    error = text_sentence(fault.text)
    error = error[:1].upper() + error[1:]
    place = {"file": fault.file, "line": fault.line, "column": fault.column, "error": error}
    if fault.line and fault.column:
        return _("%(file)s, line %(line)s, column %(column)s: %(error)s") % place
    if fault.column:
        return _("%(file)s, column %(column)s: %(error)s") % place
    return (_("%(file)s, line %(line)s: %(error)s") if fault.line else "%(file)s: %(error)s") % place


def _plan(sheet: ImportSheet, raw: bytes) -> tuple[OpeningPlan, list[Fault]]:
    """Return the plan of one file, and its faults in this house."""
    now = _state(())
    plan = folder_reading.read({sheet.name: raw}, now.currency)
    return plan, import_checks.faults(plan, now)


def _state(names: Sequence[str]) -> HouseState:
    return read(installation().store, settings().property_, names)


def _preview(sheet: ImportSheet, raw: bytes, plan: OpeningPlan) -> Preview:
    """The first lines, and how much of it is new."""
    now = _state(())
    planned_steps = steps(plan, now)
    new = [step for step in planned_steps if not step.is_done(now)]
    agreeing = dict.fromkeys(role for step in new for role in authority.agreeing(step.type))
    lines = [record.row for record in folder_reading.records(plan)]
    heads = tuple(name for name in sheet.names if any(row[name] for row in lines))
    return Preview(
        sheet,
        folder_reading.text_of(sheet, raw),
        columns=heads,
        rows=tuple(tuple(row[name] for name in heads) for row in lines[:LINES_SHOWN]),
        count=len(lines),
        new=len(new),
        there=len(planned_steps) - len(new),
        others=tuple(agreeing),
    )


def _carried_out(visit: Visit, plan: OpeningPlan) -> list[StepResult]:
    """Carry out the plan as far as this person may, through the door like every form."""
    names = [level.progressive for level in plan.progressives]
    request: HttpRequest = visit.request

    def do(person: str, target: Target, actions: Sequence[Action]) -> list[Reply]:
        return [send(request, target, action) for action in actions]

    now = _state(names)
    used = last_types(installation().store)
    run = PlanRun([visit.reader.person], do, lambda: _state(names), used, opens_today=opens_today(plan, now))
    planned: Sequence[OpeningStep] = steps(plan, now)
    results = list(run.carry_out(planned))
    for employee in plan.staff:
        if any(result.outcome in ("done", "there") for result in results if result.step.row == employee.row):
            staff_list_and_name_lookup.add(employee.person, employee.name)
    return results


def _example(visit: Visit) -> HttpResponse:
    """An example file, to be filled in."""
    sheet = BY_NAME.get(str(visit.place("sheet")))
    if sheet is None:
        return redirect("first-steps")
    response = HttpResponse(template(sheet).encode("utf-8-sig"), content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{sheet.file}"'
    return response


FIRST_STEPS = Page(
    name="first-steps",
    path="first-steps",
    title=gettext_lazy("First steps"),
    open_to=WHO,
    template="pages/first_steps.html",
    query=lambda _request: first_steps(),
    shown_as="first",
    add_context=lambda visit, shown: {"lines": [_step_line(visit, step) for step in shown.steps]},
    under="people",
    also=(
        PageAddress("first-steps-file", "first-steps/do/<str:sheet>", _upload, does=True, open_to=IMPORTERS),
        PageAddress("first-steps-example", "first-steps/example/<str:sheet>.csv", _example),
    ),
)
