"""Two houses with the same evening, one of them with a case, and both houses' answers to the same questions.

The houses, their people and all questions are the same. The comparison leaves out random parts of the answers: secrets
of forms, and the time of an answer.
"""

import re
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import msgspec
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections, transaction
from django.test import Client
from pypdf import PdfReader

from backoffice.freshness import wait_for_read_model_position
from backoffice.installation.dependency_injection import installation
from backoffice.jobs.on_demand_jobs import Jobs, background_jobs, export_jobs
from backoffice.live import open_alert_change_signals, table_event_positions
from backoffice.people import badge_and_key_authentication, current_roles
from backoffice.progressives import live_stream_message_content
from events.cases.case_key_and_file_vault import vault
from events.cases.decider import id_of
from events.runtime import clock
from events.settings.settings_from_environment import settings
from events.store import open_store
from tests.integration.pages.test_long_exports import LONG_FILES, SecondRequestJobs
from tests.support.houses import evening_with_everything
from tests.support.houses.evening_with_everything import MISPAY_ALERT
from tests.support.houses.small_house import DAY, PEOPLE, House, serving
from tests.support.pages.addresses import CASE, READS
from tests.support.pages.page_actors import open_door
from tests.support.pages.sign_in import signed_in

KEY = "the-secret-case"
HIDDEN = id_of(KEY)
EVERYONE = (*PEOPLE, "adam", "sara", "nemo")
SUBJECTS = tuple(person for person in EVERYONE if person != "sven")
SECRETS = ("Shaved dice", "Watch the dealer", "Cup with a false bottom", "the locker room", HIDDEN)
# Secrets and keys of forms, the machine's disks, and the time that an answer took.
_CHANCE = re.compile(
    r'name="(?:csrfmiddlewaretoken|form|form-key|form-of)" value="[^"]*"|"csrf": "[^"]*"|"X-CSRFToken": "[^"]*"'
    r'|nonce="[^"]*"|<span id="since">[\d:]*|[\d.]+ of [\d.]+ GiB|pitledger_disk_free_bytes.*|pitledger_\w*seconds.*'
    r"|\b\d+(?:\.\d+)? ms\b"
    # Lines of the access log: their numbers have gaps where lines about cases of others are.
    r'|"number":\d+(?=,"at")|"digest":"[0-9a-f]{64}"(?=})|<span title="[0-9a-f]{64}">[\d,]+</span>'
    r'|"older":\d+(?=,"person")|before=\d+'
)
_SUM = re.compile(r"\b[0-9a-f]{64}(?=</t>|\s*$)")  # of all lines of a sheet, also of the position that it is as of
_MADE = re.compile(r"[^>]*Z</dcterms:")
_OF_CHANCE = (
    "Content-Security-Policy", "Content-Length", "Set-Cookie", "Server-Timing", "Traceparent", "Expires", "Vary",
)  # fmt: skip


# By a background job. The state of the integrity has a percentage as well, which does not grow.
_UNDONE = re.compile(r'"position":null,"lines":\[\],"percent":\d+,"reason":""|"params":\{"percent":|<progress max')


class ComparableAnswer(msgspec.Struct, frozen=True):
    """An answer as far as it does not depend on chance: status, headers, content."""

    status: int
    headers: tuple[tuple[str, str], ...]
    content: str


class Question(msgspec.Struct, frozen=True):
    """A request: its method, address, and for POST the body, as JSON for a program or as a form. `is_long`: its file is
    made by a background job, and stored."""

    address: str
    form: dict[str, str] | None = None
    action: dict[str, Any] | None = None
    file: bytes | None = None
    is_long: bool = False


class TickingClock:
    """The clock of a house: a millisecond goes by at each look, until it is stopped."""

    def __init__(self) -> None:
        self.now, self.is_stopped = datetime(2026, 11, 20, 22, tzinfo=UTC), False

    def moment(self) -> datetime:
        self.now += timedelta(milliseconds=0 if self.is_stopped else 1)
        return self.now


