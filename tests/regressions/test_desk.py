"""Fixed faults of the desk, most of them found by the simulation."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

import msgspec
import pytest

from events.desk.command_and_answer_structs import Answer, Command, Reply
from events.desk.desk import Desk
from events.envelope import Action, AnyEnvelope, Who
from events.errors import Defect, Retry, Stale
from events.progressives import due_lock_and_lapse_appending, progressive_state_following_store
from events.store import Append, AppendResult, EventReader, Key, OutdatedAssumptions
from events.store.in_memory_store import MemoryStore
from events.streams import stream_kind_declaration
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from events.tables import main_table_decider
from events.tables.event_types.progressive import HitDeclaredLate
from tests.support.houses.progressive_house import NAME
from tests.support.houses.small_house import DAY, PROPERTY, House, events_of
from tests.unit.test_desk import mega_round

NEXT = "2026-11-21"
CHIPS = {"100": 10}


class FailingStore(MemoryStore):
    """A store that raises its list of errors, one at each append, before it writes anything."""

    def __init__(self) -> None:
        super().__init__()
        self.errors: list[Exception] = []

    def append(self, appends: Sequence[Append], keys: Sequence[Key] = ()) -> AppendResult:
        if self.errors:
            raise self.errors.pop(0)
        return super().append(appends, keys)


@pytest.fixture
def house() -> Iterator[House]:
    house = House(FailingStore())
    house.open_table("FR1")
    yield house
    house.close()


def ask(desk: Desk, house: House, person: str, *actions: Action, table: str = "FR1") -> list[Reply]:
    return desk.do(Command(Target("tables", table), actions, Who(person=person, roles=frozenset(), factor_s=0)))


def test_what_the_store_did_not_take_leaves_no_state_behind_when_it_was_decided_alone(house: House) -> None:
    assert isinstance(house.store, FailingStore)
    house.store.errors = [Stale("another process wrote"), Retry("the store does not answer")]
    opening, version = house.action("round.open"), house.store.head(f"{PROPERTY}/tables/FR1/2026-11-20").version
    with pytest.raises(Retry):
        ask(house.desk, house, "dora", opening)
    first = ask(house.desk, house, "dora", opening)[0]
    assert isinstance(first, Answer)
    assert first.events[0].position == house.store.position()
    assert house.store.keys([opening.key])[opening.key].first == version + 1
    again = ask(house.desk, house, "dora", opening)[0]
    assert isinstance(again, Answer)
    assert (again.events, again.repeated) == (first.events, True)


def test_the_opening_of_a_day_that_was_refused_does_not_move_the_table_there(house: House) -> None:
    house.ok("tables", "FR1", "ines", house.action("session.close", closer=CHIPS))
    denied = house.no("tables", "FR1", "dora", house.action("session.open", gaming_day=NEXT, opener=CHIPS))
    assert denied.status == 403
    removed = house.ok("tables", "FR1", "ines", house.action("drop.remove", drop_box="b1"))
    assert removed[0].subject == f"{PROPERTY}/tables/FR1/2026-11-20"


def test_an_opening_taken_back_with_its_request_does_not_move_the_table_either(house: House) -> None:
    house.ok("tables", "FR1", "ines", house.action("session.close", closer=CHIPS))
    opening = house.action("session.open", gaming_day=NEXT, opener=CHIPS)
    house.no("tables", "FR1", "ines", opening, house.action("round.open"))
    removed = house.ok("tables", "FR1", "ines", house.action("drop.remove", drop_box="b1"))
    assert removed[0].subject == f"{PROPERTY}/tables/FR1/2026-11-20"


def test_a_day_opened_and_closed_in_one_request_is_the_tables_latest(house: House) -> None:
    house.ok("tables", "FR1", "ines", house.action("session.close", closer=CHIPS))
    opening = house.action("session.open", gaming_day=NEXT, opener=CHIPS)
    closing, box = house.action("session.close", closer=CHIPS), house.action("drop.remove", drop_box="b2")
    events = house.ok("tables", "FR1", "ines", opening, closing, box)
    assert {event.subject for event in events} == {f"{PROPERTY}/tables/FR1/{NEXT}"}


def test_of_two_days_opened_in_one_request_the_second_waits_for_the_first_to_close(house: House) -> None:
    house.ok("tables", "FR1", "ines", house.action("session.close", closer=CHIPS))
    days = [house.action("session.open", gaming_day=day, opener=CHIPS) for day in (NEXT, "2026-11-22")]
    problem = house.no("tables", "FR1", "ines", *days)
    assert (problem.status, problem.index) == (422, 1)
    assert f"still open for {NEXT}" in problem.detail


def test_a_desk_notices_the_day_that_another_desk_has_opened(house: House) -> None:
    other = Desk(house.store, PROPERTY)
    try:
        limits = house.action("limits.post", minimum_minor=1_000, maxima_minor={})
        assert isinstance(ask(other, house, "ines", limits)[0], Answer)
        closed = ask(house.desk, house, "ines", house.action("session.close", closer=CHIPS))
        opened = ask(house.desk, house, "ines", house.action("session.open", gaming_day=NEXT, opener=CHIPS))
        assert all(isinstance(reply, Answer) for reply in (*closed, *opened))
        posted = ask(other, house, "ines", house.action("limits.post", minimum_minor=500, maxima_minor={}))[0]
        assert isinstance(posted, Answer), posted
        assert house.store.head(f"{PROPERTY}/tables/FR1/{NEXT}").version == 2
    finally:
        other.close()


def test_what_is_taken_back_with_its_request_does_not_hide_what_another_desk_wrote(house: House) -> None:
    """The request's first action has the position of the other desk's event: seed 10 of the pipeline."""
    other = Desk(house.store, PROPERTY)
    try:
        seen = house.action("buyin.make", seat=1, player="p", amount_minor=100)
        assert isinstance(ask(other, house, "dora", seen)[0], Answer)
        house.ok("tables", "FR1", "dora", house.action("round.open"))
        buyin = house.action("buyin.make", seat=1, player="p", amount_minor=100)
        replies = ask(other, house, "dora", buyin, house.action("ball.launch", wheel="cw", ball="ccw"))
        assert [type(reply) for reply in replies] == [Answer, Answer]
    finally:
        other.close()


def test_a_day_that_another_desk_has_closed_does_not_keep_the_next_from_opening(house: House) -> None:
    other = Desk(house.store, PROPERTY)
    try:
        limits = house.action("limits.post", minimum_minor=1_000, maxima_minor={})
        assert isinstance(ask(other, house, "ines", limits)[0], Answer)
        closed = ask(house.desk, house, "ines", house.action("session.close", closer=CHIPS))[0]
        assert isinstance(closed, Answer), closed
        opened = ask(other, house, "ines", house.action("session.open", gaming_day=NEXT, opener=CHIPS))[0]
        assert isinstance(opened, Answer), opened
    finally:
        other.close()


def test_of_two_days_that_two_desks_open_at_once_one_is_opened(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.ok("tables", "FR1", "ines", house.action("session.close", closer=CHIPS))
    house.store.clock = lambda: f"{NEXT}T12:00:00.000Z"  # from which both days are near
    later = house.action("session.open", gaming_day="2026-11-22", opener=CHIPS)
    append, other = house.store.append, Desk(house.store, PROPERTY)

    def meanwhile(appends: Sequence[Append], keys: Sequence[Key] = ()) -> AppendResult:
        monkeypatch.setattr(house.store, "append", append)
        assert isinstance(ask(other, house, "ines", later)[0], Answer)
        return append(appends, keys)

    monkeypatch.setattr(house.store, "append", meanwhile)
    denied = ask(house.desk, house, "ines", house.action("session.open", gaming_day=NEXT, opener=CHIPS))[0]
    other.close()
    assert isinstance(denied, Problem)
    assert "still open for 2026-11-22" in denied.detail


def test_a_key_that_stands_twice_in_one_request_is_named(house: House) -> None:
    same = house.action("round.open", _key="twice")
    problem = house.no("tables", "FR1", "dora", same, same)
    assert problem.status == 409
    assert "The key twice appears twice in one request." in problem.detail


def test_a_command_that_breaks_the_desk_does_not_take_others_with_it(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    ordinary = main_table_decider.decide

    def decide(state: Any, action: Action, *arguments: Any) -> Any:
        if action.key == "broken":
            raise RuntimeError("a mistake of ours")
        return ordinary(state, action, *arguments)

    declared = dict(stream_kind_declaration.declared())
    decisions = msgspec.structs.replace(declared["tables"].decisions, decide=decide)
    declared["tables"] = msgspec.structs.replace(declared["tables"], decisions=decisions)
    monkeypatch.setattr(stream_kind_declaration, "declared", lambda: declared)
    house.open_table("BJ1")
    submissions: list[tuple[Command, Future[list[Reply]]]] = []
    for table, key in (("FR1", "broken"), ("BJ1", "whole")):
        action = house.action("round.open", _key=key)
        submissions.append(
            (Command(Target("tables", table), (action,), Who(person="dora", roles=frozenset())), Future())
        )
    desk = Desk(house.store, PROPERTY)
    desk.serve(submissions)
    assert isinstance(submissions[0][1].exception(), Defect)
    assert isinstance(submissions[1][1].result()[0], Answer)


def test_what_is_played_is_what_the_floor_says_when_the_table_opens(house: House) -> None:
    """A session opens with the floor's latest settings, even if an earlier attempt failed under older ones."""
    opener = {"100": 10}
    house.no("tables", "BJ1", "dora", house.action("session.open", gaming_day=DAY, opener=opener))
    opening = house.action("session.open", gaming_day=DAY, opener=opener)
    house.no("tables", "BJ1", "ines", opening, house.action("round.settle"))
    house.install("BJ1", "roulette", "roulette-american")
    opened = house.ok("tables", "BJ1", "ines", house.action("session.open", gaming_day=DAY, opener=opener))[0].data
    assert (opened.game, opened.ruleset, opened.progressive) == ("roulette", "roulette-american@1", None)


