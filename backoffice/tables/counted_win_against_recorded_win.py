"""The comparison of a table's two wins: its colour, and the reason in words."""

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec
from django.utils.translation import gettext as _

from projections.tables.models import TableDay
from projections.tables.table_and_recorded_win_calculation import DifferenceCauses, Wins, wins

State = Literal["green", "amber", "red", "grey"]
# A float or a box that is out by this much goes to the regulator (NJ 1.21); in minor units.
SERIOUS_MINOR = 10_000


class Cause(msgspec.Struct, frozen=True):
    """A part of the difference, as it moves the table win; `sum` names the events behind it."""

    label: str
    amount_minor: int
    sum: str = ""


class Reckoning(msgspec.Struct, frozen=True):
    """Table win against recorded win, and the causes of their difference; `rest_minor` is the unexplained part.

    The recorded win of a table that is counted only has no value: its bets are no events.

    `corrections`: their number. `corrected_minor`: their change of the recorded win. `unexplained_minor` is the rest,
    with the differences of tray and boxes that accounting has not explained. `causes` explain the remainder.
    `is_mixed`: the drop is counted by two people, or in part, so no total over events equals it.
    """

    event_win_minor: int | None
    inventory_win_minor: int | None
    basis: Literal["open", "estimated", "counted"]
    difference_minor: int | None
    explained: tuple[Cause, ...]
    rest_minor: int | None
    state: State
    reason: str
    corrections: int = 0
    corrected_minor: int = 0
    is_mixed: bool = False
    unexplained_minor: int | None = None
    causes: tuple[Cause, ...] = ()

    @property
    def inventory_sum(self) -> str:
        """The sum over events that the table win is; "" where it `is_mixed`: the day's page opens it."""
        if self.is_mixed:
            return ""
        return "inventory-win" if self.basis == "counted" else "inventory-estimate"


def compare_wins(day: TableDay, *, is_explained: bool = False) -> Reckoning:
    """Return both wins of one table's gaming day, with the judgement.

    `is_explained`: accounting has explained every discrepancy of its tray and boxes.
    """
    day_wins = wins(day)
    state, reason = _judge(day_wins, is_explained=is_explained)
    if not day.recorded:
        state, reason = "grey", _("counted only: its bets are not recorded")
    why = day_wins.explained
    to_explain = 0 if why is None or is_explained else why.closer_minor + why.drop_minor
    return Reckoning(
        event_win_minor=day_wins.event_win_minor if day.recorded else None,
        inventory_win_minor=day_wins.inventory_win_minor,
        basis=day_wins.basis,
        difference_minor=day_wins.difference_minor,
        explained=() if why is None else tuple(line for line in _difference_causes(why, day) if line.amount_minor),
        rest_minor=None if why is None else why.rest_minor,
        state=state,
        reason=reason,
        corrections=day.corrections,
        corrected_minor=day.corrected_minor,
        is_mixed=_is_mixed(day),
        unexplained_minor=None if why is None else why.rest_minor + to_explain,
        causes=() if why is None else _known_causes(why, is_explained=is_explained),
    )


def _is_mixed(day: TableDay) -> bool:
    return day.by_count_room or (day.drop_minor is None and day.beyond_record_minor != 0)


def _known_causes(why: DifferenceCauses, *, is_explained: bool) -> tuple[Cause, ...]:
    """The parts of the difference that have a cause."""
    causes = [
        Cause(_("mispay"), why.mispay_minor, "mispay"),
        Cause(_("vouchers"), why.promotional_minor, "promotional-chips"),
        Cause(_("unsettled bets"), why.uncounted_minor, "undecided"),
    ]
    if is_explained:
        causes.append(Cause(_("explained by Accounting"), why.closer_minor + why.drop_minor))
    return tuple(cause for cause in causes if cause.amount_minor)