class SecrecyHouse:
    """A house with its evening, in transactions that are rolled back at the end."""

    def __init__(self, house: House, house_clock: TickingClock) -> None:
        self.house, self.clock = house, house_clock
        self.head = 0

    def open_case(self, subjects: tuple[str, ...] = SUBJECTS) -> None:
        """Open the case, with evidence of every kind and a request that waits."""
        ok, act = self.house.ok, self.house.action
        opening = act(
            "case.open", _key=KEY, title="Shaved dice", category="cheating", severity="high", subjects=[*subjects],
            people=["dora", "g-1"], places=["the locker room"], alerts=[MISPAY_ALERT], rounds=[f"FR1/{DAY}/3"],
            events=["athens/floor@1"], note="Cup with a false bottom", roles=["surveillance", "pit boss", "security"],
        )  # fmt: skip
        ok("cases", "new", "sven", opening)
        [other] = ok("cases", "new", "sven", act("case.open", title="Shaved dice", category="other", severity="low"))
        times = {"from": "2026-11-20T20:00:00.000Z", "to": "2026-11-20T20:05:00.000Z"}
        file = vault().add_file(HIDDEN, b"the locker room", "text/plain")
        for person in SUBJECTS:  # of the other case, which is no one else's from the start
            ok("cases", other.data.case, "sven", act("case.add", subjects=[person]))
        for kind, data in (
            ("case.note", {"note": "Cup with a false bottom"}),
            ("case.bookmark", {"camera": "C7", **times, "note": "the locker room"}),
            ("case.attach", {"attachment": file, "name": "statement.txt"}),
            ("case.task", {"task": "1", "what": "Watch the dealer", "due": "2020-11-20"}),
            ("case.link", {"other": other.data.case, "how": "Shaved dice"}),
            ("case.close", {"disposition": "prosecuted", "reason": "Shaved dice", "concerns": ["job"]}),
        ):
            ok("cases", HIDDEN, "sven", act(kind, **data))
        self.read()

    def wait(self) -> None:
        """Let a second go by."""
        self.clock.now += timedelta(seconds=1)

    def add_subjects(self) -> None:
        """Add everyone but the opener as a subject."""
        self.house.ok("cases", HIDDEN, "sven", self.house.action("case.add", subjects=[*SUBJECTS]))
        self.read()

    def read(self) -> None:
        """Bring the read models up to date."""
        evening_with_everything.project(self.house)
        self.head = self.house.store.position()


@contextmanager
def world(folder: Path, monkeypatch: pytest.MonkeyPatch, *, has_file: bool = False) -> Iterator[SecrecyHouse]:
    """Yield a house with its evening, and remove it afterwards. With `has_file`, commands can open its store file."""
    folder.mkdir()
    monkeypatch.setenv("PITLEDGER_STORE", f"sqlite:///{folder}/events.sqlite3" if has_file else "")
    monkeypatch.setenv("PITLEDGER_DATA", str(folder))
    monkeypatch.setenv("PITLEDGER_ACCESS", f"sqlite:///{folder}/notes.sqlite3")
    monkeypatch.setattr(current_roles, "REMEMBERED_S", -1.0)
    house_clock = TickingClock()
    monkeypatch.setattr(clock.PlayedClock, "moment", lambda _clock: house_clock.moment())
    monkeypatch.setattr("django.utils.timezone.now", house_clock.moment)
    with ExitStack() as stack:
        for alias in connections:
            stack.enter_context(transaction.atomic(using=alias))
            stack.callback(transaction.set_rollback, True, using=alias)
        house = House(open_store(settings().store) if has_file else None)
        stack.callback(house.close)
        stack.enter_context(serving(house))
        stack.enter_context(open_door(house))
        for part, place in ((export_jobs, "exports"), (background_jobs, "calculations")):
            jobs: Jobs = SecondRequestJobs(folder / place)  # a thread of its own has no part in the transactions
            stack.enter_context(installation().replaced(part, jobs))
        house.grant("sara", "surveillance")
        evening_with_everything.play(house)
        evening_with_everything.project(house)
        made = SecrecyHouse(house, house_clock)
        made.head, house_clock.is_stopped = house.store.position(), True
        yield made


# --- questions --------------------------------------------------------------------------------------------------------


