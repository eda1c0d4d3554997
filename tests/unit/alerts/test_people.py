"""Alerts about people: dealers without a post, approvals by the same two people, void rounds, wrong clocks."""

from collections.abc import Iterator
from datetime import date, timedelta
from fractions import Fraction
from itertools import count
from typing import Any

import msgspec
import pytest

from events.alerts.dealers_with_excess_void_rounds import tail
from events.people.approval_request_lifecycle import ApprovalGiven, ApprovalRequested
from events.people.role_grant_decider import RoleGranted, RoleRevoked
from events.tables.event_types.rounds import BetsClosed, RoundEnded, RoundOpened, RoundVoided
from events.tables.event_types.session import IrregularityRecorded, SessionClosed, StaffAssigned, StaffLeft
from tests.support.houses.sample_event_streams import DAY, History, SampleTableDay
from tests.support.pages.raised_alerts import raised

PEOPLE = {"dora": "dealer", "dino": "dealer", "ines": "inspector", "paul": "pit boss", "sven": "surveillance"}

_keys = count(1)


@pytest.fixture
def history() -> History:
    """A house with people in their roles."""
    history_ = History()
    for person, role in PEOPLE.items():
        history_.append("people", RoleGranted(person=person, role=role))
    return history_


def by(table: SampleTableDay, kind: Any, actor: str, role: str, /, action: str | None = None, **data: Any) -> int:
    """Append an event of the table by a person. Without `action`, the event has an action of its own."""
    where = {**table.where, "round": table.round or None, "dealer": "dora", "inspector": "ines", **data}
    own = action or f"own-{next(_keys)}"
    return table.history.append(table.stream, kind(**where), actor=actor, actorrole=role, causation=own)


def staffed(history: History, dealer: str = "dora", inspector: str | None = "ines", name: str = "R1") -> SampleTableDay:
    """A table in its first round."""
    table = SampleTableDay(history, name).open()
    by(table, StaffAssigned, "ines", "inspector", post="croupier", person=dealer)
    if inspector is not None:
        by(table, StaffAssigned, "ines", "inspector", post="inspector", person=inspector)
    table.round = 1
    by(table, RoundOpened, "dora", "dealer")
    return table


def reasons(history: History) -> list[tuple[str | None, str]]:
    staff_alerts = [msgspec.json.decode(alert.data) for alert in raised(history, "staff")]
    return [(alert.get("person"), alert["reason"]) for alert in staff_alerts]


def test_a_table_with_its_posts_filled_raises_nothing(history: History) -> None:
    table = staffed(history)
    by(table, BetsClosed, "dora", "dealer")
    by(table, RoundEnded, "paul", "pit boss")
    assert reasons(history) == []


def test_a_dealer_without_a_post_here_is_raised_once(history: History) -> None:
    table = staffed(history)
    by(table, BetsClosed, "dino", "dealer")
    by(table, RoundEnded, "dino", "dealer")
    assert reasons(history) == [("dino", "no post here")]


def test_before_the_first_round_and_after_the_close_nobody_needs_a_post(history: History) -> None:
    table = SampleTableDay(history).open()
    by(table, StaffAssigned, "dino", "dealer", post="dealer", person="dora")
    by(table, StaffAssigned, "dino", "dealer", post="inspector", person="ines")
    table.round = 1
    by(table, RoundOpened, "dora", "dealer")
    by(table, SessionClosed, "ines", "inspector", closer={}, amount_minor=0, expected_minor=0)
    by(table, RoundEnded, "dino", "dealer")
    assert reasons(history) == []


@pytest.mark.parametrize(
    ("dealer", "inspector", "expected"),
    [
        ("sven", "ines", [("sven", "a post without its role"), ("dora", "no post here")]),
        ("dora", "dino", [("dino", "a post without its role")]),
        ("ines", "ines", [("ines", "dealer and inspector"), ("dora", "no post here")]),
        ("dora", None, [(None, "no inspector")]),
    ],
)
def test_posts_that_are_wrong_from_the_first_round_on(
    history: History, dealer: str, inspector: str | None, expected: list[tuple[str | None, str]]
) -> None:
    staffed(history, dealer, inspector)
    assert sorted(reasons(history), key=str) == sorted(expected, key=str)


