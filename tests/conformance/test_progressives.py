"""Requirements of regulators for a progressive, clause by clause, and the paragraphs of source document 004 about it.

The name of a test is the clause: NJ 13:69D-1.52 is nj_1_52, ARSD 20:18:17:24.02 is sd_24_02, WAC 230-15-695 is wa_695.
NMAC 15.1.24.19 is nm_15_1_24_19, and OAC 3772-10-21 is oh_3772_10_21. Names with 004_l.. give lines of document 004.
"""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from math import comb
from typing import Any

import pytest

from events.envelope import AnyEnvelope
from events.errors import Refused
from events.games.blazing7s import rules as blazing7s
from events.people.approval_request_lifecycle import GiveApproval
from events.people.role_grant_decider import RoleGranted
from events.progressives import action_structs, history_reader, sign_readings_and_variance_cases
from events.progressives.award_report import award
from events.progressives.level_changes_and_notices import REASONS
from events.progressives.liability import is_short, liability
from events.rules.bonus_hand_counts_by_packs import counts
from tests.support.houses import small_house as floor
from tests.support.houses.progressive_house import DAY, NAME, PROPERTY, Casino, DeskRefusal
from tests.unit.progressives.live_progressive import levels, opening
from tests.unit.test_desk import mega_round

MICRO = 1_000_000
RULES = blazing7s.rules()


@pytest.fixture
def casino() -> Iterator[Casino]:
    built = Casino()
    yield built
    built.close()


@pytest.fixture
def house() -> Iterator[floor.House]:
    built = floor.House()
    yield built
    built.close()


def types(events: list[AnyEnvelope]) -> list[str]:
    return [event.type for event in events]


def last(casino: Casino, kind: str) -> Any:
    """Return the data of the newest event of a type, from its bytes."""
    stored = casino.store.after(0, 10_000, [kind])[-1]
    return json.loads(stored.raw)["data"]


def change(**fields: Any) -> action_structs.ChangeParameters:
    return action_structs.ChangeParameters(level="mega", **fields)


# --- NJ 13:69D-1.52: linked progressives -------------------------------------------------------------------------


def test_nj_1_52_two_keys_open_it() -> None:
    casino = Casino(is_open=False)
    assert types(casino.ask(opening(), "mark")) == ["approval.requested.v1"]
    assert history_reader.names(casino.store, PROPERTY) == []
    assert types(casino.ask(opening(), "mark", "sven"))[-2:] == ["progressive.opened.v1", "ruleset.recorded.v1"]
    casino.close()


def test_nj_1_52_two_keys_change_it(casino: Casino) -> None:
    """Two people of two departments change it. One person alone, or twice, changes nothing."""
    request = casino.ask(change(feed_millionths=90_000), "mark")
    assert types(request) == ["approval.requested.v1"]
    assert casino.fold.level("mega").settings.feed == 100_000
    with pytest.raises(DeskRefusal):
        casino.ask(change(feed_millionths=90_000), "mark", "mark")
    assert "parameters.changed.v1" not in types(casino.ask(change(feed_millionths=90_000), "ines", "paul"))
    changed = casino.ask(change(feed_millionths=90_000), "mark", "sven")
    assert types(changed) == ["approval.given.v1", "parameters.changed.v1"]
    assert casino.fold.level("mega").settings.feed == 90_000


def test_nj_1_52_who_belongs_to_no_department_neither_asks_nor_agrees(casino: Casino) -> None:
    """Administrators and auditors cannot ask or approve, and the store has no approval by them."""
    casino.say("people", RoleGranted(person="olga", role="auditor"))
    (requested,) = casino.ask(change(feed_millionths=90_000), "mark")
    agreement = GiveApproval(request=requested.data.request, content=requested.data.content)
    for person in ("adam", "olga"):
        for data in (change(feed_millionths=80_000), agreement):
            with pytest.raises(DeskRefusal, match=r"is for: |is agreed to by: ") as denied:
                casino.send(person, data)
            assert denied.value.problem.status == 403
    changed = casino.send("sven", agreement)[-1]
    assert [person for person, _ in changed.data.approvals] == ["mark", "sven"]


def test_nj_1_52_initial_and_reset_amount_and_rate_are_filed_before_use(casino: Casino) -> None:
    _, filed = history_reader.opening(casino.store, PROPERTY, NAME)
    for level in filed.levels:
        assert level.seed_minor > 0
        assert level.meter_micro > 0
        assert level.feed_millionths > 0
    assert dict(filed.approvals) == {"mark": "progressive manager", "anna": "accountant"}


