"""GET .../position: the position of the read models, so that a client can read its own writes. For programs only.

The live process (`backoffice/live/read_model_position_waits.py`), which the web process asks, answers clients that wait
for it.
"""

from django.http import HttpRequest, HttpResponse

from backoffice.event_log.filters import BIGGEST
from backoffice.freshness.wait_for_read_model_position import Position, requested_position
from backoffice.freshness.wait_for_read_model_position import position as wait_for_position
from backoffice.kit import response_builders
from backoffice.kit.page_declaration import Endpoint
from backoffice.kit.reader_and_read_rule_types import KNOWN


def position(request: HttpRequest) -> HttpResponse:
    """Answer with the position of the read models."""
    return response_builders.looked_up(lambda: wait_for_position(requested_position(request.GET)[0]))


_WHOLE = {"type": "integer", "minimum": 0, "maximum": BIGGEST}
POSITION = Endpoint(
    name="position",
    path="position",
    answer=Position,
    meaning="Position of the read models. With `?at_least=N` it waits for that position, at most `within` seconds.",
    view=position,
    parameters={
        "at_least": _WHOLE | {"description": "Wait until the read models have reached this position"},
        "within": _WHOLE | {"default": 0, "description": "Longest time to wait, in seconds; at most 5"},
    },
    open_to=KNOWN,
)
