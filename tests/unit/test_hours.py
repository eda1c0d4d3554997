"""Hour by hour goes by the full hours of the property's clock."""

from datetime import datetime

import pytest

from projections.accounts.table_days import hour_of


@pytest.mark.parametrize(
    ("zone", "moment", "hour"),
    [
        ("Europe/Athens", "2026-11-20T18:59:59Z", "2026-11-20T18"),
        ("Asia/Kolkata", "2026-11-20T18:29:59Z", "2026-11-20T17:30"),
        ("Asia/Kolkata", "2026-11-20T18:30:00Z", "2026-11-20T18:30"),
        ("Asia/Kathmandu", "2026-11-20T18:14:00Z", "2026-11-20T17:15"),
        ("Asia/Kathmandu", "2026-11-20T18:15:00Z", "2026-11-20T18:15"),
        ("Europe/Athens", "2026-10-25T00:40:00Z", "2026-10-25T00"),
        ("Europe/Athens", "2026-10-25T01:40:00Z", "2026-10-25T01"),
        ("Australia/Lord_Howe", "2026-04-04T14:45:00Z", "2026-04-04T14"),
        ("Australia/Lord_Howe", "2026-04-04T15:15:00Z", "2026-04-04T14"),
        ("Australia/Lord_Howe", "2026-04-04T15:45:00Z", "2026-04-04T15:30"),
        ("Australia/Lord_Howe", "2026-10-03T15:29:00Z", "2026-10-03T14:30"),
        ("Australia/Lord_Howe", "2026-10-03T15:40:00Z", "2026-10-03T15:30"),
        ("Asia/Beirut", "2026-10-24T20:40:00Z", "2026-10-24T20"),
        ("Asia/Beirut", "2026-10-24T21:40:00Z", "2026-10-24T21"),
        ("Asia/Beirut", "2026-03-28T22:10:00Z", "2026-03-28T22"),
        ("Australia/Adelaide", "2026-11-20T00:10:00Z", "2026-11-19T23:30"),
    ],
)
def test_an_hour_begins_where_the_clock_shows_a_full_one(zone: str, moment: str, hour: str) -> None:
    assert hour_of(datetime.fromisoformat(moment), zone) == hour
