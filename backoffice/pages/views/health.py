"""How the house is (`/healthz`), and whether this process can serve pages (`/readyz`)."""

import logging

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from backoffice.observers import may_observe
from backoffice.queries import continuity
from backoffice.running import away
from events.settings import settings

log = logging.getLogger(__name__)

AWAY = "the read models' database does not answer"


@require_safe
@cache_control(no_store=True)
def readyz(request: HttpRequest) -> JsonResponse:
    """Answer 200 where the read models' database answers and has every migration; else 503, and what to do."""
    why = unready()
    return JsonResponse({"status": "down", "why": why}, status=503) if why else JsonResponse({"status": "ok"})


@require_safe
@cache_control(no_store=True)
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer how the house is: "ok", or "degraded" with why figures stand still, and what to do.

    A database that does not answer is a degraded house, not a process to be restarted: the status stays 200. A house
    whose database lacks migrations serves nothing, and gets 503. Clients that may not observe the house get the state
    alone.
    """
    state, status = _state()
    return JsonResponse(state if may_observe(request) else {"status": state["status"]}, status=status)


def _state() -> tuple[dict[str, object], int]:
    """How the house is, with the status of the answer."""
    if why := unready():
        is_away = why == AWAY
        return {"status": "degraded" if is_away else "down", "why": why}, 200 if is_away else 503
    if history := continuity.standing():
        return {"status": "degraded", "why": history, "down": away.down(settings().data_folder)}, 200
    if down := away.down(settings().data_folder):
        return {"status": "degraded", "down": down}, 200
    return {"status": "ok"}, 200


def unready() -> str:
    """Return why pages cannot be served; "" where they can."""
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        log.warning("the read models' database does not answer: %s", error)
        return AWAY
    return f"{len(missing)} migrations are missing: ./manage.py migrate" if missing else ""
