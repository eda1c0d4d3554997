"""Random timelines: the fold against the naive reading, in any order of delivery, across snapshots, and live."""

import random
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from events.errors import PitledgerError, Refused
from events.progressives import action_structs, event_types
from events.progressives import json_facts_to_settled_meters as cases
from events.progressives.event_to_fact_mapping import MICRO, fact_of
from events.progressives.fact_structs import ApprovingPerson
from events.progressives.fold import Fold
from events.progressives.hit_amount_explanation import explain
from events.progressives.json_facts_to_settled_meters import timeline
from events.tables.event_types.progressive import HitDeclaredLate
from events.tables.event_types.rounds import RoundVoided
from tests.unit.progressives import random_timelines
from tests.unit.progressives.live_progressive import ADA, PETRA, LiveProgressive
from tests.unit.progressives.naive_timeline_oracle import oracle_answer

Json = dict[str, Any]
SEEDS = st.integers(0, 10**9)
POLICIES = st.sampled_from(random_timelines.POLICIES)


@given(seed=SEEDS, policy=POLICIES, length=st.integers(5, 90))
@settings(max_examples=150, deadline=None)
def test_the_fold_says_what_the_naive_reading_says(seed: int, policy: str, length: int) -> None:
    case = random_timelines.timeline(seed, length, policy)
    assert timeline(case) == oracle_answer(case)


@given(seed=SEEDS, policy=POLICIES)
@settings(max_examples=40, deadline=None)
def test_the_answer_depends_on_the_set_of_facts_only(seed: int, policy: str) -> None:
    case = random_timelines.timeline(seed, 50, policy)
    facts = case["facts"] * 2
    random.Random(seed).shuffle(facts)
    assert timeline({**case, "facts": facts}) == timeline(case)


def folded(case: Json) -> tuple[Fold, list[Any]]:
    """The fold of a case right after its opening, and its facts in order."""
    raw = {fact["at"]: fact for fact in case["facts"]}
    scale = 7 * 27 * 10**4  # every denominator of the generator divides it
    opening = cases._opening(case, case["levels"], scale)
    return Fold.opened(0, opening), [cases._fact(at, raw[at], scale) for at in sorted(raw)]


@given(seed=SEEDS, policy=POLICIES, keep=st.sampled_from([None, 1, 3]))
@settings(max_examples=60, deadline=None)
def test_snapshots_and_refusals_change_nothing_and_every_meter_balances(seed: int, policy: str, keep: int) -> None:
    fold, facts = folded(random_timelines.timeline(seed, 60, policy))
    for number, fact in enumerate(facts):
        before = fold.copy()
        refused = fold.take([fact])
        if refused:
            before.state.at = fact.at
            assert fold.state == before.state
        fold.check_balance()
        assert all(level.meter >= 0 and level.reserve >= 0 for level in fold.state.levels.values())
        if keep and number % keep == 0:
            loaded = Fold.load(fold.dump())
            assert loaded is not None
            assert loaded.state == fold.state
            fold = loaded


@given(seed=SEEDS, policy=POLICIES)
@settings(max_examples=40, deadline=None)
def test_every_standing_share_can_be_explained(seed: int, policy: str) -> None:
    start, facts = folded(random_timelines.timeline(seed, 60, policy))
    end = start.copy()
    end.take(facts)
    for hit in end.state.hits.values():
        if end.lock(hit.id):
            assert explain(start, facts, hit.id).lock == end.lock(hit.id)


# --- live: the same facts as events, through the decider and the reconciler -----------------------------------------


