"""Bookmarked recordings by their expiry, and those that expire soon."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from backoffice.days import caught_up_cage_and_count_books
from events.cases.decrypted_case import Bookmark, CaseFile
from events.house.cameras_by_table_setting import expiry
from events.runtime import clock

EXPIRED, SOON = "expired", "expires soon"


def state_of(bookmark: Bookmark) -> str:
    """Return whether a recording is expired or expires soon, by the setting `video_warning_hours`; "" for neither."""
    if not bookmark.expires:
        return ""
    left = datetime.fromisoformat(bookmark.expires) - clock.moment()
    if left <= timedelta(0):
        return EXPIRED
    return SOON if left <= timedelta(hours=caught_up_cage_and_count_books.books().settings.video_warning_hours) else ""


def expiring(file: CaseFile) -> Iterable[Bookmark]:
    """Yield the recordings of a case that expire soon, each with the expiry that its last bookmark gives."""
    return (bookmark for bookmark in file.recordings if state_of(bookmark) == SOON)


def extended(bookmark: Bookmark) -> dict[str, str]:
    """Return the same bookmark with the expiry of a protected recording, as the form of the action takes it."""
    data = {
        "camera": bookmark.camera,
        "from": bookmark.from_,
        "to": bookmark.to,
        "expires": expiry(bookmark.to, caught_up_cage_and_count_books.books().settings.video_event_days),
        "table": bookmark.table,
        "event": bookmark.ref_event,
        "alert": bookmark.ref_alert,
    }
    return {name: value for name, value in data.items() if value}
