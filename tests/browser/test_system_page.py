"""The page System in a real browser: three sizes, light and dark, with problems and without any report."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.pages.browser import opened, violations
from tests.support.processes.scratch_databases import read_models
from tests.support.processes.web_process import Web, empty, played

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PHONE = {"width": 390, "height": 844}


def with_reports(folder: Path) -> None:
    """The evening, with parts of which one hangs and one has lost Kafka."""
    from backoffice.models import PartReport

    played(folder)
    with read_models(f"sqlite:///{folder}/read.sqlite3") as alias:
        for part, progress_s, figures in (
            ("relay", 4e9, '{"away": {"kafka": "the broker at kafka:9092 does not answer"}}'),
            ("projector", time.time() - 600, "{}"),
            ("worker", 4e9, "{}"),
            ("beat", 4e9, "{}"),
            ("pages", 4e9, "{}"),
            ("web", 4e9, '{"queues": {"desk": 3}}'),
            ("live", 4e9, "{}"),
        ):
            PartReport.objects.using(alias).create(
                id=f"{part}@pit-1", part=part, host="pit-1", pid=1, version="0.1.0", started_s=1.7e9,
                reported_s=progress_s, progress_s=progress_s, is_ended=False, figures=figures,
            )  # fmt: skip


@pytest.fixture(scope="module")
def web(chromium_path: str, django_db_blocker: DjangoDbBlocker) -> Iterator[Web]:
    with Web(with_reports, django_db_blocker) as running:
        yield running


@pytest.fixture(scope="module")
def empty_web(chromium_path: str, django_db_blocker: DjangoDbBlocker) -> Iterator[Web]:
    with Web(empty, django_db_blocker) as running:
        yield running


@pytest.mark.parametrize(("size", "scheme"), [("desktop", "light"), ("tablet", "dark"), ("phone", "light")])
def test_the_page_fits_is_accessible_and_says_what_to_do(web: Web, browser: "Browser", size: str, scheme: str) -> None:
    with opened(browser, f"{web.url}/system", "tablet" if size == "phone" else size, scheme) as page:
        if size == "phone":
            page.set_viewport_size(PHONE)  # type: ignore[arg-type]  # width and height
        assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate("window.innerWidth")
        assert violations(page) == []
        _save_picture(page, f"{size}-{scheme}")
        assert page.get_by_text("Start Kafka, or correct PITLEDGER_KAFKA.").count() == 2, "a problem, and a server"
        assert page.get_by_text("No progress", exact=True).count() == 1


def test_a_new_house_has_words_for_what_is_not_there_yet(empty_web: Web, browser: "Browser") -> None:
    with opened(browser, f"{empty_web.url}/system", "desktop", "dark") as page:
        assert page.get_by_text("None yet", exact=True).count() == 2, "a backup, a verification"
        assert violations(page) == []
        _save_picture(page, "empty-dark")


def test_the_page_refreshes_by_itself(web: Web, browser: "Browser") -> None:
    with opened(browser, f"{web.url}/system") as page:
        with page.expect_response(lambda answer: "/system/live" in answer.url, timeout=60_000) as refreshed:
            pass
        assert refreshed.value.status == 200


def _save_picture(page: object, name: str) -> None:
    """A picture for people, where they ask for one."""
    if folder := os.environ.get("PICTURES"):
        page.screenshot(path=f"{folder}/system-{name}.png", full_page=True)  # type: ignore[attr-defined]
