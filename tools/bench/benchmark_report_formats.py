"""Write the figures of a run as a table for the terminal, as JSON, and as Markdown."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import msgspec

BEGIN, END = "<!-- bench: written by ./manage.py bench --markdown -->", "<!-- bench: end -->"
FRACTIONS = ("ms", "kB", "MB")
LESS = (*FRACTIONS, "taps", "actions")  # is better
HEAD = ("work", "ours", "peer", "ratio", "goal", "reached")


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One figure. `unit` is "events/s" and the like, or "ms", "kB", "MB", "taps" and "actions", of which less is
    better.

    `goal` is a ratio to the peer (`of` "ratio") or an amount in the unit (`of` "amount"); None: for comparison only.
    """

    work: str
    ours: float
    unit: str
    peer: float | None = None
    against: str = ""
    goal: float | None = None
    of: str = "ratio"

    @property
    def ratio(self) -> float | None:
        """How many times the peer's."""
        return self.ours / self.peer if self.peer else None

    @property
    def reached(self) -> bool | None:
        """Return whether the goal is reached; None without a goal."""
        if self.goal is None:
            return None
        value = self.ratio if self.of == "ratio" else self.ours
        assert value is not None
        return value <= self.goal if self.unit in LESS else value >= self.goal

    def cells(self) -> tuple[str, ...]:
        """The row of the table, as text."""
        goal, reached = "", ""
        if self.goal is not None:
            sign = "≤ " if self.unit in LESS else ""
            goal = sign + (f"{self.goal:g} x" if self.of == "ratio" else _amount(self.goal, self.unit))
            reached = "yes" if self.reached else "no"
        peer = f"{_amount(self.peer, self.unit)} {self.against}".strip() if self.peer is not None else ""
        ratio = f"{self.ratio:.2f}" if self.ratio is not None else ""
        return (self.work, _amount(self.ours, self.unit), peer, ratio, goal, reached)


class BenchmarkReport(msgspec.Struct, frozen=True, kw_only=True):
    """The results of a run: the machine, the command, the lines, and failed measurements with their cause."""

    machine: str
    command: str
    day: date
    lines: Sequence[Line]
    failed: dict[str, str]
    quick: bool = False

    def text(self) -> str:
        """The table, for a terminal."""
        rows = [HEAD, *(line.cells() for line in self.lines)]
        widths = [max(len(row[place]) for row in rows) for place in range(len(HEAD))]
        drawn = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        drawn.insert(1, "  ".join("-" * width for width in widths))
        failed = [f"{name} was not measured: {why}" for name, why in self.failed.items()]
        return "\n".join(["", self.machine, "", *drawn, *([""] if failed else []), *failed])

    def json(self) -> bytes:
        """Everything, for a program."""
        lines = [{**msgspec.structs.asdict(line), "ratio": line.ratio, "reached": line.reached} for line in self.lines]
        return msgspec.json.format(msgspec.json.encode({**msgspec.structs.asdict(self), "lines": lines})) + b"\n"

    def markdown(self) -> str:
        """The table, for the documentation."""
        rows = [HEAD, ("---",) * len(HEAD), *(line.cells() for line in self.lines)]
        table = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
        kind = " A quick run, on a busy machine: for the order of magnitude only." if self.quick else ""
        failed = [f"- {name} was not measured: {why}" for name, why in self.failed.items()]
        heading = f"{self.day.isoformat()}, `{self.command}`.{kind}\n\n{self.machine}"
        return "\n".join([BEGIN, "", heading, "", *table, "", *([*failed, ""] if failed else []), END])


def write_into(path: Path, report: BenchmarkReport) -> None:
    """Replace the table between the two marks of a page; a missing page is created.

    Raises ValueError for a page without the two marks.
    """
    if not path.exists():
        path.write_text(f"{report.markdown()}\n", encoding="utf-8")
        return
    page = path.read_text(encoding="utf-8")
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{path} has no lines {BEGIN!r} and {END!r} between which the table belongs")
    path.write_text(f"{before}{report.markdown()}{after}", encoding="utf-8")


def _amount(value: float, unit: str) -> str:
    return f"{value:,.1f} {unit}" if unit in FRACTIONS else f"{value:,.0f} {unit}"
