"""A craps ruleset as data, and the settings by which a house chooses where the text is open.

`rulesets/craps-*.json` holds the bets, their pays and their off times; the modules of this package hold the meaning of
the words (`craps_bet_struct_and_validity`, `roll_results`, `lawful_bet_changes`, `table_limits_and_size_checks`,
`throw_validity_and_next_shooter`). Both rulesets share them.
"""

from fractions import Fraction
from functools import lru_cache
from typing import Literal, TypeAlias

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from events.error_codes import ErrorText, coded
from events.errors import Invalid, NoSuchBet, Refused
from events.rules import loading_and_pinning_rulesets
from events.rules.taken_ruleset_version_struct import Numbers

POINTS = (4, 5, 6, 8, 9, 10)
NATURALS = (7, 11)
CRAPS = (2, 3, 12)

Form: TypeAlias = Literal["line", "travelling", "odds", "number", "hardway", "one_roll"]
Odds: TypeAlias = tuple[int, int]


class Commission(Struct, frozen=True, forbid_unknown_fields=True):
    """Price of the bet itself: a percentage of the player's stake or of the possible win."""

    percent: int
    of: Literal["stake", "win"]


class BetRule(Struct, frozen=True, forbid_unknown_fields=True):
    """One bet of a ruleset. `pays` maps a number (of the bet) or a total (of a one-roll bet) to "profit:stake".

    `form` is the decision of the bet: `line` by the point, `travelling` by the number to which it moves, `odds` by
    the number of its flat bet. `number` is by its number against 7, `hardway` by the double, `one_roll` by the next
    throw. `side` right wins with the number, wrong with 7. `contract`: when it cannot be taken down. `off_on_come_out`:
    the house rule without a point. `player_decides`: the player may choose differently. `may_stay`: a winning bet may
    stay.
    """

    form: Form
    clause: str
    source: str
    pays: dict[int, str]
    reading: str = ""
    side: Literal["right", "wrong"] = "right"
    base: str = ""
    number: int | None = None
    off_on_come_out: bool = False
    player_decides: bool = False
    may_stay: bool = False
    contract: Literal["never", "point_on", "always"] = "never"
    commission: Commission | None = None
    multiple_of: dict[int, int] = {}


class OddsLimit(Struct, frozen=True, forbid_unknown_fields=True):
    """The most an odds bet may be: a percentage of the flat bet, or the flat bet rounded up to whole chips."""

    clause: str
    source: str
    reading: str = ""
    percent: dict[int, int] = {}
    next_multiple: dict[int, int] = {}


class BetGroup(Struct, frozen=True, forbid_unknown_fields=True):
    """Bets of one pay, which share a band of maxima."""

    bets: tuple[str, ...]
    numbers: tuple[int, ...]


class LimitRules(Struct, frozen=True, forbid_unknown_fields=True):
    """The band of the table's maximum, and the derived maxima of the other bets (percentages of that maximum)."""

    multiple: tuple[int, int]
    win_band: tuple[int, int]
    groups: dict[str, BetGroup]
    percent: dict[str, dict[int, int]]


class Press(Struct, frozen=True, forbid_unknown_fields=True):
    """The bet that may be pressed after a win, and the named combinations with the chips of one unit on each number."""

    bet: str
    combinations: dict[str, dict[int, int]]


class ThrowRules(Struct, frozen=True, forbid_unknown_fields=True):
    """The number of dice that must pass the middle and hit the end, and the other faults that make a throw "no
    roll"."""

    past_middle: int
    hit_end: int
    faults: tuple[str, ...]


class Procedure(Struct, frozen=True, forbid_unknown_fields=True):
    """Staff by size of table (a number of each), dice kept on the table, and the order in which bets are paid."""

    staff: dict[str, dict[str, int]]
    dice_on_table: int
    dice_alike: bool
    pay_order: tuple[tuple[str, ...], ...] = ()


class Ruleset(Struct, frozen=True, forbid_unknown_fields=True):
    """One craps ruleset, read from its JSON file.

    `open` names the house's own choices, with the code of the open question. `readings` gives the reading of each open
    question. `clauses` are "CLAUSE|SOURCE|READING" of rules that belong to no single bet.
    """

    name: str
    version: str
    title: str
    source: str
    clauses: dict[str, str]
    bar: int
    bets_close_on_offer: bool
    commission_again: bool
    bets: dict[str, BetRule]
    odds_limits: dict[str, OddsLimit]
    throw: ThrowRules
    procedure: Procedure
    open: dict[str, str]
    readings: dict[str, str]
    limits: LimitRules | None = None
    press: Press | None = None


