"""Void rounds: a dealer whose rounds are void more often than chance gives, among the rounds of the same game.

Of N rounds in the last gaming days K were void; of them the dealer had n and k. The chance that k or more of K fall to
the dealer is a hypergeometric tail. The dealer of a round is the person on duty when it was opened.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from fractions import Fraction
from math import comb
from typing import Any

import msgspec

from events.alerts.detector_base import Handler, RaisedAlert, RuleContext, Watch, WatchedEvent, raised
from events.alerts.roles_and_settings_in_force import property_of
from events.envelope import EventData
from events.rules.game_declaration_and_registry import at_tables, game_of
from events.tables.event_types.rounds import RoundOpened, RoundVoided

NAME = "void rate"


class DealerRounds(msgspec.Struct):
    """A dealer's rounds of a game on a gaming day, and the events of those that were void."""

    rounds: int = 0
    voids: list[str] = []


class Dealers(msgspec.Struct):
    """The dealers of a game on a gaming day; the last day on which each was raised."""

    dealers: dict[str, DealerRounds] = {}
    raised: list[str] = []


class RoundsWatch(Watch):
    """The rounds of a game and gaming day, by PROPERTY/GAME/DAY: raised at the void, by the days before it."""

    name = "played"
    state = Dealers

    def handlers(self) -> Mapping[type[EventData], Handler]:
        return {RoundOpened: self._opened, RoundVoided: self._voided}

    def key(self, event: WatchedEvent) -> str:
        return _key(event, event.data.gaming_day)

    def _opened(self, state: Dealers, event: WatchedEvent, _context: RuleContext) -> tuple[()] | None:
        if event.data.dealer is None:
            return None
        state.dealers.setdefault(event.data.dealer, DealerRounds()).rounds += 1
        return ()

    def _voided(self, state: Dealers, event: WatchedEvent, context: RuleContext) -> Sequence[RaisedAlert] | None:
        dealer = context.state(Duty.name, event.stream).dealer
        if not dealer:
            return None
        state.dealers.setdefault(dealer, DealerRounds()).voids.append(event.id)
        rule = context.rules[NAME]
        days = [context.state(self.name, key) for key in _days(event, rule.parameters["days"])]
        counts_of_dealers = [(name, counts) for day in days for name, counts in day.dealers.items()]
        own_counts = [counts for name, counts in counts_of_dealers if name == dealer]
        own_rounds, hits = sum(counts.rounds for counts in own_counts), sum(len(counts.voids) for counts in own_counts)
        if own_rounds < rule.parameters["rounds"]:
            return ()
        everywhere = sum(counts.rounds for _, counts in counts_of_dealers)
        marked = sum(len(counts.voids) for _, counts in counts_of_dealers)
        chance = tail(everywhere, marked, own_rounds, hits)
        if chance * rule.parameters["one_in"] >= 1 or self._is_raised(dealer, event, context):
            return ()
        state.raised.append(dealer)
        proofs = [event_id for counts in reversed(own_counts) for event_id in counts.voids]
        about: dict[str, Any] = {"rounds": own_rounds, "voids": hits, "of_rounds": everywhere, "of_voids": marked}
        return (raised(NAME, event, *proofs, once=dealer, person=dealer, p=float(chance), **about),)

    def _is_raised(self, dealer: str, event: WatchedEvent, context: RuleContext) -> bool:
        """Return whether an alert about the dealer was raised within these days, in any game."""
        days = context.rules[NAME].parameters["days"]
        keys = (key for game in at_tables() for key in _days(event, days, game))
        return any(dealer in context.state(self.name, key).raised for key in keys)


class DealerOnDuty(msgspec.Struct):
    """The dealer at the opening of the round."""

    dealer: str = ""


class Duty(Watch):
    """One state a session."""

    name = "duty"
    state = DealerOnDuty

    def handlers(self) -> Mapping[type[EventData], Handler]:
        return {RoundOpened: self._opened}

    def _opened(self, state: DealerOnDuty, event: WatchedEvent, _context: RuleContext) -> tuple[()] | None:
        dealer = event.data.dealer or ""
        if dealer == state.dealer:
            return None
        state.dealer = dealer
        return ()


def tail(everywhere: int, marked: int, drawn: int, hits: int) -> Fraction:
    """The chance of `hits` or more marked ones among `drawn` of `everywhere`, of which `marked` are marked."""
    most = min(marked, drawn)
    ways = sum(comb(marked, count) * comb(everywhere - marked, drawn - count) for count in range(hits, most + 1))
    return Fraction(ways, comb(everywhere, drawn)) if everywhere >= drawn else Fraction(1)


def _key(event: WatchedEvent, day: str, game: str = "") -> str:
    """The state of a game's gaming day; without a game, of the event's."""
    return f"{property_of(event)}/{game or game_of(event.data.ruleset)}/{day}"


def _days(event: WatchedEvent, days: int, game: str = "") -> Iterator[str]:
    """The keys of the gaming days up to this one, the latest first."""
    today = date.fromisoformat(event.data.gaming_day)
    for back in range(days):
        yield _key(event, (today - timedelta(days=back)).isoformat(), game)