def reads() -> list[Question]:
    """Return every address that the resolver knows, those of a case with the id of the hidden one, and searches."""
    addresses = dict.fromkeys(address.replace(CASE, HIDDEN) for address, _rule in READS)
    return [Question(address) for address in (*addresses, *_searches(), *EVIDENCE, *STREAMS)]


def stored(case: str) -> list[Question]:
    """Return the exports of a case's evidence that a background job stores for people who ask the same."""
    addresses = (
        f"/events/export.{kind}?q=case:{case}{suffix}" for kind in ("jsonl", "csv") for suffix in ("", FROM_JOB)
    )
    return [Question(address, is_long=True) for address in addresses]


FROM_JOB = "&export_from=1"  # a browser that was shown the progress of a job
EVIDENCE = (f"/alerts/{MISPAY_ALERT}", f"/tables/FR1/{DAY}/rounds/3", f"/events?q=round:FR1/{DAY}/3", "/events/1")
STREAMS = ("live:blazing", "live:alerts", "live:tables", "live:position")


def of_the_case() -> list[Question]:
    """Return the questions that name the case or could count it: by pages, by the interface, by forms."""
    case_questions = [question for question in reads() if HIDDEN in question.address or "case" in question.address]
    return [*case_questions, *_requests()]


def _searches() -> Iterator[str]:
    for text in (
        f"case:{HIDDEN}", f"-case:{HIDDEN}", f"table:FR1 OR case:{HIDDEN}", f"athens/cases/{HIDDEN}@1", HIDDEN,
        "type:case.opened", "type:case*", "Shaved", '"the locker room"', "dora", f"around:athens/cases/{HIDDEN}@1",
    ):  # fmt: skip
        for place in ("/events", "/events/facets", "/events/total", "/events/export.jsonl", "/api/v1/search"):
            yield f"{place}?q={text}"
    for start in ("case:", f"case:{HIDDEN[:4]}", "type:ca", "Sha"):
        yield f"/api/v1/completions?q={start}"
    yield from (f"{root}/cases?{filters}" for root in ("", "/api/v1") for filters in _FILTERS)
    yield f"/cases/do/case.open?events=athens/cases/{HIDDEN}@1"
    yield from ("/inbox/count", "/inbox/live?seen=1", "/events/live?seen=1", "/alerts/live?seen=1")
    yield f"/api/v1/events/athens/cases/{HIDDEN}@1"


_FILTERS = (
    "q=Shaved",
    "person=dora",
    "place=the%20locker%20room",
    "due=1",
    "severity=high",
    "status=open",
    f"q={HIDDEN}",
)
_TIMES = {"from": "2026-11-20T20:00:00.000Z", "to": "2026-11-20T20:05:00.000Z"}
_DATA: dict[str, dict[str, Any]] = {
    "case.add": {"people": ["g-2"]},
    "case.note": {"note": "seen"},
    "case.bookmark": {"camera": "C1", **_TIMES},
    "case.attach": {"attachment": "0" * 64, "name": "a.txt"},
    "case.task": {"task": "1", "state": "done"},
    "case.link": {"other": "0" * 16},
    "case.grant": {"person": "sid", "level": "read"},
    "case.close": {"disposition": "mistake", "reason": "none"},
    "case.reopen": {"reason": "none"},
    "case.hand_over": {"export": "0" * 32, "to": "court", "reason": "order"},
    "case.destroy_key": {"reason": "court order"},
    "approval.give": {"request": "house-1", "content": "0" * 64},
    "approval.decline": {"request": "house-1", "reason": "no"},
    "approval.withdraw": {"request": "house-1"},
}


def _requests() -> Iterator[Question]:
    for number, (kind, data) in enumerate(_DATA.items()):
        action = {"type": kind, "key": f"secrecy-{number}", "data": data}
        for intent in ({}, {"intent": "check"}):
            yield Question(f"/api/v1/cases/{HIDDEN}/actions", action=action | intent)
        yield Question(f"/api/v1/cases/{HIDDEN}/actions", action=action | {"data": {"nonsense": 1}})
        yield Question(f"/cases/{HIDDEN}/do/{kind}", form={"form-step": "send", **_form(data)})
    yield Question(f"/cases/{HIDDEN}/export", form={})
    yield Question(f"/cases/{HIDDEN}/upload", file=b"a statement")


