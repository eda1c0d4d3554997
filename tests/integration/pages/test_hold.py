"""Hold, and actual vs theoretical, of a counted day: the pages, their sheets, and the figures from the events."""

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from io import StringIO

import pytest
from django.core.management import call_command

from backoffice.days.hold import hold_entry_queries
from backoffice.days.hold.hold_page_content import hold
from events.accounting.report import checklist_system_state_source
from events.accounting.report.checklist_system_state_source import SystemState
from events.accounting.report.property_ledger_fold import accounting_event
from events.desk.command_and_answer_structs import Command
from events.envelope import Action, AnyEnvelope, Who
from events.hold import hold_entries_fold
from events.hold.drop_win_hold_handle_sums import to_date
from events.hold.regulatory_hold_limit_findings import KS
from events.house.settings import HouseSettings
from events.store import everything
from events.streams.stream_kind_declaration import Target
from projections.tables.models import TableDay
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, PROPERTY, events_of, serving
from tests.support.houses.worked_day import CAGE, CASH, WorkedDay
from tests.support.pages.page_actors import at
from tests.support.pages.page_text_and_queries import queries, source, words

pytestmark = pytest.mark.django_db

NEXT = "2026-11-21"
BEFORE = "; ".join(f"table FR1 {2025 + number // 12}-{number % 12 + 1:02} 1000.00 200.00" for number in range(24))


@pytest.fixture
def house(db: None) -> Iterator[WorkedDay]:
    house = WorkedDay()
    with serving(house):
        yield house
    house.close()


def test_a_counted_day_is_held_as_its_events_say(house: WorkedDay, monkeypatch: pytest.MonkeyPatch) -> None:
    house.play()
    evening_with_everything.project(house)
    monkeypatch.setattr(hold_entry_queries, "settings", lambda: HouseSettings(hold_history=BEFORE))
    facts = (
        fact
        for fact in (accounting_event(stored_event, PROPERTY) for stored_event in everything(house.store))
        if fact is not None
    )
    entries = hold_entries_fold.fold(facts, "EUR").entries()
    assert hold_entry_queries.last_day() == DAY
    for by in ("table", "game", "pit"):
        (line_,) = to_date(hold_entry_queries.of_tables(DAY, DAY, HouseSettings()), by, DAY)
        (expected,) = to_date(entries, by, DAY)
        assert (line_.name, line_.day) == (expected.name, expected.day)
    assert line_.day.hold == Fraction(50_500, 470_000)
    bets = {line_.name: line_.day for line_ in to_date(hold_entry_queries.of_bets(DAY, DAY), "bet", DAY)}
    assert bets == {line_.name: line_.day for line_ in to_date(entries, "bet", DAY)}

    page = words(at("anna"), f"/hold?name=FR1&day={DAY}").replace("\u00a0", " ")
    for expected_text in ("4,700.00", "505.00 won", "10.74 %", "650.00 won", KS, "outside", "FR1 by month", "2026-05"):
        assert expected_text in page, expected_text
    assert "Roulette: red" in words(at("anna"), "/hold?by=bet")
    sheet = source(at("anna"), f"/hold.csv?day={DAY}")
    assert "FR1,day,470000,50500,107400," in sheet
    assert at("anna").get(f"/hold/hold.xlsx?day={DAY}").content[:2] == b"PK"
    assert f'href="/hold?day={DAY}"' in source(at("anna"), f"/days/{DAY}")

    sheet = source(at("anna"), f"/days/{DAY}/luck.csv?by=bet")  # it waits; the page does not
    (black,) = (line.split(",") for line in sheet.splitlines() if line.startswith("roulette black,"))
    assert black[4] == str(bets["roulette black"].event_win_minor)
    of_day = source(at("anna"), f"/days/{DAY}/luck/course?again")
    assert f'hx-get="/days/{DAY}/luck/course"' in source(at("anna"), f"/days/{DAY}/wins")
    spots = re.findall(r'<a data-x="([\d.]+)" href="/events/(\d+)">([^<]+)</a>', of_day)
    assert (len(spots), spots[0][0], spots[-1][0]) == (3, "0", "720"), "a round each"
    assert "table FR1, theoretical win" in spots[-1][2]
    assert spots[-1][2].endswith("650.00 won")
    page = words(at("anna"), f"/days/{DAY}/luck?table=FR1").replace("\u00a0", " ")
    for expected_text in (
        "Actual and theoretical win through the day",
        "Actual and theoretical win of FR1",
        "for this win or more",
        "exact",
        "650.00 won",
    ):
        assert expected_text in page, expected_text
    assert at("anna").get(f"/days/{DAY}/luck/luck.xlsx").content[:2] == b"PK"
    answer = at("anna").get(f"/api/v1/days/{DAY}/luck?by=dealer").json()
    assert [(line_["name"], line_["win_minor"], line_["basis"]) for line_ in answer["lines"]] == [
        ("dora", 65_000, "exact")
    ]
    answer = at("anna").get(f"/api/v1/hold?day={DAY}").json()
    assert [answer["lines"][0][name] for name in ("name", "period", "hold_millionths")] == ["FR1", "day", 107_400]
    assert {rule["rule"] for rule in answer["rules"]} >= {KS}
    assert f'href="/days/{DAY}/luck?table=FR1"' in source(at("anna"), f"/tables/FR1/{DAY}")
    assert "/luck" not in source(at("ines"), f"/tables/FR1/{DAY}")


