"""The kinds of cases of blazing7s: JSON in, the functions that settle a progressive, JSON out."""

from collections import Counter
from fractions import Fraction
from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from events.error_codes import coded
from events.errors import Invalid, Refused
from events.games.blazing7s import rules as blazing7s
from events.games.blazing7s.rules import Level
from events.games.cases import CaseInputs, Kinds, read
from events.progressives.envy import best, due_envy
from events.progressives.json_facts_to_settled_meters import timeline as settle_timeline
from events.progressives.meter import contributed_units, displayed_minor, meter_after_shares
from events.progressives.sharing_policies import policy
from events.rules import cards
from events.rules.exact_amount_parsing import Amount, parse, render

SPLIT = policy("split")  # as the rule book shares (004 L55-61, BLZ-9)


class _Classify(Struct, frozen=True):
    player: list[str]
    dealer: str
    stake: int
    basis: Literal["to", "for"] | None = None


class _Withhold(Struct, frozen=True):
    rate: int | str
    stake: int


class _Pool(Struct, frozen=True):
    value: int | str
    seed: int | str
    rate: int | str


class _Award(Struct, frozen=True):
    tier: Level
    winners: list[str]


class _Event(Struct, frozen=True):
    stakes: list[int] | UnsetType = UNSET
    award: _Award | UnsetType = UNSET
    awards_in_order: list[_Award] | UnsetType = UNSET


class _Progressive(Struct, frozen=True):
    pools: dict[Level, _Pool]
    events: list[_Event]


class _Participant(Struct, frozen=True):
    id: str
    level: int


class _Winner(Struct, frozen=True):
    id: str
    tier: Level


class _Envy(Struct, frozen=True):
    participants: list[_Participant]
    winners: list[_Winner]
    envy_to_winner: bool | None = None


class _Player(Struct, frozen=True):
    id: str
    wants: bool


class _Right(Struct, frozen=True):
    box: list[_Player]
    dealing_started: bool = False


class _Meters:
    """The meters of a `progressive` case and their payments."""

    def __init__(self, pools: dict[Level, _Pool]) -> None:
        self.seeds = {level: Fraction(parse(pool.seed, f"pools.{level}.seed")) for level, pool in pools.items()}
        self.rates = {level: Fraction(parse(pool.rate, f"pools.{level}.rate")) for level, pool in pools.items()}
        self.values = {level: Fraction(parse(pool.value, f"pools.{level}.value")) for level, pool in pools.items()}
        self.paid = 0
        for name, amounts in (("seed", self.seeds), ("rate", self.rates), ("value", self.values)):
            if any(amount < 0 for amount in amounts.values()):
                raise Invalid("pools", coded("pool-negative", name=name))

    def feed(self, stakes: list[int]) -> dict[str, Any]:
        if any(stake < 0 for stake in stakes):
            raise Invalid("stakes", coded("stake-negative"))
        self.values = {
            level: value + contributed_units(self.rates[level], stakes) for level, value in self.values.items()
        }
        return {
            "meters": self.shown(),
            "shown": {level: displayed_minor(meter) for level, meter in self.values.items()},
        }

    def award(self, award: _Award) -> dict[str, Any]:
        if award.tier not in self.values:
            raise Invalid("tier", coded("pool-unknown", pool=award.tier))
        if not award.winners:
            raise Invalid("winners", coded("share-needs-winner"))
        each = SPLIT.share(displayed_minor(self.values[award.tier]), len(award.winners))
        amount = SPLIT.taken(each, len(award.winners))
        self.values[award.tier] = after = meter_after_shares(self.values[award.tier], self.seeds[award.tier], amount)
        self.paid += amount
        paid = {winner: each * hands for winner, hands in Counter(award.winners).items()}
        return {"tier": award.tier, "each": each, "paid": paid, "meter_after": render(after)}

    def shown(self) -> dict[str, int | str]:
        return {level: render(meter) for level, meter in self.values.items()}


def classify(ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    case, rules = read(inputs, _Classify), blazing7s.rules(ruleset)
    if case.stake < 1:
        raise Invalid("stake", coded("stake-not-positive"))
    hand = blazing7s.classify(cards.check_all(case.player, "player"), cards.check(case.dealer, "dealer"))
    answer: dict[str, Any] = {"class": hand, "progressive": blazing7s.is_progressive(hand)}
    if answer["progressive"]:
        return answer
    profit, paid = blazing7s.settle_fixed(replace(rules, basis=case.basis or rules.basis), hand, case.stake)
    return answer | {"profit": profit, "paid": paid}


def withhold(ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    case = read(inputs, _Withhold)
    rate: Amount = parse(case.rate, "rate")
    try:
        withheld, left = blazing7s.withhold(blazing7s.rules(ruleset), rate, case.stake)
    except Refused as refusal:
        return {"valid": False, "why": str(refusal)}
    return {"valid": True, "withheld": render(withheld), "rest": render(left)}


def progressive(_ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    """Feeding and sharing alone: any rate goes, hits come in the order of payment (BLZ-12)."""
    case = read(inputs, _Progressive)
    meters = _Meters(case.pools)
    events = [_event(meters, event) for event in case.events]
    return {"events": events, "meters": meters.shown(), "total_paid": meters.paid}


def _event(meters: _Meters, event: _Event) -> dict[str, Any]:
    match (event.stakes, event.award, event.awards_in_order):
        case (list() as stakes, UnsetType(), UnsetType()):
            return meters.feed(stakes)
        case (UnsetType(), _Award() as award, UnsetType()):
            return meters.award(award)
        case (UnsetType(), UnsetType(), list() as awards):
            return {"awards": [meters.award(award) for award in awards]}
    raise Invalid("events", coded("case-event-unknown"))


def envy(ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    """Answer a case of envy: every participant is in the answer, with 0 where no amount is due."""
    case, rules = read(inputs, _Envy), blazing7s.rules(ruleset)
    if not all(0 <= participant.level < len(rules.stakes) for participant in case.participants):
        raise Invalid("level", coded("stake-index-unknown", stakes=len(rules.stakes)))
    columns = best((participant.id, participant.level) for participant in case.participants)
    to_winner = rules.envy_to_winner if case.envy_to_winner is None else case.envy_to_winner
    sums = dict.fromkeys(columns, 0)
    for winner in case.winners:
        for player, amount in due_envy(columns, winner.id, rules.envy[winner.tier].__getitem__, to_winner=to_winner):
            sums[player] += amount
    return {"envy": sums, "total": sum(sums.values())}


def right(ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    case = read(inputs, _Right)
    box = [(player.id, player.wants) for player in case.box]
    holder = blazing7s.right_holder(blazing7s.rules(ruleset), box, dealing_started=case.dealing_started)
    return {"holder": holder}


def timeline(_ruleset: str, inputs: CaseInputs) -> dict[str, Any]:
    """Answer a case with its own settings: a progressive's settings are not those of its ruleset."""
    return settle_timeline(inputs)


_KINDS: Kinds = {
    "classify": classify,
    "withhold": withhold,
    "progressive": progressive,
    "envy": envy,
    "right": right,
    "timeline": timeline,
}


def kinds(ruleset: str) -> Kinds:
    """The same for all of the game's rulesets."""
    blazing7s.rules(ruleset)
    return _KINDS
