"""A case with every kind of evidence goes from alert to export, in the browser and by the API, with equal events."""

import json
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from PIL import Image
from pytest_django.plugin import DjangoDbBlocker

from backoffice.people import badge_and_key_authentication
from events.store import open_store
from tests.jobs.evening_house import EveningHouse, going_on
from tests.jobs.person_at_a_screen import HouseInBrowser, ScreenSetting, Visitor
from tests.support.houses.evening_with_everything import MISPAY_ALERT
from tests.support.houses.small_house import DAY, PROPERTY
from tests.support.processes.scratch_databases import as_default
from tests.support.processes.web_process import Web
from tools import verify_case

if TYPE_CHECKING:
    from playwright.sync_api import Browser

KEYS = count(1)
LARGE = 21 << 20  # bytes: more than an export in a request has
ROUND = f"FR1/{DAY}/1"
FROM, TO = f"{DAY}T20:00:00.000Z", f"{DAY}T20:05:00.000Z"
OPENING = {
    "title": "Mispay at FR1",
    "category": "procedure",
    "severity": "medium",
    "note": "Seen on the wall",
    "occurred": FROM,
    "occurred_until": TO,
    "reported": f"{DAY}T21:00:00.000Z",
}
LISTS = {"subjects": ["dora"], "people": ["g-1", "g-2"], "places": ["pit A"]}
CLOSING = {"disposition": "disciplinary", "reason": "Third time"}
BOOKMARK = {"camera": "C110", "from": FROM, "to": TO, "note": "Her hands", "expires": "2026-12-20T20:00:00.000Z"}
TASKS = (
    {"task": "1", "what": "Ask the pit boss", "due": "2026-11-22", "person": "sven"},
    {"task": "1", "state": "done"},
)
HAND_OVER = {"to": "Inspector Papas", "reason": "Order 12/2026"}


def picture(form: str) -> bytes:
    """A picture in this format."""
    out = BytesIO()
    Image.new("RGB", (20, 10), "red").save(out, form)
    return out.getvalue()


FILES = {
    "scene.jpg": picture("JPEG"),
    "plan.png": picture("PNG"),
    "report.pdf": b"%PDF-1.4\n%%EOF\n",
    "call.mp3": b"ID3\x04\x00\x00\x00\x00\x00\x00",
    "table.mp4": b"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom",
    "statement.txt": b"I saw it.\n",
}


@pytest.fixture(scope="module")
def house(chromium_path: str, browser: "Browser", django_db_blocker: DjangoDbBlocker) -> Iterator[HouseInBrowser]:
    with going_on(django_db_blocker) as (night, web):
        yield HouseInBrowser(night, web, browser, ScreenSetting("desktop", "light"))


class Program:
    """A program of one person, with a badge."""

    def __init__(self, night: EveningHouse, web: Web, person: str) -> None:
        self._base, self._headers = f"{web.url}/api/v1", {"Authorization": f"Bearer {badge(night, person)}"}

    def ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        """The answer, which is a good one."""
        url = self._base + path
        answer = httpx.request(method, url, headers=self._headers, timeout=60, trust_env=False, **options)
        assert answer.status_code == 200, answer.text
        return answer

    def act(self, case: str, action: str, **data: Any) -> dict[str, Any]:
        """The first event of an action."""
        body = {"type": action, "key": f"program-{next(KEYS)}", "data": data}
        event: dict[str, Any] = self.ask("POST", f"/cases/{case}/actions", json=body).json()["events"][0]["event"]
        return event

    def attach(self, case: str, name: str, content: bytes) -> None:
        stored = self.ask("POST", f"/cases/{case}/attachments", content=content).json()
        self.act(case, "case.attach", attachment=stored["attachment"], name=name)

    def export(self, case: str, key: str) -> tuple[str, bytes]:
        """The number and the archive of an export."""
        number = self.ask("POST", f"/cases/{case}/exports", json={"key": key}).json()["export"]
        return number, self.ask("GET", f"/cases/{case}/exports/{number}").content


