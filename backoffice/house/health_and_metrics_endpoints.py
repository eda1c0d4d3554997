"""Endpoints for monitoring: the state of the house (`/healthz`), the readiness of this process (`/readyz`), `/metrics`.

`/metrics`, for Prometheus, is open to named networks and to programs with a token
(`backoffice/http/monitoring_access.py`).
"""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from backoffice.house import metrics_text
from backoffice.house.healthz_answer import health, unready
from backoffice.http.monitoring_access import may_observe
from backoffice.kit import response_builders
from events.error_codes import coded
from events.streams.problem_details import problem_about


@require_safe
@cache_control(no_store=True)
def readyz(request: HttpRequest) -> JsonResponse:
    """Answer 200 where the read models' database answers and has every migration; else 503, and what to do."""
    why = unready()
    return JsonResponse({"status": "down", "why": why}, status=503) if why else JsonResponse({"status": "ok"})


@require_safe
@cache_control(no_store=True)
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer how the house is. Clients that may not observe the house get the state alone."""
    state, status = health()
    return JsonResponse(state if may_observe(request) else {"status": state["status"]}, status=status)


@require_safe
@cache_control(no_store=True)
def metrics(request: HttpRequest) -> HttpResponse:
    """Return every metric of the house; 403 to clients that may not observe it."""
    if not may_observe(request):
        return response_builders.problem(problem_about(403, "Not open to you", coded("metrics-closed")))
    return HttpResponse(metrics_text.text(), content_type=metrics_text.CONTENT_TYPE)
