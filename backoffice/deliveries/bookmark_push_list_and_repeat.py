"""Bookmarks that go to video systems: those of a case, and the administrator's list of all.

The list names no case, and has no content. A subject of a case does not see its pushes, and cannot have them sent
again.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

import msgspec
from django.db.models import QuerySet

from backoffice.case_files.case_queries import files_of
from backoffice.deliveries.personal_subscriptions import STATE_WORDS, result_words
from backoffice.kit.reader_and_read_rule_types import Reader
from backoffice.models import BookmarkPush
from backoffice.wording.copy_row_into_page_struct import struct_from
from events.cases.access import is_subject
from events.runtime import clock

SHOWN = 100
REPEATED = ("failed", "sent")


class PushRow(msgspec.Struct, frozen=True, kw_only=True):
    """A bookmark that goes to a video system, with its state, attempts and last result."""

    id: str
    made_at: datetime
    system: str
    state: str
    status: str
    tries: int
    result: str
    next_try_at: datetime | None
    requested_by: str
    may_repeat: bool


def push_log(reader: Reader, state: str = "", system: str = "") -> tuple[PushRow, ...]:
    """Return the newest pushes that the reader may see, of a state and to a video system."""
    rows = BookmarkPush.objects.order_by("-made_at", "id")
    if state in STATE_WORDS:
        rows = rows.filter(state=state)
    if system:
        rows = rows.filter(system=system)
    return tuple(map(_row, _visible(rows[:SHOWN], reader)))


def repeat_push(push: str, reader: Reader) -> bool:
    """Let a push be tried at once, and note who asked for it. False for one that waits, or that the reader misses."""
    rows = BookmarkPush.objects.filter(id=push, state__in=REPEATED)
    return any(True for _row in _visible(rows, reader)) and _let_try_again(rows, reader)


def case_pushes(case: str) -> Mapping[str, PushRow]:
    """Return the pushes of a case, by the event of the bookmark."""
    return {push.event: _row(push) for push in BookmarkPush.objects.filter(case=case)}


def repeat_case_push(case: str, push: str, reader: Reader) -> bool:
    """Let a push of a case be tried at once, for a reader who may work on the case. False for one that waits."""
    return _let_try_again(BookmarkPush.objects.filter(id=push, case=case, state__in=REPEATED), reader)


def _let_try_again(rows: QuerySet[BookmarkPush], reader: Reader) -> bool:
    changes = {"state": "waiting", "tries": 0, "next_try_at": clock.moment(), "requested_by": reader.person}
    return bool(rows.update(**changes))


def _visible(rows: Iterable[BookmarkPush], reader: Reader) -> Iterator[BookmarkPush]:
    listed = [*rows]
    files = files_of(row.case for row in listed)
    for row in listed:
        file = files.get(row.case)
        if file is not None and not is_subject(file, reader.person, reader.roles):
            yield row


def _row(push: BookmarkPush) -> PushRow:
    return struct_from(
        push,
        PushRow,
        status=str(STATE_WORDS[push.state]),
        result=result_words(push.answer),
        next_try_at=push.next_try_at if push.state == "waiting" else None,
        may_repeat=push.state in REPEATED,
    )
