"""The actions of people on a progressive, and their events."""

from typing import Any

import msgspec
import pytest

from events.envelope import EventData
from events.errors import Forbidden, NotApproved, Poison, Refused, Unknown
from events.floor.table_installation_decider import InstallTable
from events.progressives import action_structs, event_types
from events.progressives.decider import decide, due_locks
from events.progressives.event_to_fact_mapping import MICRO, fact_of
from events.progressives.fact_structs import ApprovingPerson, DealFinished
from events.progressives.uncorrectable_hit_payments import exceptions
from events.tables.event_types.progressive import DealCompleted, HitDeclaredLate
from events.tables.event_types.rounds import RoundVoided
from tests.unit.progressives.live_progressive import (
    ADA,
    BORIS,
    BOTH,
    CARL,
    DAY,
    INES,
    PETRA,
    SOFIA,
    LiveProgressive,
    levels,
    opening,
)


def kinds(events: list[Any]) -> list[str]:
    return [event.TYPE for event in events]


def test_a_jackpot_is_locked_authorised_paid_and_brings_envy() -> None:
    house = LiveProgressive()
    house.winners("BJ1", 1, "h")
    (lock,) = house.reconcile()
    assert (lock.amount_minor, lock.revision, lock.as_of) == (5_000_200, 1, 3)
    assert (lock.seed_minor, lock.seed_from_reserve_micro) == (2_500_000, 20 * MICRO)
    assert (lock.table, lock.gaming_day, lock.round) == ("BJ1", DAY, 1)
    assert house.reconcile() == []
    assert kinds(house.approve("h")) == ["hit.authorised.v1"]
    paid, *envy = house.pay("h")
    assert isinstance(paid, event_types.JackpotPaid)
    assert (paid.amount_minor, paid.player, paid.slip, paid.pit) == (5_000_200, "ann", 1, "P1")
    bonuses = [(e.player, e.winner, e.amount_minor, e.slip) for e in envy if isinstance(e, event_types.EnvyPaid)]
    assert bonuses == [("bob", "ann", 100_000, 2), ("cy", "ann", 50_000, 3)]
    assert house.fold.status("h") == "paid"
    assert house.refused == []


def test_a_lock_names_the_cap_and_the_parameters_it_was_made_under() -> None:
    house = LiveProgressive(levels=levels(cap_minor=5_000_100))
    house.winners("BJ1", 1, "h")
    house.do(action_structs.ChangeParameters(level="mega", cap_minor=None), PETRA, ADA)
    lock = next(event for _, _, event in house.log if isinstance(event, event_types.SharesLocked))
    assert (lock.cap_minor, lock.amount_minor, lock.meter_micro) == (5_000_100, 5_000_100, 5_000_200 * MICRO)
    assert (lock.policy, lock.policy_version, lock.parameters_version) == ("split", 1, 1)
    assert house.fold.level("mega").version == 2
    assert house.reconcile() == [], "the cap that counts is the one at the hit"


def test_slips_go_on_where_the_envy_left_off_and_start_again_with_the_year() -> None:
    house = LiveProgressive()
    house.winners("BJ1", 1, "h", "g")
    house.approve("h")
    house.approve("g")
    house.pay("h")
    (paid, *_) = house.pay("g")
    assert isinstance(paid, event_types.JackpotPaid)
    assert paid.slip == 4
    house.winners("BJ1", 2, "k")
    house.approve("k")
    (paid, *_) = house.do(action_structs.PayJackpot(hit="k", gaming_day="2027-01-01"), CARL)
    assert isinstance(paid, event_types.JackpotPaid)
    assert (paid.slip_year, paid.slip) == ("2027", 1)


def test_a_lock_that_is_due_is_appended_with_the_decision() -> None:
    house = LiveProgressive()
    house.winners("BJ1", 1, "h")
    events = house.approve("h")
    assert kinds(events) == ["shares.locked.v1", "hit.authorised.v1"]
    assert due_locks(house.fold) == []


