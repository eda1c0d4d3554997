"""Send bookmarks of video to the video systems of this machine: at least once, each under one id.

A push follows from the event of the bookmark. Its row has no text: the body is decrypted when it is sent. It is sent as
long as the person who made the bookmark may read the case.
"""

import hashlib
import json
import logging
from collections.abc import Mapping

from backoffice.access import personal_data_access_log as access_log
from backoffice.case_files.case_queries import every_case
from backoffice.cases.export.bookmark_files import body
from backoffice.deliveries.destinations_configuration_file import destinations
from backoffice.deliveries.due_delivery_creation_and_sending import TRIES_MAX, claim, due_messages, finish, reader_of
from backoffice.deliveries.mail_and_webhook_sending import Post, send_signed
from backoffice.deliveries.webhook_requests import post
from backoffice.models import BookmarkPush
from events.cases.access import may_read
from events.cases.decrypted_case import CaseFile
from events.runtime import clock

log = logging.getLogger(__name__)


def push_bookmarks(send: Post = post) -> int:
    """Make a push for each new bookmark that names a video system, and send those that wait. Return the number sent."""
    if not destinations().video_systems and not BookmarkPush.objects.exists():
        return 0
    files = {file.id: file for file in every_case()}
    _make(files)
    return sum(_send(push, files.get(push.case), send) for push in due_messages(BookmarkPush.objects.all()))


def id_of(event: str, system: str) -> str:
    """Return the id of the push of a bookmark, by its event."""
    return "msg_" + hashlib.sha256(f"pitledger bookmark {event} {system}".encode()).hexdigest()[:32]


def _make(files: Mapping[str, CaseFile]) -> None:
    bookmark_by_push = {
        id_of(bookmark.event, bookmark.send_to): (file.id, bookmark.event, bookmark.send_to)
        for file in files.values()
        for bookmark in file.bookmarks
        if bookmark.send_to
    }
    pushed_ids = set(BookmarkPush.objects.values_list("id", flat=True))
    moment = clock.moment()
    BookmarkPush.objects.bulk_create(
        [
            BookmarkPush(id=push, case=case, event=event, system=system, made_at=moment, next_try_at=moment)
            for push, (case, event, system) in bookmark_by_push.items()
            if push not in pushed_ids
        ],
        ignore_conflicts=True,
    )


def _send(push: BookmarkPush, file: CaseFile | None, send: Post) -> bool:
    """Send a push once; False where it is not sent."""
    if claim(push, clock.moment()) is None:
        return False
    bookmark = next((each for each in file.bookmarks if each.event == push.event), None) if file else None
    if file is None or bookmark is None:
        return finish(push, "dropped", "nothing to see")
    reader = reader_of(bookmark.by)
    if reader is None or not may_read(file, reader.person, reader.roles):
        return finish(push, "dropped", "no access")
    what = f"case bookmark {file.id} to {push.system}"
    access_log.add(access_log.EXPORT, what, person=bookmark.by, source="video system", count=1)
    content = json.dumps(body(file.id, bookmark), ensure_ascii=False).encode()
    answer = send_signed(destinations().video_systems.get(push.system), push.id, content, send)
    if not answer:
        return finish(push, "sent", "")
    log.warning("the bookmark %s was not accepted: %s", push.id, answer)
    return finish(push, "failed" if push.tries + 1 >= TRIES_MAX else "waiting", answer)
