"""The watch of the house: it records the facts that no other event records, each once, and raises their alerts."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from events import catalogue
from events.accounting.event_types.day_close import DayClosed
from events.alerts import overdue_and_luck_event_recorder as watchman_module
from events.alerts.overdue_and_luck_event_recorder import Watchman, judge, of_house, report, say_late
from events.alerts.system_recorded_event_types import ChanceJudged, IntegrityFailed, JudgedWin, TimePassed
from events.controls.slip_issued_event import SlipIssued
from events.errors import Poison
from events.house.setting_and_chip_structs import SettingChanged
from events.store import EventReader, EventStore, open_store
from events.tables.event_types.money import FillReceived
from events.tables.event_types.session import SessionClosed
from tests.support.clocks.settable_clocks import SettableTime
from tests.support.houses.sample_event_streams import DAY, PROPERTY, TIME, History, SampleTableDay, keep
from tests.support.pages.raised_alerts import raised


@pytest.fixture
def clock() -> SettableTime:
    return SettableTime(TIME)


@pytest.fixture
def store(clock: SettableTime) -> Iterator[EventStore]:
    opened = open_store("memory://", clock=clock)
    opened.create()
    yield opened
    opened.close()


def issued(history: History, slip: int = 1) -> None:
    issue = SlipIssued(
        kind="fill", year="2026", slip=slip, gaming_day=DAY, table="R1", request=f"r{slip}", chips={}, amount_minor=0
    )
    history.append(f"cage/{DAY}", issue, actorrole="cage")


def surveillance_events(store: EventStore, *kinds: Any) -> list[Any]:
    events = [
        catalogue.decode(stored_event.type, stored_event.raw).data
        for stored_event in store.stream(f"{PROPERTY}/surveillance")
    ]
    return [event for event in events if not kinds or isinstance(event, kinds)]


def night(store: EventStore, profit: int, rounds: int = 30, player: str = "g-1") -> SampleTableDay:
    """A shift of bets on red that all come, or all go; then the close of table and day."""
    history = History()
    table = SampleTableDay(history).open()
    for _ in range(rounds):
        table.bet(1_000, profit, player=player)
    table.say(SessionClosed, closer={}, amount_minor=0, expected_minor=0)
    closed = DayClosed(gaming_day=DAY, position=1, layout=2, digest="0" * 64)
    history.append(f"days/{DAY}", closed, actorrole="accountant")
    keep(store, history)
    return table


def test_a_slip_that_is_open_for_too_long_is_said_once(store: EventStore, clock: SettableTime) -> None:
    history = History()
    issued(history)
    issued(history, slip=2)
    table = SampleTableDay(history)
    table.say(FillReceived, slip=2, year="2026", chips={}, amount_minor=0)
    keep(store, history)
    watchman = of_house(store, PROPERTY)
    for minutes, count in ((30, 0), (1, 1), (9, 0)):
        clock.advance(minutes=minutes)
        assert say_late(store, watchman) == count
    assert say_late(store, Watchman(PROPERTY)) == 0  # somebody else, later
    [event] = surveillance_events(store)
    assert (event.name, event.since, event.minutes) == ("fill-2026-1", f"{PROPERTY}/cage/{DAY}@1", 30)


def test_the_houses_own_minutes_count(store: EventStore, clock: SettableTime) -> None:
    history = History()
    setting = SettingChanged(setting="alert_rules", value="slip: open_minutes 10", before="", approvals=())
    history.append("house", setting, actorrole="accountant")
    issued(history)
    keep(store, history)
    clock.advance(minutes=11)
    assert say_late(store, of_house(store, PROPERTY)) == 1


def test_an_open_slip_raises_an_alert_with_the_event_that_issued_it() -> None:
    history = History()
    issued(history)
    passed = TimePassed(
        kind="slip", name="fill-2026-1", since=f"{PROPERTY}/cage/{DAY}@1", minutes=30, gaming_day=DAY, table="R1"
    )
    history.append("surveillance", passed, actorrole="system")
    [alert] = raised(history)
    assert (alert.name, alert.table, msgspec.json.decode(alert.data)["reason"]) == ("slip", "R1", "open for too long")
    assert len(msgspec.json.decode(alert.events)) == 2


def test_a_shift_and_a_day_are_judged_once_and_a_shift_that_chance_does_not_explain_is_rare(store: EventStore) -> None:
    night(store, profit=1_000)
    assert judge(store, of_house(store, PROPERTY)) == 2
    assert judge(store, of_house(store, PROPERTY)) == judge(store, Watchman(PROPERTY)) == 0
    hold, luck = surveillance_events(store, ChanceJudged)
    assert (hold.kind, hold.table, hold.shift, luck.kind) == ("hold", "R1", "day", "luck")
    [table], [player] = hold.lines, luck.lines
    exact = (18 / 37) ** 30
    assert table.chance == pytest.approx(exact)
    assert player.chance == pytest.approx(exact)
    assert (table.win_minor, player.win_minor, player.name) == (-30_000, -30_000, "g-1")
    assert table.theory_micro == pytest.approx(30_000 * 10**6 / 74, abs=2)  # half comes back at zero


def test_a_player_who_loses_all_is_not_lucky_but_the_table_is(store: EventStore) -> None:
    night(store, profit=-1_000)
    judge(store, of_house(store, PROPERTY))
    hold, luck = surveillance_events(store, ChanceJudged)
    assert hold.lines[0].chance < 1e-6
    assert (luck.judged, luck.lines) == (1, ())


def test_a_shift_without_bets_is_judged_with_nothing_to_say(store: EventStore) -> None:
    night(store, profit=0, rounds=0)
    assert judge(store, of_house(store, PROPERTY)) == 2
    assert [judgement.lines for judgement in surveillance_events(store, ChanceJudged)] == [(), ()]


def line(chance: float) -> JudgedWin:
    return JudgedWin(
        name="g-1", decisions=9, bets=9, handle_minor=9_000, win_minor=-9_000, theory_micro=243_000_000,
        deviation_minor=3_000, chance=chance, how="exact", basis="exact",
    )  # fmt: skip


@pytest.mark.parametrize(("kind", "person", "sum_"), [("hold", "", -9_000), ("luck", "g-1", 9_000)])
def test_what_is_rarer_than_the_rule_says_raises_its_alert(kind: Any, person: str, sum_: int) -> None:
    history = History()
    for chance in (0.00011, 0.00009):
        closing = f"{PROPERTY}/tables/R1/{DAY}@9"
        judged = ChanceJudged(kind=kind, gaming_day=DAY, closing=closing, judged=1, lines=(line(chance),), table="R1")
        history.append("surveillance", judged, actorrole="system")
    [alert] = raised(history)
    about = msgspec.json.decode(alert.data)
    assert (alert.name, alert.person, about["sum"], about["p"]) == (kind, person, sum_, 0.00009)


def test_a_store_that_holds_another_history_is_read_again(clock: SettableTime) -> None:
    """This is the state after a restore under a running worker."""
    history, other = History(), History()
    issued(history)
    issued(other, slip=2)
    watchman, slips = Watchman(PROPERTY), []
    for history_ in (history, other):
        place = open_store("memory://", clock=clock)
        place.create()
        keep(place, history_)
        watchman.catch_up(place)
        slips.append([*watchman.slips])
    assert slips == [["fill-2026-1"], ["fill-2026-2"]]


def test_what_cannot_be_read_keeps_nothing_else_from_being_judged(
    store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    night(store, profit=1_000)
    judged = watchman_module._judged

    def poisoned(past: EventReader, property_: str, close: Any) -> ChanceJudged:
        if close.kind == "hold":
            raise Poison(f"{PROPERTY}/tables/R1/{DAY}", 7, "it cannot be read")
        return judged(past, property_, close)

    monkeypatch.setattr(watchman_module, "_judged", poisoned)
    assert judge(store, of_house(store, PROPERTY)) == 1
    assert [event.kind for event in surveillance_events(store)] == ["luck"]


def test_a_history_that_does_not_hold_is_said_once_for_the_same_findings(store: EventStore) -> None:
    failed = IntegrityFailed(kind="verify", thing="a", findings=("chain: event 7 was edited",), count=1)
    watchman = of_house(store, PROPERTY)
    assert [
        report(store, watchman, audit) for audit in (failed, failed, msgspec.structs.replace(failed, thing="b"))
    ] == [
        1,
        0,
        1,
    ]
    history = History()
    history.append("surveillance", failed, actorrole="system")
    [alert] = raised(history)
    assert (alert.name, msgspec.json.decode(alert.data)["findings"]) == ("integrity", 1)
