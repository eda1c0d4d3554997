"""State that one gaming day leaves for the next: counted trays, the cage, guests who went home with chips."""

from pathlib import Path

import msgspec

from events.errors import Conflict
from events.rules.chip_sums_by_denomination import Pieces

FILE = "history.json"
HOURS = 2.0
HOURS_MAX = 8.0  # a Saturday is half as long again
DAYS_MAX = 3_660


class HistoryPlan(msgspec.Struct, frozen=True):
    """Inputs of a history in addition to the programs: the same plan has the same books."""

    seed: int
    hours: float = HOURS  # of an evening, on the average of a week
    first: str = "2026-01-01"
    tables: tuple[str, ...] = ()  # all of the floor, where none is named


class HistoryState(msgspec.Struct, frozen=True):
    """State after `days` closed gaming days, the last one `gaming_day`; the store's `position` and the clock then."""

    days: int = 0
    gaming_day: str = ""
    position: int = 0
    time: str = ""
    trays: dict[str, dict[int, int]] = {}
    chips: dict[int, int] = {}
    cash: int = 0
    marker: int = 0
    walking: list[tuple[str, int]] = []
    seeds_ahead: dict[str, int] = {}
    rounds: int = 0


class SavedHistory(msgspec.Struct, frozen=True):
    """A history in a data folder."""

    plan: HistoryPlan
    state: HistoryState = msgspec.field(name="kept")


def save(folder: Path, plan: HistoryPlan, state: HistoryState) -> None:
    """Save the state as a whole file, even if this process is stopped meanwhile."""
    fresh = folder / f"{FILE}.new"
    fresh.write_bytes(msgspec.json.encode(SavedHistory(plan, state)))
    fresh.replace(folder / FILE)


def load(folder: Path) -> SavedHistory | None:
    """Return the saved history; None without one. Raises Conflict for a foreign file."""
    try:
        return msgspec.json.decode((folder / FILE).read_bytes(), type=SavedHistory)
    except FileNotFoundError:
        return None
    except msgspec.MsgspecError as error:
        raise Conflict(f"{folder / FILE} is no history: {error}") from error


def goes_on(folder: Path, plan: HistoryPlan) -> bool:
    """Return whether the folder has this very history. Raises Conflict."""
    saved = load(folder)
    return saved is not None and saved.plan == plan


def pieces(chips: Pieces) -> dict[int, int]:
    """Return the denominations with pieces."""
    return {denomination: count for denomination, count in chips.items() if count}
