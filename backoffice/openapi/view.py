"""GET /api/v1/openapi.json: requests and answers of the action interface, from its own types."""

from functools import cache

import msgspec
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET

from backoffice.openapi import action_interface_openapi_document as openapi


@csrf_exempt  # it changes nothing: another method is a 405, and no page about forms
@require_GET
def document(request: HttpRequest) -> HttpResponse:
    """Return the OpenAPI 3.1 document, for every client that can reach the interface."""
    return HttpResponse(_encoded(), content_type="application/json", headers={"Cache-Control": "public, max-age=300"})


@cache
def _encoded() -> bytes:
    return msgspec.json.encode(openapi.build())
