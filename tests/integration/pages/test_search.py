"""Search finds the same events as reading all of them, on both databases. Its pages have no gap and no overlap."""

from random import Random

import msgspec
import pytest
from django.db import connections
from django.test.utils import CaptureQueriesContext

from backoffice.surveillance.search.grammar import Mistake
from backoffice.surveillance.search.paged_search_within_time_limit import (
    ResultPage,
    all_matches,
    explain_search,
    page,
    search_deadline,
)
from backoffice.surveillance.search.search_to_log_conditions import Search, search
from backoffice.surveillance.search.totals import totals
from backoffice.wording import formats
from events.store import everything as stored
from projections.eventlog.models import EventLog
from tests.support.houses.small_house import DAY, House
from tests.support.records.naive_search import RandomSearchParts

pytestmark = pytest.mark.django_db


@pytest.fixture
def logs(evening_house: House, other: str) -> tuple[str, str]:
    """The evening's log on SQLite and on PostgreSQL."""
    return "default", other


def test_search_finds_what_reading_every_event_finds(evening_house: House, logs: tuple[str, str]) -> None:
    events = {stored_event.position: stored_event.raw for stored_event in stored(evening_house.store)}
    random = Random("search")
    parts = RandomSearchParts(list(events.values()), random, formats.zone())
    decoded = {position: msgspec.json.decode(raw) for position, raw in events.items()}
    finding = 0
    for _ in range(150):
        terms = [parts.some() for _ in range(random.choice((1, 1, 2, 3)))]
        text = " ".join(part for part, _finds in terms)
        expected = [at for at, event in decoded.items() if all(finds(event) for _part, finds in terms)]
        finding += bool(expected)
        for using in logs:
            events_found = {event.position: event.raw for event in all_matches(search(text, using))}
            assert events_found == {at: events[at] for at in expected}, text
    assert finding > 60


def test_nested_searches_find_what_reading_every_event_finds(evening_house: House, logs: tuple[str, str]) -> None:
    events = {stored_event.position: stored_event.raw for stored_event in stored(evening_house.store)}
    random = Random("nested")
    parts = RandomSearchParts(list(events.values()), random, formats.zone())
    decoded = {position: msgspec.json.decode(raw) for position, raw in events.items()}
    finding = 0
    for turn in range(200):
        terms = [parts.nested() for _ in range(random.choice((1, 2)))]
        text = " ".join(part for part, _finds in terms)
        if turn % 3 == 0 and _is_one_group(text):
            text = text.removeprefix("(").removesuffix(")")
        expected = [at for at, event in decoded.items() if all(finds(event) for _part, finds in terms)]
        finding += 0 < len(expected) < len(events)
        for using in logs:
            newest = bool(random.getrandbits(1))
            assert [event.position for event in all_matches(search(text, using), newest=newest)] == sorted(
                expected, reverse=newest
            ), text
        assert _page_by_page(search(text), newest=True) == expected[::-1], text
    assert finding > 60


def _is_one_group(text: str) -> bool:
    """Tell whether outer parentheses enclose the whole text, so that they can be left out."""
    depth = [text[: at + 1].count("(") - text[: at + 1].count(")") for at in range(len(text))]
    return text.startswith("(") and all(depth[:-1]) and '"' not in text


def test_pages_join_whichever_way_one_goes(logs: tuple[str, str]) -> None:
    for text in ("", "table:BJ1", "-table:BJ1 round:1..2", "settled", "time:00:00..23:59"):
        for newest, using in ((True, logs[0]), (False, logs[1])):
            query = search(text, using)
            whole = [event.position for event in all_matches(query, newest=newest)]
            assert whole == sorted(whole, reverse=newest)
            assert _page_by_page(query, newest=newest) == whole


