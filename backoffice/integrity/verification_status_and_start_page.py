"""Integrity of history: the last verification, the start of another one, and the witness outside the house.

A verification runs in a process of its own at the lowest priority, one at a time. It saves its position: after a stop,
the next start continues there.
"""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import quote

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from backoffice.integrity import last_verification
from backoffice.integrity.last_verification import Integrity, integrity
from backoffice.kit.page_declaration import Endpoint, MenuEntry, Page, PageAddress
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.people.roles_allowed_per_page import HISTORY
from backoffice.running import child_process_start_and_end, status_files
from backoffice.running.database_and_mail_settings import ROOT
from backoffice.running.open_files_locks_full_disk import hold_file_lock
from backoffice.wording.error_code_sentences import error_sentence
from events.errors import Conflict, PitledgerError
from events.settings.settings_from_environment import settings

START_S = 30.0  # time for a started process to report that it works
_AT_WORK = "A verification is at work already. Wait for its result."


def _start(visit: Visit) -> HttpResponse:
    """Start a verification, and go back to the page, which shows its progress."""
    if visit.request.method == "POST":
        try:
            _start_verification()
        except PitledgerError as error:
            messages.warning(visit.request, error_sentence(error))
        else:
            messages.success(visit.request, _("Verification started. This page shows its progress."))
    return HttpResponseRedirect(reverse("integrity"))


def _progress(visit: Visit) -> HttpResponse:
    """Show the progress of the verification; after its end the whole page again."""
    state = integrity()
    if state.running is None and not _is_starting():
        response = HttpResponse()
        response.headers["HX-Redirect"] = reverse("integrity")
        return response
    return visit.render("pages/integrity/progress.html", integrity=state)


def _start_verification() -> None:
    """Begin to verify the whole history. Raises Conflict where a verification is at work, Retry without a database."""
    mark = _mark()
    with hold_file_lock(status_files.run_folder() / "verification-start.lock", or_else=_AT_WORK):
        last = last_verification.read_note().begun
        if (last is not None and last.at_work) or _is_starting():
            raise Conflict(_AT_WORK)
        if last is None:  # the last one ended: the next one reads everything
            _checkpoint().unlink(missing_ok=True)
        mark.touch()
    threading.Thread(target=_run_verification, args=(mark,), name="verification", daemon=True).start()


def _is_starting() -> bool:
    """Return whether a verification was started from a page and has not reported yet that it runs."""
    try:
        return time.time() - _mark().stat().st_mtime < START_S
    except OSError:
        return False


def _mark() -> Path:
    """There while a verification that was started from a page is at work."""
    return status_files.run_folder() / "verification-started"


def _checkpoint() -> Path:
    house_settings = settings()
    return house_settings.data_folder / f"verified.{quote(house_settings.property_, safe='')}"


def _run_verification(mark: Path) -> None:
    """Run the verification; it ends with this thread, and so with the process of the pages."""
    words = ["nice", "-n", "19", sys.executable, str(ROOT / "manage.py"), "verify", "--resume", "--report"]
    process = child_process_start_and_end.launch(
        words,
        env=os.environ,
        mark=os.environ.get(child_process_start_and_end.MARK) or child_process_start_and_end.new_mark(),
        output=subprocess.DEVNULL,
        cwd=ROOT,
    )
    process.wait()
    mark.unlink(missing_ok=True)


INTEGRITY = Page(
    name="integrity",
    path="integrity",
    title=gettext_lazy("Integrity"),
    open_to=HISTORY,
    template="pages/integrity.html",
    query=lambda _request: integrity(),
    shown_as="integrity",
    add_context=lambda _visit, _status: {"is_starting": _is_starting()},
    menu=MenuEntry(gettext_lazy("Integrity"), "i", gettext_lazy("go to integrity")),
    also=(
        PageAddress("integrity-verify", "integrity/verify", _start, does=True),
        PageAddress("integrity-progress", "integrity/progress", _progress),
    ),
    endpoint=Endpoint(
        name="integrity",
        path="integrity",
        answer=Integrity,
        meaning="Result of the last verification, and the time when the witness outside the house last answered.",
    ),
)
