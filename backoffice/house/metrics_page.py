"""`/metrics`, for Prometheus: open to named networks and to programs with a token
(`backoffice/http/observers.py`)."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from backoffice.house import exposition
from backoffice.http.observers import may_observe
from backoffice.kit import answers
from events.error_codes import coded
from events.streams.problems import problem_about


@require_safe
@cache_control(no_store=True)
def metrics(request: HttpRequest) -> HttpResponse:
    """Return every metric of the house; 403 to clients that may not observe it."""
    if not may_observe(request):
        return answers.problem(problem_about(403, "Not open to you", coded("metrics-closed")))
    return HttpResponse(exposition.text(), content_type=exposition.CONTENT_TYPE)
