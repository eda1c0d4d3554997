"""The access log of searches, exports, certificates and views of personal data. Only auditors may read it."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC
from functools import cache
from typing import Any
from urllib.parse import urlencode

import msgspec
from django.http.response import HttpResponseBase
from django.utils.translation import gettext_lazy

from backoffice.access.personal_data_access_log import (
    CASE,
    COMPLETION,
    EXPORT,
    EXPORT_ASKED,
    EXPORTED,
    KINDS,
    LOOKS,
    SEARCH,
)
from backoffice.case_files.case_queries import seen_until, shown_and_hidden
from backoffice.event_log.filters import BIGGEST, read_number
from backoffice.http.read_cache_within_one_answer import cache_reads
from backoffice.integrity.access_log_listing import (
    SHOWN,
    WORDS,
    AllSeen,
    Seen,
    access_log_lines,
    holds,
    is_short,
    line_basis,
    line_batches,
)
from backoffice.kit import file_download_or_background_job
from backoffice.kit.access_log_rules import AccessLogRule
from backoffice.kit.export_sent_as_stream_or_job_file import Export, Piece, answer
from backoffice.kit.page_declaration import Endpoint, Page, PageAddress, PageRequest
from backoffice.kit.reader_and_read_rule_types import Reader, roles
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.people.current_roles import of_all

_ID = "[0-9a-f]{16}"
_OF_CASES = re.compile(rf"(?:/api/v1)?/cases(?:/(?P<case>{_ID}))?(?![^/?])|case export (?P<exported>{_ID})")
_NAMED = re.compile(rf"(?<![0-9a-f]){_ID}(?![0-9a-f])")
_OF_LOOKS = ("/integrity/looks", "/api/v1/looks")
# A search for the id of no case as a word leaves a line too. A page about it, or a field of a search, leaves none.
_IN_ANY_HOUSE = {SEARCH, COMPLETION, EXPORT, EXPORT_ASKED, EXPORTED}
_IN_A_FIELD = re.compile(rf"[a-z]:\S*{_ID}")
_encode = msgspec.json.Encoder().encode


def _requested_lines(request: PageRequest) -> AllSeen:
    filters = request.text("person", 64), request.text("kind")
    page = access_log_lines(read_number(request.parameters, "before"), *filters)
    lines, older = [*_visible_lines(request.reader, page.looks)], page.older
    while older is not None and len(lines) <= SHOWN:  # a short page would reveal hidden lines
        next_page = access_log_lines(older, *filters)
        lines, older = [*lines, *_visible_lines(request.reader, next_page.looks)], next_page.older
    is_last = len(lines) <= SHOWN
    return msgspec.structs.replace(page, looks=tuple(lines[:SHOWN]), older=None if is_last else lines[SHOWN - 1].number)


@cache_reads()
def _visible_lines(reader: Reader, lines: Sequence[Seen]) -> tuple[Seen, ...]:
    """Return the lines that reveal no case that the reader may not see.

    A line may mention the id of a hidden case. It is shown where its person could not see the case either. A line with
    an id that is no case is shown too, so the difference reveals nothing. Some lines are shown without their number of
    entries, which may count hidden entries. These are lists of cases, views of this log, and searches for the id of a
    case that the reader may not see.
    """
    shown_rules, hidden = shown_and_hidden(reader)
    until = cache(_seen_until)

    def is_open(line: Seen) -> bool:
        place = _OF_CASES.match(line.what)
        case = "" if place is None else place["case"] or place["exported"] or ""
        if case:
            return case not in hidden
        if line.kind == CASE or place is not None:
            return line.person == reader.person
        at = line.at.astimezone(UTC).isoformat()
        is_in_any_house = line.kind in _IN_ANY_HOUSE and not _IN_A_FIELD.search(line.what)
        return is_in_any_house or not any(name in line.what and at < until(name, line.person) for name in hidden)

    return tuple(_without_count(line, shown_rules) for line in lines if is_open(line))


def _without_count(line: Seen, shown: frozenset[str]) -> Seen:
    place = _OF_CASES.match(line.what)
    is_list = place is not None and not (place["case"] or place["exported"])
    is_search = line.kind in _IN_ANY_HOUSE and place is None and not shown.issuperset(_NAMED.findall(line.what))
    is_counting = is_list or is_search or line.what.startswith(_OF_LOOKS) or (place is None and line.kind == CASE)
    return msgspec.structs.replace(line, entry_count=None) if is_counting else line


def _seen_until(case: str, person: str) -> str:
    """Return until when a person could see a case. The administrator at the terminal, without an id, sees all."""
    return seen_until(case, Reader(person, of_all().get(person, frozenset()))) if person else "9999"


def _page_context(_visit: Visit, page: AllSeen) -> dict[str, Any]:
    """Return the kinds to choose from, and the start of the next page."""
    filters = {"person": page.person, "kind": page.kind}
    return {"kinds": WORDS.items(), "query": urlencode({name: value for name, value in filters.items() if value})}


def _export(visit: Visit) -> HttpResponseBase:
    """Export all lines as JSON, oldest first."""
    person, kind = visit.page_request.text("person", 64), visit.page_request.text("kind")

    def lines(after: int, until: int) -> Iterator[Piece]:
        batches = ((_visible_lines(visit.reader, batch), at) for batch, at in line_batches(after, until, person, kind))
        return (Piece(b"".join(_encode(line) + b"\n" for line in batch), len(batch), at) for batch, at in batches)

    export = Export(
        question=("looks", visit.reader.person, person, kind),
        pieces=lines,
        basis=line_basis,
        holds=holds,
        kind="application/x-ndjson",
        name="pitledger-looks.jsonl",
    )
    has_few_lines = is_short(person, kind)
    is_small = line_basis().position < file_download_or_background_job.LONG_EVENTS
    return answer(
        visit, export, is_short=is_small or (has_few_lines and not file_download_or_background_job.begun_at(visit))
    )


LOOKS_PAGE = Page(
    name="looks",
    path="integrity/looks",
    title=gettext_lazy("Access log"),
    open_to=roles(),
    template="pages/access_log.html",
    query=_requested_lines,
    shown_as="all",
    add_context=_page_context,
    under="integrity",
    also=(PageAddress("looks-export", "integrity/looks/export.jsonl", _export, looks=AccessLogRule(EXPORT)),),
    looks=AccessLogRule(LOOKS, lambda page: len(page.looks)),
    endpoint=Endpoint(
        name="looks",
        path="looks",
        answer=AllSeen,
        meaning="The access log: searches, exports, views of people and certificates, newest first.",
        parameters={
            "before": {
                "type": "integer",
                "minimum": 0,
                "maximum": BIGGEST,
                "description": "Only documents before this number",
            },
            "person": {"type": "string", "description": "Only entries of this person, by opaque id"},
            "kind": {"type": "string", "enum": [*KINDS], "description": "Only entries of this kind"},
        },
    ),
)
