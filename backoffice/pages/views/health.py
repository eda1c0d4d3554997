"""Whether this process can serve: for supervisors and load balancers."""

import logging

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from backoffice.queries import continuity
from backoffice.running import away
from events.settings import settings

log = logging.getLogger(__name__)


@require_safe
@cache_control(no_store=True)
def healthz(request: HttpRequest) -> JsonResponse:
    """200 when the read models' database answers and has every migration; else 503, and what to do.

    "degraded" says why figures are of another history or stand still, with the command that ends it, and names what
    `up` cannot keep running: the pages answer, but their figures may not move on.
    """
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        log.warning("the read models' database does not answer: %s", error)
        return JsonResponse({"status": "down", "why": "the read models' database does not answer"}, status=503)
    if missing:
        why = f"{len(missing)} migrations are missing: ./manage.py migrate"
        return JsonResponse({"status": "down", "why": why}, status=503)
    if history := continuity.standing():
        return JsonResponse({"status": "degraded", "why": history, "down": away.down(settings().data_folder)})
    if down := away.down(settings().data_folder):
        return JsonResponse({"status": "degraded", "down": down})
    return JsonResponse({"status": "ok"})
