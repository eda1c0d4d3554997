"""Liability of a progressive: owed against funded, its odds, and open work for people."""

import msgspec
from django.http import HttpResponse
from django.utils.translation import gettext_lazy as _

from backoffice.installation.dependency_injection import installation
from backoffice.jobs.job_progress_and_saved_steps import Progress, store_with_progress
from backoffice.jobs.job_state_and_lease_files import Basis
from backoffice.jobs.on_demand_jobs import Job, Task, background_jobs, basis_at
from backoffice.kit.page_declaration import Page, PageAddress, PageRequest
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.people.roles_allowed_per_page import FUNDS
from backoffice.progressives.liability_funds_and_odds_report import FundReport, report
from events.error_codes import coded
from events.errors import Unknown
from events.settings.settings_from_environment import settings
from projections.progressives.models import Progressive


class LiabilityReport(msgspec.Struct, frozen=True):
    """A report, and the position as of which it is."""

    position: int
    report: FundReport


class Liability(msgspec.Struct, frozen=True):
    """The report; or the progress of its calculation (None: too many jobs wait)."""

    progressive: str
    currency: str
    job: Job | None
    report: LiabilityReport | None


def _requested_liability(request: PageRequest, *, any_basis: bool = False) -> Liability:
    """Return the liability as of the last event; `any_basis`: of the calculation that was begun earlier."""
    name, store = request.places["name"], installation().store
    row = Progressive.objects.filter(progressive=name).first()
    if row is None:
        raise Unknown(coded("progressive-unknown", progressive=name))

    def work(progress: Progress, _basis: Basis) -> LiabilityReport:
        last = store.position()
        return LiabilityReport(last, report(store_with_progress(store, progress, last), settings().property_, name))

    task = Task(question=("liability", settings().property_, name), shape=LiabilityReport, work=work)
    jobs = installation().part(background_jobs)
    job = jobs.ask(task, basis_at(store), any_basis=any_basis, retry=request.text("retry", 5) == "1")
    return Liability(name, row.currency, job, job.answer if job is not None else None)


def _part(visit: Visit) -> HttpResponse:
    """The same without the page around it: asked for until it is there."""
    return visit.render(
        "pages/liability/answer.html", liability=_requested_liability(visit.page_request, any_basis=True)
    )


LIABILITY = Page(
    name="liability",
    path="progressives/<str:name>/liability",
    title=_("Liability"),
    open_to=FUNDS,
    template="pages/liability.html",
    query=_requested_liability,
    shown_as="liability",
    under="progressives",
    also=(PageAddress("liability-part", "progressives/<str:name>/liability/part", _part),),
)