def _form(data: dict[str, Any]) -> dict[str, str]:
    return {name: ",".join(value) if isinstance(value, list) else str(value) for name, value in data.items()}


# --- answers ----------------------------------------------------------------------------------------------------------


class Asker:
    """A person who asks by the pages and by the API."""

    def __init__(self, person: str) -> None:
        self.pages = signed_in(Client(), person)
        self._badge = {"Authorization": f"Bearer {badge_and_key_authentication.issue_badge(person)}"}

    def ask(self, question: Question) -> ComparableAnswer:
        """Return the answer to a question, when its background job is done."""
        if question.address.startswith("live:"):
            return _streamed(question.address.removeprefix("live:"))
        with _long_files() if question.is_long else nullcontext():
            return self._done(question)

    def _done(self, question: Question) -> ComparableAnswer:
        answer = self._ask(question)
        for _try in range(2_400):  # two minutes
            if not _UNDONE.search(answer.content):
                break
            time.sleep(0.05)
            answer = self._ask(question)
        return answer

    def _ask(self, question: Question) -> ComparableAnswer:
        if question.action is not None:
            body = msgspec.json.encode({"actions": [question.action]})
            return _answer(Client().post(question.address, body, "application/json", headers=self._badge))
        if question.file is not None:
            return _answer(self.pages.post(question.address, {"file": SimpleUploadedFile("a.txt", question.file)}))
        if question.form is not None:
            return _answer(self.pages.post(question.address, question.form))
        return _answer(self.pages.get(question.address))


@contextmanager
def _long_files() -> Iterator[None]:
    """Every file is long: a background job makes it."""
    with pytest.MonkeyPatch.context() as patch:
        for module, name, value in LONG_FILES:
            patch.setattr(module, name, value)
        yield


def _streamed(name: str) -> ComparableAnswer:
    """Return the news that a live stream has at this moment, for everyone who listens."""
    if name == "alerts":
        content = msgspec.json.encode(open_alert_change_signals.read_news())
    elif name == "tables":
        content = msgspec.json.encode(table_event_positions.read_news(0))
    elif name == "position":
        content = msgspec.json.encode(wait_for_read_model_position.read_up_to())
    else:
        content = msgspec.json.encode(live_stream_message_content.read((name,))[1])
    return ComparableAnswer(200, (), _CHANCE.sub("", content.decode()))


def _answer(answer: Any) -> ComparableAnswer:
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    headers = sorted((name, value) for name, value in answer.headers.items() if name not in _OF_CHANCE)
    return ComparableAnswer(
        answer.status_code, tuple(headers), _CHANCE.sub("", _text(content, answer.headers["Content-Type"]))
    )


def _text(content: bytes, media_type: str) -> str:
    """Return the content as text: of a workbook its parts, of a PDF its pages."""
    if media_type.startswith("application/pdf"):
        return "\n".join(page.extract_text() for page in PdfReader(BytesIO(content)).pages)
    if "spreadsheetml" in media_type:
        with ZipFile(BytesIO(content)) as book:
            parts = "\n".join(book.read(name).decode() for name in book.namelist())
        return _SUM.sub("", _MADE.sub("", parts))
    text = content.decode("utf-8", "replace")
    return _SUM.sub("", text) if media_type.startswith("text/csv") else text


def without_heads(answer: ComparableAnswer, *heads: int) -> ComparableAnswer:
    """Return an answer without the numbers of the last events of the houses, and those of the next ones.

    Each position of the store is counted, also that of a case's event: they say that something was recorded, not what.
    """
    numbers = "|".join(str(head + offset) for head in heads for offset in (0, 1))
    number = re.compile(rf"(?<!\d)(?:{numbers})(?!\d)")
    headers = tuple((name, number.sub("HEAD", value)) for name, value in answer.headers)
    return ComparableAnswer(answer.status, headers, number.sub("HEAD", answer.content))