def test_a_session_goes_on_as_it_was_opened_whatever_the_floor_says_since(house: House) -> None:
    house.install("FR1", "blackjack", "blackjack-trilux")
    later = Desk(house.store, PROPERTY)
    try:
        opened = events_of(ask(later, house, "dora", house.action("round.open")))[0]
        assert opened.data.ruleset == "roulette-french@1"
        replies = ask(later, house, "dora", house.action("ball.launch", wheel="cw", ball="ccw"))
        assert isinstance(replies[0], Answer), replies
    finally:
        later.close()


def test_what_one_request_takes_back_does_not_hide_what_another_has_opened(house: House) -> None:
    house.ok("tables", "FR1", "ines", house.action("session.close", closer=CHIPS))
    requests = [
        (house.action("session.open", gaming_day=NEXT, opener=CHIPS), house.action("session.close", closer=CHIPS)),
        (house.action("session.open", gaming_day="2026-11-22", opener=CHIPS), house.action("ball.launch")),
        (house.action("drop.remove", drop_box="b1"),),
    ]
    ines = Who(person="ines", roles=frozenset(), factor_s=0)
    submissions: list[tuple[Command, Future[list[Reply]]]] = [
        (Command(Target("tables", "FR1"), actions, ines), Future()) for actions in requests
    ]
    Desk(house.store, PROPERTY).serve(submissions)
    assert isinstance(submissions[1][1].result()[0], Problem)
    assert events_of(submissions[2][1].result())[0].subject == f"{PROPERTY}/tables/FR1/{NEXT}"