def test_a_void_brings_a_higher_revision_and_a_withdrawal() -> None:
    house = LiveProgressive()
    house.winners("BJ1", 1, "h", "g")
    house.reconcile()
    events = house.do(action_structs.VoidHit(hit="h", reason="wrong card"), *BOTH)
    assert kinds(events) == ["hit.voided.v1", "shares.locked.v1"]
    lock = events[1]
    assert isinstance(lock, event_types.SharesLocked)
    assert (lock.revision, lock.as_of, lock.amount_minor) == (2, 4, 5_000_200)
    events = house.do(action_structs.VoidHit(hit="g", reason="wrong card"), *BOTH)
    withdrawn = events[1]
    assert isinstance(withdrawn, event_types.LockWithdrawn)
    assert (withdrawn.revision, withdrawn.reason) == (3, "void")
    assert house.fold.level("mega").meter == 5_000_200 * MICRO


def test_a_group_that_waits_again_is_withdrawn() -> None:
    house = LiveProgressive()
    house.arm("BJ1", 1, (1, "ann", 500), (2, "bob", 500))
    house.arm("BJ2", 1, (1, "dan", 500))
    house.hit("BJ1", 1, 1, "a")
    house.hit("BJ2", 1, 1, "b")
    house.hit("BJ1", 1, 2, "a2")
    house.dealt("BJ1", 1)
    assert house.fold.waits_for("mega") == (f"athens/tables/BJ2/{DAY}", 1)
    house.reconcile()
    events = house.do(action_structs.VoidHit(hit="a", reason="wrong card"), *BOTH)
    withdrawn = events[-1]
    assert isinstance(withdrawn, event_types.LockWithdrawn)
    assert withdrawn.reason == "pending"
    house.dealt("BJ2", 1)
    assert [lock.revision for lock in house.reconcile()] == [1, 3]
    assert house.fold.waits_for("mega") is None


def test_only_the_share_that_was_seen_is_authorised() -> None:
    house = LiveProgressive()
    house.winners("BJ1", 1, "h")
    with pytest.raises(Refused, match="Reload and try again"):
        house.do(action_structs.AuthoriseHit(hit="h", amount_minor=1), *BOTH)
    with pytest.raises(Refused, match="no hit"):
        house.do(action_structs.AuthoriseHit(hit="x", amount_minor=1), *BOTH)
    with pytest.raises(Refused, match="surveillance"):
        house.do(action_structs.AuthoriseHit(hit="h", amount_minor=5_000_200), INES)
    assert house.fold.status("h") == "locked"


def test_the_cage_pays_after_the_round() -> None:
    house = LiveProgressive()
    house.arm("BJ1", 1, (1, "ann", 500))
    house.hit("BJ1", 1, 1, "h")
    house.dealt("BJ1", 1)
    house.approve("h")
    with pytest.raises(Refused, match="not over") as refused:
        house.pay("h")
    assert (refused.value.clause, refused.value.source) == ("blazing7s P.4", "004 L51")
    house.over("BJ1", 1)
    with pytest.raises(Forbidden):
        house.do(action_structs.PayJackpot(hit="h", gaming_day=DAY), INES)
    assert kinds(house.pay("h")) == ["jackpot.paid.v1"]


def test_parameters_change_with_two_departments_and_within_bounds() -> None:
    house = LiveProgressive()
    change_of_feed = action_structs.ChangeParameters(
        level="mega", feed_millionths=125_000, cap_minor=None, reason="summer"
    )
    (event,) = house.do(change_of_feed, PETRA, ADA)
    assert isinstance(event, event_types.ParametersChanged)
    assert (event.parameters_version, event.reason) == (2, "summer")
    raw = msgspec.json.encode(event)
    assert b'"cap_minor":null' in raw, "no cap is something else than the cap as it is"
    assert b"seed_minor" not in raw
    assert msgspec.json.decode(raw, type=event_types.ParametersChanged) == event
    refusals: list[tuple[dict[str, Any], str]] = [
        ({"feed_millionths": 200_000}, "blazing7s L.1"),
        ({"withhold_millionths": 200_001}, "blazing7s L.1"),
        ({"withhold_millionths": 149_999}, "blazing7s L.1"),
        ({"cap_minor": 1}, "house progressive.parameters"),
        ({}, "house progressive.parameters"),
        ({"reason": "nothing is changed by it"}, "house progressive.parameters"),
    ]
    for change, clause in refusals:
        with pytest.raises(Refused) as refused:
            house.do(action_structs.ChangeParameters(level="mega", **change), PETRA, ADA)
        assert refused.value.clause == clause
    with pytest.raises(Refused, match="two departments"):
        house.do(action_structs.ChangeParameters(level="mega", seed_minor=1), INES, BORIS)
    with pytest.raises(Unknown):
        house.do(action_structs.ChangeParameters(level="giga", seed_minor=1), PETRA, ADA)
    house.do(action_structs.ChangeParameters(level="mega", withhold_millionths=200_000), PETRA, ADA)
    assert house.fold.state.withhold == 200_000


