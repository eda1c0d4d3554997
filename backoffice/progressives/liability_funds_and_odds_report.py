"""Liability against funds, odds against results, and tasks for people: one progressive, whole.

The same for the command and for the page; it reads the store, and may take longer than a page has.
"""

import msgspec

from events import catalogue
from events.luck.observed_against_expected_hits import LevelOdds, odds
from events.progressives import due_lock_and_lapse_appending, history_reader
from events.progressives.fact_structs import MisfitFact
from events.progressives.fold import Fold
from events.progressives.full_history_for_reports import life
from events.progressives.liability import LevelLiability, is_short, liability
from events.progressives.sign_readings_and_variance_cases import OverdueReading, overdue
from events.progressives.uncorrectable_hit_payments import PaymentException, exceptions
from events.rules.game_declaration_and_registry import hands_of
from events.store import EventStore


class HousePaymentLine(msgspec.Struct, frozen=True, kw_only=True):
    """Payment of the house outside the meters, at a place ("TABLE/DAY#ROUND/BOX"); `is_void`: voided since."""

    place: str
    level: str
    amount_minor: int
    slip: str
    is_void: bool


class FundReport(msgspec.Struct, frozen=True, kw_only=True):
    """Liability, funds, odds and tasks of one progressive; liabilities in millionths of a minor unit."""

    progressive: str
    currency: str
    is_short: bool
    liability: list[LevelLiability]
    odds: list[LevelOdds]
    waiting: dict[str, str]
    exceptions: list[PaymentException]
    unfit: list[MisfitFact]
    house: list[HousePaymentLine]
    variances: list[str]
    due: list[OverdueReading]

    @property
    def has_tasks(self) -> bool:
        """Return whether people have tasks."""
        return bool(self.waiting or self.exceptions or self.unfit or self.variances or self.due or self.house)

    @property
    def owed(self) -> int:
        """Return the liability of all levels."""
        return sum(level.owed for level in self.liability)

    @property
    def funded(self) -> int:
        """Return the funds of all levels."""
        return sum(level.funded for level in self.liability)

    @property
    def missing(self) -> int:
        """Return the amount to deposit."""
        return max(self.owed - self.funded, 0)


def report(store: EventStore, property_: str, name: str) -> FundReport:
    """Return one progressive, as of the last event."""
    history_of = life(store, property_, name)
    fold = history_of.fold
    own = [catalogue.decode(event.type, event.raw) for event in store.stream(history_reader.stream_of(property_, name))]
    owed, opened = liability(fold), history_reader.opening(store, property_, name)[1]
    return FundReport(
        progressive=name,
        currency=opened.currency,
        is_short=is_short(owed),
        liability=owed,
        odds=odds(hands_of(opened.ruleset), history_of.observed(), history_of.bets),
        waiting=_blocking_rounds(fold),
        exceptions=exceptions(fold),
        unfit=due_lock_and_lapse_appending.refused_facts(store, property_, name),
        house=_of_the_house(fold),
        variances=[case for case, variance in fold.state.variances.items() if variance.is_open],
        due=overdue(list(fold.state.levels), [(event.time, event.data) for event in own], store.clock()),
    )


def _of_the_house(fold: Fold) -> list[HousePaymentLine]:
    """Return the payments of the house, by place."""
    paid = sorted(fold.state.house.items())
    return [
        HousePaymentLine(
            place=place,
            level=payment.level,
            amount_minor=payment.amount,
            slip=f"{payment.year}-{payment.slip}",
            is_void=payment.is_void,
        )
        for place, payment in paid
    ]


def _blocking_rounds(fold: Fold) -> dict[str, str]:
    """Return the round that blocks each waiting level."""
    waits = {level: fold.waits_for(level) for level in fold.state.levels}
    return {level: f"{key[0]} round {key[1]}" for level, key in waits.items() if key is not None}
