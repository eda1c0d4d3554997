"""A property has one currency, set before or by its first table. Installing a table in another one is refused."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from msgspec.structs import replace

from events.desk.desk import Desk
from events.envelope import Meta
from events.floor.table_installation_decider import TableInstalled
from events.house.property_currency_lookup import established, of_property, streams_in_other_currency
from events.progressives import history_reader
from events.store import Append, NewEvent, open_store
from events.streams.problem_details import Problem
from tests.support.houses.small_house import DAY, PROPERTY, House, events_of, progressive, reopened_house

FLOOR, HOUSE = ("floor", ""), ("house", "")


@pytest.fixture(params=["sqlite", "postgres"])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    """A property with people only, on either database."""
    postgres = request.param == "postgres"
    store = open_store(request.getfixturevalue("postgres_url") if postgres else f"sqlite:///{tmp_path}/events.sqlite3")
    store.create()
    made = reopened_house(store)
    made.grant_roles()
    yield made
    made.close()


def install(house: House, table: str = "R1", **fields: Any) -> Any:
    data = {"pit": "A", "table": table, "game": "roulette", "ruleset": "roulette-french"}
    return house.action("table.install", **(data | fields))


def put_currency(house: House, currency: str) -> Any:
    return house.action("setting.change", setting="currency", value=currency)


def opening(house: House, **fields: Any) -> Any:
    return house.action("progressive.open", **progressive(), **fields)


def answered(house: House, kind: str, name: str, people: tuple[str, str], action: Any) -> list[Any] | Problem:
    """Return the events of an action that two people agree about, or the first problem."""
    reply = house.send(kind, name, people[0], action)[0]
    if isinstance(reply, Problem):
        return reply
    request = events_of([reply])[-1].data
    give = house.action("approval.give", request=request.request, content=request.content)
    reply = house.send(kind, name, people[1], give)[0]
    return reply if isinstance(reply, Problem) else events_of([reply])


def test_a_property_without_anything_counts_in_euro(house: House) -> None:
    assert (established(house.store, PROPERTY), of_property(house.store, PROPERTY)) == ("", "EUR")


@pytest.mark.parametrize(("named", "currency"), [({}, "EUR"), ({"currency": "JPY"}, "JPY")])
def test_the_first_table_sets_it(house: House, named: dict[str, str], currency: str) -> None:
    [*_, installed] = house.agreed(*FLOOR, ("adam", "paul"), install(house, **named))
    assert isinstance(installed.data, TableInstalled)
    assert (installed.data.currency, of_property(house.store, PROPERTY)) == (currency, currency)
    other = "KWD" if currency == "EUR" else "EUR"
    for person, action in (("adam", install(house, "R2", currency=other)), ("adam", install(house, currency=other))):
        denied = house.no(*FLOOR, person, action)
        assert (denied.status, denied.clause, denied.field) == (422, "house currency", "data.currency")
        assert (
            denied.detail
            == f"The currency of the property is {currency}, not {other}. Use the currency of the property."
        )
    [*_, second] = house.agreed(*FLOOR, ("adam", "paul"), install(house, "R2", **named))
    assert second.data.currency == currency


def test_a_setting_sets_it_before_the_first_table(house: House) -> None:
    house.agreed(*HOUSE, ("anna", "sven"), put_currency(house, "KWD"))
    house.agreed(*HOUSE, ("anna", "sven"), put_currency(house, "JPY"))
    assert house.no(*FLOOR, "adam", install(house, currency="KWD")).clause == "house currency"
    assert house.no("progressives", "blazing", "mark", opening(house, currency="EUR")).clause == "house currency"
    denied = house.no(*FLOOR, "adam", install(house, currency="EUR"))
    assert denied.detail == "The currency of the property is JPY, not EUR. Use the currency of the property."
    assert house.agreed(*FLOOR, ("adam", "paul"), install(house))[-1].data.currency == "JPY"
    assert house.agreed(*FLOOR, ("adam", "paul"), install(house, "R2", currency="JPY"))[-1].data.currency == "JPY"
    house.agreed("progressives", "blazing", ("mark", "anna"), opening(house))
    linked = install(house, "BJ1", game="blackjack", ruleset="blackjack-trilux", progressive="blazing")
    assert house.agreed(*FLOOR, ("adam", "paul"), linked)[-1].data.currency == "JPY"
    assert history_reader.opening(house.store, PROPERTY, "blazing")[1].currency == "JPY"
    denied = house.no(*HOUSE, "anna", put_currency(house, "KWD"))
    assert denied.detail == (
        "The currency of the property is JPY: its tables and progressives are in it. It cannot change."
    )


def test_the_setting_is_a_currency_of_the_list(house: House) -> None:
    for value in ("euro", "XXX", "EURO", "eur", 978):
        assert house.no(*HOUSE, "anna", put_currency(house, value)).status == 400  # type: ignore[arg-type]


def test_the_first_progressive_sets_it(house: House) -> None:
    house.agreed("progressives", "blazing", ("mark", "anna"), opening(house, currency="JPY"))
    assert of_property(house.store, PROPERTY) == "JPY"
    assert house.no(*FLOOR, "adam", install(house, currency="EUR")).clause == "house currency"
    assert house.no(*HOUSE, "anna", put_currency(house, "EUR")).clause == "house currency"
    assert house.agreed(*FLOOR, ("adam", "paul"), install(house))[-1].data.currency == "JPY"
    assert house.agreed(*FLOOR, ("adam", "paul"), install(house, "R2", currency="JPY"))[-1].data.currency == "JPY"


def test_what_was_asked_for_without_a_currency_is_in_the_one_of_the_approval(house: House) -> None:
    [requested] = house.ok(*FLOOR, "adam", install(house, "R2"))
    house.agreed(*HOUSE, ("anna", "sven"), put_currency(house, "KWD"))
    give = house.action("approval.give", request=requested.data.request, content=requested.data.content)
    assert house.ok(*FLOOR, "paul", give)[-1].data.currency == "KWD"


def test_chips_of_another_currency_are_refused(house: House) -> None:
    chips = {"chips": {"100": 10}, "way": "brought in", "reason": "new series"}
    assert "Set it first" in house.no(*HOUSE, "cage", house.action("chips.issue", **chips, currency="JPY")).detail
    house.agreed(*FLOOR, ("adam", "paul"), install(house, currency="JPY"))
    assert house.no(*HOUSE, "cage", house.action("chips.issue", **chips, currency="EUR")).clause == "house currency"
    house.agreed(*HOUSE, ("cage", "sven"), house.action("chips.issue", **chips, currency="JPY"))


def test_it_is_no_way_around_it_to_say_that_it_has_happened(house: House) -> None:
    house.agreed(*FLOOR, ("adam", "paul"), install(house, currency="JPY"))
    for currency in ("EUR", "JPY"):
        assert isinstance(
            house.send(*FLOOR, "adam", install(house, "R2", currency=currency, _intent="fact"))[0], Problem
        )


def test_a_request_of_before_is_judged_by_the_currency_of_now(house: House) -> None:
    [requested] = house.ok(*FLOOR, "adam", install(house, "R2", currency="KWD"))
    house.agreed(*FLOOR, ("adam", "paul"), install(house, currency="JPY"))
    give = house.action("approval.give", request=requested.data.request, content=requested.data.content)
    assert house.no(*FLOOR, "paul", give).clause == "house currency"


# --- another process -------------------------------------------------------------------------------------------------

OF_PAIR = {
    "two tables": (("floor", ""), ("floor", "")),
    "table and setting": (("floor", ""), ("house", "")),
    "setting and table": (("house", ""), ("floor", "")),
    "progressive and table": (("progressives", "blazing"), ("floor", "")),
    "table and progressive": (("floor", ""), ("progressives", "blazing")),
    "progressive and setting": (("progressives", "blazing"), ("house", "")),
}
PEOPLE = {"floor": ("adam", "paul"), "house": ("anna", "sven"), "progressives": ("mark", "anna")}


def created_event(house: House, kind: str, currency: str, table: str) -> Any:
    if kind == "floor":
        return install(house, table, currency=currency)
    return put_currency(house, currency) if kind == "house" else opening(house, currency=currency)


@pytest.mark.parametrize("pair", OF_PAIR)
def test_another_process_that_still_knows_of_none_is_refused(house: House, pair: str) -> None:
    (first, name), (second, other_name) = OF_PAIR[pair]
    other = reopened_house(house.store)
    other.desk = Desk(house.store, PROPERTY)
    request = other.ok(second, other_name, PEOPLE[second][0], created_event(other, second, "KWD", "R2"))[-1].data
    for kind in ("floor", "house"):
        other.desk.streams.cache.property_state(kind)  # as they are now: nothing is there
    assert not isinstance(
        answered(house, first, name, PEOPLE[first], created_event(house, first, "JPY", "R1")), Problem
    )
    give = other.action("approval.give", request=request.request, content=request.content)
    reply = other.send(second, other_name, PEOPLE[second][1], give)[0]
    assert isinstance(reply, Problem), reply
    assert reply.clause == "house currency"
    assert of_property(house.store, PROPERTY) == "JPY"
    other.desk.close()


def test_two_first_tables_at_once_are_in_one_currency(house: House) -> None:
    others = [reopened_house(house.store) for _ in range(4)]
    tries = list(zip(others, ("JPY", "KWD", "EUR", "CLP"), strict=True))
    with ThreadPoolExecutor(4) as pool:
        replies = list(
            pool.map(
                lambda attempt: answered(
                    attempt[0], *FLOOR, ("adam", "paul"), install(attempt[0], "R1", currency=attempt[1])
                ),
                tries,
            )
        )
    done = [reply for reply in replies if not isinstance(reply, Problem)]
    assert len(done) == 1, replies
    assert done[0][-1].data.currency == of_property(house.store, PROPERTY)
    for other in others:
        other.desk.close()


# --- a store of earlier days -----------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_store_with_two_currencies_is_read_and_adds_neither_to_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two installations made this store before that rule. A player buys in at both."""
    url = f"sqlite:///{tmp_path}/events.sqlite3"
    for name, value in (("DATA", str(tmp_path)), ("STORE", url), ("PROPERTY", PROPERTY)):
        monkeypatch.setenv(f"PITLEDGER_{name}", value)
    store = open_store(url)
    store.create()
    house = reopened_house(store)
    house.grant_roles()
    [*_, first] = house.agreed(*FLOOR, ("adam", "paul"), install(house))
    second = replace(first.data, table="R2", currency="JPY")
    meta = Meta(time=store.clock(), actor="adam", actorrole="administrator")
    store.append([Append(f"{PROPERTY}/floor", store.head(f"{PROPERTY}/floor"), [NewEvent(second, meta)])])
    other = reopened_house(store)
    for table in ("R1", "R2"):
        opened = other.action("session.open", gaming_day=DAY, opener={"500": 1_000})
        other.ok("tables", table, "ines", opened, other.action("drop.put", drop_box=table))
        other.ok("tables", table, "ines", other.action("staff.assign", post="dealer", person="dora"))
        bought = other.action("buyin.make", seat=1, player="Ann", amount_minor=600_000, tender="cash")
        other.ok("tables", table, "dora", bought)
    assert streams_in_other_currency(store, PROPERTY, of_property(store, PROPERTY)) == {f"{PROPERTY}/tables/R2"}
    assert other.no(*FLOOR, "adam", install(other, "R3", currency="JPY")).clause == "house currency"
    out, err = StringIO(), StringIO()
    call_command("cash", DAY, "--all", stdout=out, stderr=err)
    assert "6,000.00" in out.getvalue()
    assert "12,000.00" not in out.getvalue()
    for command in (("cash", DAY), ("report", DAY), ("journal", DAY)):
        call_command(*command, stdout=out, stderr=err)
        assert "not in EUR, and in no sum of it: tables/R2" in err.getvalue()
        err.truncate(0)
    house.close()