def test_a_meter_is_adjusted_for_a_listed_reason_and_read_by_accounting() -> None:
    house = LiveProgressive()
    (event,) = house.do(action_structs.AdjustMeter(level="minor", amount_minor=-5, reason="malfunction"), PETRA, SOFIA)
    assert isinstance(event, event_types.MeterAdjusted)
    assert event.meter_micro == house.fold.level("minor").meter == 119_995 * MICRO
    with pytest.raises(Refused) as refused:
        house.do(action_structs.AdjustMeter(level="minor", amount_minor=-5, reason="reading-variance"), PETRA, SOFIA)
    assert refused.value.source == "SD 24.02 (20:18:17)"
    (read,) = house.do(action_structs.ReadMeter(level="minor", read_minor=120_000), ADA)
    assert isinstance(read, event_types.MeterRead)
    assert (read.shown_minor, read.variance_minor) == (119_995, 5)
    with pytest.raises(Forbidden):
        house.do(action_structs.ReadMeter(level="minor", read_minor=120_000), PETRA)


@pytest.mark.parametrize(
    ("change", "clause"),
    [
        ({"levels": levels(feed_millionths=160_000)}, "blazing7s L.1"),
        ({"levels": levels(feed_millionths=10_000)}, "blazing7s L.1"),
        ({"withhold_millionths": 210_000}, "blazing7s L.1"),
        ({"levels": levels(cap_minor=4_999_999)}, "house progressive.open"),
        ({"levels": levels(seed_minor=7_000_000, cap_minor=6_000_000)}, "house progressive.parameters"),
        ({"stakes_minor": (1000, 500)}, "blazing7s L.1"),
    ],
)
def test_an_opening_out_of_bounds_is_refused(change: dict[str, Any], clause: str) -> None:
    with pytest.raises(Refused) as refused:
        LiveProgressive(**change)
    assert refused.value.clause == clause


def test_no_level_is_called_as_the_account_beside_the_levels() -> None:
    """The level's meter and the reserve would be one account of the journal, and no day could close."""
    with pytest.raises(Refused, match="No level may be called reserve") as refused:
        LiveProgressive(levels=levels(level="reserve"))
    assert refused.value.clause == "house progressive.open"


def test_opening_needs_two_departments_and_happens_once() -> None:
    with pytest.raises(Refused, match="two departments"):
        LiveProgressive(by=(PETRA,))
    with pytest.raises(Refused, match="already"):
        decide(LiveProgressive().fold, opening(), (PETRA, ADA))
    with pytest.raises(Unknown):
        decide(None, action_structs.VoidHit(hit="h", reason="x"), BOTH)


def test_deciding_changes_nothing_by_itself() -> None:
    house = LiveProgressive()
    house.winners("BJ1", 1, "h")
    before = house.fold.dump()
    decide(house.fold, action_structs.VoidHit(hit="h", reason="wrong card"), BOTH)
    with pytest.raises(Refused):
        decide(house.fold, action_structs.PayJackpot(hit="h", gaming_day=DAY), (CARL,))
    assert house.fold.dump() == before


def test_what_was_paid_otherwise_and_late_hits_are_exceptions() -> None:
    house = LiveProgressive()
    house.winners("BJ1", 1, "a", "b")
    house.approve("a")
    house.pay("a")
    assert exceptions(house.fold) == []
    house.do(action_structs.VoidHit(hit="b", reason="wrong card"), *BOTH)
    people = (("ines", "inspector"), ("sofia", "surveillance"))
    house.table(HitDeclaredLate, "BJ1", 1, box=3, hit="c", level="mega", approvals=people)
    listed = [(item.kind, item.hit, item.share_minor, item.due_minor) for item in exceptions(house.fold)]
    assert listed == [("paid otherwise", "a", 2_500_100, 5_000_200), ("late", "c", 5_000_100, 5_000_100)]


def test_a_round_voided_at_the_table_voids_its_hits() -> None:
    house = LiveProgressive()
    house.arm("BJ1", 1, (1, "ann", 500))
    house.hit("BJ1", 1, 1, "h")
    house.table(RoundVoided, "BJ1", 1, reason="misdeal", approvals=(("ines", "inspector"),))
    assert [refused.clause for _, refused in house.refused] == ["house progressive.round"]
    people = (("ines", "inspector"), ("sofia", "surveillance"))
    house.table(RoundVoided, "BJ1", 1, reason="misdeal", approvals=people)
    assert house.fold.status("h") == "void"


