"""The pages of draws: only inspectors see a result before it is public, in any form."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client

from backoffice.access.models import Look
from events.inspection_draws.due_draw_publication import publish_due
from events.runtime import clock
from tests.support.houses import evening_with_everything
from tests.support.houses.inspection_draw_house import DrawingHouse
from tests.support.houses.small_house import PROPERTY, serving
from tests.support.pages.sign_in import signed_in
from tools import verify_draw

pytestmark = pytest.mark.usefixtures("db")
READERS = ("ines", "paul", "anna", "sven", "sid", "olga", "cleo")
INSPECTORS = ("sven", "sid")


@pytest.fixture
def house(db: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[DrawingHouse]:
    house = DrawingHouse(monkeypatch, tmp_path)
    house.grant("cleo", "surveillance")
    with serving(house):
        yield house
    house.close()


def shown_to(person: str) -> dict[str, object]:
    answer = signed_in(Client(), person).get("/api/v1/draws/night")
    assert answer.status_code == 200
    return dict(json.loads(answer.content))


def inspect(house: DrawingHouse, entry: int) -> None:
    about = {"way": "live", "looked_at": "cards", "finding": "minor finding", "note": "one card was late"}
    house.do("sid", "inspection.record", draw="night", entry=entry, **about)


def test_before_the_reveal_nobody_sees_a_result(house: DrawingHouse) -> None:
    house.commit()
    evening_with_everything.project(house)
    for person in READERS:
        shown = shown_to(person)
        assert (shown["drawn"], shown["hidden"]) == ([], 0), person
        assert len(shown["entries"]) == 12  # type: ignore[arg-type]


def test_until_its_inspection_a_result_is_its_inspectors_alone(house: DrawingHouse) -> None:
    house.commit()
    house.reveal()
    drawn = house.drawn()
    inspect(house, drawn[1])
    evening_with_everything.project(house)
    for person in READERS:
        shown = shown_to(person)
        entries = [entry["entry"] for entry in shown["drawn"]]  # type: ignore[attr-defined]
        assert entries == ([*drawn] if person in INSPECTORS else [drawn[1]]), person
        assert shown["hidden"] == (0 if person in INSPECTORS else 2), person
        page = signed_in(Client(), person).get("/draws/night").content.decode()
        assert "one card was late" in page
        assert signed_in(Client(), person).get("/draws/night/proof").status_code == 404, person


SHOWING = (
    *("/draws", "/draws/night", "/inspections", "/events", "/inbox", "/alerts", "/api/v1/draws", "/api/v1/draws/night"),
    *("/api/v1/inspections", "/api/v1/events", "/api/v1/search?q=type:draw.revealed", "/api/v1/alerts"),
)


def test_what_others_see_does_not_depend_on_the_result(house: DrawingHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """With another result, every answer to people who do not inspect stays the same."""
    house.commit()
    house.reveal()
    evening_with_everything.project(house)
    others = [person for person in READERS if person not in INSPECTORS]
    moment = clock.moment()
    monkeypatch.setattr(clock.PlayedClock, "moment", lambda _clock: moment)  # ages stay the same

    def answers(person: str) -> list[tuple[int, str]]:
        client = signed_in(Client(), person)
        seen = [client.get(address) for address in SHOWING]
        hidden = r'name="csrfmiddlewaretoken" value="[^"]*"|data-age="[^"]*"|\d+ s ago|nonce="[^"]*"'
        return [(answer.status_code, re.sub(hidden, "", answer.content.decode())) for answer in seen]

    before = {person: answers(person) for person in others}
    inspector, drawn = answers("sven"), house.drawn()
    other = tuple(entry for entry in range(1, 13) if entry not in drawn)[:3]
    for place in (
        "backoffice.surveillance.inspection_draws.draw_list_and_detail_content.drawn",
        "events.inspection_draws.stream_declaration.drawn",
    ):
        monkeypatch.setattr(place, lambda *_: other)
    for person in others:
        assert answers(person) == before[person], person
    assert answers("sven") != inspector, "an inspector sees the result"


def test_searches_events_and_the_list_say_nothing_of_a_result(house: DrawingHouse) -> None:
    house.commit()
    house.reveal()
    evening_with_everything.project(house)
    client = signed_in(Client(), "olga")
    drawn = house.drawn()
    answers = [
        client.get(address).content.decode()
        for address in (
            "/draws",
            "/api/v1/draws",
            "/api/v1/events?type=draw.revealed",
            "/api/v1/search?q=draw.revealed",
        )
    ]
    assert not any('"drawn":' in answer or str(list(drawn)) in answer for answer in answers)


def test_what_is_over_is_everybodys_with_its_proof(house: DrawingHouse, tmp_path: Path) -> None:
    house.commit()
    house.reveal()
    house.turn_to("2026-11-21T01:00:00.000Z")
    drawn = house.drawn()
    publish_due(house.store, PROPERTY)
    house.sign()
    evening_with_everything.project(house)
    for person in READERS:
        assert sorted(entry["entry"] for entry in shown_to(person)["drawn"]) == sorted(drawn), person  # type: ignore[attr-defined]
    answer = signed_in(Client(), "paul").get("/draws/night/proof")
    assert answer.status_code == 200
    proof = verify_draw.verify(answer.content, [house.signer.public])
    assert [entry["entry"] for entry in proof["drawn"]] == [*drawn]


def test_a_look_at_a_draw_leaves_a_line(house: DrawingHouse) -> None:
    house.commit()
    evening_with_everything.project(house)
    signed_in(Client(), "paul").get("/draws/night")
    line = Look.objects.get(person="paul", what="/draws/night")
    assert line.entry_count == 0


def test_a_dealer_reads_no_draw(house: DrawingHouse) -> None:
    house.commit()
    evening_with_everything.project(house)
    for address in ("/draws", "/draws/night", "/inspections", "/api/v1/draws", "/api/v1/inspections"):
        assert signed_in(Client(), "dora").get(address).status_code == 403


def test_the_list_explains_a_draw(house: DrawingHouse) -> None:
    assert (
        "A random choice of tables and times to inspect" in signed_in(Client(), "olga").get("/draws").content.decode()
    )


def test_an_unknown_draw_is_not_found(house: DrawingHouse) -> None:
    evening_with_everything.project(house)
    assert signed_in(Client(), "sven").get("/draws/none").status_code == 404


def test_the_form_proposes_all_tables_and_commits(house: DrawingHouse) -> None:
    evening_with_everything.project(house)
    form = signed_in(Client(), "sven").get("/draws/do/draw.commit").content.decode()
    assert 'value="BJ2"' in form
    assert "2026-11-20T20:15:00Z" in form


def test_coverage_counts_the_rounds_in_inspected_times(house: DrawingHouse) -> None:
    house.commit(number=12)
    house.reveal()
    for entry in house.drawn():
        inspect(house, entry)
    house.turn_to("2026-11-20T22:00:00.000Z")
    evening_with_everything.play(house)
    evening_with_everything.project(house)
    answer = signed_in(Client(), "sven").get("/api/v1/inspections?first=2026-11-20&last=2026-11-20")
    shown = json.loads(answer.content)
    assert shown["inspections"] == 12
    rounds = [stored_event for stored_event in house.store.after(0, 100_000) if stored_event.type == "round.opened.v1"]
    for by in ("table", "dealer", "shift"):
        lines = [line for line in shown["lines"] if line["by"] == by]
        assert sum(line["rounds"] for line in lines) == len(rounds)
    drawn_tables = {"BJ1", "BJ2", "FR1"}
    expected = sum(json.loads(stored_event.raw)["data"]["table"] in drawn_tables for stored_event in rounds)
    assert 0 < expected < len(rounds)
    assert sum(line["inspected_rounds"] for line in shown["lines"] if line["by"] == "table") == expected
    for form in (".csv", "/coverage.xlsx", "/coverage.pdf"):
        answer = signed_in(Client(), "sven").get(f"/inspections{form}?first=2026-11-20&last=2026-11-20")
        assert answer.status_code in (200, 302), form
    assert signed_in(Client(), "sven").get("/inspections?first=2026-11-20&last=2026-10-20").status_code == 404
