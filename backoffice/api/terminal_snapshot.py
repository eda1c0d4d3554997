"""GET .../tables/{table}/layout: the state of a table, for a terminal that starts again.

It is made from the events, not from the read models, so the effect of an answered action is in it at once. `?screen=1`
adds the content of the table screen.
"""

from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.views.decorators.http import require_GET

from backoffice.api.actions import problem
from backoffice.api.json_response import Response, rendered
from backoffice.api.shared_command_desk import desk
from backoffice.people import badge_and_key_authentication
from backoffice.tables.screen_translation import in_language, translator
from events.envelope import Who
from events.error_codes import text_of
from events.errors import PitledgerError
from events.streams.problem_details import problem_about, problem_of
from events.streams.stream_kind_declaration import Target


@require_GET
def layout(request: HttpRequest, name: str) -> HttpResponse:
    """Answer with a table's layout: as of now, or at the end of an earlier gaming day. It needs a badge and a role."""
    target = Target("tables", name, request.GET.get("gaming_day"))
    with translation.override(translation.get_language_from_request(request)):
        return _respond(target, request).django()


def _respond(target: Target, request: HttpRequest) -> Response:
    who: Who | None = None
    try:
        who = badge_and_key_authentication.authenticate_sender(request.headers)
        if request.GET.get("screen") == "1":
            return rendered(
                in_language(desk().questions.screen(target.name, target.gaming_day, [who], translator())), 200
            )
        return rendered(in_language(desk().questions.layout(target.name, target.gaming_day, who)), 200)
    except badge_and_key_authentication.NotAuthenticated as error:
        return problem(
            problem_about(401, "Not signed in", text_of(error)),
            who,
            target,
            "layout",
            request.META.get("REMOTE_ADDR", ""),
        )
    except PitledgerError as error:
        return problem(problem_of(error), who, target, "layout")
