"""What is owed against what is funded, odds against reality, and what people have to do: one progressive, whole.

The same for the command and for the page; it reads the store, and may take longer than a page has.
"""

import msgspec

from events import catalogue
from events.game import hands_of
from events.progressives import history, service
from events.progressives.exceptions import Exceptional, exceptions
from events.progressives.fold import Fold
from events.progressives.liability import LevelLiability, is_short, liability
from events.progressives.life import life
from events.progressives.misfits import Misfit
from events.progressives.odds import LevelOdds, odds
from events.progressives.readings import Due, overdue
from events.store import EventStore


class OfTheHouse(msgspec.Struct, frozen=True, kw_only=True):
    """What the house paid beside the meters for a place ("TABLE/DAY#ROUND/BOX"); `is_void`: taken back since."""

    place: str
    level: str
    amount_minor: int
    slip: str
    is_void: bool


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about one progressive; liabilities in millionths of a minor unit."""

    progressive: str
    currency: str
    is_short: bool
    liability: list[LevelLiability]
    odds: list[LevelOdds]
    waiting: dict[str, str]
    exceptions: list[Exceptional]
    unfit: list[Misfit]
    house: list[OfTheHouse]
    variances: list[str]
    due: list[Due]

    @property
    def waits(self) -> bool:
        """Whether people have anything to see to."""
        return bool(self.waiting or self.exceptions or self.unfit or self.variances or self.due or self.house)

    @property
    def owed(self) -> int:
        """Of all levels."""
        return sum(one.owed for one in self.liability)

    @property
    def funded(self) -> int:
        """For all levels."""
        return sum(one.funded for one in self.liability)

    @property
    def missing(self) -> int:
        """What must be deposited."""
        return max(self.owed - self.funded, 0)


def report(store: EventStore, property_: str, name: str) -> Report:
    """One progressive, as of the last event."""
    found = life(store, property_, name)
    fold = found.fold
    own = [catalogue.decode(one.type, one.raw) for one in store.stream(history.stream_of(property_, name))]
    owed, opened = liability(fold), history.opening(store, property_, name)[1]
    return Report(
        progressive=name,
        currency=opened.currency,
        is_short=is_short(owed),
        liability=owed,
        odds=odds(hands_of(opened.ruleset), found.observed(), found.bets),
        waiting=_waiting(fold),
        exceptions=exceptions(fold),
        unfit=service.misfits(store, property_, name),
        house=_of_the_house(fold),
        variances=[case for case, one in fold.state.variances.items() if one.is_open],
        due=overdue(list(fold.state.levels), [(one.time, one.data) for one in own], store.clock()),
    )


def _of_the_house(fold: Fold) -> list[OfTheHouse]:
    """The payments of the house, by place."""
    paid = sorted(fold.state.house.items())
    return [
        OfTheHouse(
            place=place, level=one.level, amount_minor=one.amount, slip=f"{one.year}-{one.slip}", is_void=one.is_void
        )
        for place, one in paid
    ]


def _waiting(fold: Fold) -> dict[str, str]:
    """The round that holds up each level that waits."""
    found = {level: fold.waits_for(level) for level in fold.state.levels}
    return {level: f"{key[0]} round {key[1]}" for level, key in found.items() if key is not None}
