"""Clocks that stand still until the test moves them."""

from datetime import datetime, timedelta


class SettableSeconds:
    """A clock in seconds. Each reading moves it by `step_s`."""

    def __init__(self, *, step_s: float = 0.0) -> None:
        self.now = 1_000.0
        self.step_s = step_s

    def __call__(self) -> float:
        self.now += self.step_s
        return self.now


class SettableTime:
    """The clock of a house, in UTC as events have it."""

    def __init__(self, time: str) -> None:
        self.time = time

    def __call__(self) -> str:
        return self.time

    def after(self, **delta: float) -> str:
        """Return the time so far from now."""
        moment = datetime.fromisoformat(self.time) + timedelta(**delta)
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def advance(self, **delta: float) -> None:
        self.time = self.after(**delta)