def test_a_role_that_was_taken_away_is_none(history: History) -> None:
    history.append("people", RoleRevoked(person="ines", role="inspector"))
    staffed(history)
    assert reasons(history) == [("ines", "a post without its role")]


def test_an_inspector_who_leaves_a_round_leaves_the_table_without_one(history: History) -> None:
    table = staffed(history)
    by(table, StaffLeft, "ines", "inspector", "leaves", post="inspector", person="ines")
    irregularity = {"kind": "staff", "clause": "house staff", "detail": "the inspector leaves"}
    by(table, IrregularityRecorded, "ines", "inspector", "leaves", **irregularity)
    table.round = 2
    by(table, RoundOpened, "dora", "dealer")
    assert reasons(history) == [(None, "no inspector")]
    assert len(raised(history, "staff", step=1)) == 1


# --- void rounds -----------------------------------------------------------------------------------------------------


def test_the_tail_is_the_hypergeometric_one() -> None:
    assert tail(10, 3, 4, 0) == 1
    assert tail(10, 3, 4, 3) == Fraction(4 * 3 * 2, 10 * 9 * 8)
    assert tail(10, 3, 4, 2) == Fraction(1, 3)
    assert tail(4, 2, 5, 1) == 1


def nights(
    history: History, days: int, voided: str, rounds: int = 30, voids: int = 3, ruleset: str = "roulette-french"
) -> None:
    """Two dealers side by side; some rounds of one of them are void."""
    for number in range(days):
        day = (date.fromisoformat(DAY) + timedelta(days=number)).isoformat()
        for dealer, name in (("dora", "R1"), ("dino", "R2")):
            table = SampleTableDay(history, name, day, ruleset=ruleset)
            for round_ in range(1, rounds + 1):
                table.round = round_
                by(table, RoundOpened, dealer, "dealer", dealer=dealer)
                is_void = dealer == voided and round_ <= voids
                if is_void:
                    by(table, RoundVoided, "ines", "inspector", dealer="somebody who came later", reason="misdeal")
                else:
                    by(table, RoundEnded, dealer, "dealer", dealer=dealer)


def test_a_dealer_whose_rounds_are_void_too_often_is_raised_once_in_thirty_days(history: History) -> None:
    nights(history, days=12, voided="dora")
    [alert] = raised(history, "void rate")
    about = msgspec.json.decode(alert.data)
    assert alert.person == "dora"
    assert about["voids"] == about["of_voids"] >= 17
    assert float(tail(about["of_rounds"], about["of_voids"], about["rounds"], about["voids"])) == about["p"] < 1e-5
    assert len(msgspec.json.decode(alert.events)) == about["voids"]


def test_a_dealer_of_two_games_is_raised_once(history: History) -> None:
    nights(history, days=8, voided="dora", rounds=60, voids=4)
    nights(history, days=8, voided="dora", rounds=60, voids=4, ruleset="baccarat-no-commission@1")
    assert [alert.person for alert in raised(history, "void rate")] == ["dora"]
    nights(history, days=8, voided="dino", rounds=60, voids=12, ruleset="baccarat")
    assert [alert.person for alert in raised(history, "void rate")] == ["dora", "dino"]


def test_few_rounds_are_not_judged(history: History) -> None:
    nights(history, days=1, voided="dora", rounds=45, voids=40)
    assert raised(history, "void rate") == []


def test_what_is_older_than_thirty_days_counts_no_more(history: History) -> None:
    for number in range(0, 400, 31):
        day = (date.fromisoformat(DAY) + timedelta(days=number)).isoformat()
        for dealer, name in (("dora", "R1"), ("dino", "R2")):
            table = SampleTableDay(history, name, day)
            for round_ in range(1, 61):
                table.round = round_
                by(table, RoundOpened, dealer, "dealer", dealer=dealer)
                if dealer == "dora" and round_ <= 3:
                    by(table, RoundVoided, "ines", "inspector", reason="misdeal")
    assert raised(history, "void rate") == []