def test_a_chart_names_the_limits_that_it_has(house: WorkedDay, monkeypatch: pytest.MonkeyPatch) -> None:
    house.play()
    evening_with_everything.project(house)
    for history, text in ((BEFORE, "band: last year's hold"), ("", "import last year's monthly drop and win")):
        monkeypatch.setattr(hold_entry_queries, "settings", lambda: HouseSettings(hold_history=history))  # noqa: B023 - asked at once
        assert text in words(at("anna"), f"/hold?name=FR1&day={DAY}")


def test_what_came_after_the_close_is_of_earlier_days_until_it_is_named(house: WorkedDay) -> None:
    """A recount of the second box is 10.00 lower. The closed day stays, and the next day's month has the 10.00."""
    house.play()
    last = house.store.position()
    checklist_system_state_source.register_source(
        house.store, lambda: SystemState(readers={"books": last}, head=last, aside={})
    )
    house.ok("days", "", "anna", house.action("day.close"))
    recount = house.action("count.settle", table="FR1", drop_box="two", cash={"1000": 119})
    settled = house.agreed("days", "", ("cora", "carl"), recount)[1]
    evening_with_everything.project(house)
    assert _both_ways(house, DAY) == {"day": 50_500, "month": 50_500, "year": 50_500}
    house.cage("cage.open", gaming_day=NEXT, chips=CAGE, cash_minor=CASH)
    evening_with_everything.project(house)
    of_earlier_days = {"month": 49_500, "month late": -1_000, "year": 49_500, "year late": -1_000}
    assert _both_ways(house, NEXT) == {"day": 0, **of_earlier_days}
    assert _both_ways(house, DAY) == {"day": 50_500, "month": 50_500, "year": 50_500}
    page = words(at("anna"), f"/hold?day={NEXT}").replace("\u00a0", " ")
    assert "from earlier days 10.00 lost / −10.00" in page
    assert 'FR1,"month, of earlier days",-1000,-1000,' in source(at("anna"), f"/hold.csv?day={NEXT}")
    lines = at("anna").get(f"/api/v1/hold?day={NEXT}").json()["lines"]
    assert [line["win_minor"] for line in lines if line["of_earlier_days"]] == [-1_000, -1_000]

    amendment = house.action("day.amend", events=[settled.id], reason="found later")
    [request] = _of_day(house, "anna", amendment)
    _of_day(house, "sid", house.action("approval.give", request=request.data.request, content=request.data.content))
    evening_with_everything.project(house)
    assert _both_ways(house, DAY) == {"day": 49_500, "month": 49_500, "year": 49_500}
    assert _both_ways(house, NEXT) == {"day": 0, "month": 49_500, "year": 49_500}


def _of_day(house: WorkedDay, person: str, action: Action) -> list[AnyEnvelope]:
    who = Who(person=person, roles=frozenset(), factor_s=0)
    return events_of(house.desk.do(Command(Target("days", "", DAY), (action,), who)))


def _both_ways(house: WorkedDay, day: str) -> dict[str, int | None]:
    """Return the win of FR1 by period. Page and command must agree."""
    lines = hold(day, "table", "").lines
    [page] = [{f"{period.period}{' late' * period.is_late}": period.of.win_minor for period in line} for line in lines]
    output = StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("backoffice.management.commands.hold.open_store", lambda url: house.store)
        patch.setattr(house.store, "close", lambda: None)
        call_command("hold", "--json", "--to", day, stdout=output)
    [line] = json.loads(output.getvalue())["lines"]
    command = {
        name.replace(", of earlier days", " late"): of["win_minor"]
        for name, of in line["periods"].items()
        if not name.startswith("shift ")
    }
    assert command == page
    return page


def test_a_day_that_is_not_counted_is_in_no_figure_and_a_wrong_question_is_none(house: WorkedDay) -> None:
    house.begin()
    evening_with_everything.project(house)
    assert "No counted boxes yet" in words(at("anna"), "/hold")
    assert "1 gaming day of a table is not counted yet" in words(at("anna"), f"/hold?day={DAY}&name=FR1")
    assert words(at("anna"), "/hold?day=yesterday", 404)
    assert words(at("anna"), "/hold?by=dealer", 404)
    assert at("ines").get("/hold").status_code == 403


def test_a_year_of_days_is_asked_in_as_many_queries_as_a_day(house: WorkedDay) -> None:
    days = [
        TableDay(
            id=f"{PROPERTY}/tables/R{number % 8}/2026-{1 + number // 240:02}-{1 + number // 8 % 30:02}",
            table=f"R{number % 8}",
            gaming_day=f"2026-{1 + number // 240:02}-{1 + number // 8 % 30:02}",
            game="roulette",
            pit="main",
            currency="EUR",
            status="counted",
            closer_minor=200 * number,
            drop_minor=10_000,
        )
        for number in range(240)
    ]
    TableDay.objects.bulk_create(days[:8])
    few = queries(at("anna"), "/hold")
    TableDay.objects.bulk_create(days[8:])
    assert queries(at("anna"), "/hold") == few