# --- events in ------------------------------------------------------------------------------------------------------


def test_events_are_read_from_structs_and_from_plain_dicts_alike() -> None:
    house = LiveProgressive()
    house.winners("BJ1", 7, "h")
    house.approve("h")
    house.pay("h")
    for at, stream, event in house.log[1:]:
        plain = msgspec.json.decode(msgspec.json.encode(event))
        fact = fact_of(at, stream, event.TYPE, event, "blazing")
        assert fact is not None
        assert fact_of(at, stream, event.TYPE, plain, "blazing") == fact
        assert fact_of(at, stream, event.TYPE, plain, "other") is None


def test_events_of_no_concern_are_no_facts_and_broken_ones_are_poison() -> None:
    assert fact_of(1, "s", "bet.placed.v1", {}, "blazing") is None
    where = {"pit": "P", "table": "T", "gaming_day": DAY, "shift": "day", "ruleset": "bj"}
    assert fact_of(1, "s", "round.ended.v1", {**where, "round": 3}, "blazing") is None
    with pytest.raises(Poison, match="names no round"):
        fact_of(1, "s", "deal.completed.v1", {**where, "progressive": "blazing"}, "blazing")
    with pytest.raises(Poison, match="Position 1"):
        fact_of(1, "s", "hit.declared.v1", {"progressive": "blazing"}, "blazing")


def test_the_same_round_number_is_another_round_on_another_day() -> None:
    house = LiveProgressive()
    house.winners("BJ1", 1)
    event = next(e for _, _, e in house.log if isinstance(e, DealCompleted))
    fact = fact_of(99, "athens/tables/BJ1/2026-11-22", event.TYPE, event, "blazing")
    assert fact == DealFinished(at=99, table="athens/tables/BJ1/2026-11-22", round=1)


def test_the_ends_of_rounds_never_armed_here_are_no_refusals() -> None:
    house = LiveProgressive()
    house.dealt("BJ1", 1)
    house.over("BJ1", 1)
    house.table(RoundVoided, "BJ1", 2, reason="misdeal")
    assert house.refused == []
    assert house.fold.at == house.log[-1][0]


def test_every_type_is_an_event_with_a_name_of_its_own() -> None:
    names = [kind.TYPE for kind in event_types.PROGRESSIVE_EVENTS]
    assert len(set(names)) == len(names)
    assert all(issubclass(kind, EventData) for kind in event_types.PROGRESSIVE_EVENTS)


def test_one_person_in_two_roles_is_one_person() -> None:
    house = LiveProgressive()
    house.winners("BJ1", 1, "h")
    with pytest.raises(Refused):
        house.do(action_structs.VoidHit(hit="h", reason="x"), INES, ApprovingPerson("ines", "surveillance"))


def test_what_only_lacks_approval_says_so_and_what_is_wrong_anyway_does_not() -> None:
    house = LiveProgressive()
    house.winners("BJ1", 1, "h")
    lawful: list[Any] = [
        action_structs.VoidHit(hit="h", reason="wrong card"),
        action_structs.AuthoriseHit(hit="h", amount_minor=5_000_200),
        action_structs.ChangeParameters(level="mega", seed_minor=1),
        action_structs.AdjustMeter(level="mega", amount_minor=1, reason="malfunction"),
    ]
    for action in lawful:
        with pytest.raises(NotApproved):
            house.do(action, INES)
    wrong: list[Any] = [
        action_structs.VoidHit(hit="h", reason=" "),
        action_structs.AuthoriseHit(hit="h", amount_minor=5_000_201),
        action_structs.ChangeParameters(level="mega", feed_millionths=999_999),
        action_structs.AdjustMeter(level="mega", amount_minor=1, reason="whim"),
    ]
    for action in wrong:
        with pytest.raises(Refused) as refused:
            house.do(action, INES)
        assert not isinstance(refused.value, NotApproved)


def test_an_action_of_somewhere_else_is_refused() -> None:
    with pytest.raises(Refused, match="is not an action of a progressive"):
        LiveProgressive().do(InstallTable(pit="P", table="T", game="g", ruleset="r"), PETRA)