class LiveTimelinePlayer(LiveProgressive):
    """Plays a timeline's facts: those of the tables as events, those of people as actions."""

    def __init__(self, case: Json) -> None:
        levels = tuple(self._level(name, level) for name, level in case["levels"].items())
        super().__init__(
            (PETRA, ADA),
            levels=levels,
            policy=case["policy"],
            stakes_minor=tuple(case["stakes"]),
            envy_minor={name: tuple(pair) for name, pair in case["envy"].items()},
            envy_to_winner=case["envy_to_winner"],
            surveillance_over_minor=case["surveillance_over"],
        )

    @staticmethod
    def _level(name: str, level: Json) -> event_types.LevelOpened:
        return event_types.LevelOpened(
            level=name,
            seed_minor=level["seed"],
            meter_micro=level["meter"] * MICRO,
            reserve_micro=level["reserve"] * MICRO,
            feed_millionths=int(cases._units(level["feed"], MICRO)),
            reserve_millionths=int(cases._units(level["reserve_rate"], MICRO)),
            cap_minor=level["cap"],
        )

    def play(self, fact: Json) -> bool:
        """Tell whether the fact was accepted."""
        kind = next(key for key in fact if key != "at")
        before = len(self.refused)
        try:
            getattr(self, f"play_{kind}")(fact[kind])
        except PitledgerError:
            return False
        return len(self.refused) == before

    @staticmethod
    def by(body: Json) -> list[ApprovingPerson]:
        return [ApprovingPerson(person["name"], person["role"]) for person in body["by"]]

    def approvals(self, body: Json) -> tuple[tuple[str, str], ...]:
        return tuple((person.name, person.role) for person in self.by(body))

    def play_arm(self, body: Json) -> None:
        bets = [(bet["box"], bet["player"], bet["stake"]) for bet in body["bets"]]
        self.arm(body["table"], int(body["round"]), *bets, dealer=body["dealer"])

    def play_hit(self, body: Json) -> None:
        self.hit(body["table"], int(body["round"]), body["box"], body["id"], body["level"])

    def play_late_hit(self, body: Json) -> None:
        hit = {"box": body["box"], "hit": body["id"], "level": body["level"]}
        self.table(HitDeclaredLate, body["table"], int(body["round"]), **hit, approvals=self.approvals(body))

    def play_dealt(self, body: Json) -> None:
        self.check_armed(body)
        self.dealt(body["table"], int(body["round"]))

    def play_over(self, body: Json) -> None:
        self.check_armed(body)
        self.over(body["table"], int(body["round"]))

    def check_armed(self, body: Json) -> None:
        """The end of a round that was never armed is no refusal live; in a timeline it is one."""
        if not self.fold.knows(f"athens/tables/{body['table']}/2026-11-21", int(body["round"])):
            raise Refused("", "never armed")

    def play_void_round(self, body: Json) -> None:
        self.check_armed(body)
        people = self.approvals(body)
        self.table(RoundVoided, body["table"], int(body["round"]), reason=body["reason"], approvals=people)

    def play_authorise(self, body: Json) -> None:
        lock = self.fold.lock(body["hit"]) if self.fold.hit(body["hit"]) else None
        self.do(action_structs.AuthoriseHit(hit=body["hit"], amount_minor=lock.share if lock else 0), *self.by(body))

    def play_pay(self, body: Json) -> None:
        self.pay(body["hit"])

    def play_void(self, body: Json) -> None:
        self.do(action_structs.VoidHit(hit=body["hit"], reason=body["reason"]), *self.by(body))

    def play_parameters(self, body: Json) -> None:
        names = {"seed": "seed_minor", "cap": "cap_minor", "feed": "feed_millionths"}
        change = {names.get(name, "reserve_millionths"): value for name, value in body["set"].items()}
        for rate in ("feed_millionths", "reserve_millionths"):
            if rate in change:
                change[rate] = cases._units(change[rate], MICRO)
        self.do(action_structs.ChangeParameters(level=body["level"], **change), *self.by(body))

    def play_adjust(self, body: Json) -> None:
        change = action_structs.AdjustMeter(level=body["level"], amount_minor=body["amount"], reason=body["reason"])
        self.do(change, *self.by(body))


def valid_awards(house: LiveProgressive) -> dict[str, event_types.SharesLocked]:
    """Return the valid awards of the stream by group. Each revision must follow the one before."""
    awards: dict[str, event_types.SharesLocked] = {}
    revisions: dict[str, int] = {}
    for _, _, event in house.log:
        if isinstance(event, event_types.SharesLocked | event_types.LockWithdrawn):
            assert event.revision == revisions.get(event.group, 0) + 1
            revisions[event.group] = event.revision
            awards.pop(event.group, None)
        if isinstance(event, event_types.SharesLocked):
            awards[event.group] = event
    return awards


@given(seed=SEEDS, policy=POLICIES)
@settings(max_examples=60, deadline=None)
@example(seed=3, policy="split")
def test_live_the_stream_says_what_the_timeline_answers(seed: int, policy: str) -> None:
    case = random_timelines.timeline(seed, 60, policy, live=True)
    expected = oracle_answer(case)
    house, rng = LiveTimelinePlayer(case), random.Random(seed)
    facts = {fact["at"]: fact for fact in case["facts"]}
    refused = []
    for at in sorted(facts):
        if not house.play(facts[at]):
            refused.append(at)
        if rng.random() < 0.2:
            house.reconcile()
    house.reconcile()
    assert house.reconcile() == []
    assert refused == expected["refused"]
    fold = house.fold
    assert {hit: cases._hit_answer(fold, hit) for hit in fold.state.hits} == expected["hits"]
    assert {name: cases._level_answer(fold, name) for name in case["levels"]} == expected["levels"]
    locks = sorted((lock.as_of, lock.meter_micro, lock.amount_minor) for lock in valid_awards(house).values())
    assert locks == sorted((lock.at, lock.meter, lock.amount) for name in case["levels"] for lock in fold.locks(name))
    slips = [
        event.slip for _, _, event in house.log if isinstance(event, event_types.JackpotPaid | event_types.EnvyPaid)
    ]
    assert slips == list(range(1, len(slips) + 1))
    paid = [event.amount_minor for _, _, event in house.log if isinstance(event, event_types.JackpotPaid)]
    assert sum(paid) == expected["paid"]
    again = Fold.opened(1, fold.state.opening)
    again.take(f for at, s, e in house.log if (f := fact_of(at, s, e.TYPE, e, "blazing")) is not None)
    assert again.state.levels == fold.state.levels
