"""A house moves in through its desk: by permitted people, once in spite of any interruption, with a correct opening."""

import itertools
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal

import msgspec
import pytest

from backoffice.house.opening import opening_run_from_terminal
from backoffice.house.opening.house_state_reader_for_import import HouseState, last_types, read
from backoffice.house.opening.plan_step_execution import StepResult
from events import catalogue
from events.accounting.report.day_reports import make
from events.desk.command_and_answer_structs import Command, Reply
from events.desk.desk import Desk
from events.envelope import Action, Who
from events.house.settings import HouseSettings
from events.store import EventStore, everything
from events.store.in_memory_store import MemoryStore
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from tests.simulation.seeded_process_scheduler import SimulatedSigkill
from tests.support.houses.new_house_opening_plan import DAY, NOW, PEOPLE, PROPERTY, moved_in, outcomes, plan

HEADS = "place,tender,denomination,pieces,amount\n"


@pytest.fixture
def store() -> Iterator[EventStore]:
    """An empty house on its first day."""
    store = MemoryStore(lambda: NOW)
    yield store
    store.close()


def types(store: EventStore) -> list[str]:
    return [stored_event.type for stored_event in everything(store)]


def data(store: EventStore, type_: str) -> list[dict[str, object]]:
    return [msgspec.json.decode(stored_event.raw)["data"] for stored_event in everything(store, types=(type_,))]


def finished(results: list[StepResult]) -> bool:
    """Tell whether no step is open."""
    return outcomes(results) <= {"done", "there"}


def left(results: list[StepResult]) -> dict[str, tuple[str, tuple[str, ...]]]:
    return {
        result.step.name: (result.outcome, result.roles)
        for result in results
        if result.outcome not in ("done", "there")
    }


def test_everything_is_an_ordinary_action_of_people_who_may(store: EventStore) -> None:
    assert finished(moved_in(store))
    state = read(store, PROPERTY)
    assert state.roles["s-801"] == {"surveillance"}
    assert state.floor.tables["R1"].recorded is False
    assert state.floor.tables["BJ1"].progressive == "blazing"
    assert state.books.settings.shifts == "day 06:00, evening 18:00"
    assert "table R1 2025-11 123456.00 24001.50" in state.books.settings.hold_history
    assert state.books.markers["M-1001"].player == "g-17"
    for stored_event in everything(store):
        event = catalogue.decode(stored_event.type, stored_event.raw)
        approvals = getattr(event.data, "approvals", None)
        if approvals is not None:
            assert len({person for person, _role in approvals}) == 2


def test_the_first_report_opens_with_the_balances(store: EventStore) -> None:
    moved_in(store)
    report = make(store, PROPERTY, DAY, store.position())
    figures = report.figures
    assert figures["chips"]["issued_minor"] == 40_200_000
    assert figures["chips"]["players_minor"] == 0
    state = read(store, PROPERTY)
    held = state.books.cage.expected
    assert (held.chips_minor, held.cash, held.marker) == (38_960_000, 40_000_000, 50_000)
    balances = figures["journal"]
    assert balances["Assets:Chips:Tables:R1"] == "5400.00"
    assert balances["Assets:Markers"] == "500.00"
    assert sum(map(Decimal, balances.values())) == 0


def test_chips_with_players_are_owed_from_the_first_day(store: EventStore) -> None:
    lying = f"{HEADS}cage,cash,,,1000\ncage till 1,cash,,,500.50\ncage,chips,100.00,1500,\nR1,chips,5.00,1000,\n"
    assert finished(moved_in(store, plan(opening_balances=lying)))
    figures = make(store, PROPERTY, DAY, store.position()).figures
    assert figures["chips"]["players_minor"] == 40_200_000 - 15_000_000 - 500_000
    assert read(store, PROPERTY).books.cage.expected.cash == 150_050
    balances = {account: Decimal(balance) for account, balance in figures["journal"].items()}
    assert sum(balances.values()) == 0
    assert balances["Assets:Chips:Cage"] == 150_000


def test_the_same_folder_twice_writes_nothing_more(store: EventStore) -> None:
    moved_in(store)
    before = types(store)
    assert outcomes(moved_in(store)) == {"there"}
    assert types(store) == before


def test_what_people_changed_since_is_left_to_them(store: EventStore) -> None:
    moved_in(store)
    desk = Desk(store, PROPERTY)
    who = Who(person="a-001", roles=frozenset(), factor_s=0)
    revoke = Action(
        type="role.revoke", key="x", data=msgspec.Raw(b'{"person": "p-701", "role": "progressive manager"}')
    )
    assert not isinstance(desk.do(Command(Target("people"), (revoke,), who))[0], Problem)
    desk.close()
    before = types(store)
    assert outcomes(moved_in(store)) == {"there"}
    assert types(store) == before