def test_nj_1_52_the_probability_is_filed_with_it() -> None:
    """Counted by hand: 6 packs have 6 sevens of each suit, and 12 of each colour."""
    one_suit, one_colour = comb(6, 2) * 4, comb(12, 2) * 10
    ways = counts(blazing7s.classify, 6)
    assert (ways["mega"], ways["major"], ways["minor"]) == (one_suit, 3 * one_suit, 2 * one_colour - 4 * one_suit)


def test_nj_1_52_a_rate_counts_from_the_next_round_armed(casino: Casino) -> None:
    number = casino.arm("BJ1", (1, "ann", 1_000))
    casino.ask(change(feed_millionths=90_000), "mark", "anna")
    casino.dealt("BJ1", number)
    casino.over("BJ1", number)
    casino.play("BJ1", (1, "ann", 1_000))
    assert casino.fold.level("mega").fed == (100 + 90) * MICRO


def test_nj_1_52_accounting_is_told_of_a_rate(casino: Casino) -> None:
    """The event itself names the people who approved, and all readers of the log see it."""
    casino.ask(change(feed_millionths=90_000), "mark", "anna")
    changed = last(casino, "parameters.changed.v1")
    assert (changed["feed_millionths"], changed["parameters_version"]) == (90_000, 2)
    assert ["anna", "accountant"] in changed["approvals"]


def test_nj_1_52_a_change_without_accounting_leaves_a_notice_until_accounting_has_read_it(casino: Casino) -> None:
    """ "Shall not be changed except upon notice to the casino accounting department": notice, not consent."""
    casino.ask(change(feed_millionths=90_000), "mark", "paul")
    at = casino.store.position()
    assert casino.fold.level("mega").settings.feed == 90_000
    assert casino.fold.state.notices == {at: "mega"}
    with pytest.raises(DeskRefusal, match=r"notice\.acknowledge is for: count, accountant"):
        casino.ask(action_structs.AcknowledgeNotice(change=at), "mark")
    casino.ask(action_structs.AcknowledgeNotice(change=at), "anna")
    assert casino.fold.state.notices == {}
    assert last(casino, "notice.acknowledged.v1") == {"progressive": NAME, "level": "mega", "change": at}


@pytest.mark.parametrize("direction", [-1, 1])
def test_nj_1_52_the_meter_falls_only_when_won_or_for_a_recorded_correction(casino: Casino, direction: int) -> None:
    casino.play("BJ1")
    before = casino.fold.level("mega").meter
    with pytest.raises(DeskRefusal):
        casino.ask(
            action_structs.AdjustMeter(level="mega", amount_minor=direction * 100, reason="a whim"), "mark", "sven"
        )
    assert casino.fold.level("mega").meter == before
    casino.ask(
        action_structs.AdjustMeter(level="mega", amount_minor=direction * 100, reason="malfunction"), "mark", "sven"
    )
    assert casino.fold.level("mega").meter == before + direction * 100 * MICRO
    assert last(casino, "meter.adjusted.v1")["reason"] == "malfunction"


def test_nj_1_52_no_change_below_what_players_see(casino: Casino) -> None:
    with pytest.raises(DeskRefusal, match="cap is below"):
        casino.ask(change(cap_minor=4_999_999), "mark", "anna")


# --- NJ 13:69E-1.39A: the meters ----------------------------------------------------------------------------------


def test_nj_1_39a_the_six_meters_of_each_level() -> None:
    """In (contributions), display (shown), hits (awards), wins (shares paid), overflow, reserve."""
    casino = Casino(levels=levels(cap_minor=5_000_100))
    casino.play("BJ1", (1, "ann", 1_000), (2, "bob", 1_000))
    level = casino.fold.level("mega")
    assert (level.fed, casino.fold.shown_minor("mega"), casino.fold.overflow("mega")) == (
        200 * MICRO,
        5_000_100,
        100 * MICRO,
    )
    assert level.reserve == 20 * MICRO
    (hit,) = casino.play("BJ1", hits=((1, "mega"),))
    casino.reconcile()
    casino.authorise(hit)
    casino.pay(hit)
    level = casino.fold.level("mega")
    assert (len(casino.fold.locks("mega")), level.locked, level.paid) == (1, 5_000_100, 5_000_100)
    casino.close()


def test_nj_1_39a_parameters_base_reset_increment_limit_hidden_rate(casino: Casino) -> None:
    """Each can be set within its bounds, and the fold applies it."""
    new = change(seed_minor=1_000, feed_millionths=95_000, reserve_millionths=15_000, cap_minor=9_000_000)
    casino.ask(new, "mark", "anna")
    settings = casino.fold.level("mega").settings
    assert (settings.seed, settings.cap) == (1_000 * MICRO, 9_000_000 * MICRO)
    assert (settings.feed, settings.reserve_rate) == (95_000, 15_000)