def causes_of(reckonings: Iterable[Reckoning]) -> tuple[Cause, ...]:
    """The causes of several tables, each with its sum."""
    causes: dict[str, Cause] = {}
    for cause in (cause for reckoning in reckonings for cause in reckoning.causes):
        before = causes.get(cause.label, Cause(cause.label, 0, cause.sum))
        causes[cause.label] = Cause(cause.label, before.amount_minor + cause.amount_minor, cause.sum)
    return tuple(cause for cause in causes.values() if cause.amount_minor)


def sealed(reckoning: Reckoning) -> Reckoning:
    """Return the reckoning without figures that reveal buy-ins, for people who may count the tray or a box."""
    return msgspec.structs.replace(
        reckoning,
        inventory_win_minor=None,
        difference_minor=None,
        explained=(),
        rest_minor=None,
        unexplained_minor=None,
        causes=(),
        state="grey",
        reason=_("hidden until counted"),
    )


def _difference_causes(why: DifferenceCauses, day: TableDay) -> list[Cause]:
    less, overpaid = _("mispay, paid too little"), _("mispay, paid too much")
    short, over = _("tray short"), _("tray over")
    return [
        Cause(overpaid if why.mispay_minor < 0 else less, why.mispay_minor, "mispay"),
        Cause(_("vouchers exchanged for chips"), why.promotional_minor, "promotional-chips"),
        Cause(_("box difference"), why.drop_minor, "" if _is_mixed(day) else "drop-variance"),
        Cause(_("unsettled bets"), why.uncounted_minor, "undecided"),
        Cause(
            short if why.closer_minor < 0 else over, why.closer_minor, "" if why.uncounted_minor else "closer-variance"
        ),
    ]


def _judge(day_wins: Wins, *, is_explained: bool) -> tuple[State, str]:
    why = day_wins.explained
    if why is None:
        return "grey", _("in play, compared after the closer")
    if why.rest_minor:
        return "red", _("part of the difference has no known cause")
    if is_explained:
        return "amber", _("explained by Accounting")
    if max(abs(why.closer_minor), abs(why.drop_minor)) >= SERIOUS_MINOR:
        return "red", _("tray or box differs by 100 or more")
    missing, causes = _missing(why), _causes(why)
    vouchers = [_("vouchers")] if why.promotional_minor else []
    if missing:
        return "red", ", ".join([*missing, *causes, *vouchers])
    if causes:
        return "amber", ", ".join([*causes, *vouchers])
    if day_wins.basis == "estimated":
        return "grey", _("wins agree; box not counted yet")
    return "green", _("promotional vouchers only") if vouchers else _("wins agree")


def _missing(why: DifferenceCauses) -> list[str]:
    """Return shortfalls of counts by place. They show the place of missing money, and explain nothing."""
    places = ((why.closer_minor, _("tray short")), (why.drop_minor, _("box short")))
    return [words for amount, words in places if amount < 0]


def _causes(why: DifferenceCauses) -> list[str]:
    """Return the known causes that are irregular. Promotional chips are regular."""
    causes = (
        (why.closer_minor > 0, _("tray over")),
        (why.drop_minor > 0, _("box over")),
        (why.mispay_minor, _("mispay")),
        (why.uncounted_minor, _("unsettled bets")),
    )
    return [name for is_so, name in causes if is_so]


def worst_state(reckonings: Sequence[Reckoning]) -> tuple[State, str]:
    """Return the state of a pit or of the house: that of its worst table."""
    states = [reckoning.state for reckoning in reckonings]
    if not states:
        return "grey", _("no open tables")
    worst: Iterable[tuple[State, str]] = (
        ("red", _("differences at %(n)d of %(all)d tables")),
        ("amber", _("differences at %(n)d of %(all)d tables")),
        ("grey", _("not final at %(n)d of %(all)d tables")),
    )
    for state, words in worst:
        if state in states:
            alike = ("red", "amber") if state == "red" else (state,)
            return state, words % {"n": sum(state in alike for state in states), "all": len(states)}
    if any(reckoning.difference_minor for reckoning in reckonings):
        return "green", _("promotional vouchers only")
    return "green", _("wins agree at every table")
