"""The page System: each part, server, backup, disk and clock of the house, with its state and the remedy."""

from collections.abc import Iterator
from datetime import datetime
from typing import Literal

import msgspec
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from backoffice.freshness.part_states_from_reports import PartState
from backoffice.house.backup_records import BackupStatus, backup_status
from backoffice.house.condition_lags_and_problems import (
    CLOCK_OFF_S,
    LATE_S,
    RELAY_LATE_S,
    HouseCondition,
    Lag,
    condition,
)
from backoffice.house.problem_remedies import Problem, do_for
from backoffice.house.queue_depths import depths
from backoffice.house.tls_certificate_expiry_lookup import days_left, expiries
from backoffice.integrity.last_verification import Integrity, integrity
from backoffice.kit.page_declaration import Endpoint, MenuEntry, Page, PageAddress
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.people.roles_allowed_per_page import SYSTEM
from backoffice.running.version import version
from backoffice.wording.error_code_sentences import error_sentence
from events.errors import Retry
from events.runtime import clock

Colour = Literal["green", "amber", "red", "grey"]
LONG = 1_000  # entries that wait in a queue
CERTIFICATE_DAYS = 14
WITNESS_LATE_S = 3_600.0
VERIFIED_LATE = 2  # intervals


class StatusLine(msgspec.Struct, frozen=True):
    """A line of the page System: its state by colour and in words, the time, details, and the remedy."""

    name: str
    colour: Colour
    state: str
    at: datetime | None = None
    detail: str = ""
    do: str = ""


class System(msgspec.Struct, frozen=True):
    """The house as its administrator sees it. `problems` are those of `/healthz`."""

    is_well: bool
    version: str
    as_of: datetime
    problems: tuple[Problem, ...]
    parts: tuple[StatusLine, ...]
    servers: tuple[StatusLine, ...]
    figures: tuple[StatusLine, ...]
    history: tuple[StatusLine, ...]
    machine: tuple[StatusLine, ...]
    queues: tuple[StatusLine, ...]


def system() -> System:
    """Return the state of the house as of now. Raises django.db.DatabaseError where the read models do not answer."""
    now = condition()
    return System(
        is_well=now.is_well,
        version=version(),
        as_of=timezone.now(),
        problems=now.problems,
        parts=tuple(map(_part, now.parts)),
        servers=tuple(_servers(now)),
        figures=tuple(_figures(now)),
        history=(_backup(backup_status()), *_history()),
        machine=(*_disks(now), _clock(now), *_certificates()),
        queues=tuple(_queues(now)),
    )


def _part(part: PartState) -> StatusLine:
    words = {
        "up": _("Running"),
        "waiting": _("Waiting"),
        "silent": _("No progress"),
        "stopped": _("Stopped"),
        "down": _("Down"),
        "missing": _("Not started"),
    }
    colour: Colour = "green" if part.is_well else "amber" if part.state == "waiting" else "red"
    where = [text for text in (part.why, part.version and _("version %s") % part.version, part.host) if text]
    do = "" if part.is_well else do_for(part.name, part.state)
    return StatusLine(part.name, colour, words[part.state], part.started, ", ".join(where), do)


def _servers(now: HouseCondition) -> Iterator[StatusLine]:
    names = {
        "store": _("Event store"),
        "read": _("Read models"),
        "kafka": _("Kafka"),
        "task broker": _("Task broker"),
    }
    for server, why in now.servers.items():
        do = do_for(server, "away") if why else ""
        state = _("Does not answer") if why else _("Answers")
        yield StatusLine(names.get(server, server), "red" if why else "green", state, None, why, do)


def _figures(now: HouseCondition) -> Iterator[StatusLine]:
    if now.relay is not None:
        yield _lag(now.relay, RELAY_LATE_S, "relay")
    for lag in now.projections:
        yield _lag(lag, LATE_S, "projector")


_REBUILD = gettext_lazy("The tables were built by another version. Run ./manage.py rebuild %(name)s --approve.")


def _lag(lag: Lag, late_s: float, part: str) -> StatusLine:
    position = _("up to event %s") % f"{lag.position:,}"
    if lag.aside:
        state = ngettext("%d event in quarantine", "%d events in quarantine", lag.aside) % lag.aside
        return StatusLine(lag.name, "red", state, None, position, do_for(part, "quarantine"))
    if not lag.is_current:
        return StatusLine(lag.name, "red", _("Stopped"), None, position, _REBUILD % {"name": lag.name})
    if not lag.events:
        return StatusLine(lag.name, "green", _("Up to date"), None, position)
    state = ngettext("%s event behind", "%s events behind", lag.events) % f"{lag.events:,}"
    is_late = lag.seconds > late_s
    age = {"position": f"{lag.position:,}", "seconds": f"{lag.seconds:.0f}"}
    detail = _("up to event %(position)s, oldest %(seconds)s s") % age
    return StatusLine(
        lag.name, "amber" if is_late else "green", state, None, detail, do_for(part, "behind") if is_late else ""
    )


