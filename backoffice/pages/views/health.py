"""How the house is (`/healthz`), and whether this process can serve pages (`/readyz`)."""

import logging

import msgspec
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from backoffice.house.condition import condition
from backoffice.observers import may_observe
from backoffice.running.parts import PARTS

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
    """The state of the house, with the status of the answer. `down` and `why` say the first things in short."""
    if why := unready():
        is_away = why == AWAY
        return {"status": "degraded" if is_away else "down", "why": why}, 200 if is_away else 503
    problems = condition().problems
    if not problems:
        return {"status": "ok"}, 200
    answer: dict[str, object] = {"status": "degraded", "problems": msgspec.to_builtins(problems)}
    if figures := [problem.why for problem in problems if problem.part == "figures"]:
        answer["why"] = figures[0]
    if down := {problem.part: problem.why for problem in problems if problem.part in PARTS}:
        answer["down"] = down
    return answer, 200


def unready() -> str:
    """Return why pages cannot be served; "" where they can."""
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        log.warning("the read models' database does not answer: %s", error)
        return AWAY
    return f"{len(missing)} migrations are missing: ./manage.py migrate" if missing else ""
