"""Analysis of past facts under other parameters (what-if): the change and its differences, in words.

The command and the page share it. It reads the store, and may take longer than the time of a page.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import takewhile
from typing import Any

import msgspec
from django.utils.translation import gettext_lazy as _
from msgspec import UNSET

from backoffice.wording import formats
from backoffice.wording.code_to_word_translation import word
from events.error_codes import coded
from events.errors import Unknown
from events.progressives import history_reader, whatif
from events.progressives.fact_structs import AnyFact, Arm
from events.progressives.fold import Fold
from events.progressives.full_history_for_reports import life, sessions
from events.rules.exact_amount_parsing import Amount, simple
from events.settings.settings_from_environment import settings
from events.store import EventStore

# The figures of a comparison, as people call them.
FIGURES = {
    "fed": _("contributions"),
    "meter": _("closing meter"),
    "overflow": _("overflow above the cap"),
    "reserve": _("reserve for the next seed"),
    "seeds": _("seeds added"),
    "shown": _("closing display"),
    "locked": _("paid from the meter"),
    "shares": _("shares of the winners"),
    "house": _("paid by the house on top"),
    "paid": _("shares paid"),
    "envy": _("envy bonuses"),
}


class ChangeLine(msgspec.Struct, frozen=True):
    """Line of the change: "mega.feed" as in force, and as it would be. The tie rule has no level."""

    what: str
    is_: str
    would: str
    level: str = ""
    field: str = "policy"

    @property
    def label(self) -> str:
        """Return the changed parameter, in the reader's language."""
        parameter = str(PARAMETERS[self.field])
        return f"{word(self.level, 'level')}: {parameter}" if self.level else parameter

    @property
    def is_shown(self) -> str:
        """Return the value in force, in the reader's language."""
        return self._shown(self.is_)

    @property
    def would_shown(self) -> str:
        """Return the changed value, in the reader's language."""
        return self._shown(self.would)

    def _shown(self, value: str) -> str:
        return str(_("no cap")) if value == NO_CAP else value if self.level else word(value, "policy")


NO_CAP = "none"
PARAMETERS = {
    "feed": _("contribution rate"),
    "reserve_rate": _("reserve rate"),
    "seed": _("seed"),
    "cap": _("cap"),
    "policy": _("tie rule"),
}
# The name of a parameter for people, and its name in the change.
OPTIONS = {"feed": "feed", "reserve": "reserve_rate", "seed": "seed", "cap": "cap"}
FIELDS = {"reserve": "reserve_rate"}
NAMES = {field: name for name, field in OPTIONS.items()}


def day(store: EventStore, property_: str, name: str, gaming_day: str | None) -> tuple[Fold, list[AnyFact]]:
    """The fold before the first round of the gaming day, and every fact from there to the last of its tables.

    Without a day: the fold at the opening, and everything. Raises Unknown for a day without a round.
    """
    if gaming_day is None:
        return history_reader.start(store, property_, name), [
            fact for _, fact in history_reader.facts(store, property_, name)
        ]
    of_day = [
        fact
        for session in sessions(store, property_, gaming_day)
        for _, fact in history_reader.facts_of(store.stream(session), property_, name)
    ]
    first = min((fact.at for fact in of_day if isinstance(fact, Arm)), default=None)
    if first is None:
        raise Unknown(coded("no-round-armed-on-day", progressive=name, day=gaming_day))
    last = max(fact.at for fact in of_day)
    facts = (fact for _, fact in history_reader.facts(store, property_, name, after=first - 1))
    until_next_round = takewhile(lambda fact: fact.at <= last or not isinstance(fact, Arm), facts)
    return life(store, property_, name, until=first - 1).fold, [*until_next_round]


def of_fold(start: Fold, change: whatif.WhatIfChange, currency: str) -> list[ChangeLine]:
    """Return the lines of a change, against the parameters before the first of the facts. Leaves out unknown levels."""
    state = start.state
    scale, opening = state.opening.scale, state.opening
    in_force = {
        name: {field: None if (units := getattr(level.settings, field)) is None else simple(Fraction(units, scale))
               for field in whatif.FIELDS}
        for name, level in state.levels.items()
    }  # fmt: skip
    return changes(change, in_force, opening.policy, currency)


def changes(
    change: whatif.WhatIfChange, in_force: Mapping[str, Mapping[str, Amount | None]], policy: str, currency: str
) -> list[ChangeLine]:
    lines = [
        ChangeLine(
            f"{level}.{NAMES[field]}",
            _parameter_text(field, in_force[level].get(field), currency),
            _parameter_text(field, value, currency),
            level,
            field,
        )
        for level, parameters in change.levels.items()
        for field in whatif.FIELDS
        if (value := getattr(parameters, field)) is not UNSET and level in in_force
    ]
    return lines + ([] if change.policy is None else [ChangeLine("policy", policy, change.policy)])


