"""The desk: idempotent, all or nothing, with clear errors; and the steps of a progressive at the desk."""

import itertools
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from events.desk.command_and_answer_structs import Answer, Command, Reply
from events.desk.desk import Desk
from events.envelope import Action, Who
from events.errors import Invalid
from events.progressives import due_lock_and_lapse_appending, progressive_state_following_store
from events.runtime.clock import event_time
from events.signing import house_signing_key
from events.store import AppendResult, open_store
from events.store.stream_chain_verification import verify
from events.streams import stream_kind_declaration
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from events.tables.main_table_decider import EVOLVE
from tests.support.houses.small_house import PROPERTY, House, events_of, types_of


@pytest.fixture(params=["memory", "sqlite"])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    url = "memory://" if request.param == "memory" else f"sqlite:///{tmp_path / 'events.sqlite3'}"
    house = House(open_store(url))
    yield house
    house.close()


def test_the_same_action_again_gets_the_first_answer(house: House) -> None:
    house.open_table("FR1")
    action = house.action("round.open")
    first = house.send("tables", "FR1", "dora", action)[0]
    again = house.send("tables", "FR1", "dora", action)[0]
    assert isinstance(first, Answer)
    assert isinstance(again, Answer)
    assert (first.position, first.events, first.repeated) == (again.position, again.events, False)
    assert again.repeated


def test_a_key_with_another_content_is_a_conflict(house: House) -> None:
    house.open_table("FR1")
    house.ok("tables", "FR1", "dora", house.action("round.open", _key="mine"))
    problem = house.no("tables", "FR1", "dora", house.action("bets.close", _key="mine"))
    assert problem.status == 409
    assert "another content" in problem.detail


def test_a_refused_action_may_be_sent_again_under_its_key(house: House) -> None:
    house.open_table("FR1")
    action = house.action("bets.close", _key="later")
    assert house.no("tables", "FR1", "dora", action).status == 422
    house.ok("tables", "FR1", "dora", house.action("round.open"))
    house.ok("tables", "FR1", "dora", house.action("ball.launch", wheel="cw", ball="ccw"))
    house.ok("tables", "FR1", "dora", action)


def test_atomic_is_all_or_nothing_and_names_the_action(house: House) -> None:
    house.open_table("FR1")
    bad = house.action("bet.place", bet="b", wager="split", numbers=[1, 5], amount_minor=500, player="p", seat=1)
    problem = house.no("tables", "FR1", "dora", house.action("round.open"), bad)
    assert (problem.status, problem.index, problem.clause) == (422, 1, "roulette-french P.7")
    assert problem.source == "002 §8a"
    house.ok("tables", "FR1", "dora", house.action("round.open"))


def test_each_lets_one_bad_action_not_block_the_rest(house: House) -> None:
    house.open_table("FR1")
    actions = [
        house.action("round.open"),
        house.action("round.open"),
        house.action("ball.launch", wheel="cw", ball="ccw"),
    ]
    replies = house.send("tables", "FR1", "dora", *actions, mode="each")
    assert [type(reply).__name__ for reply in replies] == ["Answer", "Problem", "Answer"]


@pytest.mark.parametrize(
    ("table", "person", "kind", "data", "status"),
    [
        ("XX9", "dora", "round.open", {}, 404),
        ("FR1", "dora", "session.close", {"closer": {}}, 403),
        ("FR1", "nobody", "round.open", {}, 403),
        ("FR1", "dora", "no.such", {}, 400),
        ("FR1", "dora", "round.open", {"extra": 1}, 400),
        ("FR1", "dora", "bet.place", {"bet": "b"}, 400),
        ("FR1", "dora", "card.deal", {"to": "dealer", "card": "7D"}, 422),
        ("FR1", "dora", "round.open", {"_round": 7}, 409),
        ("FR1", "dora", "round.open", {"_key": "has a blank"}, 400),
        ("FR1", "dora", "round.open", {"_time": "yesterday"}, 400),
    ],
)
def test_bad_input_is_refused_and_leaves_nothing(
    house: House, table: str, person: str, kind: str, data: dict[str, object], status: int
) -> None:
    house.open_table("FR1")
    assert house.no("tables", table, person, house.action(kind, **data)).status == status


