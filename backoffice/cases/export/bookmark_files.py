"""The bookmarks of a case as files: CSV for people, JSON for video systems.

The JSON has, for each bookmark, the body that the bookmarks API of Milestone XProtect takes (ADR 151).
"""

import csv
import json
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Any

from events.cases.decrypted_case import Bookmark

COLUMNS = ("camera", "from", "to", "expires", "table", "event", "alert", "note", "made_at", "made_by")


def sheet(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a CSV file. A text that a spreadsheet would compute begins with an apostrophe."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return out.getvalue()


def _cell(value: object) -> object:
    text = "" if value is None else str(value)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t") and not isinstance(value, int) else text


def as_csv(bookmarks: Iterable[Bookmark]) -> str:
    """Return the bookmarks as CSV, times in UTC."""
    return sheet(COLUMNS, map(_row, bookmarks))


def _row(bookmark: Bookmark) -> tuple[object, ...]:
    ends = (bookmark.camera, bookmark.from_, bookmark.to, bookmark.expires, bookmark.table)
    return (*ends, bookmark.ref_event, bookmark.ref_alert, bookmark.note, bookmark.at, bookmark.by)


def body(case: str, bookmark: Bookmark) -> dict[str, Any]:
    """Return a bookmark as the bookmarks API of Milestone XProtect takes it."""
    return {
        "header": f"Pitledger case {case}",
        "description": bookmark.note,
        "timeBegin": bookmark.from_,
        "timeTriggered": bookmark.from_,
        "timeEnd": bookmark.to,
        "reference": bookmark.event,
        "devicePath": {"type": "cameras", "id": bookmark.camera},
    }


def as_json(case: str, bookmarks: Iterable[Bookmark]) -> str:
    """Return the bookmarks as a list of bodies for a video system."""
    return json.dumps([body(case, bookmark) for bookmark in bookmarks], ensure_ascii=False, indent=1) + "\n"
