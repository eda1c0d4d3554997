"""Checks: the answer equals the later result, nothing is written, and no action waits. And the state of a table."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest
from msgspec.structs import replace

from events.desk.command_and_answer_structs import Answer, Checked, Command, Reply
from events.desk.desk import Desk
from events.envelope import Action, Who
from events.errors import Forbidden, Invalid, PitledgerError, Unknown
from events.games.blackjack.state_for_restarted_terminal import Boxes
from events.games.craps.state_for_restarted_terminal import Dice
from events.games.roulette.state_for_restarted_terminal import Wheel
from events.progressives import due_lock_and_lapse_appending, progressive_state_following_store
from events.store import EventStore, Stored, open_store
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from events.tables import gaming_day_stream_for_action
from events.tables.terminal_snapshot import Layout, layout_of
from tests.simulation import simulated_evening as demo
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, PROPERTY, House
from tests.unit.test_desk import mega_round
from tools.demo.demo_house_setup import open_progressive
from tools.demo.gaming_day_play import DemoDay

Mode = Literal["atomic", "each"]


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    urls: dict[str, Callable[[], str]] = {
        "memory": lambda: "memory://",
        "sqlite": lambda: f"sqlite:///{tmp_path / 'events.sqlite3'}",
        "postgres": lambda: str(request.getfixturevalue("postgres_url")),
    }
    house = House(open_store(urls[request.param]()))
    yield house
    house.close()


def check(house: House, kind: Any, name: str, person: str, *actions: Action, mode: Mode = "atomic") -> list[Reply]:
    """Ask what would be; nothing is written, no key is used."""
    keys = [action.key for action in actions]
    before = house.store.position(), house.store.keys(keys)
    replies = house.send(kind, name, person, *(replace(action, intent="check") for action in actions), mode=mode)
    assert (house.store.position(), house.store.keys(keys)) == before
    return replies


COUNTS = (
    *("session.closed.v1", "session.rolled.v1", "shift.counted.v1", "table.counted.v1"),
    *("cage.opened.v1", "cage.counted.v1", "cage.closed.v1"),
)


def types_and_data(reply: Reply) -> list[tuple[str, Any]]:
    """Return types and data of the events, checked or recorded, without times."""
    if isinstance(reply, Checked):
        return [(event.type, _timeless(msgspec.json.encode(event.data))) for event in reply.events]
    assert isinstance(reply, Answer), reply
    events = [msgspec.json.decode(recorded.event) for recorded in reply.events]
    return [(event["type"], _timeless(msgspec.json.encode(event["data"]))) for event in events]


def _timeless(data: bytes) -> dict[str, Any]:
    return {name: value for name, value in msgspec.json.decode(data).items() if name != "until"}


def same(house: House, kind: Any, name: str, person: str, *actions: Action, mode: Mode = "atomic") -> list[Reply]:
    """The check says what the same actions, asked for, then do."""
    would = check(house, kind, name, person, *actions, mode=mode)
    did = house.send(kind, name, person, *actions, mode=mode)
    agree(would, did)
    return would


def agree(would: list[Reply], did: list[Reply]) -> None:
    """Compare the answers of a check with the results of the same actions, problem by problem and event by event.

    The check of a count shows no events and no differences: it only says that the count is allowed.
    """
    assert len(would) == len(did)
    for checked, done in zip(would, did, strict=True):
        if isinstance(done, Problem):
            assert checked == done
        else:
            happened = types_and_data(done)
            is_count = any(kind in COUNTS for kind, _ in happened)
            shown = [] if is_count else [event for event in happened if event[0] != "discrepancy.found.v1"]
            assert (checked.key, types_and_data(checked)) == (done.key, shown)


# --- what would be ------------------------------------------------------------------------------------------------


def test_a_check_of_a_table_says_what_then_happens(house: House) -> None:
    house.open_table("FR1")
    bet = house.action("bet.place", bet="b", wager="red", amount_minor=500, player="p", seat=1)
    [reply] = check(house, "tables", "FR1", "dora", house.action("round.open"))
    assert isinstance(reply, Checked)
    assert (reply.written, reply.events[0].type, reply.events[0].actorrole) == (False, "round.opened.v1", "dealer")
    assert isinstance(check(house, "tables", "FR1", "dora", bet)[0], Problem), "the round was only asked about"
    same(house, "tables", "FR1", "dora", house.action("round.open"), bet)
    bad = house.action("bet.place", bet="c", wager="split", numbers=[1, 5], amount_minor=500, player="p", seat=1)
    spin = house.action("ball.launch", wheel="cw", ball="ccw")
    assert [type(reply) for reply in same(house, "tables", "FR1", "dora", bad, spin)] == [Problem]
    replies = same(house, "tables", "FR1", "dora", bad, spin, house.action("bets.close"), mode="each")
    assert [type(reply) for reply in replies] == [Problem, Checked, Checked]


def test_a_check_of_the_floor_and_the_people_says_what_then_happens(house: House) -> None:
    new = {"pit": "A", "table": "BA1", "game": "baccarat", "ruleset": "baccarat"}
    for person in ("dora", "adam"):
        same(house, "floor", "", person, house.action("table.install", **new))
        same(house, "people", "", person, house.action("role.grant", person="zoe", role="dealer"))


def test_a_check_of_a_progressive_says_what_then_happens(house: House) -> None:
    hit = mega_round(house)
    asking = house.action("hit.authorise", hit=hit, amount_minor=5_000_150)
    same(house, "progressives", "blazing", "dora", house.action("jackpot.pay", hit=hit, gaming_day=DAY))
    [requested] = same(house, "progressives", "blazing", "ines", asking)
    assert types_and_data(requested)[0][0] == "approval.requested.v1"
    content = types_and_data(requested)[0][1]["content"]
    give = house.action("approval.give", request=asking.key, content=content)
    [approval] = same(house, "progressives", "blazing", "sven", give)
    assert [kind for kind, _ in types_and_data(approval)] == [
        "approval.given.v1",
        "shares.locked.v1",
        "hit.authorised.v1",
    ]
    pay = [house.action("jackpot.pay", hit=hit, gaming_day=DAY) for _ in range(2)]
    first, second = check(house, "progressives", "blazing", "cage", *pay, mode="each")
    assert [kind for kind, _ in types_and_data(first)] == ["jackpot.paid.v1", "envy.paid.v1"]
    assert isinstance(second, Problem), "as if the first had been done"
    same(house, "progressives", "blazing", "cage", *pay, mode="each")
    assert due_lock_and_lapse_appending.refused_facts(house.store, PROPERTY, "blazing") == []


def test_a_check_uses_no_key_and_knows_those_that_were_used(house: House) -> None:
    house.open_table("FR1")
    action = house.action("round.open", _key="new-1")
    check(house, "tables", "FR1", "dora", action)
    done = house.send("tables", "FR1", "dora", action)[0]
    again = check(house, "tables", "FR1", "dora", action)[0]
    assert isinstance(done, Answer)
    assert again == replace(done, repeated=True), "as asking again would be answered"
    [used] = house.send("tables", "FR1", "dora", house.action("bets.close", _key="new-1", _intent="check"))
    assert isinstance(used, Problem)
    assert used.status == 409


def test_a_request_checks_all_of_its_actions_or_none(house: House) -> None:
    house.open_table("FR1")
    both = (house.action("round.open"), house.action("bets.close", _intent="check"))
    for mode in ("atomic", "each"):
        with pytest.raises(Invalid, match="all of its actions"):
            house.send("tables", "FR1", "dora", *both, mode=mode)


def test_too_many_events_are_refused_as_when_they_are_asked_for(house: House) -> None:
    house.open_table("FR1")
    house.ok("tables", "FR1", "dora", house.action("round.open"))
    bets = [
        house.action("bet.place", bet=f"b{n}", wager="red", amount_minor=500, player=f"p{n}", seat=1)
        for n in range(200)
    ]
    assert [type(reply) for reply in check(house, "tables", "FR1", "dora", *bets, mode="each")] == [Checked] * 200


def test_a_device_checks_at_its_own_table_only(house: House) -> None:
    house.open_table("FR1")
    who = Who(person="dora", roles=frozenset(), device="t1", table="BJ1")
    action = house.action("round.open", _intent="check")
    [reply] = house.desk.do(Command(Target("tables", "FR1"), (action,), who))
    assert isinstance(reply, Problem)
    assert reply.status == 403


def test_questions_and_actions_do_not_disturb_each_other(house: House) -> None:
    """Many ask what would be while others act: every action counts once, every question is answered."""
    house.open_table("FR1")
    actions = [house.action("buyin.make", seat=1, player=f"p{n}", amount_minor=100) for n in range(40)]
    asking = [house.action("buyin.make", seat=2, player="q", amount_minor=100, _intent="check") for _ in range(120)]
    replies: list[Reply] = []

    def send(mine: list[Action]) -> None:
        for action in mine:
            replies.extend(house.send("tables", "FR1", "dora", action))

    threads = [threading.Thread(target=send, args=(part,)) for part in (actions, *(asking[n::3] for n in range(3)))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(isinstance(reply, Answer) for reply in replies) == 40
    assert sum(isinstance(reply, Checked) for reply in replies) == 120
    assert len(house.store.after(0, 1_000, ["buyin.made.v1"])) == 40
    assert float_of(house, "FR1") == 3_100_000 - 40 * 100


# --- not yet ------------------------------------------------------------------------------------------------------


def test_an_authorisation_before_the_deal_is_complete_comes_too_early_and_is_repeated_under_its_key(
    house: House,
) -> None:
    house.open_progressive()
    house.open_table("BJ1")
    deal(house)
    house.ok("tables", "BJ1", "dora", house.action("hit.declare", box=1, level="mega"))
    early = house.action("hit.authorise", hit="BJ1-2026-11-20-1-1", amount_minor=5_000_050)
    problem = house.no("progressives", "blazing", "ines", early)
    assert (problem.status, problem.key, problem.clause) == (503, early.key, None)
    assert "initial deal of round 1" in problem.detail
    assert check(house, "progressives", "blazing", "ines", early) == [problem]
    house.ok("tables", "BJ1", "dora", house.action("deal.complete"))
    [done] = house.ok("progressives", "blazing", "ines", early)
    assert done.type in ("approval.requested.v1", "hit.authorised.v1")


def deal(house: House) -> None:
    """Ann has three sevens of diamonds on box 1; the initial deal is not called complete."""
    cards: list[tuple[str, dict[str, Any]]] = [
        ("7D", {"to": "box", "box": 1}),
        ("7D", {"to": "dealer"}),
        ("7D", {"to": "box", "box": 1}),
    ]
    main: dict[str, Any] = {"bet": "m1", "wager": "main", "amount_minor": 1_000}
    side: dict[str, Any] = {"bet": "b1", "wager": "blazing7s", "amount_minor": 500}
    actions = [
        house.action("round.open"),
        *(house.action("bet.place", **bet, player="Ann", box=1) for bet in (main, side)),
        house.action("bets.close"),
        house.action("progressive.arm"),
        *(house.action("card.deal", card=card, **where) for card, where in cards),
    ]
    house.ok("tables", "BJ1", "dora", *actions)


# --- how a table stands -------------------------------------------------------------------------------------------


def layout(
    house: House, table: str, gaming_day: str | None = None, person: str = "dora", bound: str | None = None
) -> Layout:
    who = Who(person=person, roles=frozenset(), device="t1" if bound else None, table=bound, factor_s=0)
    return house.desk.questions.layout(table, gaming_day, who)


def float_of(house: House, table: str) -> int:
    """Return the expected inventory of the tray, as the desk knows it."""
    expected_minor: int = gaming_day_stream_for_action.session(house.desk.streams.new_view(), table)[0].float_minor
    return expected_minor


def test_a_wheel_as_it_stands(house: House) -> None:
    house.open_table("FR1")
    events = house.ok(
        "tables",
        "FR1",
        "dora",
        house.action("round.open"),
        house.action("bet.place", bet="b", wager="red", amount_minor=500, player="p", seat=1, on_zero="prison"),
        house.action("ball.launch", wheel="cw", ball="ccw"),
    )
    layout_ = layout(house, "FR1")
    assert (layout_.stream, layout_.version) == (f"{PROPERTY}/tables/FR1/{DAY}", 7)
    assert f"{layout_.stream}@{layout_.version}" == events[-1].id
    assert layout_.position == house.store.position(), "what was answered is in it at once"
    assert (layout_.status, layout_.phase, layout_.round, layout_.shift) == ("open", "spinning", 1, "day")
    assert (layout_.posts, layout_.minimum_minor) == ({"dealer": "dora", "inspector": "ines"}, 500)
    assert [(bet.bet, bet.wager, bet.amount_minor, bet.on_zero) for bet in layout_.bets] == [
        ("b", "red", 500, "prison")
    ]
    assert layout_.play == Wheel(turned="cw", ball="ccw")
    house.ok("tables", "FR1", "dora", house.action("bets.close"), house.action("ball.land", number=9))
    [due] = layout(house, "FR1").dues
    assert (due.bet, due.amount_minor, due.player, due.seat) == ("b", 500, "p", 1)


def test_a_wheel_with_players_limits_and_what_was_left_unpaid(house: House) -> None:
    house.open_table("FR1")
    own = {"player": "p", "seat": 1, "wager": "red", "minimum_minor": 500, "maximum_minor": 200_000}
    bet = {"wager": "red", "amount_minor": 500, "player": "p", "seat": 1}
    spin = [("ball.launch", {"wheel": "cw", "ball": "ccw"}), ("bets.close", {})]
    steps: list[tuple[str, dict[str, Any]]] = [
        ("limit.mark", own),
        ("round.open", {}),
        ("bet.place", {**bet, "bet": "b"}),
        *spin,
        ("ball.land", {"number": 9}),
        ("round.end", {"_intent": "fact"}),
        ("round.open", {}),
        ("bet.place", {**bet, "bet": "c"}),
        ("ball.launch", {"wheel": "ccw", "ball": "cw"}),
        ("bets.close", {}),
        ("ball.land", {"number": 0, "last_coup": False}),
        ("bet.instruct", {"bet": "c", "on_zero": "prison"}),
    ]
    for kind, data in steps:
        house.ok("tables", "FR1", "ines", house.action(kind, **data))
    layout_ = layout(house, "FR1")
    assert layout_.chip_minor == 100
    assert layout_.play == Wheel(turned="ccw", ball="cw", personal={"p": {"red": (500, 200_000)}})
    assert [(due.bet, due.amount_minor, due.won_in) for due in layout_.dues] == [("b", 500, 1)]
    assert [(lies.bet, lies.zeros, lies.on_zero) for lies in layout_.bets] == [("c", 1, "prison")]
    before = float_of(house, "FR1")
    house.ok("tables", "FR1", "dora", house.action("payment.make", bet="b", amount_minor=500))
    house.ok("tables", "FR1", "dora", house.action("bet.instruct", bet="c", on_zero="half"), house.action("round.end"))
    after = layout(house, "FR1")
    assert (after.dues, after.bets) == ((), ())
    assert float_of(house, "FR1") == before - 500 + 250


def test_what_should_be_in_the_rack_is_told_once_it_is_counted(house: House) -> None:
    house.open_table("FR1")
    house.ok("tables", "FR1", "ines", house.action("drop.put", drop_box="one"))
    layout_ = layout(house, "FR1")
    assert (layout_.float_minor, layout_.box, layout_.recorded) == (None, "one", True)
    house.ok("tables", "FR1", "ines", house.action("session.close", closer={"500": 6_100}))
    assert layout(house, "FR1").float_minor == 3_050_000


def test_cards_as_they_lie(house: House) -> None:
    house.open_progressive()
    house.open_table("BJ1")
    deal(house)
    play = layout(house, "BJ1").play
    assert isinstance(play, Boxes)
    assert (play.shoe, play.packs, play.armed, play.came) == ("s1", 6, True, {"7D": 3})
    assert (layout(house, "BJ1").stakes_minor, layout(house, "BJ1").basis) == ((500, 1_000), "to")
    assert (play.dealer, play.boxes[1][0].cards) == (("7D",), ("7D", "7D"))


def test_dice_as_they_lie(house: House) -> None:
    house.install("CR1", "craps", "craps-gr")
    house.open_table("CR1")
    posts = [("second dealer", "dan"), ("stickman", "stan"), ("manager", "mia")]
    dice = [{"serial": "K17", "colour": "red"}] * 5
    line = house.action("bet.place", bet="a", wager="pass", amount_minor=1_000, player="Ann", seat=1)
    staff = [house.action("staff.assign", post=post, person=person) for post, person in posts]
    house.ok("tables", "CR1", "ines", *staff, house.action("dice.put", dice=dice))
    house.ok(
        "tables",
        "CR1",
        "dora",
        house.action("shooter.appoint", seat=1, player="Ann"),
        house.action("round.open"),
        house.action("dice.choose", places=[0, 3]),
        line,
        house.action("dice.offer"),
        house.action("dice.roll", dice=[3, 3]),
    )
    play = layout(house, "CR1").play
    assert isinstance(play, Dice)
    assert (play.point, play.shooter, play.seat, play.chosen, len(play.dice)) == (6, "Ann", 1, (0, 3), 5)


def test_a_request_that_waits_is_shown_with_what_an_approver_names(house: House) -> None:
    house.open_table("FR1")
    house.ok("tables", "FR1", "dora", house.action("round.open"))
    asking = house.action("round.void", round=1, reason="the wheel stands")
    house.ok("tables", "FR1", "ines", asking)
    [waits] = layout(house, "FR1").requests
    assert (waits.request, waits.action, waits.people) == (asking.key, "round.void", (("ines", "inspector"),))
    assert (waits.until or "").startswith("2026-11-21T2")
    give = house.action("approval.give", request=waits.request, content=waits.content)
    house.ok("tables", "FR1", "sven", give)
    assert layout(house, "FR1").requests == ()


@pytest.mark.parametrize("end", ["declined", "withdrawn", "time", "role"])
def test_a_request_that_nobody_can_agree_to_any_more_is_not_shown(house: House, end: str) -> None:
    house.store.clock = lambda: "2026-11-20T23:00:00.000Z"
    house.open_table("FR1")
    house.ok("tables", "FR1", "dora", house.action("round.open"))
    [requested] = house.ok("tables", "FR1", "ines", house.action("round.void", round=1, reason="the wheel stands"))
    assert [waits.request for waits in layout(house, "FR1").requests] == [requested.data.request]
    answer = {"request": requested.data.request, "reason": "it turns"}
    if end == "declined":
        house.ok("tables", "FR1", "sven", house.action("approval.decline", **answer))
    elif end == "withdrawn":
        house.ok("tables", "FR1", "ines", house.action("approval.withdraw", **answer))
    elif end == "time":
        house.store.clock = lambda: "2026-11-21T23:00:00.000Z"
    else:
        house.ok("people", "", "adam", house.action("role.revoke", person="ines", role="inspector"))
    assert layout(house, "FR1", person="dora").requests == ()


def test_a_closed_day_is_shown_beside_the_current_one(house: House) -> None:
    house.open_table("FR1")
    house.ok("tables", "FR1", "ines", house.action("session.close", closer={"100": 31_000}))
    house.ok("tables", "FR1", "ines", house.action("session.open", gaming_day="2026-11-21", opener={"100": 5}))
    assert (layout(house, "FR1").gaming_day, layout(house, "FR1").status) == ("2026-11-21", "open")
    assert (layout(house, "FR1", DAY).gaming_day, layout(house, "FR1", DAY).status) == (DAY, "closed")


def test_who_may_not_look_and_what_is_not_there(house: House) -> None:
    house.open_table("FR1")
    refused: list[tuple[type[PitledgerError], Callable[[], Layout]]] = [
        (Unknown, lambda: layout(house, "FR9")),
        (Unknown, lambda: layout(house, "BJ1")),
        (Unknown, lambda: layout(house, "FR1", "2026-11-19")),
        (Invalid, lambda: layout(house, "FR1", "yesterday")),
        (Forbidden, lambda: layout(house, "FR1", person="stranger")),
        (Forbidden, lambda: layout(house, "FR1", bound="BJ1")),
    ]
    for error, look in refused:
        with pytest.raises(error):
            look()
    assert layout(house, "FR1", bound="FR1").table == "FR1"


# --- what is mistyped ---------------------------------------------------------------------------------------------


class ReadCounter:
    """A store that counts the events that are read from it."""

    def __init__(self, store: EventStore) -> None:
        self.read = 0
        for name in ("stream", "after"):
            setattr(store, name, self._counted(getattr(store, name)))

    def _counted(self, reading: Callable[..., list[Stored]]) -> Callable[..., list[Stored]]:
        def inner(*args: Any, **kwargs: Any) -> list[Stored]:
            result = reading(*args, **kwargs)
            self.read += len(result)
            return result

        return inner


QUESTIONS = 3  # of the following test


def test_a_mistyped_name_is_answered_without_reading_the_history(house: House) -> None:
    mega_round(house)
    layout(house, "BJ1")
    counting = ReadCounter(house.store)
    for person, asking in (
        ("anna", house.action("meter.read", level="mega", read_minor=5)),
        ("ines", house.action("hit.void", hit="h", reason="r")),
    ):
        assert house.no("progressives", "blasing", person, asking).status == 404
        [reply] = check(house, "progressives", "blasing", person, asking)
        assert isinstance(reply, Problem)
        assert reply.status == 404
    assert house.no("tables", "FR9", "dora", house.action("round.open")).status == 404
    late = Command(
        Target("tables", "BJ1", "2026-11-02"),
        (house.action("round.end"),),
        Who(person="dora", roles=frozenset()),
    )
    [reply] = house.desk.do(late)
    assert isinstance(reply, Problem)
    assert reply.status == 404
    with pytest.raises(Unknown):
        layout(house, "BJ9")
    assert counting.read <= QUESTIONS, "each question looks whether the last event is still the same, and at no other"


def test_a_progressive_is_read_from_its_first_event_on(house: House) -> None:
    """And one that is new begins behind all that was before it."""
    mega_round(house)
    first = house.store.stream(f"{PROPERTY}/progressives/blazing", limit=1)[0].position
    counting = ReadCounter(house.store)
    house.store.process_cache.clear()
    assert progressive_state_following_store.live(house.store, PROPERTY, "blazing").position == first - 1 > 0
    assert counting.read == 1
    assert progressive_state_following_store.live(house.store, PROPERTY, "new").position == house.store.position()
    assert counting.read == 1


class AskingHouse(House):
    """Asks what would be before everything that it does, and holds the answer against what then happens."""

    action_count = 0

    def send(self, kind: str, name: str, person: str, *actions: Action, mode: Any = "atomic") -> list[Reply]:
        before = self.store.position(), self.store.keys([action.key for action in actions])
        would = super().send(kind, name, person, *(replace(action, intent="check") for action in actions), mode=mode)
        assert (self.store.position(), self.store.keys([action.key for action in actions])) == before
        did = super().send(kind, name, person, *actions, mode=mode)
        if all(action.intent == "ask" for action in actions):
            agree(would, did)
            self.action_count += len(actions)
        return did


def test_a_whole_evening_happens_as_it_was_said_before() -> None:
    house = AskingHouse(open_store("memory://"))
    evening_with_everything.play(house)
    assert house.action_count > 100
    assert all(read_models_agree(house, table) for table in house.desk.streams.cache.property_state("floor").tables)
    house.close()


def read_models_agree(house: House, table: str) -> bool:
    """The questions' own state of a table is the one that the desk decides on."""
    try:
        session, version = gaming_day_stream_for_action.session(house.desk.streams.new_view(), table)
    except Unknown:
        return True
    layout_ = layout(house, table, person="ines")
    return layout_ == layout_of(session, version, layout_.position, house.desk.streams.current_moment())


