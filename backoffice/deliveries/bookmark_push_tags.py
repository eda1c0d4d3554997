"""Template tags for the pushes of bookmarks to video systems."""

from collections.abc import Mapping

from django import template

from backoffice.deliveries.bookmark_push_list_and_repeat import PushRow, case_pushes
from events.cases.decrypted_case import Bookmark, CaseFile

RecordingPush = tuple[str, PushRow | None]
register = template.Library()
register.simple_tag(case_pushes, name="pushes_of")


@register.simple_tag
def recording_pushes(file: CaseFile, recording: Bookmark, pushes: Mapping[str, PushRow]) -> list[RecordingPush]:
    """Return the pushes of all bookmarks of a recording, each with its video system; None before one is made."""
    same = (bookmark for bookmark in file.bookmarks if bookmark.recording == recording.recording)
    return [(bookmark.send_to, pushes.get(bookmark.event)) for bookmark in same if bookmark.send_to]