def badge(night: EveningHouse, person: str) -> str:
    """A new badge, in the database of the pages."""

    def issue() -> str:
        with as_default(night._alias):
            return badge_and_key_authentication.issue_badge(person)

    return night._thread.submit(issue).result()


def event_of_a_bet(web: Web) -> tuple[str, int]:
    """The id and position of an event at FR1."""
    with stored(web) as store:
        event = next(each for each in store.after(0, 10_000) if each.type == "bet.settled.v1")
        return f"{event.stream}@{event.version}", event.position


@contextmanager
def stored(web: Web) -> Iterator[Any]:
    store = open_store(f"sqlite:///{web.folder}/events.sqlite3")
    try:
        yield store
    finally:
        store.close()


# --- the two ways -----------------------------------------------------------------------------------------------------


def by_the_api(house: HouseInBrowser, other: str) -> tuple[str, list[bytes]]:
    """The case and its two exports."""
    sven = Program(house.night, house.web, "sven")
    case = sven.act("new", "case.open", **OPENING, **LISTS, alerts=[MISPAY_ALERT])["data"]["case"]
    sven.act(case, "case.add", events=[event_of_a_bet(house.web)[0]])
    sven.act(case, "case.add", rounds=[ROUND])
    sven.act(case, "case.note", note="Watched twice")
    sven.act(case, "case.bookmark", **BOOKMARK)
    for name, content in FILES.items():
        sven.attach(case, name, content)
    for task in TASKS:
        sven.act(case, "case.task", **task)
    sven.act(case, "case.link", other=other, how="The same dealer")
    sven.act(case, "case.grant", person="paul", level="work")
    number, first = sven.export(case, "1")
    sven.act(case, "case.hand_over", export=number, **HAND_OVER)
    _close(house, case)
    return case, [first, sven.export(case, "2")[1]]


def by_the_pages(house: HouseInBrowser, other: str) -> tuple[str, list[bytes]]:
    """Do the same work by taps on the pages."""
    with house.somebody("sven", f"/alerts/{MISPAY_ALERT}") as sven:
        sven.press("Open case")
        sven.fill(**OPENING, **{name: ", ".join(values) for name, values in LISTS.items()})
        sven.act()
        case = sven.page.url.rpartition("/")[2]
        for address in (f"/events/{event_of_a_bet(house.web)[1]}", f"/tables/FR1/{DAY}/rounds/1"):
            sven.go(address)
            sven.press("Add to case")
            sven.press(f"Add to this case: {OPENING['title']}")
            sven.act()
        sven.go(f"/cases/{case}")
        _do(sven, "Add note", note="Watched twice")
        _do(sven, "Bookmark recording", **BOOKMARK)
        for name, content in FILES.items():
            files: Any = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
            sven.page.set_input_files("#upload", files)
            sven.press("Attach file")
            assert name in sven.text
        _do(sven, "Set task", **TASKS[0])
        sven.press("Mark task as done: Ask the pit boss")
        sven.act()
        _do(sven, "Link case", other=other, how="The same dealer")
        _do(sven, "Change access", person="paul", level="work")
        sven.look()
        first = _exported(sven)
        sven.go(f"/cases/{case}")
        sven.page.get_by_role("link", name="Hand over export").click()
        sven.fill(**HAND_OVER)
        sven.act()
        _close(house, case)
        sven.go(f"/cases/{case}")
        sven.look()
        return case, [first, _exported(sven)]


def _close(house: HouseInBrowser, case: str) -> None:
    """Close a case about money and a job, by two people on the page.

    Both people need a second factor. A badge is not a second factor, so the API cannot do it.
    """
    with house.somebody("sven", f"/cases/{case}") as sven:
        sven.press("Close case")
        sven.fill(disposition=CLOSING["disposition"], reason=CLOSING["reason"], amount_minor="5.00")
        for concern in ("money", "job"):
            sven.page.locator(f"main [name=concerns][value={concern}]").check()
        sven.act()
    with house.somebody("paul", f"/cases/{case}") as paul:
        paul.press("Approve request")
        paul.act()
        paul.page.wait_for_url(f"**/cases/{case}")
        assert "closed" in paul.text


