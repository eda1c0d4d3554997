"""The hour that clocks show twice: a search distinguishes both, on both databases, by page and by command."""

import io
import json
from typing import Any

import msgspec
import pytest
from django.core.management import call_command
from django.test import Client

from backoffice.surveillance.search.paged_search_within_time_limit import all_matches
from backoffice.surveillance.search.search_to_log_conditions import search
from projections.eventlog.models import EventLog
from tests.support.houses.small_house import House
from tests.support.pages.page_text_and_queries import words

pytestmark = pytest.mark.django_db
TIMES = ("2026-10-25T00:40:00.000Z", "2026-10-25T01:40:00.000Z", "2026-10-25T02:40:00.000Z")


@pytest.fixture
def night(evening_house: House, other: str, settings: Any) -> tuple[str, str]:
    """Three events of the log in the night in which clocks are set back."""
    settings.TIME_ZONE = "Europe/Athens"
    for using in ("default", other):
        last = EventLog.objects.using(using).filter(table="FR1").order_by("-position")[:3]
        for row, time in zip(reversed(last), TIMES, strict=True):
            event: dict[str, Any] = json.loads(bytes(row.raw)) | {"time": time}
            row.time, row.raw = time, msgspec.json.encode(event)
            row.save(using=using)
    return "default", other


@pytest.mark.parametrize(
    ("text", "indexes"),
    [
        ("time:2026-10-25T03:40", [0, 1]),
        ("time:2026-10-25T03:40+03:00", [0]),
        ("time:2026-10-25T03:40+02:00", [1]),
        ("time:2026-10-25T03:30..2026-10-25T03:50", [0, 1]),
        ("time:2026-10-25T03:40:00 OR time:2026-10-25T04:40", [0, 1, 2]),
    ],
)
def test_both_are_found(night: tuple[str, str], text: str, indexes: list[int]) -> None:
    for using in night:
        times = [json.loads(event.raw)["time"] for event in all_matches(search(text, using))]
        assert times == [TIMES[index] for index in indexes]


def test_they_are_told_apart(night: tuple[str, str], client: Client) -> None:
    out = io.StringIO()
    call_command("search", "time:2026-10-25T03:40", stdout=out, stderr=io.StringIO())
    page = words(client, "/events?q=time:2026-10-25T03:40")
    for text in (out.getvalue(), page):
        assert "03:40:00+03:00" in text
        assert "03:40:00+02:00" in text
    sheet = client.get("/events/export.csv?q=time:2026-10-25T03:40").getvalue().decode()
    assert all(time in sheet for time in TIMES[:2])