def test_a_device_is_bound_to_its_table(house: House) -> None:
    house.open_table("FR1")
    who = Who(person="dora", roles=frozenset(), device="t1", table="BJ1")
    reply = house.desk.do(Command(Target("tables", "FR1"), (house.action("round.open"),), who))[0]
    assert isinstance(reply, Problem)
    assert reply.status == 403


def test_a_revoked_role_counts_from_the_next_command(house: House) -> None:
    house.open_table("FR1")
    house.ok("people", "", "adam", house.action("role.revoke", person="dora", role="dealer"))
    assert house.no("tables", "FR1", "dora", house.action("round.open")).status == 403


def test_too_many_actions_at_once_are_not_taken(house: House) -> None:
    with pytest.raises(Invalid, match="1 to 200"):
        house.send("tables", "FR1", "dora", *[house.action("round.open") for _ in range(201)])


def test_two_desks_on_one_table_agree(house: House) -> None:
    """Another process writes to the same table: the slower one reads the new events and decides again."""
    house.open_table("FR1")
    other = Desk(house.store, PROPERTY)
    who = Who(person="dora", roles=frozenset())
    try:
        for number in range(1, 6):
            for desk in (house.desk, other):
                bought = house.action("buyin.make", seat=1, player="p", amount_minor=1_000 * number)
                assert isinstance(desk.do(Command(Target("tables", "FR1"), (bought,), who))[0], Answer)
        same = house.action("buyin.make", seat=1, player="p", amount_minor=77)
        first, second = (desk.do(Command(Target("tables", "FR1"), (same,), who))[0] for desk in (house.desk, other))
        assert isinstance(first, Answer)
        assert isinstance(second, Answer)
        assert (first.position, second.repeated) == (second.position, True)
    finally:
        other.close()
    assert verify(house.store).findings == []