def test_nj_1_39a_the_hidden_rate_pays_the_next_seed_as_far_as_it_reaches(casino: Casino) -> None:
    casino.play("BJ1", (1, "ann", 1_000))
    casino.play("BJ1", (1, "ann", 1_000), hits=((1, "mega"),))
    lock = casino.fold.locks("mega")[0]
    assert lock.from_reserve == 20 * MICRO
    assert casino.fold.level("mega").reserve == 0


# --- ARSD 20:18:17:24.02: readings ---------------------------------------------------------------------------------


def read(casino: Casino, minor: int) -> list[AnyEnvelope]:
    return casino.ask(action_structs.ReadMeter(level="mega", read_minor=minor), "anna")


def test_sd_24_02_weekly_reading_by_accounting(casino: Casino) -> None:
    casino.play("BJ1")
    with pytest.raises(DeskRefusal):
        casino.ask(action_structs.ReadMeter(level="mega", read_minor=1), "mark")
    (reading,) = read(casino, 5_000_150)
    assert (reading.data.shown_minor, reading.data.variance_minor) == (5_000_150, 0)


def test_sd_24_02_a_reading_that_was_forgotten_is_due(casino: Casino) -> None:
    read(casino, 5_000_000)
    done = [(event.time, event.data) for event in stream(casino)]
    week = (datetime.fromisoformat(done[-1][0]) + timedelta(days=7, hours=1)).isoformat()
    due = sign_readings_and_variance_cases.overdue(["mega"], done, week)
    assert [(reading.level, reading.what) for reading in due] == [("mega", "reading")]
    quarter = (datetime.fromisoformat(done[-1][0]) + timedelta(days=93)).isoformat()
    assert {reading.what for reading in sign_readings_and_variance_cases.overdue(["mega"], done, quarter)} == {
        "reading",
        "increment test",
    }
    assert sign_readings_and_variance_cases.overdue(["mega"], done, done[-1][0]) == []


def stream(casino: Casino) -> list[AnyEnvelope]:
    from events import catalogue

    stored = casino.store.stream(history_reader.stream_of(PROPERTY, NAME))
    return [catalogue.decode(event.type, event.raw) for event in stored]


@pytest.mark.parametrize(("off", "opens"), [(5_000, False), (-5_000, False), (5_001, True), (-5_001, True)])
def test_sd_24_02_a_variance_over_50_opens_a_case(casino: Casino, off: int, opens: bool) -> None:
    events = read(casino, 5_000_000 + off)
    assert types(events) == ["meter.read.v1"] + ["variance.opened.v1"] * opens
    if opens:
        assert (events[1].data.case, events[1].data.variance_minor) == ("mega-1", off)
        assert types(read(casino, 5_000_000 + off)) == ["meter.read.v1"], "one case at a time"


def test_sd_24_02_the_case_is_closed_by_adding_it_to_the_meter(casino: Casino) -> None:
    read(casino, 5_000_000 - 6_000)
    close = action_structs.CloseVariance(case="mega-1", way="added", reason="the sign lagged")
    events = casino.ask(close, "mark", "anna")
    assert types(events) == ["approval.given.v1", "meter.adjusted.v1", "variance.closed.v1"]
    assert (events[1].data.amount_minor, events[1].data.reason) == (6_000, "reading-variance")
    assert casino.fold.level("mega").adjusted == 6_000 * MICRO
    with pytest.raises(DeskRefusal, match="is closed"):
        casino.ask(close, "mark", "anna")
    assert types(read(casino, 0)) == ["meter.read.v1", "variance.opened.v1"]
    assert casino.fold.state.variances["mega-2"].is_open


def misread(minor: int) -> action_structs.CloseVariance:
    return action_structs.CloseVariance(case="mega-1", way="misread", reason="a 3 was taken for an 8", read_minor=minor)