class CrapsSettings(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A house's choices where the text is open.

    They are the barred total, the bets that are off on a come-out, and layout pays (bet -> number or total ->
    "profit:stake"). Another one is whether a commission is due again after a win.
    """

    bar: int | UnsetType = UNSET
    commission_again: bool | UnsetType = UNSET
    off_on_come_out: dict[str, bool] = {}
    pays: dict[str, dict[int, str]] = {}


class BetShape:
    """A bet's rule with its pays read, ready to be applied. `where` is its clause, source and reading."""

    __slots__ = ("name", "odds", "rule", "where")

    def __init__(self, name: str, rule: BetRule) -> None:
        self.name = name
        self.rule = rule
        self.where = f"{rule.clause}|{rule.source}|{rule.reading}"
        self.odds: dict[int, Odds] = {number: read_odds(text) for number, text in rule.pays.items()}


# Effect of one throw on one bet: outcome, profit as (numerator, denominator) of the stake, new place of the bet.
Result: TypeAlias = Literal["win", "lose", "push", "stands"]
Verdict: TypeAlias = tuple[Result, int, int, int | None]
# One throw at one point: verdicts by (type, number, working) as they are needed; total, point after it, seven out.
Thrown: TypeAlias = tuple[dict[tuple[str, int | None, bool | None], Verdict], int, int | None, bool]


class CrapsRules:
    """A ruleset under a house's settings. The results of throws are calculated once and cached (`rolls`)."""

    __slots__ = ("_bets", "data", "throws")

    def __init__(self, data: Ruleset) -> None:
        self.data = data
        self._bets = {name: BetShape(name, rule) for name, rule in data.bets.items()}
        self.throws: dict[tuple[int | None, tuple[int, int]], Thrown] = {}

    @property
    def name(self) -> str:
        return self.data.name

    def bet(self, name: str) -> BetShape:
        """The rule of a bet. Raises Refused where this game has no such bet."""
        shape = self._bets.get(name)
        if shape is None:
            raise self.refused(self.where("only_these"), coded("bet-not-in-game", bet=name), NoSuchBet)
        return shape

    def bets(self) -> tuple[str, ...]:
        """The names of all bets there are."""
        return tuple(self._bets)

    def where(self, rule: str) -> str:
        """ "CLAUSE|SOURCE|READING" of a rule that is not one bet's own."""
        return self.data.clauses.get(rule, "B")

    def refused(self, reference: str, text: ErrorText, kind: type[Refused] = Refused) -> Refused:
        """A refusal by "CLAUSE|SOURCE|READING" of this ruleset; the latter two may be missing."""
        clause, source, reading = [*reference.split("|"), "", ""][:3]
        return kind(f"{self.data.name} {clause}", text, source=source, reading=reading)


def read_odds(text: str) -> Odds:
    """ "9:5" as (9, 5): profit to stake. Raises Invalid."""
    profit, _, stake = text.partition(":")
    if not (profit.isdecimal() and stake.isdecimal() and int(stake)):
        raise Invalid("pays", coded("odds-format", text=text))
    odds = Fraction(int(profit), int(stake))
    return odds.numerator, odds.denominator


def rules(ruleset: Numbers, settings: CrapsSettings | None = None) -> CrapsRules:
    """A ruleset's numbers under these settings. Raises Unknown, Invalid, or Refused for a setting the text decides."""
    return _rules(ruleset, msgspec.json.encode(settings or CrapsSettings()))


@lru_cache(maxsize=64)
def _rules(ruleset: Numbers, settings: bytes) -> CrapsRules:
    data = loading_and_pinning_rulesets.load(ruleset, Ruleset)
    return CrapsRules(_apply(data, msgspec.json.decode(settings, type=CrapsSettings)))


def _apply(data: Ruleset, settings: CrapsSettings) -> Ruleset:
    bets = dict(data.bets)
    for bet, off in settings.off_on_come_out.items():
        _check_open(data, f"off_on_come_out.{bet}", unchanged=bet in bets and bets[bet].off_on_come_out == off)
        bets[bet] = replace(bets[bet], off_on_come_out=off, player_decides=True)
    for bet, pays in settings.pays.items():
        _check_open(data, f"pays.{bet}")
        if pays.keys() != bets[bet].pays.keys():
            raise Invalid(f"pays.{bet}", coded("pays-needed", numbers=sorted(bets[bet].pays)))
        bets[bet] = replace(bets[bet], pays=pays)
    bar, commission_again = data.bar, data.commission_again
    if settings.bar is not UNSET:
        _check_open(data, f"bar.{settings.bar}", unchanged=settings.bar == bar)
        bar = settings.bar
    if settings.commission_again is not UNSET:
        _check_open(data, "commission_again", unchanged=settings.commission_again == commission_again)
        commission_again = settings.commission_again
    return replace(data, bets=bets, bar=bar, commission_again=commission_again)


def _check_open(data: Ruleset, setting: str, *, unchanged: bool = False) -> None:
    if not unchanged and setting not in data.open:
        raise Refused(f"{data.name} B", coded("setting-not-of-game", setting=setting))