def test_many_terminals_at_once_lose_and_double_nothing(house: House) -> None:
    house.open_table("FR1")
    actions = [house.action("buyin.make", seat=1, player=f"p{n}", amount_minor=100) for n in range(60)]
    answers: list[Reply] = []

    def terminal(mine: int) -> None:
        for action in actions[mine::3] + actions[mine::2]:
            answers.extend(house.send("tables", "FR1", "dora", action))

    threads = [threading.Thread(target=terminal, args=(mine,)) for mine in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(isinstance(answer, Answer) for answer in answers)
    stored = house.store.after(0, 1_000, ["buyin.made.v1"])
    assert len(stored) == 60
    assert verify(house.store).findings == []


def test_a_refusal_is_never_from_a_state_that_another_process_has_moved_on_from(house: House) -> None:
    house.open_table("FR1")
    house.no("tables", "FR1", "dora", house.action("bets.close"))
    other = Desk(house.store, PROPERTY)
    try:
        opened = Command(Target("tables", "FR1"), (house.action("round.open"),), Who(person="dora", roles=frozenset()))
        assert isinstance(other.do(opened)[0], Answer)
        house.ok("tables", "FR1", "dora", house.action("ball.launch", wheel="cw", ball="ccw"))
    finally:
        other.close()


def do_at(desk: Desk, target: Target, person: str, action: Action) -> Any:
    """Another process does something; the data of the last event."""
    reply = desk.do(Command(target, (action,), Who(person=person, roles=frozenset(), factor_s=0)))[0]
    assert isinstance(reply, Answer), reply
    return events_of([reply])[-1].data


def test_what_another_desk_says_of_people_and_floor_counts_from_the_next_command(house: House) -> None:
    """The new permission or refusal applies at once, also to roles and tables that this desk already knows."""
    house.open_table("FR1")
    assert house.no("tables", "BJ9", "gina", house.action("round.open")).status == 404
    buyin = {"seat": 1, "player": "p", "amount_minor": 100}
    gina = {"person": "gina", "role": "dealer"}
    other = Desk(house.store, PROPERTY)
    try:
        do_at(other, Target("people"), "adam", house.action("role.grant", **gina))
        house.ok("tables", "FR1", "gina", house.action("buyin.make", **buyin))
        do_at(other, Target("people"), "adam", house.action("role.revoke", **gina))
        assert house.no("tables", "FR1", "gina", house.action("buyin.make", **buyin)).status == 403
        table = {"pit": "A", "table": "BJ9", "game": "blackjack", "ruleset": "blackjack-trilux"}
        request = do_at(other, Target("floor"), "adam", house.action("table.install", **table))
        give = house.action("approval.give", request=request.request, content=request.content)
        do_at(other, Target("floor"), "paul", give)
        house.open_table("BJ9")
    finally:
        other.close()


def test_a_role_that_is_revoked_while_an_action_is_on_its_way_is_not_in_force(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the decision and its append: the append expects the people to stand where they stood."""
    house.open_table("FR1")
    append, other = house.store.append, Desk(house.store, PROPERTY)
    revoked = house.action("role.revoke", person="dora", role="dealer")

    def slow(*args: Any) -> AppendResult:
        monkeypatch.setattr(house.store, "append", append)
        do_at(other, Target("people"), "adam", revoked)
        return append(*args)

    monkeypatch.setattr(house.store, "append", slow)
    try:
        refused = house.send("tables", "FR1", "dora", house.action("round.open"))[0]
    finally:
        other.close()
    assert isinstance(refused, Problem)
    assert refused.status == 403
    assert house.store.after(0, 1_000, ["round.opened.v1"]) == []


def test_a_new_desk_begins_at_the_snapshot(house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The new desk reads only the events after the snapshot, and knows the same tray."""
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    house_signing_key.signer()  # whoever has no key keeps no snapshots in a database
    house.open_table("FR1")
    for _ in range(3):
        house.ok("tables", "FR1", "dora", house.action("buyin.make", seat=1, player="p", amount_minor=10))
        buyins = [house.action("buyin.make", seat=1, player="p", amount_minor=10) for _ in range(199)]
        house.ok("tables", "FR1", "dora", *buyins)
    house.desk.close()  # the answers do not wait for snapshots
    snapshot = house.store.snapshot(f"{PROPERTY}/tables/FR1/2026-11-20", EVOLVE)
    assert snapshot is not None
    rule = stream_kind_declaration.kind_by_name("tables").decisions.snapshots
    assert rule is not None
    assert snapshot.version >= rule.every
    fresh = Desk(house.store, PROPERTY)
    try:
        closer = Command(
            Target("tables", "FR1"),
            (house.action("session.close", closer={"100": 1_000}),),
            Who(person="ines", roles=frozenset(), factor_s=0),
        )
        closed = events_of(fresh.do(closer))[0].data
    finally:
        fresh.close()
    assert closed.expected_minor == 3_100_000 - 600 * 10


# --- a progressive's way through the desk ---------------------------------------------------------------------


def mega_round(house: House) -> str:
    """Ann hits the Mega on box 1, Bob takes part on box 2; the round is over. The hit's name."""
    house.open_progressive()
    house.open_table("BJ1")

    def bet(name: str, wager: str, amount: int, player: str, box: int) -> object:
        return house.action("bet.place", bet=name, wager=wager, amount_minor=amount, player=player, box=box)

    def card(card: str, box: int | None = None) -> object:
        where = {"to": "box", "box": box} if box else {"to": "dealer"}
        return house.action("card.deal", card=card, **where)

    actions = [
        house.action("round.open"),
        bet("m1", "main", 1_000, "Ann", 1),
        bet("b1", "blazing7s", 500, "Ann", 1),
        bet("m2", "main", 1_000, "Bob", 2),
        bet("b2", "blazing7s", 1_000, "Bob", 2),
        house.action("bets.close"),
        house.action("progressive.arm"),
        *(card("7D", 1), card("8C", 2), card("7D"), card("7D", 1)),
        house.action("hit.declare", box=1, level="mega"),
        card("TH", 2),
        house.action("deal.complete"),
        house.action("hand.stand", box=1),
        house.action("hand.stand", box=2),
        *(card("9C"), card("4C")),
        house.action("round.end"),
    ]
    house.ok("tables", "BJ1", "dora", *actions)  # type: ignore[arg-type]
    return "BJ1-2026-11-20-1-1"


def test_a_hit_is_locked_once_authorised_by_two_and_paid_with_envy(house: House) -> None:
    hit = mega_round(house)
    assert [due_lock_and_lapse_appending.reconcile(house.store, PROPERTY, "blazing") for _ in range(3)] == [1, 0, 0]
    fold = progressive_state_following_store.live(house.store, PROPERTY, "blazing").fold
    assert fold is not None
    lock = fold.lock(hit)
    assert lock is not None
    assert lock.share == 5_000_150

    requested = house.ok(
        "progressives", "blazing", "ines", house.action("hit.authorise", hit=hit, amount_minor=lock.share)
    )
    assert types_of(requested) == ["approval.requested.v1"]
    give = {"request": requested[0].data.request, "content": requested[0].data.content}
    assert house.no("progressives", "blazing", "ines", house.action("approval.give", **give)).status == 422
    wrong = house.action("approval.give", request=give["request"], content="0" * 64)
    assert house.no("progressives", "blazing", "sven", wrong).status == 409
    agreed = house.ok("progressives", "blazing", "sven", house.action("approval.give", **give))
    assert types_of(agreed) == ["approval.given.v1", "hit.authorised.v1"]
    assert dict(agreed[1].data.approvals) == {"ines": "inspector", "sven": "surveillance"}

    pay = house.action("jackpot.pay", hit=hit, gaming_day="2026-11-20", _key="pay")
    forbidden = house.action("jackpot.pay", hit=hit, gaming_day="2026-11-20")
    assert house.no("progressives", "blazing", "dora", forbidden).status == 403
    paid = house.ok("progressives", "blazing", "cage", pay)
    assert types_of(paid) == ["jackpot.paid.v1", "envy.paid.v1"]
    assert (paid[1].data.player, paid[1].data.amount_minor) == ("Bob", 100_000)
    again = house.send("progressives", "blazing", "cage", pay)[0]
    assert isinstance(again, Answer)
    assert again.repeated
    other = house.action("jackpot.pay", hit=hit, gaming_day="2026-11-20")
    assert house.no("progressives", "blazing", "cage", other).status == 422


def test_an_authorisation_appends_the_locks_that_no_worker_has_made_yet(house: House) -> None:
    hit = mega_round(house)
    requested = house.ok(
        "progressives", "blazing", "ines", house.action("hit.authorise", hit=hit, amount_minor=5_000_150)
    )
    give = house.action("approval.give", request=requested[0].data.request, content=requested[0].data.content)
    agreed = house.ok("progressives", "blazing", "paul", give)
    assert types_of(agreed) == ["approval.given.v1"], "two of the pit are not enough above the limit"
    agreed = house.ok(
        "progressives",
        "blazing",
        "sven",
        house.action("approval.give", request=requested[0].data.request, content=requested[0].data.content),
    )
    assert types_of(agreed) == ["approval.given.v1", "shares.locked.v1", "hit.authorised.v1"]
    assert due_lock_and_lapse_appending.reconcile(house.store, PROPERTY, "blazing") == 0


def test_ten_workers_at_once_lock_once(house: House) -> None:
    mega_round(house)
    done: list[int] = []
    threads = [
        threading.Thread(
            target=lambda: done.append(due_lock_and_lapse_appending.reconcile(house.store, PROPERTY, "blazing"))
        )
        for _ in range(10)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == [0] * 9 + [1]
    assert len(house.store.after(0, 100, ["shares.locked.v1"])) == 1


def test_a_progressive_is_asked_nothing_is_reported_to_it(house: House) -> None:
    house.open_progressive()
    action = house.action("jackpot.pay", hit="x", gaming_day="2026-11-20", _intent="fact")
    assert house.no("progressives", "blazing", "cage", action).clause == "house progressive"


def test_what_is_appended_together_was_decided_at_one_moment(house: House) -> None:
    """The desk reads the clock once for each append, and a later append has a later time."""
    house.open_table("FR1")
    ticks = itertools.count(1)
    began = datetime.fromisoformat(house.store.clock())
    house.store.clock = lambda: event_time(began + timedelta(milliseconds=next(ticks)))
    buyins = [house.action("buyin.make", seat=1, player="p", amount_minor=100) for _ in range(3)]
    together = house.ok("tables", "FR1", "dora", *buyins)
    [later] = house.ok("tables", "FR1", "dora", house.action("buyin.make", seat=1, player="p", amount_minor=100))
    assert len({event.time for event in together}) == 1
    assert together[0].time < together[0].recordedat < later.time < later.recordedat
