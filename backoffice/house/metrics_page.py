"""`/metrics`, for Prometheus: open to named networks and to programs with a token
(`backoffice/http/monitoring_access.py`)."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from backoffice.house import metrics_text
from backoffice.http.monitoring_access import may_observe
from backoffice.kit import response_builders
from events.error_codes import coded
from events.streams.problem_details import problem_about


@require_safe
@cache_control(no_store=True)
def metrics(request: HttpRequest) -> HttpResponse:
    """Return every metric of the house; 403 to clients that may not observe it."""
    if not may_observe(request):
        return response_builders.problem(problem_about(403, "Not open to you", coded("metrics-closed")))
    return HttpResponse(metrics_text.text(), content_type=metrics_text.CONTENT_TYPE)
