"""Cases in the browser and for programs: opened, worked on, closed by two; and unseen by their subjects."""

import contextvars
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from PIL import Image

from backoffice.access.models import Look
from backoffice.case_files import case_queries
from backoffice.case_files.cases_by_evidence_index import CaseIndex
from backoffice.case_files.destroyed_case_listing import destroyed_cases
from backoffice.http.read_cache_within_one_answer import cache_reads
from backoffice.inbox.case_tasks_requests_and_recordings import case_matters
from backoffice.installation.dependency_injection import installation
from backoffice.kit.reader_and_read_rule_types import Reader, answering
from backoffice.surveillance.search.alert_and_case_filters import added_between
from backoffice.surveillance.search.search_to_log_conditions import search
from events.cases.case_key_and_file_vault import vault
from events.errors import Unknown
from events.integrity.signed_head_stores import Heads, MemoryHeads
from events.store.named_notes_shared_by_processes import Notes
from projections.alerts.models import Alert
from projections.cases.models import CaseEvent
from projections.engine.models import PoisonedEvent
from projections.eventlog.models import EventLog
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, PROPERTY, House
from tests.support.pages.page_actors import InProcessDoor, at, done, open_door
from tests.support.pages.page_actors import preview_of as review
from tests.support.pages.page_text_and_queries import source, words
from tools import verify_case

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_access_database(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_ACCESS", f"sqlite:///{tmp_path}/notes.sqlite3")
    monkeypatch.setattr("backoffice.people.current_roles.REMEMBERED_S", -1.0)


@pytest.fixture
def door(evening_house: House) -> Iterator[InProcessDoor]:
    with open_door(evening_house) as opened_door:
        yield opened_door


def opened(house: House, person: str = "sven", **fields: Any) -> str:
    data = {"title": "Short pays", "category": "theft", "severity": "high", **fields}
    [event] = house.ok("cases", "new", person, house.action("case.open", **data))
    evening_with_everything.project(house)
    return str(event.data.case)


def picture() -> bytes:
    """A JPEG with metadata."""
    out, exif = io.BytesIO(), Image.Exif()
    exif[0x010E] = "a secret place"
    Image.new("RGB", (20, 10), "red").save(out, "JPEG", exif=exif)
    return out.getvalue()


def test_a_case_goes_from_an_alert_to_its_closing(door: InProcessDoor) -> None:
    alert, sven = Alert.objects.get(name="mispay"), at("sven")
    assert f"/cases/do/case.open?alerts={alert.id}" in source(sven, f"/alerts/{alert.id}")
    answer, _sent = done(
        sven,
        f"/cases/do/case.open?alerts={alert.id}",
        title="Mispay at the table",
        category="procedure",
        severity="medium",
        subjects="dora",
        places="pit A",
    )
    assert answer.status_code == 302, answer.content
    url = answer.headers["Location"]
    case = url.rpartition("/")[2]
    for action, fields in (
        ("case.note", {"note": "Watched twice"}),
        ("case.task", {"task": "1", "what": "Ask the pit boss", "due": "2026-11-22"}),
        ("case.bookmark", {"camera": "C7", "from": "2026-11-20T20:00:00.000Z", "to": "2026-11-20T20:05:00.000Z"}),
        ("case.add", {"people": "pam, pete"}),
    ):
        answer, _sent = done(sven, f"{url}/do/{action}", **fields)
        assert (answer.status_code, answer.headers.get("Location")) == (302, url), answer.content
    text = words(sven, url)
    for shown in ("Mispay at the table", "Watched twice", "Ask the pit boss", "C7", "pit A", "2026-11-22"):
        assert shown in text
    detail = sven.get(f"/api/v1/cases/{case}").json()
    assert [piece["ref"] for piece in detail["case"]["evidence"]] == [alert.id]
    assert [entry["kind"] for entry in detail["timeline"]] == ["alert"]
    ids = [
        msgspec.json.decode(msgspec.json.encode(entry["event"]))["id"]
        for entry in sven.get(f"/api/v1/search?q=case:{case}").json()["events"]
    ]
    assert set(ids) == set(msgspec.json.decode(alert.events))
    for person in ("olga", "paul"):
        nowhere, there = (at(person).get(f"/api/v1/search?q=case:{name}") for name in ("0" * 16, case))
        assert there.status_code == (200 if person == "olga" else nowhere.status_code)
    assert "Mispay at the table" in words(sven, "/cases?status=open")
    assert "Mispay at the table" not in words(sven, "/cases?status=closed")
    assert at("dora").get(url).status_code in (403, 404)
    door.house.grant("sara", "surveillance")
    closing: dict[str, Any] = {"disposition": "disciplinary", "reason": "Third time", "concerns": ["job"]}
    [request] = door.house.ok("cases", case, "sven", door.house.action("case.close", **closing))
    evening_with_everything.project(door.house)
    assert "Third time" in words(at("sara"), url)
    give = f"{url}/do/approval.give?request={request.data.request}&content={request.data.content}"
    assert give.replace("&", "&amp;") in source(at("sara"), url)
    answer, _sent = done(at("sara"), give)
    assert answer.status_code == 302, answer.content
    assert "closed" in words(sven, url)


PLACES_OF_EVIDENCE = (
    ("/alerts/{alert}", "alerts={alert}"),
    ("/tables/FR1/{day}/rounds/3", "rounds=FR1%2F{day}%2F3"),
    ("/events/1", "events=athens%2Fpeople%401"),
    ("/timelines/player/g-1", "people=g-1"),
    ("/players/g-1", "people=g-1"),
    ("/events?q=table:FR1", "note=table%3AFR1"),
)


@pytest.mark.parametrize(("page", "known"), PLACES_OF_EVIDENCE)
def test_a_case_is_opened_from_every_page_of_evidence(door: InProcessDoor, page: str, known: str) -> None:
    evening_with_everything.post_results(door.house)
    places = {"alert": evening_with_everything.MISPAY_ALERT, "day": DAY}
    assert f"/cases/do/case.open?{known.format(**places)}" in source(at("sven"), page.format(**places))


def proposed_title(person: str, query: str, language: str = "en") -> str:
    """Return the title in the form of a new case."""
    form = at(person).get(f"/cases/do/case.open?{query}", headers={"accept-language": language}).content.decode()
    [title] = re.findall(r'<textarea[^>]*name="title"[^>]*>\s*(.*?)</textarea>', form, flags=re.DOTALL)
    return str(title).strip()


def test_the_title_of_a_case_is_proposed_for_its_evidence(door: InProcessDoor) -> None:
    alert = f"alerts={evening_with_everything.MISPAY_ALERT}"
    assert proposed_title("sven", alert) == f"Mispay, FR1/{DAY}/3"
    assert proposed_title("sven", f"{alert}&title=Short+pays") == "Short pays", "the address has its own"
    Alert.objects.filter(id=evening_with_everything.MISPAY_ALERT).update(round=None)
    assert proposed_title("sven", alert) == f"Mispay, FR1, {DAY}"
    greek = proposed_title("sven", alert, "el")
    assert greek.endswith(f", FR1, {DAY}")
    assert "Mispay" not in greek
    assert proposed_title("sven", f"rounds=FR1/{DAY}/3") == f"Round FR1/{DAY}/3"
    assert proposed_title("sven", "events=athens/floor@1")
    assert proposed_title("paul", alert) == "", "a pit boss reads no alert"
    assert proposed_title("sven", f"alerts={'0' * 64}") == proposed_title("sven", "") == ""


def test_several_roles_are_chosen_on_the_page(door: InProcessDoor) -> None:
    fields: dict[str, Any] = {"subject_roles": ["inspector", "count"]}
    form = {"title": "Chips on the floor", "category": "other", "severity": "low"}
    roles: dict[str, Any] = {"roles": ["pit boss", "inspector"], "subject_roles": ["dealer", "cage"]}
    looked, _sent = review(at("sven"), "/cases/do/case.open", **form, **roles)
    for name, chosen in roles.items():
        for role in chosen:
            assert re.search(rf'type="hidden" name="{name}" value="{role}"', looked.content.decode())
    answer, _sent = done(at("sven"), "/cases/do/case.open", **form, **roles)
    url = answer.headers["Location"]
    file = at("sven").get(f"/api/v1{url}").json()["case"]
    assert {name: sorted(file[name]) for name in roles} == {name: sorted(chosen) for name, chosen in roles.items()}
    assert at("ines").get(url).status_code == 200
    answer, _sent = done(at("sven"), f"{url}/do/case.add", **fields)
    assert answer.status_code == 302, answer.content
    assert at("ines").get(url).status_code == 404


@pytest.mark.usefixtures("on_each_database")
def test_evidence_lists_its_cases_for_those_who_may_see_them(door: InProcessDoor) -> None:
    alert, event = Alert.objects.get(name="mispay"), EventLog.objects.named("athens/floor@1").get()
    pages = (f"/alerts/{alert.id}", f"/tables/FR1/{DAY}/rounds/3", f"/events/{event.position}")
    about: dict[str, Any] = {"alerts": [alert.id], "rounds": [f"FR1/{DAY}/3"], "events": ["athens/floor@1"]}
    case = opened(door.house, title="Shaved dice", subjects=["olga"], **about)
    opened(door.house, title="Nothing here")
    for page in pages:
        assert f'<a href="/cases/{case}">Shaved dice</a>' in source(at("sven"), page)
        assert "Nothing here" not in words(at("sven"), page)
        assert case not in source(at("olga"), page)
    other = EventLog.objects.named("athens/floor@2").get()
    assert "Shaved dice" not in words(at("sven"), f"/events/{other.position}")


def test_the_list_filters_and_counts_what_one_may_see(door: InProcessDoor) -> None:
    kinds = (("theft", "high", "g-1"), ("theft", "low", "g-2"), ("dispute", "low", "g-1"))
    cases = [
        opened(door.house, title=f"Number {number}", category=category, severity=severity, people=[person])
        for number, (category, severity, person) in enumerate(kinds)
    ]
    opened(door.house, person="olga", title="About sven", category="theft", subjects=["sven"])
    close = door.house.action("case.close", disposition="unfounded", reason="Nothing was seen")
    task = door.house.action("case.task", task="1", what="Ask the pit boss")
    door.house.ok("cases", cases[0], "sven", close)
    door.house.ok("cases", cases[1], "sven", task)

    def listed(query: str) -> dict[str, Any]:
        answer: dict[str, Any] = at("sven").get(f"/api/v1/cases?{query}").json()
        return answer

    whole = listed("")
    assert [case["id"] for case in whole["cases"]] == cases[::-1], "the newest first"
    assert whole["statuses"] == {"open": 2, "closed": 1}
    assert whole["categories"] == {"theft": 2, "dispute": 1}
    assert whole["severities"] == {"high": 1, "low": 2}
    for query, expected in (
        ("status=open", cases[1:]), ("category=theft", cases[:2]), ("severity=low", cases[1:]),
        ("person=g-1", cases[::2]), ("q=number+2", cases[2:]), ("due=1", cases[1:2]),
        ("status=closed&category=dispute", []),
    ):  # fmt: skip
        assert {case["id"] for case in listed(query)["cases"]} == {*expected}, query
    both = listed("category=theft&severity=low")
    assert (both["categories"], both["severities"]) == ({"theft": 1, "dispute": 1}, {"high": 1, "low": 1})
    assert listed("limit=2")["next"] == cases[1]
    assert [case["id"] for case in listed(f"limit=2&after={cases[1]}")["cases"]] == cases[:1]
    page = words(at("sven"), "/cases")
    assert "Number 2" in page
    assert "About sven" not in page


def rows_read(url: str) -> list[str]:
    """The cases whose events a page reads, from the read model and the store."""
    with counted_rows() as read:
        assert at("sven").get(url).status_code == 200
    return read


@contextmanager
def counted_rows() -> Iterator[list[str]]:
    """A list that gets the case of each row that is read."""
    read: list[str] = []
    events_of, after = case_queries.events_of_cases, case_queries._events_after

    def several(cases: Any) -> Any:
        events = events_of(cases)
        read.extend(case for case, own in events.items() for _event in own)
        return events

    def later(position: int) -> Any:
        events, end = after(position)
        read.extend(event.case for event in events)
        return events, end

    with patch.object(case_queries, "events_of_cases", several), patch.object(case_queries, "_events_after", later):
        yield read


@pytest.mark.usefixtures("on_each_database")
def test_lists_of_all_cases_read_each_event_once(door: InProcessDoor) -> None:
    """The access log, bookmark pushes and commands ask for all cases repeatedly."""
    cases = {opened(door.house, title=f"Other {number}") for number in range(5)}
    hidden = opened(door.house, person="olga", title="About sven", subjects=["sven"])
    sven = Reader("sven", frozenset({"surveillance"}))
    with counted_rows() as read:
        assert case_queries.shown_and_hidden(sven) == (frozenset(cases), frozenset({hidden}))
    assert set(read) == {*cases, hidden}
    with counted_rows() as read:
        assert {file.id for file in case_queries.every_case()} == {*cases, hidden}
        assert case_queries.shown_and_hidden(sven) == (frozenset(cases), frozenset({hidden}))
        assert case_queries.files_of([hidden, "0" * 16]).keys() == {hidden}
        assert case_queries.unreadable_cases() == ()
        assert destroyed_cases() == ()
    assert set(read) <= {hidden}, "only the case that was not decrypted before"


@pytest.mark.usefixtures("on_each_database")
def test_lists_of_all_cases_take_as_many_queries_for_many_cases(door: InProcessDoor) -> None:
    """In a process that has read none of them: of the read models, the store and the keys."""
    sven = Reader("sven", frozenset({"surveillance"}))

    def counts() -> list[int]:
        evening_with_everything.project(door.house)
        numbers = []
        for ask in (case_queries.every_case, case_queries.unreadable_cases, lambda: case_matters(sven)):
            case_queries._files.clear()
            store = installation().store
            store.process_cache.forget((CaseIndex, PROPERTY))
            keys, stored = Notes._connected, store.after
            with (
                CaptureQueriesContext(connection) as rows,
                patch.object(Notes, "_connected", autospec=True, side_effect=keys) as of_keys,
                patch.object(store, "after", side_effect=stored) as of_store,
            ):
                ask()
            numbers.append(len(rows) + of_keys.call_count + of_store.call_count)
        return numbers

    opened(door.house, title="The first")
    few = counts()
    for number in range(12):
        opened(door.house, title=f"Other {number}")
    assert len(case_queries.every_case()) == 13
    assert counts() == few


@pytest.mark.usefixtures("on_each_database")
def test_a_page_reads_the_store_once(door: InProcessDoor) -> None:
    """In a process that has read no case, and with an event that the read model has not read."""
    alert = Alert.objects.get(name="mispay")
    case, other = (opened(door.house, title=f"Number {number}", alerts=[alert.id]) for number in range(2))
    hidden = [opened(door.house, title=f"About olga {number}", subjects=["olga"]) for number in range(2)]
    door.house.ok("cases", case, "sven", door.house.action("case.note", note="A late note"))
    sven = at("sven")
    session = sven.session
    session["bookmark"] = {"case": other}  # its button is on the alert
    session.save()
    query = f"?q=case:{case}+or+case:{other}"
    paths = [f"/alerts/{alert.id}", f"/tables/FR1/{DAY}/rounds/3", "/inbox", "/inbox/count", "/cases", f"/cases/{case}"]
    paths += [f"/cases/{case}/do/case.note", f"/cases/{case}/do/case.grant", f"/bookmark?alert={alert.id}"]
    paths += [f"/events{query}", f"/events/facets{query}", "/api/v1/cases", f"/api/v1/cases/{case}"]
    paths += [f"/api/v1/search{query}", f"/api/v1/search/facets{query}"]
    reads = {path: reads_of_events(sven, path) for path in paths}
    for name in hidden:
        sven.get(f"/events?q=case:{name}")  # a line of the access log that olga may not see
    paths = ["/integrity/looks", "/api/v1/looks", "/integrity/looks/export.jsonl"]
    reads |= {path: reads_of_events(at("olga"), path) for path in paths}
    assert reads == dict.fromkeys(reads, 1)


def reads_of_events(client: Any, path: str) -> int:
    """Return how often a page reads events of cases from the store, in a process that has read none before."""
    with counted_reads() as reads:
        answer = client.get(path)
        content = b"".join(answer)
    assert answer.status_code == 200, path
    assert (b"A late note" in content) == bool(re.search("/cases/[0-9a-f]{16}$", path)), path
    return len(reads)


@contextmanager
def counted_reads() -> Iterator[list[Any]]:
    """A list of the reads of events of cases from the store, in a process that has read none before."""
    case_queries._files.clear()
    store, reads = installation().store, list[Any]()
    store.process_cache.forget((CaseIndex, PROPERTY))
    with patch.object(store, "after", side_effect=store.after) as after:
        yield reads
    reads += [call for call in after.call_args_list if call.kwargs.get("types") == case_queries._TYPES]


@pytest.mark.usefixtures("on_each_database")
def test_new_evidence_for_a_saved_search_takes_one_read_of_the_store(door: InProcessDoor) -> None:
    alert, sven = Alert.objects.get(name="mispay"), Reader("sven", frozenset({"surveillance"}))
    cases = [opened(door.house, title=f"Number {number}", alerts=[alert.id]) for number in range(3)]
    with answering(sven):
        nodes = search(" or ".join(f"case:{case}" for case in cases)).nodes
    with counted_reads() as reads:
        added = added_between(nodes, sven, 0, installation().store.position())
    assert len(added) == len(msgspec.json.decode(alert.events))
    assert len(reads) == 1


@pytest.mark.usefixtures("on_each_database")
def test_an_answer_keeps_neither_keys_nor_roles_and_the_next_one_reads_again(door: InProcessDoor) -> None:
    case, destroyed = opened(door.house), opened(door.house, title="Destroyed")
    sven, nobody = (Reader("sven", frozenset(roles)) for roles in (["surveillance"], []))
    note = door.house.action("case.note", note="A late note")
    with cache_reads():
        assert {file.id for file in case_queries.cases_of(sven)} == {case, destroyed}
        door.house.ok("cases", case, "olga", note)
        assert case_queries.case_for(case, sven).notes == (), "an answer is of one moment"
        vault().destroy([destroyed])
        for hidden, reader in ((destroyed, sven), (case, nobody)):
            assert hidden not in {file.id for file in case_queries.cases_of(reader)}
            with pytest.raises(Unknown):
                case_queries.case_for(hidden, reader)
    assert [each.note for each in case_queries.case_for(case, sven).notes] == ["A late note"]
    assert len(case_queries.cases_of(sven)[0].notes) == 1, "the index of the process has the event too"


@pytest.mark.usefixtures("on_each_database")
@pytest.mark.parametrize("has_another_answer", [False, True])
def test_the_reads_of_an_answer_hold_back_no_event_from_the_index_of_the_process(
    door: InProcessDoor, *, has_another_answer: bool
) -> None:
    sven = Reader("sven", frozenset({"surveillance"}))
    case = opened(door.house)
    with cache_reads():
        assert [len(file.notes) for file in case_queries.cases_of(sven)] == [0]
        door.house.ok("cases", case, "sven", door.house.action("case.note", note="First"))
        evening_with_everything.project(door.house)
        door.house.ok("cases", case, "sven", door.house.action("case.note", note="Second"))
        if has_another_answer:
            other = contextvars.Context().run(case_queries.cases_of, sven)
            assert [len(file.notes) for file in other] == [2]
        assert [file.id for file in case_queries.cases_of(sven)] == [case]
    assert [len(file.notes) for file in case_queries.cases_of(sven)] == [2]


@pytest.mark.usefixtures("on_each_database")
def test_a_read_of_the_store_goes_on_to_its_last_event(door: InProcessDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    case = opened(door.house)
    for number in range(3):
        door.house.ok("cases", case, "sven", door.house.action("case.note", note=f"Note {number}"))
    whole = case_queries.events_of(case)
    assert len(whole) == 4
    for most in (1, 2, 3, 4):
        monkeypatch.setattr(case_queries, "EVENTS_MAX", most)
        assert case_queries.events_of(case) == whole


@pytest.mark.usefixtures("on_each_database")
def test_events_of_a_quarantined_stream_come_from_the_store(door: InProcessDoor) -> None:
    """The projection continues with other streams: its position is beyond the events that wait."""
    case, other = opened(door.house), opened(door.house, title="Another")
    door.house.ok("cases", case, "sven", door.house.action("case.note", note="seen"))
    evening_with_everything.project(door.house)
    whole, last = case_queries.events_of(case), CaseEvent.objects.filter(case=case).order_by("-version")[0]
    about: dict[str, Any] = {"stream": f"{PROPERTY}/cases/{case}", "type": last.type, "error": "", "raw": b""}
    PoisonedEvent.objects.create(id=f"cases/{last.position}", projection="cases", position=last.position, **about)
    last.delete()
    assert case_queries.events_of(case) == whole
    assert case_queries.events_of_cases({case, other})[case] == whole
    case_queries._files.clear()
    installation().store.process_cache.forget((CaseIndex, PROPERTY))
    notes = {file.id: len(file.notes) for file in case_queries.every_case()}
    assert notes == {case: 1, other: 0}


@pytest.mark.usefixtures("on_each_database")
def test_a_read_model_of_another_history_puts_no_case_into_the_index(door: InProcessDoor) -> None:
    case, other = opened(door.house), opened(door.house, title="Other")
    marks = case_queries._index().marks()
    assert marks.keys() == {case, other}
    CaseEvent.objects.filter(case=case).delete()
    CaseEvent.objects.filter(case=other).update(case="0" * 16, raw="{}")
    installation().store.process_cache.forget((CaseIndex, PROPERTY))
    assert case_queries._index().marks() == marks


@pytest.mark.usefixtures("on_each_database")
def test_a_page_of_evidence_reads_no_case_that_it_does_not_concern(door: InProcessDoor) -> None:
    alert, event = Alert.objects.get(name="mispay"), EventLog.objects.named("athens/floor@1").get()
    pages = (f"/alerts/{alert.id}", f"/tables/FR1/{DAY}/rounds/3", f"/events/{event.position}")
    about: dict[str, Any] = {"alerts": [alert.id], "rounds": [f"FR1/{DAY}/3"], "events": ["athens/floor@1"]}
    own = opened(door.house, title="Shaved dice", **about)
    for page in pages:
        at("sven").get(page)
    for number in range(12):
        opened(door.house, title=f"Other {number}")
    assert len(rows_read(pages[0])) == 12, "each new event is read once"
    for page in pages:
        assert rows_read(page) == []
        assert "Shaved dice" in words(at("sven"), page)
    door.house.ok("cases", own, "sven", door.house.action("case.note", note="seen"))
    assert rows_read(pages[0]) == [own] * 3, "the new event, and then the case that it changes"
    for page in pages:
        assert rows_read(page) == []
    door.house.ok("cases", own, "olga", door.house.action("case.add", subjects=["sven"]))
    assert own not in source(at("sven"), pages[0]), "access ends before the read model follows"
    other = opened(door.house, person="olga", title="Later", **about, roles=["surveillance"])
    assert other in source(at("sven"), pages[0])


@pytest.mark.usefixtures("on_each_database")
def test_the_evidence_of_a_destroyed_case_is_gone(door: InProcessDoor) -> None:
    alert = Alert.objects.get(name="mispay")
    case = opened(door.house, alerts=[alert.id])
    assert case in source(at("sven"), f"/alerts/{alert.id}")
    vault().destroy([case])
    assert case not in source(at("sven"), f"/alerts/{alert.id}")
    assert case not in source(at("sven"), "/cases")


def test_a_file_is_attached_and_shown_without_its_metadata(door: InProcessDoor) -> None:
    case, sven = opened(door.house), at("sven")
    for name, content in (("scene.jpg", picture()), ("statement.txt", b"I saw it.\n"), ("scene.jpg", picture())):
        answer = sven.post(f"/cases/{case}/upload", {"file": SimpleUploadedFile(name, content), "note": "x"})
        assert (answer.status_code, answer.headers.get("Location")) == (302, f"/cases/{case}")
    files = sven.get(f"/api/v1/cases/{case}").json()["case"]["attachments"]
    assert [(file["name"], file["type"]) for file in files] == [
        ("scene.jpg", "image/jpeg"),
        ("statement.txt", "text/plain"),
    ]
    url = f"/cases/{case}/files/{files[0]['attachment']}"
    saved, shown = sven.get(url), sven.get(f"{url}?view=1")
    assert saved.content == picture()
    assert saved.headers["Content-Disposition"] == 'attachment; filename="scene.jpg"'
    assert b"a secret place" in saved.content
    assert b"a secret place" not in shown.content
    for answer in (saved, shown):
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Content-Security-Policy"].startswith("sandbox")
    text = sven.get(f"/cases/{case}/files/{files[1]['attachment']}?view=1")
    assert text.headers["Content-Disposition"].startswith("attachment")
    assert at("paul").get(url).status_code == 404
    assert sven.get(f"/cases/{case}/files/{'0' * 64}").status_code == 404


@pytest.mark.parametrize(
    "content",
    [b"<html><script>1</script>", b"\xff\xd8\xff no picture", b"MZ\x90\x00program\x00", b"\x89PNG\r\n\x1a\n", b""],
)
def test_a_file_of_another_content_is_refused_whatever_its_name(door: InProcessDoor, content: bytes) -> None:
    case, sven = opened(door.house), at("sven")
    sven.post(f"/cases/{case}/upload", {"file": SimpleUploadedFile("picture.jpg", content, "image/jpeg")})
    assert sven.get(f"/api/v1/cases/{case}").json()["case"]["attachments"] == []


def test_a_scanner_refuses(door: InProcessDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    case, sven = opened(door.house), at("sven")
    monkeypatch.setenv("PITLEDGER_CASE_SCANNER", "grep -q harmless")
    for content in (b"a virus", b"harmless"):
        sven.post(f"/cases/{case}/upload", {"file": SimpleUploadedFile("a.txt", content)})
    assert [file["size"] for file in sven.get(f"/api/v1/cases/{case}").json()["case"]["attachments"]] == [8]


@pytest.mark.django_db(databases="__all__")
def test_a_case_is_exported_and_handed_over(door: InProcessDoor, tmp_path: Path) -> None:
    house, sven = door.house, at("sven")
    house.grant("sara", "surveillance")
    case = opened(house, roles=[])
    house.ok("cases", case, "sven", house.action("case.add", subjects=["sara"]))
    house.ok("cases", case, "sven", house.action("case.grant", person="olga", level="read"))
    evening_with_everything.project(house)
    house.store.process_cache.get((Heads,), MemoryHeads)  # the heads of a store that is in memory
    url, before = f"/cases/{case}", house.store.position()
    assert [at(person).post(f"{url}/export").status_code for person in ("sara", "olga", "paul")] == [404, 404, 404]
    assert sven.get(f"{url}/export").status_code == 405
    assert house.store.position() == before
    assert "Export case" in words(sven, url)
    assert "Export case" not in words(at("olga"), url)
    answer: Any = sven.post(f"{url}/export")
    assert answer.status_code == 200
    assert answer.headers["Content-Disposition"] == f'attachment; filename="pitledger-case-{case}.zip"'
    archive = tmp_path / "case.zip"
    archive.write_bytes(b"".join(answer.streaming_content))
    verified = verify_case.verify(archive)
    assert verified
    line = Look.objects.get(what=f"case export {case}")
    assert (line.kind, line.person) == ("export", "sven")
    evening_with_everything.project(house)
    [export] = sven.get(f"/api/v1/cases/{case}").json()["case"]["exports"]
    give = f"{url}/do/case.hand_over?export={export['export']}"
    assert give in source(sven, url)
    answer, _sent = done(sven, give, to="Inspector Papas", reason="Order 12/2026")
    assert answer.status_code == 302, answer.content
    text = words(sven, url)
    assert export["export"] in text
    assert "Inspector Papas" in text
    assert "Order 12/2026" in text


def test_the_inbox_shows_due_tasks_and_requests_to_those_who_may_see_the_case(door: InProcessDoor) -> None:
    house = door.house
    house.grant("sara", "surveillance")
    case = opened(house, roles=["surveillance"])
    for task, due in (("1", "2020-11-20"), ("2", "2999-01-01")):
        house.ok("cases", case, "sven", house.action("case.task", task=task, what=f"Watch {task}", due=due))
    closing = {"disposition": "disciplinary", "reason": "Third time", "concerns": ["job"]}
    house.ok("cases", case, "sven", house.action("case.close", **closing))
    evening_with_everything.project(house)
    for person, titles in (("sven", ["Watch 1"]), ("sara", ["Watch 1", "Close case"]), ("paul", [])):
        text = words(at(person), "/inbox").casefold()
        assert [title for title in titles if f"short pays: {title}".casefold() not in text] == []
        assert "watch 2" not in text
        assert ("short pays" in text) == bool(titles)
    assert f"/cases/{case}" in source(at("sara"), "/inbox")
    house.ok("cases", case, "sven", house.action("case.add", subjects=["sara"]))
    evening_with_everything.project(house)
    assert "short pays" not in words(at("sara"), "/inbox").casefold()


def test_own_requests_are_in_the_inbox_of_the_requester_alone(door: InProcessDoor) -> None:
    house = door.house
    house.grant("sara", "surveillance")
    case = opened(house, roles=["surveillance"])
    closing = {"disposition": "disciplinary", "reason": "Third time", "concerns": ["job"]}
    house.ok("cases", case, "sven", house.action("case.close", **closing))
    evening_with_everything.project(house)

    def own(person: str) -> str:
        text = words(at(person), "/inbox").casefold()
        return text.partition("your requests")[2]

    assert "short pays: close case" in own("sven")
    assert "third time" in own("sven")
    assert "short pays" not in own("sara")
    assert f"/cases/{case}/do/approval.withdraw" in source(at("sven"), "/inbox")
    url = f"/cases/{case}/do/approval.withdraw?request={door_request(house, case)}"
    answer, _sent = done(at("sven"), url)
    assert answer.status_code == 302, answer.content
    assert "short pays" not in own("sven")


def door_request(house: House, case: str) -> str:
    """The key of the request that waits in a case."""
    (raw,) = [
        stored_event.raw
        for stored_event in house.store.stream(f"athens/cases/{case}")
        if "approval" in stored_event.type
    ]
    return str(msgspec.json.decode(raw)["data"]["request"])


def test_own_requests_are_unseen_by_a_requester_who_became_a_subject(door: InProcessDoor) -> None:
    house = door.house
    house.grant("sara", "surveillance")
    case = opened(house, roles=["surveillance"])
    closing = {"disposition": "disciplinary", "reason": "Third time", "concerns": ["job"]}
    house.ok("cases", case, "sara", house.action("case.close", **closing))
    house.ok("cases", case, "sven", house.action("case.add", subjects=["sara"]))
    evening_with_everything.project(house)
    assert "short pays" not in words(at("sara"), "/inbox").casefold()
    give = house.action("approval.withdraw", request=door_request(house, case))
    assert house.no("cases", case, "sara", give).status == 404


def test_an_approver_reads_what_the_request_closes(door: InProcessDoor) -> None:
    case = opened(door.house)
    url = f"/cases/{case}"
    closing: dict[str, Any] = {"disposition": "disciplinary", "reason": "Third time", "concerns": ["job", "money"]}
    looked, _sent = review(at("sven"), f"{url}/do/case.close", **closing)
    text = looked.content.decode()
    assert "Needs one approval from: " in text
    assert "Send for approval" in text
    plain, _sent = review(at("sven"), f"{url}/do/case.close", disposition="mistake", reason="Paid again")
    assert "Takes effect at once" in plain.content.decode()
    [request] = door.house.ok("cases", case, "sven", door.house.action("case.close", **closing))
    evening_with_everything.project(door.house)
    door.house.grant("sara", "surveillance")
    for answer in ("give", "decline"):
        query = f"&content={request.data.content}" if answer == "give" else ""
        text = words(at("olga"), f"{url}/do/approval.{answer}?request={request.data.request}{query}")
        assert "Requested by sven" in text
        assert "disposition disciplinary action" in text.replace("Disposition", "disposition")
        assert "Third time" in text
