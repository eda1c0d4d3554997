"""The state of the house (`/healthz`), and the readiness of this process (`/readyz`)."""

from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from backoffice.house.healthz_answer import health, unready
from backoffice.http.monitoring_access import may_observe


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