def test_pages_join_along_any_index_and_in_pieces_of_any_size(
    evening_house: House, logs: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backoffice.surveillance.search.paged_search_within_time_limit._FIRST", 7)
    events = {stored_event.position: stored_event.raw for stored_event in stored(evening_house.store)}
    decoded = {position: msgspec.json.decode(raw) for position, raw in events.items()}
    parts = RandomSearchParts(list(events.values()), random := Random("pieces"), formats.zone())
    for turn in range(60):
        terms = [parts.some() for _ in range(random.choice((1, 2)))]
        text = " ".join(part for part, _finds in terms)
        expected = [at for at, event in decoded.items() if all(finds(event) for _part, finds in terms)]
        newest, using = bool(turn % 2), logs[turn // 2 % 2]
        assert _page_by_page(search(text, using), newest=newest) == sorted(expected, reverse=newest), text


def _page_by_page(query: Search, *, newest: bool) -> list[int]:
    result = page(query, newest=newest, size=30, until=search_deadline(60))
    seen = positions(result)
    while result.next is not None:
        assert len(result.events) == 30
        result = page(query, newest=newest, after=result.next, size=30, until=search_deadline(60))
        seen += positions(result)
    return seen


WAYS = [
    ("player:g-1 type:bet.placed", "log_player_type"),
    ("type:bet.placed player:g-1", "log_player_type"),
    ("paid:5.00", "log_paid"),
    ("actorrole:inspector", "log_actorrole"),
    ("shift:day", "log_shift"),
    ("table:FR1", "log_table"),
    (f"dealer:dora day:{DAY}", "log_dealer"),
    ("has:irregularity", "log_causation"),
    ("slip:1", "log_type"),
    ("die:K1", "log_type"),
    ("mispay", "word_order"),
    ("mispa*", "word_order"),
    ("player:g-*", "log_player"),
    ("table:FR1 OR dealer:dora", "log_dealer"),
    ("-(-table:FR1)", "log_table"),
    (f"(table:FR1 day:{DAY}) OR player:g-1", "log_player"),
]


@pytest.mark.parametrize(("text", "index"), WAYS)
def test_a_search_goes_along_the_index_that_is_meant_for_it(evening_house: House, text: str, index: str) -> None:
    """SQLite uses the index for a log of any length."""
    assert index in "\n".join(explain_search(search(text)))


def test_what_irregular_actions_come_to_is_counted_along_what_they_recorded(logs: tuple[str, str]) -> None:
    """One query over the whole log took seconds at ten million events."""
    for using in logs:
        irregular = search("has:irregularity", using)
        amounts = [msgspec.json.decode(event.raw)["data"].get("amount_minor", 0) for event in all_matches(irregular)]
        with CaptureQueriesContext(connections[using]) as queries:
            counted = totals(irregular, 10_000, within_s=60)
        assert (counted.events, counted.amount_minor, counted.is_complete) == (len(amounts), sum(amounts), True)
        assert not [event for event in queries if "IN (SELECT" in event["sql"]]


def test_a_search_asks_few_queries(logs: tuple[str, str]) -> None:
    query_counts = {
        "table:FR1": 1,
        f"day:{DAY}": 1,
        f"table:FR1 day:{DAY}": 2,
        "player:g-1 type:bet.placed": 1,
        "mispay": 3,
    }
    for using in logs:
        for text, most in query_counts.items():
            query = search(text, using)
            with CaptureQueriesContext(connections[using]) as queries:
                page(query, after=10**6)
            statements = [query["sql"] for query in queries if not query["sql"].startswith("SET ")]
            assert len(statements) <= most, (text, statements)


def test_a_search_that_takes_too_long_says_how_far_it_came(
    evening_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backoffice.surveillance.search.paged_search_within_time_limit._FIRST", 40)
    monkeypatch.setattr("backoffice.surveillance.search.paged_search_within_time_limit._WIDER", 1)
    query, seen, pages = search("-payment"), list[int](), 0
    result = page(query, size=500, until=search_deadline(0))
    while result.next is not None:
        assert result.came_to == result.next
        seen += [event.position for event in result.events]
        pages += 1
        result = page(query, after=result.next, size=500, until=search_deadline(0))
    seen += [event.position for event in result.events]
    assert pages > 2
    assert seen == [event.position for event in all_matches(query, newest=True)]


REFUSED = [
    ("tabel:BJ1", 1, "Did you mean table"),
    ("table:BJ1 -tabel:BJ1", 12, "Did you mean table"),
    ("type:bet.plaecd", 6, "Did you mean bet.placed"),
    ("amount:1.250,00", 8, "Write it as 1250.50"),
    ("seat:one", 6, "not a whole number"),
    ("day:2026-13-01", 5, "not a gaming day"),
    ("time:25:00", 6, "not a time"),
    ("tender:gold", 8, "cash, chips"),
    ("around:nothing@1", 8, "there is no event"),
    ("round:BJ1/2026-11-20/x", 22, "not a whole number"),
    ("round:/2026-11-20/1", 7, "a table, a gaming day and a number"),
    ("round:BJ1/2026-11-20", 10, "a table, a gaming day and a number"),
    ("round:BJ1/2026-11-20/0", 22, "numbered from 1"),
    ("table:FR1 OR", 11, "stands after OR"),
    ("OR table:FR1", 1, "stands before OR"),
    ("(table:FR1", 1, "not closed"),
    ("table:FR1)", 10, "no parenthesis is open"),
    ("table:FR1 ()", 11, "are empty"),
    ("table:(FR1 OR FR2)", 7, "commas"),
    ("NOT table:FR1", 1, "a dash"),
    ("table:F*1", 8, "end of a value"),
    ("player:*", 8, "has:player"),
    ("seat:1*", 7, "takes no star"),
    ("amount>500", 1, "Write amount:>500"),
    ("!table:FR1", 7, "no field stands"),
    ("table :FR1", 7, "no field stands"),
    ("slip:abc", 6, "not the number of a slip"),
    ("type:nonsense*", 6, "no value of type begins with"),
    ("irregularity:nonsense", 14, "irregularity has no value"),
    ("has:nonsense", 5, "knows no"),
    ("...", 1, "a word is missing"),
    ("table:BJ1 case:C-7", 16, 'case has no value "C-7"'),
    ("slip:one", 6, "Write a whole number"),
]


def test_what_cannot_be_is_refused_where_it_stands(evening_house: House) -> None:
    for text, column, says in REFUSED:
        with pytest.raises(Mistake, match=f"Column {column}: ") as caught:
            search(text)
        assert says in caught.value.message


def test_when_an_event_happened_that_is_kept_back_is_not_told(logs: tuple[str, str]) -> None:
    for using in logs:
        rows = EventLog.objects.using(using)
        bought = rows.filter(type="buyin.made.v1").values_list("stream", "version", "position").first()
        assert bought is not None
        stream, version, position = bought
        assert search(f"around:{stream}@{version}", using, ("athens/alerts/",)).rows().exists()
        for name in (f"{stream}@{version}", str(position)):
            with pytest.raises(Mistake, match="there is no event"):
                search(f"around:{name}", using, (stream,))
        assert search(f"around:{stream}@1", using, (stream,)).rows().exists(), "the opening is told"


def positions(result: ResultPage) -> list[int]:
    return [event.position for event in result.events]


def test_the_words_of_the_screen_find_their_events(evening_house: House) -> None:
    def types(text: str) -> set[str]:
        return {msgspec.json.decode(event.raw)["type"] for event in all_matches(search(text))}

    assert types('"HIT declared"') == {"hit.declared.v1"}
    assert "irregularity.recorded.v1" in types("mispay")
    assert types("paid winnings") <= {"payment.made.v1", "irregularity.recorded.v1"}
    assert positions(page(search("irregularity:mispay"), newest=False)) == positions(
        page(search("has:irregularity"), newest=False)
    )


def test_however_many_irregularities_there_are_few_actions_are_asked_for_at_once(
    evening_house: House, logs: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An export reads ever larger ranges, and a query takes a limited number of parameters."""
    monkeypatch.setattr("backoffice.surveillance.search.word_and_irregularity_index_walks.ACTIONS_MAX", 1)
    for using in logs:
        query = search("has:irregularity", using)
        walk = query.walk(None, newest=True)
        last = max(event.position for event in all_matches(search("type:irregularity.recorded", using)))
        assert walk.read_matches(evening_house.store.position() + 1, 10**9, 10**9)[1] == last
        positions = [event.position for event in all_matches(query, newest=True)]
        assert positions == sorted(positions, reverse=True)
        assert positions == _page_by_page(query, newest=True)
