"""The reports of a gaming day: their list, and each on the screen, as CSV, as a workbook and on paper."""

from typing import Any

import msgspec
from django.utils.translation import gettext_lazy

from backoffice.access.personal_data_access_log import PERSON
from backoffice.days.reports.catalogue import REPORTS
from backoffice.days.reports.report_and_column_structs import Report
from backoffice.days.reports.report_files import WORDS, PreparedReport, prepare_report, report_file, sheet
from backoffice.days.reports.variance_cash_hold_report_lines import ReportSubject, report_subject
from backoffice.kit.access_log_rules import AccessLogRule
from backoffice.kit.page_declaration import Format, Page, PageRequest
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.people.roles_allowed_per_page import DAYS


class ReportListing(msgspec.Struct, frozen=True, kw_only=True):
    """The reports that a reader may open. `waits`: those that reveal the content of boxes, while a box is hidden."""

    of: ReportSubject
    reports: tuple[Report, ...]
    waits: bool


def _report_listing(request: PageRequest) -> ReportListing:
    of = report_subject(request.places["gaming_day"], request.reader.roles)
    open_reports = tuple(report for report in REPORTS if report.open_to.admits(request.reader, request.places))
    return ReportListing(of=of, reports=open_reports, waits=of.is_sealed)


def _prepared_report(request: PageRequest) -> PreparedReport:
    """Raise Unknown, also while the figures would reveal a hidden box."""
    return prepare_report(request.places["report"], request.places["gaming_day"], request.reader)


def _forms(_visit: Visit, _result: object) -> dict[str, Any]:
    return {"forms": [(f"report.{suffix}", suffix.upper()) for suffix in WORDS]}


def _form(suffix: str) -> Format:
    return Format(f"report.{suffix}", lambda request: report_file(_prepared_report(request), suffix))


REPORTS_PAGE = Page(
    name="day-reports",
    path="days/<str:gaming_day>/reports",
    title=gettext_lazy("Reports"),
    open_to=DAYS,
    template="pages/reports.html",
    query=_report_listing,
    shown_as="listed",
    add_context=_forms,
    under="days",
)
REPORT = Page(
    name="report-of-day",
    path="days/<str:gaming_day>/reports/<str:report>",
    title=gettext_lazy("Report"),
    open_to=DAYS,
    template="pages/reports/report.html",
    query=_prepared_report,
    shown_as="made",
    add_context=_forms,
    under="days",
    looks=AccessLogRule(PERSON),
    sheet=lambda _request, prepared: sheet(prepared),
    formats=(*map(_form, WORDS),),
)
