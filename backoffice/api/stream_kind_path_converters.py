"""The kinds of streams as parts of addresses: those that are declared, with or without a name behind them."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from backoffice.api.json_response import rendered
from events.error_codes import coded
from events.streams import stream_kind_declaration
from events.streams.problem_details import problem_about


class OneKind:
    """A kind of which the property has one stream: "floor"."""

    regex: str = "[a-z-]+"
    is_named: bool = False

    def to_python(self, value: str) -> str:
        """The kind's name. Raises ValueError: there is no such address."""
        kind = stream_kind_declaration.kinds_with_actions().get(value)
        if kind is None or kind.is_named != self.is_named:
            raise ValueError(value)
        return value

    def to_url(self, value: str) -> str:
        """Return the kind unchanged."""
        return value


class NamedKind(OneKind):
    """A kind of which there are several, by name: "tables"."""

    is_named = True


@csrf_exempt
def no_such(request: HttpRequest) -> HttpResponse:
    """Answer 404 with problem details for an API address that does not exist."""
    text = coded("address-unknown", path=request.path)
    return rendered(problem_about(404, "No such address", text), 404).django()