def test_sd_24_02_a_sign_that_was_misread_is_read_again_and_no_money_moves(casino: Casino) -> None:
    read(casino, 5_000_000 - 28_580)
    slips = dict(casino.fold.state.slips)
    requested = casino.ask(misread(5_000_000), "anna")
    assert types(requested) == ["approval.requested.v1"], "by two people"
    approval = GiveApproval(request=requested[0].data.request, content=requested[0].data.content)
    events = casino.send("mark", approval)
    assert types(events) == ["approval.given.v1", "variance.closed.v1", "meter.read.v1"]
    closed, again = events[1].data, events[2].data
    assert (closed.way, closed.amount_minor, closed.read_minor, closed.slip) == ("misread", 0, 5_000_000, 0)
    assert (again.read_minor, again.variance_minor) == (5_000_000, 0)
    assert (casino.fold.level("mega").adjusted, casino.fold.state.slips) == (0, slips)
    assert not casino.fold.state.variances["mega-1"].is_open


def test_sd_24_02_a_second_reading_that_is_off_opens_its_own_case(casino: Casino) -> None:
    read(casino, 5_000_000 - 28_580)
    events = casino.ask(misread(5_000_000 - 9_000), "anna", "mark")
    assert types(events)[1:] == ["variance.closed.v1", "meter.read.v1", "variance.opened.v1"]
    assert (events[-1].data.case, events[-1].data.variance_minor) == ("mega-2", -9_000)


def test_sd_24_02_a_sign_is_read_again_by_accounting_and_not_unseen(casino: Casino) -> None:
    read(casino, 5_000_000 - 28_580)
    with pytest.raises(DeskRefusal, match="Accounting reads"):
        casino.ask(misread(5_000_000), "mark", "paul")
    with pytest.raises(DeskRefusal, match="The second reading is missing"):
        casino.ask(action_structs.CloseVariance(case="mega-1", way="misread", reason="a 3 for an 8"), "anna", "mark")


def test_sd_24_02_or_by_paying_whoever_got_too_little(casino: Casino) -> None:
    read(casino, 5_000_000 - 6_000)
    close = action_structs.CloseVariance(case="mega-1", way="paid", reason="underpaid", player="ann", gaming_day=DAY)
    with pytest.raises(DeskRefusal):
        casino.ask(close, "mark", "anna")
    events = casino.ask(close, "cage", "mark")
    assert (events[-1].data.amount_minor, events[-1].data.slip) == (6_000, 1)
    assert casino.fold.level("mega").adjusted == 0
    (hit,) = casino.play("BJ1", hits=((1, "minor"),))
    casino.reconcile()
    casino.authorise(hit, "ines")
    assert casino.pay(hit)[0].data.slip == 2, "slips of one series"


@pytest.mark.parametrize("case", ["mega-1", "nothing"])
def test_sd_24_02_there_is_no_case_to_close_without_one(casino: Casino, case: str) -> None:
    with pytest.raises(DeskRefusal):
        casino.ask(action_structs.CloseVariance(case=case, way="added", reason="x"), "mark", "anna")


def test_sd_24_02_paying_needs_to_say_whom(casino: Casino) -> None:
    read(casino, 0)
    with pytest.raises(DeskRefusal, match="needs a player"):
        casino.ask(action_structs.CloseVariance(case="mega-1", way="paid", reason="x"), "cage")


@pytest.mark.parametrize(("after", "passed"), [(100, True), (101, False), (99, False)])
def test_sd_24_02_quarterly_increment_test(casino: Casino, after: int, passed: bool) -> None:
    """A stake of 10.00 raises the Mega's sign by 1.00."""
    test = action_structs.TestIncrement(level="mega", stake_minor=1_000, before_minor=0, after_minor=after)
    (tested,) = casino.ask(test, "anna")
    assert (tested.data.is_passed, tested.data.expected_micro) == (passed, 100 * MICRO)
    with pytest.raises(DeskRefusal):
        casino.ask(test, "mark")
    with pytest.raises(DeskRefusal, match="stakes"):
        casino.ask(action_structs.TestIncrement(level="mega", stake_minor=7, before_minor=0, after_minor=1), "anna")


def test_sd_24_02_a_variance_is_only_ever_added(casino: Casino) -> None:
    with pytest.raises(DeskRefusal, match="cannot reduce the meter"):
        casino.ask(action_structs.AdjustMeter(level="mega", amount_minor=-1, reason="reading-variance"), "mark", "sven")


# --- WAC 230-15-695: reasons to lower a meter ----------------------------------------------------------------------


@pytest.mark.parametrize("reason", ["malfunction", "above-maximum", "reserve-booked-as-receipts", "seed-recovered"])
def test_wa_695_the_closed_list_of_reasons(casino: Casino, reason: str) -> None:
    casino.ask(action_structs.AdjustMeter(level="mega", amount_minor=-100, reason=reason), "mark", "sven")
    assert last(casino, "meter.adjusted.v1")["approvals"] == [["mark", "progressive manager"], ["sven", "surveillance"]]


