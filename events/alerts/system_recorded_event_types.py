"""The system's own events, recorded so that a rebuild of the alerts sees them too.

Stream PROPERTY/surveillance. No one asks for any of them: `overdue_and_luck_event_recorder.py` appends each of them
once.
"""

from typing import ClassVar, Literal

import msgspec

from events.envelope import EventData
from events.text.translation_marker import translatable as _

WORDS = {
    "surveillance": _("surveillance"),
    "chance.judged": _("result tested"),
    "time.passed": _("time limit exceeded"),
    "integrity.failed": _("verification failed"),
    "chips.exceeded": _("more chips in the house than issued"),
    "slip": _("slip"),
    "hold": _("hold"),
    "luck": _("actual vs theoretical win"),
    "verify": _("verification"),
    "witness": _("witness"),
}


class JudgedWin(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A line of actual against theoretical win (`events/luck`): amounts in minor units, `theory_micro` in millionths of
    them.

    `chance` is the probability of a result at least as far from theory. For a table this is on its own side of the
    expected result, for a player on the side of winning. `how` (the method) and `basis` (its decisions) are those of
    `events/luck`.
    """

    name: str
    decisions: int
    bets: int
    handle_minor: int
    win_minor: int
    theory_micro: int
    deviation_minor: int
    chance: float
    how: str
    basis: str


class ChanceJudged(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """Results of the bets of a shift at a table ("hold"), or of a gaming day by player ("luck"), compared with chance.

    `closing` is the event that closed it. The lines hold the players whose result is rarer than one in a hundred;
    `judged` counts all of them.
    """

    TYPE: ClassVar[str] = "chance.judged.v1"
    kind: Literal["hold", "luck"]
    gaming_day: str
    closing: str
    judged: int
    lines: tuple[JudgedWin, ...] = ()
    table: str | None = None
    shift: str | None = None


class TimePassed(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A state has lasted for too long: a slip is open, or a draw is not revealed.

    `since` is the event with which it began, `name` the slip or the draw.
    """

    TYPE: ClassVar[str] = "time.passed.v1"
    kind: Literal["slip", "draw"]
    name: str
    since: str
    minutes: int
    gaming_day: str
    table: str | None = None


class IntegrityFailed(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A verification found a fault of the history, or the witness outside the house was not reached for long.

    `thing` distinguishes it: the same fault is recorded once. `findings` are the first of them, in words.
    """

    TYPE: ClassVar[str] = "integrity.failed.v1"
    kind: Literal["verify", "witness"]
    thing: str
    findings: tuple[str, ...]
    count: int


class ChipsExceeded(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """More chips are at tables, in the cage and in transit than issued, by the books as of `position`.

    Players would hold fewer than zero. The event is recorded once a gaming day.
    """

    TYPE: ClassVar[str] = "chips.exceeded.v1"
    gaming_day: str
    position: int
    too_many_minor: int
    issued_minor: int
    tables_minor: int
    cage_minor: int
    transit_minor: int