UNTRIED = ("count.enter", "count.verify")  # trying figures would tell the other counter's


def test_every_action_of_a_demo_night_happens_as_it_was_said_before() -> None:
    """All games, with hits, payments, mispays and fills: some thousand actions, each checked before it is sent."""
    store = open_store("memory://")
    demo.found_house(store)
    desk, count = Desk(store, PROPERTY), [0]

    def checked_first(command: Command) -> list[Reply]:
        is_asked = all(action.intent == "ask" and action.type not in UNTRIED for action in command.actions)
        actions = tuple(replace(action, intent="check") for action in command.actions)
        would = desk.questions.check(replace(command, actions=actions))
        did = demo.served(desk, command)
        if is_asked:
            agree(would, did)
            count[0] += len(actions)
        return did

    def share(hit: str) -> int | None:
        due_lock_and_lapse_appending.reconcile(store, PROPERTY, demo.PROGRESSIVE)
        lock = due_lock_and_lapse_appending.current(store, PROPERTY, demo.PROGRESSIVE).lock(hit)
        return lock.share if lock else None

    open_progressive(desk)
    wire = demo.Wire(checked_first)
    demo.link_tables(wire)
    for _ in DemoDay(wire, seed=7, hours=0.5, share=share).play():
        pass
    assert count[0] > 1_000, count
    desk.close()