def _parameter_text(field: str, value: Amount | None, currency: str) -> str:
    """A parameter as people write it: a rate in per cent, an amount as money."""
    if value is None:
        return NO_CAP
    return f"{_decimal(Fraction(value) * 100)} %" if field in ("feed", "reserve_rate") else as_money(value, currency)


def _decimal(value: Fraction) -> str:
    """Exact where it ends within six decimals, else as a fraction."""
    millionths = value * 1_000_000
    return f"{Decimal(millionths.numerator).scaleb(-6).normalize():f}" if millionths.denominator == 1 else str(value)


def as_money(value: Amount, currency: str) -> str:
    """Minor units as money, to the millionth of one: exact where it is one of the live system's."""
    return formats.ascii_signs(formats.micro(_micro(value), currency))


# --- for people -------------------------------------------------------------------------------------------------------


class Figure(msgspec.Struct, frozen=True):
    """Figure under both parameters, in millionths of a minor unit."""

    name: str
    is_micro: int
    would_micro: int

    @property
    def label(self) -> str:
        """Return the figure's name, in the reader's language."""
        return str(FIGURES.get(self.name, self.name))

    @property
    def more_micro(self) -> int:
        return self.would_micro - self.is_micro

    @property
    def apart_micro(self) -> int:
        """Return the difference without a sign."""
        return abs(self.more_micro)


class LevelDifference(msgspec.Struct, frozen=True):
    """Differences at a level; empty without any."""

    level: str
    figures: tuple[Figure, ...]


class HitDifference(msgspec.Struct, frozen=True):
    """A hit whose share or status would be another."""

    hit: str
    level: str
    status: str
    would_status: str
    share: Figure


class WhatIfAnswer(msgspec.Struct, frozen=True):
    """A gaming day as recorded and as simulated, as of a position; `refused` are facts that the simulation excludes."""

    position: int
    facts: int
    changes: tuple[ChangeLine, ...]
    total: tuple[Figure, ...]
    levels: tuple[LevelDifference, ...]
    hits: tuple[HitDifference, ...]
    refused: tuple[tuple[int, str], ...]

    @property
    def players(self) -> Figure | None:
        """Return the change of the winners' shares: players' gain or loss."""
        return next((figure for figure in self.total if figure.name == "shares"), None)


def compare_day(
    store: EventStore, name: str, gaming_day: str, change: whatif.WhatIfChange, each: Callable[[Iterable[AnyFact]], Any]
) -> WhatIfAnswer:
    """Return the gaming day under the change. `each` iterates over the facts, and may stop."""
    property_, position = settings().property_, store.position()
    start, facts = day(store, property_, name, gaming_day)
    currency = history_reader.opening(store, property_, name)[1].currency
    comparison = whatif.whatif(start, _Facts(facts, each), change)
    return WhatIfAnswer(
        position=position,
        facts=len(facts),
        changes=tuple(of_fold(start, change, currency)),
        total=tuple(_figures(comparison.total)),
        levels=tuple(LevelDifference(level, tuple(_figures(figures))) for level, figures in comparison.levels.items()),
        hits=tuple(_hits(comparison)),
        refused=tuple(
            sorted((at, why) for at, why in comparison.would_refused.items() if at not in comparison.refused)
        ),
    )


class _Facts(list[AnyFact]):
    """Facts that are gone through under a person's eyes."""

    def __init__(self, facts: Iterable[AnyFact], each: Callable[[Iterable[AnyFact]], Any]) -> None:
        super().__init__(facts)
        self._each = each

    def __iter__(self) -> Iterator[AnyFact]:
        return iter(self._each(super().__iter__()))


def _figures(pairs: Mapping[str, whatif.FigureUnderChange]) -> Iterator[Figure]:
    """Yield the differing figures."""
    return (_figure(name, pair) for name, pair in pairs.items() if pair.difference)


def _figure(name: str, pair: whatif.FigureUnderChange) -> Figure:
    return Figure(name, _micro(pair.is_), _micro(pair.would))


def _micro(value: Amount) -> int:
    return round(Fraction(value) * formats.MICRO)


def _hits(comparison: whatif.Comparison) -> Iterator[HitDifference]:
    for hit in comparison.hits:
        if hit.share.difference or hit.status != hit.would_status:
            yield HitDifference(hit.hit, hit.level, hit.status, hit.would_status, _figure(hit.hit, hit.share))