@pytest.mark.parametrize("requests", [1, 2, 5, 8, 13, 17, 18, 19, 20])
def test_a_run_that_is_killed_is_finished_by_the_next(
    requests: int, store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = MemoryStore(lambda: NOW)
    moved_in(whole)
    with monkeypatch.context() as dying:
        dying.setattr(Desk, "do", dies_after(requests))
        with pytest.raises(SimulatedSigkill):
            moved_in(store)
    assert 0 < store.position() < whole.position()
    assert finished(moved_in(store))
    assert sorted(types(store)) == sorted(types(whole))


def dies_after(requests: int) -> Callable[..., list[Reply]]:
    """Return a `Desk.do` whose process ends before the answer to this request arrives."""
    do, count = Desk.do, itertools.count(1)

    def dying(desk: Desk, command: Command) -> list[Reply]:
        replies = do(desk, command)
        if next(count) == requests:
            raise SimulatedSigkill
        return replies

    return dying


@pytest.mark.parametrize("people", [PEOPLE, ("a-001", "k-601")], ids=["decided", "asked"])
def test_a_second_run_at_any_moment_of_the_first_writes_nothing_twice(people: tuple[str, ...]) -> None:
    """The first run decides on a state that is out of date: requests were made, and perhaps approved, since."""
    whole = MemoryStore(lambda: NOW)
    moved_in(whole)
    for moment in itertools.count(1):
        store = MemoryStore(lambda: NOW)
        with pytest.MonkeyPatch.context() as patch:
            came = second_run(patch, moment, store, people)
            moved_in(store)
        if not came():
            break
        assert finished(moved_in(store))
        assert sorted(types(store)) == sorted(types(whole)), moment
    assert moment > 30


def second_run(
    patch: pytest.MonkeyPatch, moment: int, store: EventStore, people: tuple[str, ...]
) -> Callable[[], bool]:
    """Run another process on the store right after the first has read the store this number of times.

    Return a function that tells whether that moment came.
    """
    looks: list[None] = []

    def looked() -> None:
        looks.append(None)
        if len(looks) == moment:
            moved_in(store, people=people)

    def read_state(store: EventStore, property_: str, names: Iterable[str] = ()) -> HouseState:
        state = read(store, property_, names)
        looked()
        return state

    def read_types(store: EventStore) -> Callable[[str], str]:
        last_type = last_types(store)

        def read_type(key: str) -> str:
            type_ = last_type(key)
            looked()
            return type_

        return read_type

    patch.setattr(opening_run_from_terminal, "read", read_state)
    patch.setattr(opening_run_from_terminal, "last_types", read_types)
    return lambda: len(looks) >= moment


def test_what_needs_a_second_person_waits_for_them_and_goes_on_when_they_agree(store: EventStore) -> None:
    results = left(moved_in(store, people=("a-001", "k-601")))
    outcome, roles = results["setting currency"]
    assert outcome == "asked"
    assert "cage" in roles
    assert results["table R1"][0] == "blocked"
    before = types(store)
    assert left(moved_in(store, people=("a-001", "k-601"))) == results
    assert types(store) == before
    assert finished(moved_in(store))


def test_one_person_alone_is_never_two(store: EventStore) -> None:
    moved_in(store, people=("a-001",))
    assert "setting.changed.v1" not in types(store)
    assert "table.installed.v1" not in types(store)


def test_a_house_that_is_watched_asks_surveillance_for_a_role(store: EventStore) -> None:
    moved_in(store)
    staff = "id,roles\na-001,administrator\nc-402,cage\n"
    again = plan(staff=staff)
    assert left(moved_in(store, again)) == {"role c-402 cage": ("asked", ("administrator", "surveillance"))}
    assert finished(moved_in(store, again, (*PEOPLE, "s-801")))
    assert read(store, PROPERTY).roles["c-402"] == {"cage"}


def test_a_refused_request_is_asked_again_by_the_next_run(store: EventStore) -> None:
    moved_in(store, people=("a-001", "k-601"))
    [request] = [request for request in data(store, "approval.requested.v1") if request["action"] == "setting.change"]
    desk = Desk(store, PROPERTY)
    decline = {"request": request["request"], "reason": "not yet"}
    action = Action(type="approval.decline", key="no", data=msgspec.Raw(msgspec.json.encode(decline)))
    desk.do(Command(Target("house"), (action,), Who(person="c-401", roles=frozenset(), factor_s=0)))
    desk.close()
    assert finished(moved_in(store))


def test_before_the_first_day_all_but_the_opening_is_done(store: EventStore) -> None:
    early = plan(property="setting,value\ncurrency,EUR\nfirst_day,2026-12-20\n")
    waits = {name for name, (outcome, _roles) in left(moved_in(store, early)).items() if outcome == "later"}
    assert waits == {"opening R1", "opening BJ1", "cage", "marker M-1001"}
    assert "session.opened.v1" not in types(store)
    store.clock = lambda: "2026-12-20T09:00:00.000Z"
    assert finished(moved_in(store, early))
    assert [opening["gaming_day"] for opening in data(store, "cage.opened.v1")] == ["2026-12-20"]


def test_the_cage_is_not_counted_before_every_tray_stands(store: EventStore) -> None:
    """The cage's first count opens the books. A table that opened later would take its tray from the cage."""
    results = left(moved_in(store, people=("a-001", "k-601", "c-401", "p-701")))
    assert results["opening R1"][0] == "waits"
    assert results["cage"][0] == "blocked"
    assert "cage.opened.v1" not in types(store)


def test_settings_come_in_an_order_in_which_each_is_valid(store: EventStore) -> None:
    strict = "setting,value\nregulator_from,5.00\nreported_over,1,00\ncurrency,EUR\n".replace("1,00", '"1,00"')
    assert finished(moved_in(store, plan(property=strict)))
    settings: HouseSettings = read(store, PROPERTY).books.settings
    assert (settings.reported_over_minor, settings.regulator_from_minor) == (100, 500)


def test_a_currency_without_decimals_is_read_and_stored_whole(store: EventStore) -> None:
    plan_ = plan(
        property="setting,value\ncurrency,JPY\nfirst_day,2026-12-01\n",
        tables="table,pit,game,ruleset\nR1,A,roulette,roulette-french\n",
        progressives="",
        chips="denomination,pieces\n1000,500\n",
        opening_balances=f"{HEADS}cage,cash,,,40 000 000\nR1,chips,1000,500,\n",
        history="game,month,drop,win\nroulette,2025-11,12345600,2400100\n",
        markers="marker;player;amount\nM1;g-1;50000\n",
    )
    assert plan_.faults == ()
    assert finished(moved_in(store, plan_))
    state = read(store, PROPERTY)
    assert state.books.cage.expected.cash == 40_000_000
    assert state.books.markers["M1"].amount_minor == 50_000
    assert "game roulette 2025-11 12345600 2400100" in state.books.settings.hold_history


def test_years_of_months_are_taken(store: EventStore) -> None:
    tables = "table,pit,game,ruleset\n" + "".join(f"R{number},A,roulette,roulette-french\n" for number in range(1, 31))
    months = [f"{year}-{month:02d}" for year in (2023, 2024, 2025) for month in range(1, 13)]
    lines = [f"R{number},{month},100000.00,20000.00\n" for number in range(1, 31) for month in months]
    history = "table,month,drop,win\n" + "".join(lines)
    few = plan(tables=tables, history=history, progressives="", chips="", opening_balances="", markers="")
    assert finished(moved_in(store, few))
    assert read(store, PROPERTY).books.settings.hold_history.count(";") == 30 * 36 - 1


def test_a_table_that_gets_a_screen_later_is_installed_anew(store: EventStore) -> None:
    moved_in(store)
    tables = "table,pit,game,ruleset,kind\nR1,A,roulette,roulette-french,recorded\n"
    screen = plan(tables=tables, progressives="", chips="", opening_balances="", markers="", history="", staff="")
    assert finished(moved_in(store, screen))
    assert read(store, PROPERTY).floor.tables["R1"].recorded is True


def test_thousands_of_markers_and_people_are_written_in_few_requests(store: EventStore) -> None:
    staff = "id,roles\n" + "".join(
        f"{person},{role}\n"
        for person, role in (
            ("a-001", "administrator"),
            ("b-301", "pit boss"),
            ("c-401", "cage"),
            ("k-601", "accountant"),
            *((f"d-{number}", "dealer") for number in range(1_000)),
        )
    )
    markers = "marker,player,amount\n" + "".join(f"M{number},g-{number},5.00\n" for number in range(2_000))
    plan_ = plan(staff=staff, markers=markers)
    assert finished(moved_in(store, plan_))
    assert types(store).count("marker.carried.v1") == 2_000
    assert types(store).count("role.granted.v1") == 1_004
