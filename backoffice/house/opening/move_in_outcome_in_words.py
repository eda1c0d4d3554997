"""The outcome of `move-in` in words, for the terminal and for the page First steps."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy

from backoffice.house.opening.folder_reading import OpeningPlan
from backoffice.house.opening.import_record_types import CAGE
from backoffice.house.opening.opening_actions_in_order import OpeningStep, holding
from backoffice.house.opening.plan_step_execution import Outcome, StepResult
from backoffice.wording.code_to_word_translation import word
from backoffice.wording.formats import money
from events.rules.chip_sums_by_denomination import worth

TITLES: "dict[str, str | Promise]" = {
    "staff": lazy("Staff"),
    "property": lazy("Property"),
    "progressives": lazy("Progressives"),
    "tables": lazy("Tables"),
    "history": lazy("Monthly history"),
    "chips": lazy("Chips issued"),
    "balances": lazy("Opening balances"),
    "markers": lazy("Open markers"),
}


class OutcomeGroup(msgspec.Struct, frozen=True):
    """The steps of a group by their results."""

    group: str
    title: str
    done: int
    there: int
    left: int


class OpenSteps(msgspec.Struct, frozen=True):
    """Steps that are not done, for one reason: how many, the first of them, and what to do."""

    count: int
    about: str
    why: str
    is_refused: bool

    @property
    def further_count(self) -> int:
        """Return the number of further steps with the same reason."""
        return self.count - 1


def groups(results: Iterable[StepResult]) -> list[OutcomeGroup]:
    """Return a line a group, in the order of the steps."""
    by_group: dict[str, dict[Outcome, int]] = {}
    for result in results:
        counts = by_group.setdefault(result.step.group, {})
        counts[result.outcome] = counts.get(result.outcome, 0) + 1
    return [_group(name, counts) for name, counts in by_group.items()]


def _group(name: str, counts: Mapping[Outcome, int]) -> OutcomeGroup:
    done, existing = counts.get("done", 0), counts.get("there", 0)
    return OutcomeGroup(name, str(TITLES[name]), done, existing, sum(counts.values()) - done - existing)


def open_steps(results: Iterable[StepResult]) -> list[OpenSteps]:
    """Return the steps that are not done, one line a reason, refusals first."""
    unfinished: dict[tuple[str, bool], list[StepResult]] = {}
    for result in results:
        if result.outcome not in ("done", "there"):
            unfinished.setdefault((_result_reason(result), result.outcome == "refused"), []).append(result)
    lines = [OpenSteps(len(group), _step_subject(group[0].step), why, no) for (why, no), group in unfinished.items()]
    return sorted(lines, key=lambda line: not line.is_refused)


def _step_subject(step: OpeningStep) -> str:
    return _(step.about) % step.particulars


def _result_reason(result: StepResult) -> str:
    roles = ", ".join(map(word, result.roles))
    if result.outcome == "asked":
        return _("Sent for approval. It waits in the inbox of: %(roles)s.") % {"roles": roles}
    if result.outcome == "waits":
        return _("Import again as a person in one of the roles: %(roles)s.") % {"roles": roles}
    if result.outcome == "later":
        return _("Possible from the first gaming day. Import again then.")
    if result.outcome == "blocked":
        return _("Waiting for: %(step)s.") % {"step": _step_subject(result.missing) if result.missing else ""}
    row = result.step.row
    place = {"file": row.sheet.file, "line": row.line, "error": result.why}
    return _("%(file)s, line %(line)s: %(error)s") % place


def balances(plan: OpeningPlan) -> Iterator[tuple[str, int]]:
    """Yield the opening balances in minor units: tables, the cage by tender, and the chips with players."""
    holdings = holding(plan)
    tables = sum(balance.amount_minor for balance in plan.balances if balance.place != CAGE)
    issued = sum(chip.denomination * chip.pieces for chip in plan.chips)
    yield "Chips at tables", tables
    yield "Chips in the cage", worth(holdings.chips)
    yield "Cash in the cage", holdings.cash
    yield "Open markers in the cage", holdings.marker
    if plan.chips:
        yield "Chips with players", issued - tables - worth(holdings.chips)


def outcome_lines(plan: OpeningPlan, results: Sequence[StepResult], *, is_dry: bool) -> Iterator[str]:
    """Return the outcome for a terminal."""
    for group in groups(results):
        would = "would be done" if is_dry else "done"
        parts = [f"{group.done} {would}", f"{group.there} there already"]
        yield f"{group.title:<17} {', '.join([*parts, *([f'{group.left} open'] if group.left else [])])}"
    if plan.balances:
        yield ""
        yield from (f"{name:<25} {money(amount, plan.currency):>20}" for name, amount in balances(plan))
    for line in open_steps(results):
        suffix = f" (and {line.count - 1} more)" if line.count > 1 else ""
        yield f"{'REFUSED' if line.is_refused else 'OPEN'}: {line.about}{suffix}. {line.why}"