def test_wa_695_no_other_reason_and_no_single_person(casino: Casino) -> None:
    assert REASONS - {"reading-variance"} == {
        "malfunction",
        "above-maximum",
        "reserve-booked-as-receipts",
        "seed-recovered",
    }
    for reason in ("promotion", "", "Malfunction"):
        with pytest.raises(DeskRefusal):
            casino.ask(
                action_structs.AdjustMeter(level="mega", amount_minor=-100, reason=reason or " "), "mark", "sven"
            )
    casino.ask(action_structs.AdjustMeter(level="mega", amount_minor=-100, reason="malfunction"), "mark")
    assert casino.fold.level("mega").adjusted == 0


def test_wa_695_the_amount_won(casino: Casino) -> None:
    casino.play("BJ1", hits=((1, "minor"),))
    level = casino.fold.level("minor")
    assert level.locked == 120_037
    assert level.meter == level.start + level.fed + level.seeds - level.locked * MICRO


def test_wa_695_not_while_a_hit_is_pending(casino: Casino) -> None:
    number = casino.arm("BJ1", (1, "ann", 500))
    casino.hit("BJ1", number, 1)
    with pytest.raises(DeskRefusal, match="pending"):
        casino.ask(action_structs.AdjustMeter(level="mega", amount_minor=-100, reason="malfunction"), "mark", "sven")


# --- WAC 230-15-455: the fund behind it ----------------------------------------------------------------------------


def test_wa_455_the_fund_covers_the_liability_until_the_house_owes_a_seed(casino: Casino) -> None:
    casino.play("BJ1")
    assert not is_short(liability(casino.fold))
    (hit,) = casino.play("BJ1", hits=((1, "mega"),))
    casino.reconcile()
    mega = liability(casino.fold)[0]
    assert mega.unpaid == casino.fold.locks("mega")[0].share * MICRO
    seed_of_the_house = 2_500_000 * MICRO - casino.fold.locks("mega")[0].from_reserve
    assert mega.short == seed_of_the_house - mega.reserve
    casino.authorise(hit)
    casino.pay(hit)
    assert liability(casino.fold)[0].short == mega.short, "paying what is locked changes nothing"