def _backup(status: BackupStatus) -> StatusLine:
    name, detail = _("Backup"), status.folder
    if status.is_late:
        do = _("Run ./manage.py backup --scheduled, and check the worker's log (docs/howto/backup.md).")
        return StatusLine(name, "red", _("Late"), status.last, status.reason or detail, do)
    if status.last is None:
        do = _("Set PITLEDGER_BACKUP for scheduled backups, or run ./manage.py backup FOLDER (docs/howto/backup.md).")
        return StatusLine(name, "amber", _("None yet"), status.tried, status.reason, do)
    if status.reason:
        return StatusLine(
            name, "amber", _("The last attempt failed"), status.last, status.reason, _("Remove the cause.")
        )
    if not status.is_scheduled:
        do = _("Set PITLEDGER_BACKUP to schedule backups.")
        return StatusLine(name, "amber", _("Manual"), status.last, detail, do)
    return StatusLine(name, "green", _("On schedule"), status.last, detail)


def _history() -> Iterator[StatusLine]:
    try:
        history = integrity()
    except Retry as error:
        yield StatusLine(_("Verification"), "grey", _("Unknown"), None, error_sentence(error))
        return
    yield _verification(history)
    yield _witness(history)


def _verification(history: Integrity) -> StatusLine:
    name, last = _("Verification"), history.last
    running = _("running now") if history.running else ""
    if last is None:
        do = "" if running else _("Run ./manage.py verify. The worker does it every PITLEDGER_VERIFY_S seconds.")
        return StatusLine(name, "grey" if running else "amber", _("None yet"), None, running, do)
    if last.why:
        return StatusLine(name, "amber", _("Not completed"), last.ended, last.why, _("Run ./manage.py verify."))
    if not last.holds:
        state = ngettext("%d finding", "%d findings", last.findings) % last.findings
        do = _("Ask Accounting or Surveillance to open the page Integrity. Follow docs/howto/restore.md.")
        return StatusLine(name, "red", state, last.ended, running, do)
    if (clock.moment() - last.ended).total_seconds() > VERIFIED_LATE * history.every_s:
        return StatusLine(
            name, "amber", _("Late"), last.ended, running, _("Check the worker, or run ./manage.py verify.")
        )
    return StatusLine(name, "green", _("No problems"), last.ended, running)


def _witness(history: Integrity) -> StatusLine:
    name, witness = _("Witness"), history.witness
    if witness is None:
        do = _("Set PITLEDGER_WITNESS (docs/howto/witness.md).")
        return StatusLine(name, "grey", _("None"), None, _("No external witness keeps the signed heads."), do)
    reached = datetime.fromisoformat(witness.reached) if witness.reached else None
    is_late = reached is None or (clock.moment() - reached).total_seconds() > WITNESS_LATE_S
    if is_late or witness.why:
        do = _("Check that the witness runs and that the worker can reach it.")
        return StatusLine(name, "red" if is_late else "amber", _("Not reached"), reached, witness.why, do)
    return StatusLine(name, "green", _("Reached"), reached, witness.where)


def _disks(now: HouseCondition) -> Iterator[StatusLine]:
    for disk in now.disks:
        state, do = (_("Nearly full"), do_for("disk", "full")) if disk.is_low else (_("Enough space"), "")
        yield StatusLine(_("Disk: %s") % disk.name, "red" if disk.is_low else "green", state, None, disk.words, do)


def _clock(now: HouseCondition) -> StatusLine:
    detail = _("largest difference: %s s") % f"{now.clock_offset_s:.3f}"
    if abs(now.clock_offset_s) > CLOCK_OFF_S:
        return StatusLine(_("Clock"), "red", _("Clocks differ"), None, detail, do_for("clock", "off"))
    return StatusLine(_("Clock"), "green", _("In sync"), None, detail)


def _certificates() -> Iterator[StatusLine]:
    ends = expiries()
    if not ends:
        yield StatusLine(
            _("Certificate"), "grey", _("Not found"), None, _("no HTTPS address is reachable from this server")
        )
    for origin, end in ends.items():
        days = days_left(end)
        state = ngettext("%d day left", "%d days left", days) % days
        if days >= CERTIFICATE_DAYS:
            yield StatusLine(_("Certificate"), "green", state, end, origin)
        else:
            do = _("Renew it at the proxy. Browsers refuse an expired certificate.")
            yield StatusLine(_("Certificate"), "red", state, end, origin, do)


def _queues(now: HouseCondition) -> Iterator[StatusLine]:
    names = {
        "desk": _("Actions waiting for the writer"),
        "task outbox": _("Tasks to send"),
        "celery": _("Tasks at the broker"),
        "jobs": _("Background jobs"),
    }
    for queue, depth in (now.queues | depths()).items():
        do = _("Check that the part that processes this queue runs.") if depth > LONG else ""
        state = ngettext("%s waiting", "%s waiting", depth) % f"{depth:,}"
        yield StatusLine(names.get(queue, queue), "amber" if depth > LONG else "green", state, None, "", do)


def _live(visit: Visit) -> HttpResponse:
    """Return the figures of the page: they change without any event, so they are shown again each time."""
    return visit.show("pages/system_figures.html")


SYSTEM_PAGE = Page(
    name="system",
    path="system",
    title=gettext_lazy("System"),
    open_to=SYSTEM,
    template="pages/system.html",
    query=lambda _request: system(),
    shown_as="system",
    menu=MenuEntry(gettext_lazy("System"), "s", gettext_lazy("go to system")),
    also=(PageAddress("system-live", "system/live", _live),),
    endpoint=Endpoint(
        name="system",
        path="system",
        answer=System,
        meaning="The parts of the house, their lag, servers, backups, disks and clocks, each with its state.",
    ),
)