# --- approvals -------------------------------------------------------------------------------------------------------


def agreed(history: History, table: SampleTableDay, asks: str, agrees: str) -> None:
    key = f"ask-{next(_keys)}"
    where = {**table.where, "round": 1}
    request = ApprovalRequested(
        **where, request=key, action="round.void", input={}, content="c", person=asks, roles=("inspector",)
    )
    history.append(table.stream, request, actor=asks, actorrole="inspector")
    approval = ApprovalGiven(**where, request=key, content="c", person=agrees, roles=("surveillance",), decided=True)
    history.append(table.stream, approval, actor=agrees, actorrole="surveillance")


def with_inspectors(history: History, others: int) -> SampleTableDay:
    table = SampleTableDay(history).open()
    for number in range(others):
        by(table, BetsClosed, f"inspector-{number}", "inspector")
    return table


def test_approvals_with_one_partner_alone_are_raised_once(history: History) -> None:
    table = with_inspectors(history, 2)
    for _ in range(30):
        agreed(history, table, "ines", "sven")
    [alert] = raised(history, "same hands")
    about = msgspec.json.decode(alert.data)
    assert (alert.person, about["partner"], about["approvals"], about["together"]) == ("sven", "ines", 20, 20)


@pytest.mark.parametrize(("others", "with_others"), [(1, 0), (3, 5)])
def test_who_had_nobody_else_or_asked_others_too_is_not(history: History, others: int, with_others: int) -> None:
    table = with_inspectors(history, others)
    for number in range(25):
        agreed(history, table, "ines" if number >= with_others else "inspector-0", "sven")
    assert raised(history, "same hands") == []


# --- clocks ----------------------------------------------------------------------------------------------------------


def at(history: History, time: str, **meta: Any) -> None:
    """An ask at this time, recorded at 18:00:00."""
    metadata = {"intent": "ask", "causation": f"a-{next(_keys)}", "actordevice": "terminal-R1", **meta}
    table = SampleTableDay(history)
    history.append(table.stream, BetsClosed(**table.where), time=f"2026-11-20T{time}.000Z", **metadata)


def clocks(history: History) -> Iterator[tuple[str, float]]:
    for alert in raised(history, "clock"):
        about = msgspec.json.decode(alert.data)
        yield about["reason"], about["seconds"]


def test_an_ask_far_from_when_it_was_recorded(history: History) -> None:
    for time in ("17:59:00", "17:58:58", "18:01:00", "18:01:01"):
        at(history, time, actordevice=f"t-{time}")
    assert list(clocks(history)) == [("not when it was recorded", 62), ("not when it was recorded", 61)]


def test_facts_may_come_late_and_who_says_no_time_is_on_time(history: History) -> None:
    at(history, "09:00:00", intent="fact")
    at(history, "18:00:00")
    assert list(clocks(history)) == []


def test_an_ask_before_the_terminals_ask_before(history: History) -> None:
    at(history, "18:00:10")
    at(history, "18:00:08")
    at(history, "18:00:07", actordevice="terminal-R2")
    assert list(clocks(history)) == []
    at(history, "18:00:06")
    assert list(clocks(history)) == []
    at(history, "18:00:03")
    assert list(clocks(history)) == [("before the ask before", 3)]


def test_a_clock_that_was_ahead_and_is_put_right_is_one_alert(history: History) -> None:
    """Each ask is held against the terminal's ask before, not against the latest time that it ever said."""
    for time in ("18:00:40", "18:00:01", "18:00:02", "18:00:03"):
        at(history, time)
    assert list(clocks(history)) == [("before the ask before", 39)]


def test_an_action_is_one_ask_however_many_events_it_makes(history: History) -> None:
    at(history, "17:00:00", causation="a-1")
    at(history, "17:00:00", causation="a-1")
    assert len(list(clocks(history))) == 1
    assert len(raised(history, "clock", step=1)) == 1