def test_wa_455_deposits_fund_it(casino: Casino) -> None:
    casino.play("BJ1", hits=((1, "mega"),))
    short = liability(casino.fold)[0].short
    assert is_short(liability(casino.fold))
    deposit = action_structs.DepositFund(level="mega", amount_minor=-(-short // MICRO), document="bank 17")
    assert types(casino.ask(deposit, "cage")) == ["approval.requested.v1"]
    with pytest.raises(DeskRefusal):
        casino.ask(deposit, "mark", "sven")
    casino.ask(deposit, "anna", "cage")
    assert liability(casino.fold)[0].short == 0
    assert not is_short(liability(casino.fold))


# --- NMAC 15.1.24.19: the payoff report ------------------------------------------------------------------------------


def test_nm_15_1_24_19_all_contributions_since_the_last_jackpot(casino: Casino) -> None:
    casino.play("BJ1")
    casino.play("BJ1", hits=((1, "mega"),))
    casino.play("BJ1", (1, "ann", 500))
    casino.play("BJ2", (1, "bob", 1_000), (2, "cy", 1_000))
    (hit,) = casino.play("BJ2", (1, "bob", 1_000), hits=((1, "mega"),))
    casino.play("BJ1")
    casino.reconcile()
    why = award(casino.store, PROPERTY, hit).explanation
    assert [line.stakes_minor for line in why.contributions] == [500, 2_000, 1_000]
    assert why.opening_is == "previous lock"
    assert why.opening + sum(line.amount for line in why.contributions) == why.lock.meter
    assert why.lock.share == 2_500_000 + 350


# --- OAC 3772-10-21: hand-paid prizes --------------------------------------------------------------------------------


def test_oh_3772_10_21_over_10_000_surveillance_verifies_too(casino: Casino) -> None:
    """The limit is the progressive's own: 10,000.00 here."""
    (hit,) = casino.play("BJ1", hits=((1, "mega"),))
    casino.reconcile()
    assert types(casino.authorise(hit, "ines", "paul")) == ["approval.given.v1"]
    with pytest.raises(DeskRefusal):
        casino.pay(hit)
    assert types(casino.authorise(hit, "ines", "sven"))[-1] == "hit.authorised.v1"
    (small,) = casino.play("BJ1", hits=((1, "minor"),))
    casino.reconcile()
    assert types(casino.authorise(small, "ines")) == ["hit.authorised.v1"]


def test_oh_3772_10_21_the_dealer_of_the_round_verifies_nothing(casino: Casino) -> None:
    number = casino.arm("BJ1", (1, "ann", 500), dealer="ines")
    hit = casino.hit("BJ1", number, 1, "minor")
    casino.dealt("BJ1", number)
    casino.over("BJ1", number)
    casino.reconcile()
    with pytest.raises(DeskRefusal, match="Another person must decide"):
        casino.authorise(hit, "ines")
    assert types(casino.authorise(hit, "paul")) == ["hit.authorised.v1"]


def test_oh_3772_10_21_what_was_verified_is_written_down(casino: Casino) -> None:
    """Hand, wager, payout, player, and the verifying person."""
    (hit,) = casino.play("BJ1", hits=((1, "mega"),))
    casino.reconcile()
    casino.authorise(hit)
    authorised = last(casino, "hit.authorised.v1")
    assert (authorised["table"], authorised["round"], authorised["box"], authorised["player"]) == ("BJ1", 1, 1, "ann")
    assert authorised["amount_minor"] == casino.fold.locks("mega")[0].share
    assert authorised["approvals"] == [["ines", "inspector"], ["sven", "surveillance"]]


# --- source document 004, paragraph by paragraph -------------------------------------------------------------------


def test_004_l11_a_sum_that_grows_in_a_predetermined_way_and_is_always_shown(casino: Casino) -> None:
    shown = []
    for _ in range(3):
        casino.play("BJ1", (1, "ann", 1_000))
        shown.append(casino.fold.shown_minor("mega"))
    assert shown == [5_000_100, 5_000_200, 5_000_300]


@pytest.mark.parametrize(("rate", "lawful"), [(150_000, True), (200_000, True), (149_999, False), (200_001, False)])
def test_004_l11_the_casino_withholds_15_to_20_per_cent(rate: int, lawful: bool) -> None:
    if lawful:
        Casino(withhold_millionths=rate).close()
        return
    with pytest.raises(DeskRefusal) as denied:
        Casino(withhold_millionths=rate)
    assert (denied.value.problem.clause, denied.value.problem.source) == ("blazing7s L.1", "004 L11")


@pytest.mark.parametrize(("feed", "lawful"), [(75_000, True), (125_000, True), (74_999, False), (125_001, False)])
def test_004_l11_the_pools_grow_by_15_to_20_per_cent(casino: Casino, feed: int, lawful: bool) -> None:
    """7.5 % besides the Mega's own contribution and its reserve."""
    if lawful:
        casino.ask(change(feed_millionths=feed), "mark", "anna")
        return
    with pytest.raises(DeskRefusal) as denied:
        casino.ask(change(feed_millionths=feed), "mark", "anna")
    assert denied.value.problem.clause == "blazing7s L.1"


def test_004_l13_the_first_player_of_a_box_bets_or_passes_the_right_on() -> None:
    box = [("ann", False), ("bob", True), ("cy", True), ("dan", True)]
    assert blazing7s.right_holder(RULES, box) == "bob"
    assert blazing7s.right_holder(RULES, [("a", False), ("b", False), ("c", False), ("d", True)]) is None
    with pytest.raises(Refused):
        blazing7s.check_bet(RULES, box, "cy", RULES.stakes[0])


def test_004_l13_a_player_who_is_first_on_several_boxes_may_bet_on_each(casino: Casino) -> None:
    casino.play("BJ1", (1, "ann", 500), (2, "ann", 1_000))
    assert casino.fold.level("mega").fed == 150 * MICRO


def test_004_l13_one_bet_a_box(casino: Casino) -> None:
    with pytest.raises(Refused, match="The box has its"):
        blazing7s.check_bet(RULES, [("ann", True)], "ann", RULES.stakes[0], bets_on_box=1)
    casino.arm("BJ1", (1, "ann", 500), (1, "bob", 500))
    assert casino.fold.level("mega").fed == 0, "such a round feeds nothing, and is an exception"


def bet(house: floor.House, name: str, wager: str, amount: int, player: str = "Ann", box: int = 1) -> Any:
    return house.action("bet.place", bet=name, wager=wager, amount_minor=amount, player=player, box=box)


def card(house: floor.House, card: str, box: int | None = None) -> Any:
    return house.action("card.deal", card=card, **({"to": "box", "box": box} if box else {"to": "dealer"}))


def begin(house: floor.House) -> None:
    """Bets are closed on one box with a progressive bet."""
    house.open_progressive()
    house.open_table("BJ1")
    main, side = bet(house, "m1", "main", 1_000), bet(house, "b1", "blazing7s", 500)
    house.ok("tables", "BJ1", "dora", house.action("round.open"), main, side, house.action("bets.close"))


def test_004_l15_stakes_are_registered_when_the_dealer_arms_the_round_before_a_card(house: floor.House) -> None:
    begin(house)
    assert house.no("tables", "BJ1", "dora", card(house, "7D", 1)).clause == "blazing7s P.1"
    armed = house.ok("tables", "BJ1", "dora", house.action("progressive.arm"))
    assert [(bet.box, bet.stake_minor) for bet in armed[0].data.bets] == [(1, 500)]
    house.ok("tables", "BJ1", "dora", card(house, "7D", 1))


def test_004_l15_arming_is_never_reported_afterwards(house: floor.House) -> None:
    begin(house)
    assert house.no("tables", "BJ1", "dora", house.action("progressive.arm", _intent="fact")).clause == "blazing7s P.1"


def test_004_l17_no_bets_once_dealing_has_begun(house: floor.House) -> None:
    begin(house)
    house.ok("tables", "BJ1", "dora", house.action("progressive.arm"))
    assert house.no("tables", "BJ1", "dora", bet(house, "b2", "blazing7s", 500)).status == 422
    assert blazing7s.right_holder(RULES, [("ann", True)], dealing_started=True) is None


def test_004_l23_the_hit_is_declared_while_the_deal_runs(casino: Casino) -> None:
    """A hit declared after the initial deal does not belong to this round: it needs a late declaration."""
    number = casino.arm("BJ1", (1, "ann", 500))
    casino.dealt("BJ1", number)
    casino.hit("BJ1", number, 1)
    assert casino.fold.state.hits == {}
    late = casino.late_hit("BJ1", number, 1)
    assert casino.fold.status(late) == "locked"


def test_004_l37_fixed_sums_are_no_matter_of_the_meters(casino: Casino) -> None:
    assert blazing7s.settle_fixed(RULES, "three7", 500) == (100_000, 100_500)
    with pytest.raises(Refused):
        blazing7s.settle_fixed(RULES, "mega", 500)


@pytest.mark.parametrize(
    ("cards", "line"),
    [
        ("7D 7D 7D", "mega"),
        ("7H 7H 7H", "major"),
        ("7S 7S 7S", "major"),
        ("7C 7C 7C", "major"),
        ("7D 7D 7H", "minor"),
        ("7S 7C 7S", "minor"),
        ("7D 7S 7H", "three7"),
        ("7D 7S 8H", "two7"),
        ("7D 9S 8H", "one7"),
        ("6D 9S 7H", "none"),
    ],
)
def test_004_l39_47_and_l135_157_the_lines_of_the_table(cards: str, line: str) -> None:
    first, second, dealer = cards.split()
    assert blazing7s.classify([first, second], dealer) == line


def test_004_l39_41_a_hundred_per_cent_of_the_sum(casino: Casino) -> None:
    for box, level in ((1, "mega"), (2, "major"), (3, "minor")):
        shown = casino.fold.shown_minor(level)
        bets = ((1, "a", 500), (2, "b", 500), (3, "c", 500))
        casino.play("BJ1", *bets, hits=((box, level),))
        feed = casino.fold.level(level).settings.feed * 1_500 // MICRO
        assert shown + feed <= casino.fold.locks(level)[0].share <= shown + feed + 1


def test_004_l49_the_dealers_seven_counts_only_with_two_of_the_players() -> None:
    assert blazing7s.classify(["7D", "8D"], "7D") == "one7"
    assert blazing7s.classify(["8D", "8D"], "7D") == "none"


def test_004_l51_an_inspector_or_above_starts_the_payment_after_the_round(casino: Casino) -> None:
    number = casino.arm("BJ1", (1, "ann", 500))
    hit = casino.hit("BJ1", number, 1, "minor")
    casino.dealt("BJ1", number)
    casino.reconcile()
    assert types(casino.ask(authorisation(casino, hit), "sven")) == ["approval.requested.v1"]
    casino.authorise(hit, "ines")
    with pytest.raises(DeskRefusal, match="not over"):
        casino.pay(hit)
    casino.over("BJ1", number)
    assert types(casino.pay(hit)) == ["jackpot.paid.v1"]


def authorisation(casino: Casino, hit: str) -> action_structs.AuthoriseHit:
    lock = casino.fold.lock(hit)
    assert lock
    return action_structs.AuthoriseHit(hit=hit, amount_minor=lock.share)


def test_004_l51_the_hand_is_paid_even_if_it_lost(house: floor.House) -> None:
    """The round's blackjack does not matter: the hit is valid for any result of the hand."""
    hit = mega_round(house)
    requests = house.ok("progressives", NAME, "ines", house.action("hit.authorise", hit=hit, amount_minor=5_000_150))
    give = house.action("approval.give", request=requests[0].data.request, content=requests[0].data.content)
    house.ok("progressives", NAME, "sven", give)
    pay = house.action("jackpot.pay", hit=hit, gaming_day=DAY)
    assert house.ok("progressives", NAME, "cage", pay)[0].data.amount_minor == 5_000_150


@pytest.mark.parametrize(
    ("level", "low", "high"), [("mega", 50_000, 100_000), ("major", 12_500, 25_000), ("minor", 2_500, 5_000)]
)
def test_004_l53_envy_by_the_stake_after_the_progressive_to_who_took_part(
    casino: Casino, level: str, low: int, high: int
) -> None:
    bets = ((1, "ann", 500), (2, "bob", 500), (3, "cy", 1_000))
    casino.play("BJ2", (1, "dan", 1_000))
    (hit,) = casino.play("BJ1", *bets, hits=((1, level),))
    casino.reconcile()
    casino.authorise(hit)
    paid, *envy = casino.pay(hit)
    assert paid.type == "jackpot.paid.v1"
    assert {envy_event.data.player: envy_event.data.amount_minor for envy_event in envy} == {"bob": low, "cy": high}


def test_004_l53_for_each_winning_hand_but_ones_own(casino: Casino) -> None:
    hits = casino.play("BJ1", (1, "ann", 500), (2, "bob", 1_000), (3, "cy", 500), hits=((1, "mega"), (2, "mega")))
    casino.reconcile()
    due: dict[str, int] = {}
    for hit in hits:
        casino.authorise(hit)
        for event in casino.pay(hit)[1:]:
            due[event.data.player] = due.get(event.data.player, 0) + event.data.amount_minor
    assert due == {"ann": 50_000, "bob": 100_000, "cy": 100_000}


@pytest.mark.parametrize("winners", [2, 3, 4])
def test_004_l55_61_winners_at_one_table_share_the_sum_as_it_stands(casino: Casino, winners: int) -> None:
    bets = tuple((box, f"p{box}", 500) for box in range(1, 5))
    casino.play("BJ1", *bets, hits=tuple((box, "mega") for box in range(1, winners + 1)))
    (lock,) = casino.fold.locks("mega")
    assert lock.meter == (5_000_000 + 200) * MICRO
    assert lock.share == 5_000_200 // winners
    left = lock.meter - lock.amount * MICRO
    assert casino.fold.level("mega").meter == 2_500_000 * MICRO + left, "what cannot be shared stays on the seed"


def test_004_l63_69_at_different_tables_the_first_opened_gets_it_the_next_what_shows_then(casino: Casino) -> None:
    """Both rounds were armed before. The second hit gets the seed, and later stakes belong to the next cycle."""
    first, second = casino.arm("BJ1", (1, "ann", 500)), casino.arm("BJ2", (1, "bob", 500))
    second_hit, first_hit = casino.hit("BJ2", second, 1), casino.hit("BJ1", first, 1)
    casino.play("BJ3", (1, "cy", 1_000))
    casino.dealt("BJ1", first)
    assert casino.fold.status(first_hit) == "pending", "the one before is not dealt"
    assert casino.fold.waits_for("mega") == (f"{PROPERTY}/tables/BJ2/{DAY}", second)
    casino.dealt("BJ2", second)
    shares = [casino.fold.lock(hit) for hit in (second_hit, first_hit)]
    assert [lock.share for lock in shares if lock] == [5_000_100, 2_500_000]
    assert casino.fold.level("mega").meter == (2_500_000 + 100) * MICRO


def test_004_l63_69_the_first_is_paid_before_the_next(casino: Casino) -> None:
    (first,) = casino.play("BJ1", hits=((1, "mega"),))
    (second,) = casino.play("BJ2", hits=((1, "mega"),))
    casino.reconcile()
    casino.authorise(second)
    with pytest.raises(DeskRefusal, match="comes before"):
        casino.pay(second)
    casino.authorise(first)
    assert types(casino.pay(second))[0] == "jackpot.paid.v1"


def test_004_l103_the_stake_is_set_by_the_casino(casino: Casino) -> None:
    casino.arm("BJ1", (1, "ann", 700))
    assert casino.fold.level("mega").fed == 0
    with pytest.raises(Refused):
        blazing7s.check_stake(RULES, 700)
