"""A table's two wins judged: by colour, and in words that say why."""

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec
from django.utils.translation import gettext as _

from projections.tables.models import TableDay
from projections.tables.wins import Explained, Wins, wins

State = Literal["green", "amber", "red", "grey"]
# A float or a box that is out by this much goes to the regulator (NJ 1.21); in minor units.
SERIOUS_MINOR = 10_000


class Line(msgspec.Struct, frozen=True):
    """A part of the difference, as it moves the inventory win; `sum` names the events behind it."""

    label: str
    amount_minor: int
    sum: str = ""


class Reckoning(msgspec.Struct, frozen=True):
    """Inventory win against event win, and what explains their difference; `rest_minor` is what nothing explains.

    `corrections`: how many there were; `corrected_minor`: what they moved both wins by.
    """

    event_win_minor: int
    inventory_win_minor: int | None
    basis: Literal["open", "estimated", "counted"]
    difference_minor: int | None
    explained: tuple[Line, ...]
    rest_minor: int | None
    state: State
    reason: str
    corrections: int = 0
    corrected_minor: int = 0

    @property
    def inventory_sum(self) -> str:
        """The sum over events that the inventory win is."""
        return "inventory-win" if self.basis == "counted" else "inventory-estimate"


def reckon(day: TableDay) -> Reckoning:
    """Both wins of one table's gaming day, with the judgement."""
    found = wins(day)
    state, reason = _judge(found)
    lines = () if found.explained is None else tuple(line for line in _lines(found.explained) if line.amount_minor)
    return Reckoning(
        event_win_minor=found.event_win_minor,
        inventory_win_minor=found.inventory_win_minor,
        basis=found.basis,
        difference_minor=found.difference_minor,
        explained=lines,
        rest_minor=None if found.explained is None else found.explained.rest_minor,
        state=state,
        reason=reason,
        corrections=day.corrections,
        corrected_minor=day.corrected_minor,
    )


def _lines(why: Explained) -> list[Line]:
    less, more = _("paid less than was due"), _("paid more than was due")
    return [
        Line(more if why.mispay_minor < 0 else less, why.mispay_minor, "mispay"),
        Line(_("chips given for promotional vouchers"), why.promotional_minor, "promotional-chips"),
        Line(_("the box against the recorded buy-ins"), why.drop_minor, "drop-variance"),
        Line(_("stakes that no round decided"), why.uncounted_minor, "undecided"),
        Line(_("the closer against the float as recorded"), why.closer_minor, "closer-variance"),
    ]


def _judge(found: Wins) -> tuple[State, str]:
    why = found.explained
    if why is None:
        return "grey", _("in play: compared when the table has its closer")
    if why.rest_minor:
        return "red", _("part of the difference is explained by no event")
    if max(abs(why.closer_minor), abs(why.drop_minor)) >= SERIOUS_MINOR:
        return "red", _("float or box is out by 100 or more")
    causes = _causes(why)
    if causes:
        return "amber", _("explained: %(causes)s") % {"causes": ", ".join(causes)}
    if found.basis == "estimated":
        return "grey", _("agree so far; the box is not counted yet")
    return "green", _("both wins agree")


def _causes(why: Explained) -> list[str]:
    """What is known but not as it should be. Promotional chips are as they should be."""
    causes = (
        (why.mispay_minor, _("mispaid")),
        (why.drop_minor, _("box against buy-ins")),
        (why.uncounted_minor, _("undecided stakes")),
        (why.closer_minor, _("closer against float")),
    )
    return [name for amount, name in causes if amount]


def together(reckonings: Sequence[Reckoning]) -> tuple[State, str]:
    """The state of a pit or of the house: that of its worst table."""
    found = [one.state for one in reckonings]
    if not found:
        return "grey", _("no table was opened")
    worst: Iterable[tuple[State, str]] = (
        ("red", _("unexplained or serious at %(n)d of %(all)d tables")),
        ("amber", _("explained differences at %(n)d of %(all)d tables")),
        ("grey", _("not final at %(n)d of %(all)d tables")),
    )
    for state, words in worst:
        if state in found:
            return state, words % {"n": found.count(state), "all": len(found)}
    return "green", _("both wins agree at every table")