def _do(visitor: Visitor, button: str, **fields: Any) -> None:
    visitor.press(button)
    visitor.fill(**fields)
    visitor.act()


def _exported(visitor: Visitor) -> bytes:
    with visitor.page.expect_download() as download:
        visitor.page.get_by_role("button", name="Export case").click()
    return Path(download.value.path()).read_bytes()


# --- the comparison ---------------------------------------------------------------------------------------------------

EVERY_EVENT = {"opened", "added", "noted", "bookmarked", "attached", "task_set", "linked", "granted", "exported"}
EVERY_EVENT |= {"handed_over", "closed"}
OWN = ("id", "event", "at", "attachment", "export", "manifest", "opened", "closed", "keep_until", "source")


def plain(content: Any) -> Any:
    """A case without ids and times of its own."""
    if isinstance(content, dict):
        return {name: plain(value) for name, value in content.items() if name not in OWN}
    return [plain(value) for value in content] if isinstance(content, list) else content


def own_events(web: Web, case: str) -> list[tuple[str, str]]:
    """Type and person of each event of a case."""
    with stored(web) as store:
        events = [json.loads(event.raw) for event in store.stream(f"{PROPERTY}/cases/{case}")]
        return [(event["type"], event["actor"]) for event in events]


def files_of(archive: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def test_a_case_goes_from_alert_to_export_by_fingers_and_by_a_program(house: HouseInBrowser, tmp_path: Path) -> None:
    other = Program(house.night, house.web, "sven").act("new", "case.open", **OPENING)["data"]["case"]
    ways = [way(house, other) for way in (by_the_pages, by_the_api)]
    fingers, program = (own_events(house.web, case) for case, _archives in ways)
    assert fingers == program
    assert {name.removeprefix("case.").removesuffix(".v1") for name, _person in fingers} >= EVERY_EVENT
    for number in (0, 1):
        paths = []
        for way, (_case, archives) in enumerate(ways):
            paths.append(tmp_path / f"{number}-{way}.zip")
            paths[-1].write_bytes(archives[number])
            assert verify_case.main([str(paths[-1])]) == 0
        first, second = (files_of(path.read_bytes()) for path in paths)
        assert first.keys() == second.keys()
        assert first["events.jsonl"] == second["events.jsonl"], "the evidence is the same"
        assert len(first["events.jsonl"].splitlines()) > 5
        assert plain(json.loads(first["case.json"])) == plain(json.loads(second["case.json"]))
        attached = {
            name.rpartition("-")[2]: content for name, content in first.items() if name.startswith("attachments/")
        }
        assert attached == FILES
        assert [line.count(b",") for line in first["bookmarks.csv"].splitlines()] == [9, 9]


def test_a_large_export_is_made_in_the_background(house: HouseInBrowser, tmp_path: Path) -> None:
    """A program polls; a browser sees the progress, then the link."""
    from playwright.sync_api import TimeoutError as NoLink  # here: others run without browsers

    sven = Program(house.night, house.web, "sven")
    case = sven.act("new", "case.open", **OPENING, alerts=[MISPAY_ALERT])["data"]["case"]
    sven.attach(case, "film.pdf", b"%PDF-1.4\n" + bytes(LARGE))
    address, until = f"/cases/{case}/exports", time.monotonic() + 60
    while not (state := sven.ask("POST", address, json={"key": "1"}).json())["is_ready"]:
        assert time.monotonic() < until, state
    path = tmp_path / "case.zip"
    path.write_bytes(sven.ask("GET", f"{address}/{state['export']}").content)
    assert verify_case.verify(path)["export"] == state["export"]
    with house.somebody("sven", f"/cases/{case}") as visitor:
        with visitor.page.expect_download() as download:
            visitor.page.get_by_role("button", name="Export case").click()
            link = visitor.page.get_by_role("link", name="Download file")
            with suppress(NoLink):  # a quick house sends the archive at once
                link.click(timeout=20_000)
        assert verify_case.main([str(download.value.path())]) == 0
    types = [name for name, _person in own_events(house.web, case)]
    assert types.count("case.exported.v1") == 2
