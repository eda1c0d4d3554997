"""The list of cases, a case, and both for programs."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, get_args
from urllib.parse import urlencode

from django.utils.translation import gettext_lazy as _

from backoffice.access.personal_data_access_log import CASE
from backoffice.case_files.case_queries import case_for
from backoffice.cases.action_forms import OF_A_CASE, ON_CLOSED, ON_OPEN, OPEN_CASE, at_case, at_new_case
from backoffice.cases.attachment_upload_and_download import download, upload
from backoffice.cases.case_export_views import archive, export, own_unfinished
from backoffice.cases.case_list_and_detail_content import (
    PAGE,
    PAGE_MAX,
    STATUSES,
    CaseDetail,
    CaseFilters,
    CaseList,
    case_detail,
    case_list,
)
from backoffice.cases.export import bookmark_files
from backoffice.event_log.filters import read_number
from backoffice.kit.access_log_rules import AccessLogRule
from backoffice.kit.page_declaration import DownloadFile, Endpoint, Format, MenuEntry, Page, PageAddress, PageRequest
from backoffice.kit.reader_and_read_rule_types import roles
from backoffice.kit.visit_request_and_rendering import Visit
from events.cases.access import READERS
from events.cases.action_structs import Category, Severity
from events.error_codes import coded
from events.errors import Invalid
from events.runtime import clock

OPEN_TO = roles(*READERS)
_CARRIED = ("events", "alerts", "rounds", "people", "note")  # the evidence to add to a case that is chosen here
_FILTERS = ("status", "category", "severity", "person", "place", "q")


def _filters(request: PageRequest) -> CaseFilters:
    texts = {name: request.text(name) for name in _FILTERS}
    return CaseFilters(**texts, due=request.text("due") == "1")


def _cases(request: PageRequest) -> CaseList:
    """Return a page of the cases that the reader may see. Raises Invalid for a wrong filter."""
    limit = read_number(request.parameters, "limit")
    if limit is not None and not 1 <= limit <= PAGE_MAX:
        raise Invalid("limit", coded("alerts-limit", most=PAGE_MAX))
    return case_list(request.reader, _filters(request), request.text("after"), PAGE if limit is None else limit)


def _choices(visit: Visit, case_list: CaseList) -> dict[str, Any]:
    """Return the filters for the form, and the query string of further pages."""
    filters = _filters(visit.page_request)
    carried = {name: visit.page_request.text(name, 4_000) for name in _CARRIED if visit.page_request.text(name, 4_000)}
    query = {name: getattr(filters, name) for name in _FILTERS if getattr(filters, name)}
    return {
        "filters": filters,
        "carried": urlencode(carried),
        "query": urlencode(query | ({"due": "1"} if filters.due else {})),
        "carried_fields": carried,
        "choices_of": {
            "status": _with_counts(STATUSES, case_list.statuses),
            "category": _with_counts(get_args(Category), case_list.categories),
            "severity": _with_counts(get_args(Severity), case_list.severities),
        },
    }


def _with_counts(values: Sequence[str], counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return the values of a filter, each with its number of cases."""
    return [(value, counts.get(value, 0)) for value in values]


def _as_it_stands(visit: Visit, detail: CaseDetail) -> dict[str, Any]:
    """Return the buttons that fit the case, for a person who may act on it."""
    fit = set(ON_CLOSED if detail.case.status == "closed" else ON_OPEN)
    if detail.case.keep_until is None or clock.moment() < datetime.fromisoformat(detail.case.keep_until):
        fit.discard("case.destroy_key")
    may_work = detail.may_work
    return {
        "buttons": [button for button in visit.buttons if button.type in fit] if may_work else [],
        "unfinished": own_unfinished(detail.case, visit.reader.person) if may_work else (),
    }


def _bookmarks_csv(request: PageRequest) -> DownloadFile:
    file = case_for(str(request.places["name"]), request.reader)
    return DownloadFile(
        bookmark_files.as_csv(file.bookmarks).encode(), "text/csv", f"pitledger-bookmarks-{file.id}.csv"
    )


def _bookmarks_json(request: PageRequest) -> DownloadFile:
    file = case_for(str(request.places["name"]), request.reader)
    content = bookmark_files.as_json(file.id, file.bookmarks).encode()
    return DownloadFile(content, "application/json", f"pitledger-bookmarks-{file.id}.json")


CASES_PAGE = Page(
    name="cases",
    path="cases",
    title=_("Cases"),
    open_to=OPEN_TO,
    template="pages/cases.html",
    query=_cases,
    shown_as="list",
    add_context=_choices,
    menu=MenuEntry(_("Cases"), "k", _("go to cases")),
    acts=(OPEN_CASE,),
    stage=at_new_case,
    looks=AccessLogRule(CASE, lambda page: len(page.cases)),
    endpoint=Endpoint(
        name="cases",
        path="cases",
        answer=CaseList,
        meaning="The cases that you may see, the newest first, with counts for the filters.",
        parameters={
            "status": {"enum": [*STATUSES]},
            "category": {"enum": [*get_args(Category)]},
            "severity": {"enum": [*get_args(Severity)]},
            "person": {"type": "string", "description": "Cases that name this person"},
            "place": {"type": "string", "description": "Cases that name this place"},
            "q": {"type": "string", "description": "Part of the title, a person or a place"},
            "due": {"enum": ["1"], "description": "Cases with an open task"},
            "after": {"type": "string", "description": "Continue from here: `next` of the previous page"},
            "limit": {"type": "integer", "minimum": 1, "maximum": PAGE_MAX, "default": PAGE},
        },
    ),
)
CASE_PAGE = Page(
    name="case",
    path="cases/<str:name>",
    title=_("Case"),
    open_to=OPEN_TO,
    template="pages/case.html",
    query=lambda request: case_detail(str(request.places["name"]), request.reader),
    shown_as="detail",
    add_context=_as_it_stands,
    under="cases",
    acts=OF_A_CASE,
    stage=at_case,
    looks=AccessLogRule(CASE, lambda _detail: 1),
    formats=(
        Format("bookmarks.csv", _bookmarks_csv, is_kept=False),
        Format("bookmarks.json", _bookmarks_json, is_kept=False),
    ),
    also=(
        PageAddress("case-file", "cases/<str:name>/files/<str:file>", download, looks=AccessLogRule(CASE)),
        PageAddress("case-export", "cases/<str:name>/export", export, does=True),
        PageAddress("case-archive", "cases/<str:name>/exports/<str:export>", archive),
        PageAddress("case-upload", "cases/<str:name>/upload", upload, does=True),
    ),
    endpoint=Endpoint(
        name="case",
        path="cases/<str:name>",
        answer=CaseDetail,
        meaning="A case with the timeline of its evidence.",
    ),
)
