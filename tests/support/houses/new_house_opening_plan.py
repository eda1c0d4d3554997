"""A house that moves in, for tests: the template's folder with lines of the test's own, and its people."""

from collections.abc import Mapping
from pathlib import Path

from backoffice.house.opening import folder_reading
from backoffice.house.opening.csv_columns import SHEETS, template
from backoffice.house.opening.folder_reading import OpeningPlan
from backoffice.house.opening.opening_run_from_terminal import carry_out
from backoffice.house.opening.plan_step_execution import StepResult
from events.store import EventStore

PROPERTY = "athens"
DAY = "2026-12-01"
NOW = f"{DAY}T12:00:00.000Z"
PEOPLE = ("a-001", "k-601", "c-401", "b-301", "p-701")


def files(**texts: str) -> dict[str, bytes]:
    """The files of the template by their sheets; `opening_balances="..."` has other lines, "" leaves the file out."""
    sheets = {sheet.name: template(sheet).encode() for sheet in SHEETS}
    for name, text in texts.items():
        sheet = name.replace("_", "-")
        sheets.pop(sheet, None)
        if text:
            sheets[sheet] = text.encode()
    return sheets


def plan(**texts: str) -> OpeningPlan:
    """The template's plan, with other lines."""
    return folder_reading.read(files(**texts))


def written(where: Path, sheets: Mapping[str, bytes]) -> Path:
    """A folder with these files."""
    where.mkdir(parents=True, exist_ok=True)
    for name, raw in sheets.items():
        (where / f"{name}.csv").write_bytes(raw)
    return where


def moved_in(
    store: EventStore, opening: OpeningPlan | None = None, people: tuple[str, ...] = PEOPLE
) -> list[StepResult]:
    """The results of a run."""
    return carry_out(store, PROPERTY, opening or plan(), people)


def outcomes(results: list[StepResult]) -> set[str]:
    """Return the outcomes of the steps."""
    return {result.outcome for result in results}