def test_a_role_revoked_before_a_progressives_append_is_not_in_force_in_it(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.open_progressive()
    revocations = [house.action("role.revoke", person="mark", role="progressive manager")]
    catch_up = progressive_state_following_store.ProgressiveFollower.catch_up

    def after_the_revocation(self: progressive_state_following_store.ProgressiveFollower, reader: EventReader) -> None:
        while revocations:
            house.ok("people", "", "adam", revocations.pop())
        catch_up(self, reader)

    monkeypatch.setattr(progressive_state_following_store.ProgressiveFollower, "catch_up", after_the_revocation)
    other, change = Desk(house.store, PROPERTY), house.action("parameters.change", level="mega", cap_minor=9_000_000)
    try:
        command = Command(
            Target("progressives", "blazing"), (change,), Who(person="mark", roles=frozenset(), factor_s=0)
        )
        reply = other.do(command)[0]
        assert isinstance(reply, Problem), reply
        assert reply.status == 403
    finally:
        other.close()


def test_what_was_decided_before_a_revocation_is_stored_before_it(house: House) -> None:
    """The store never has a person's action after the event that revoked the person's role."""

    def request(kind: Any, name: str, person: str, action: Action) -> tuple[Command, Future[list[Reply]]]:
        return Command(Target(kind, name), (action,), Who(person=person, roles=frozenset(), factor_s=0)), Future()

    commands = [
        request("tables", "FR1", "dora", house.action("buyin.make", seat=1, player="p", amount_minor=100)),
        request("people", "", "adam", house.action("role.revoke", person="dora", role="dealer")),
        request("tables", "FR1", "dora", house.action("buyin.make", seat=1, player="p", amount_minor=100)),
        request("tables", "BJ1", "ines", house.action("session.open", gaming_day=DAY, opener=CHIPS)),
        request("floor", "", "paul", house.action("table.install", pit="A", table="BJ1", game="roulette", ruleset="x")),
    ]
    Desk(house.store, PROPERTY).serve(commands)
    replies = [future.result()[0] for _, future in commands]
    before, revoked, after, opened, refused = replies
    assert isinstance(before, Answer)
    assert isinstance(revoked, Answer)
    assert isinstance(opened, Answer)
    assert before.position < revoked.position < opened.position
    assert [reply.status for reply in (after, refused) if isinstance(reply, Problem)] == [403, 400]


def test_a_progressives_key_with_another_content_is_named(house: House) -> None:
    house.open_progressive()
    data = {"level": "mega", "cap_minor": 9_000_000}
    house.ok("progressives", "blazing", "mark", house.action("parameters.change", _key="same", **data))
    again = house.action("parameters.change", _key="same", **{**data, "cap_minor": 8_000_000})
    problem = house.no("progressives", "blazing", "mark", again)
    assert (problem.status, problem.detail) == (
        409,
        "The key same was used before, with another content. Use a new key.",
    )


def test_several_actions_of_a_progressive_are_never_taken_for_one(house: House) -> None:
    """The first was stored although the second was refused."""
    house.open_progressive()
    before = house.store.position()
    readings = [house.action("meter.read", level=level, read_minor=0) for level in ("mega", "giga")]
    who = Who(person="anna", roles=frozenset(), factor_s=0)
    [denied] = house.desk.do(Command(Target("progressives", NAME), tuple(readings), who))
    assert isinstance(denied, Problem)
    assert (denied.status, denied.field, house.store.position()) == (400, "mode", before)
    replies = house.desk.do(Command(Target("progressives", NAME), tuple(readings), who, "each"))
    assert [type(reply) for reply in replies] == [Answer, Problem]


def test_a_hit_that_is_void_is_in_no_late_hits_way(house: House) -> None:
    hit = mega_round(house)
    late = {"round": 1, "box": 1, "level": "mega"}

    house.grant("will", "surveillance")

    def agreed(kind: str, name: str, action: Action, people: tuple[str, str]) -> list[AnyEnvelope]:
        request = house.ok(kind, name, people[0], action)[0].data
        give = house.action("approval.give", request=request.request, content=request.content)
        return house.ok(kind, name, people[1], give)

    for again in ("", "-2"):
        denied = house.no("tables", "BJ1", "ines", house.action("hit.declare_late", **late))
        assert (denied.clause, denied.detail) == (
            "blazing7s B",
            f"The hit of box 1 is declared already: {hit}. Check the box.",
        )
        agreed("progressives", NAME, house.action("hit.void", hit=hit, reason="keyed wrongly"), ("paul", "will"))
        hit_data = agreed("tables", "BJ1", house.action("hit.declare_late", **late), ("ines", "sven"))[1].data
        assert isinstance(hit_data, HitDeclaredLate)
        hit = hit_data.hit
        assert hit == f"BJ1-{DAY}-1-1-late{again}"
    assert due_lock_and_lapse_appending.refused_facts(house.store, PROPERTY, NAME) == []


class WaitingAppendStore(MemoryStore):
    """A store whose appends wait while `gate` is closed. It counts the waiting threads."""

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.reached = threading.Event(), threading.Event()
        self.gate.set()
        self.threads: set[int] = set()

    def append(self, appends: Sequence[Append], keys: Sequence[Key] = ()) -> AppendResult:
        if not self.gate.is_set():
            self.threads.add(threading.get_ident())
            self.reached.set()
            self.gate.wait(60)
            self.threads.discard(threading.get_ident())
        return super().append(appends, keys)


def test_what_is_sent_while_the_writer_stops_is_done_when_it_has_stopped() -> None:
    store = WaitingAppendStore()
    house = House(store)
    for table in ("FR1", "BJ1"):
        house.open_table(table)
    dora = Who(person="dora", roles=frozenset())
    store.gate.clear()
    first = house.desk.submit(Command(Target("tables", "FR1"), (house.action("round.open"),), dora))
    assert store.reached.wait(60)
    closing = threading.Thread(target=house.desk.close)
    closing.start()
    while closing.is_alive() and house.desk._queue.empty() and house.desk._thread is not None:
        closing.join(0.001)  # until it has asked the writer to stop
    second = house.desk.submit(Command(Target("tables", "BJ1"), (house.action("round.open"),), dora))
    closing.join(0.05)
    assert len(store.threads) == 1
    store.gate.set()
    assert all(isinstance(sent.result(60)[0], Answer) for sent in (first, second))
    closing.join(60)
    assert not closing.is_alive()
    house.close()


class TransactionCountingStore(MemoryStore):
    """A store that counts transactions and checks for outdated streams."""

    appended = looked = 0

    def append(self, appends: Sequence[Append], keys: Sequence[Key] = ()) -> AppendResult:
        self.appended += 1
        return super().append(appends, keys)

    def outdated(self, keys: Sequence[str], versions: Mapping[str, int]) -> OutdatedAssumptions:
        self.looked += 1
        return super().outdated(keys, versions)


def test_who_may_nothing_at_a_progressive_cuts_no_dealers_batch_short() -> None:
    """Forbidden actions at many progressives do not split the dealers' batch: all buy-ins go into one append."""
    store = TransactionCountingStore()
    busy = House(store)
    busy.open_table("FR1")

    def command_and_future(kind: str, name: str, person: str, action: Action) -> tuple[Command, Future[list[Reply]]]:
        return Command(Target(kind, name), (action,), Who(person=person, roles=frozenset())), Future()

    buyins = [busy.action("buyin.make", seat=1, player="p", amount_minor=100) for _ in range(3)]
    voids = [busy.action("hit.void", hit="h", reason="r") for _ in range(3)]
    dealers = [command_and_future("tables", "FR1", "dora", sent) for sent in buyins]
    others = [command_and_future("progressives", f"no-{n}", "dora", sent) for n, sent in enumerate(voids)]
    desk, store.appended, store.looked = Desk(store, PROPERTY), 0, 0
    desk.serve([sent for pair in zip(dealers, others, strict=True) for sent in pair])
    assert all(isinstance(future.result()[0], Answer) for _, future in dealers)
    assert [reply.status for _, future in others if isinstance(reply := future.result()[0], Problem)] == [403] * 3
    assert (store.appended, store.looked) == (1, 1)
    busy.close()


def test_whoever_was_let_in_by_another_process_a_moment_ago_is_not_refused(house: House) -> None:
    """The desk reads the latest roles before it refuses an action at a progressive."""
    other = Desk(house.store, PROPERTY)
    change = house.action("parameters.change", level="mega", cap_minor=9_000_000)
    try:
        house.open_progressive()
        void = Command(Target("progressives", NAME), (change,), Who(person="dora", roles=frozenset(), factor_s=0))
        [before] = other.do(void)
        assert isinstance(before, Problem)
        assert before.status == 403
        house.grant("dora", "progressive manager")
        [after] = other.do(void)
        assert isinstance(after, Answer), after
    finally:
        other.close()


def test_who_lost_the_role_gets_the_first_answer_to_what_he_did_at_a_progressive(house: House) -> None:
    house.open_progressive()
    change = house.action("parameters.change", level="mega", cap_minor=9_000_000)
    [first] = house.send("progressives", NAME, "mark", change)
    house.ok("people", "", "adam", house.action("role.revoke", person="mark", role="progressive manager"))
    assert (
        house.no("progressives", NAME, "mark", house.action("parameters.change", level="mega", cap_minor=1)).status
        == 403
    )
    [again] = house.send("progressives", NAME, "mark", change)
    assert isinstance(first, Answer)
    assert isinstance(again, Answer)
    assert (again.repeated, again.position) == (True, first.position)
