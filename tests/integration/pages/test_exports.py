"""A background job makes a long file once, for all permitted readers. Each download leaves a line."""

import re
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from html import unescape
from types import SimpleNamespace

import pytest
from django.test import Client

from backoffice.access.models import Look
from backoffice.access.personal_data_access_log import EXPORT
from backoffice.days.hold import pages
from backoffice.installation.dependency_injection import installation
from backoffice.jobs.on_demand_jobs import export_jobs
from backoffice.kit import file_download_or_background_job
from backoffice.kit.page_declaration import DownloadFile
from events.errors import Unknown
from tests.support.houses.small_house import House
from tests.support.pages.sign_in import signed_in

pytestmark = pytest.mark.django_db
PAGE = {"accept": "text/html"}
PART = PAGE | {"hx-request": "true"}


class SlowFile:
    """A slow file: it counts its calls, waits for permission, and fails on demand."""

    def __init__(self) -> None:
        self.count, self.may, self.error = 0, threading.Event(), ""

    def __call__(self, *_: object) -> str:
        self.count += 1
        assert self.may.wait(30)
        if self.error:
            raise Unknown(self.error)
        return "figures"


@pytest.fixture
def work(evening_house: House, monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowFile]:
    made = SlowFile()
    for name, value in {
        "_hold": made,
        "_sheet": lambda _search, content: content,
        "freshness": lambda: SimpleNamespace(position=1),
        "workbook_file": lambda sheet, _position, name: DownloadFile(sheet.encode(), "text/x-test", f"{name}.xlsx"),
    }.items():
        monkeypatch.setattr(pages, name, value)
    monkeypatch.setattr(file_download_or_background_job, "LONG_EVENTS", 1)
    monkeypatch.setattr(file_download_or_background_job, "PAGE_S", 0.0)
    monkeypatch.setattr(file_download_or_background_job, "PROGRAM_S", 0.0)
    yield made
    made.may.set()


@pytest.fixture
def address() -> str:
    return f"/hold/hold.xlsx?test={uuid.uuid4()}"


def downloads() -> list[str]:
    return [*Look.objects.filter(kind=EXPORT).order_by("number").values_list("person", flat=True)]


def within(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def link_in(client: Client, address: str) -> str:
    """Ask for the progress until the file is ready; its link."""
    text = ""

    def is_ready() -> bool:
        nonlocal text
        text = client.get(address, headers=PART).content.decode()
        return "Download file" in text

    within(is_ready)
    match = re.search(r'href="([^"]+)" download', text)
    assert match is not None
    return unescape(match[1])


def test_two_readers_at_once_get_one_file(client: Client, evening_house: House, work: SlowFile, address: str) -> None:
    evening_house.grant("otto", "auditor")
    other = signed_in(Client(), "otto")
    for reader in (client, other):
        page = reader.get(address, headers=PAGE)
        assert (page.status_code, page.headers["Content-Type"].partition(";")[0]) == (200, "text/html")
        assert "Calculating" in page.content.decode()
    within(lambda: work.count == 1)
    assert downloads() == [], "nothing was shown yet"
    work.may.set()
    for reader in (client, other):
        answer = reader.get(link_in(reader, address), headers=PAGE)
        assert (answer.content, answer.headers["Content-Type"]) == (b"figures", "text/x-test")
    assert work.count == 1
    assert downloads() == ["olga", "otto"]


def test_other_roles_get_their_own_file_or_none(client: Client, work: SlowFile, address: str) -> None:
    work.may.set()
    link = link_in(client, address)
    accountant = signed_in(Client(), "anna")
    link_in(accountant, address)
    assert work.count == 2, "what an auditor's file says is not an accountant's"
    assert signed_in(Client(), "dora").get(link, headers=PAGE).status_code == 403
    assert Client().get(link, headers=PAGE).status_code in (302, 401, 403)
    assert downloads() == []


def test_a_file_that_cannot_be_made_ends_with_the_reason(client: Client, work: SlowFile, address: str) -> None:
    work.error = "there is no such day"
    work.may.set()
    client.get(address, headers=PAGE)
    within(lambda: "There is no such day" in client.get(address, headers=PART).content.decode())
    answer = client.get(address)
    assert (answer.status_code, answer.json()["detail"]) == (422, "there is no such day")
    assert downloads() == []


def test_programs_are_told_when_to_ask_again(client: Client, work: SlowFile, address: str) -> None:
    answer = client.get(address)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    work.may.set()
    within(lambda: client.get(address).status_code == 200)
    assert downloads() == ["olga"]


def test_a_small_house_gets_its_file_at_once(
    client: Client, work: SlowFile, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_download_or_background_job, "LONG_EVENTS", 1_000_000)
    work.may.set()
    assert client.get(address, headers=PAGE).content == b"figures"
    assert downloads() == ["olga"]
    assert installation().part(export_jobs) is not None
