"""A round as it happened, drawn: step by step, followed while it is played, all steps on paper."""

from django.http import HttpResponse
from django.utils.translation import gettext_lazy

from backoffice.access.personal_data_access_log import REPLAY
from backoffice.kit.access_log_rules import AccessLogRule
from backoffice.kit.page_declaration import Endpoint, LiveUpdate, Page, PageAddress, PageRequest
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.people.roles_allowed_per_page import TABLES
from backoffice.surveillance.replay import round_lookup
from backoffice.surveillance.replay import round_replay_steps as rounds
from backoffice.surveillance.replay.round_lookup import RoundSteps
from backoffice.surveillance.replay.round_replay_steps import Replay
from events.error_codes import coded
from events.errors import Unknown

PATH = "tables/<str:name>/<str:gaming_day>/rounds/<int:number>"
LOOKS = AccessLogRule(REPLAY, lambda replay: len(replay.steps), of_path=True)


def _round_steps(request: PageRequest) -> RoundSteps:
    places = request.places
    return round_lookup.find(places["name"], places["gaming_day"], places["number"], request.reader.roles)


def _round(request: PageRequest) -> Replay:
    """Return the round at the requested step. Raises Unknown."""
    return rounds.round_page(_round_steps(request), _step(request), drawn=request.drawn)


def _step(request: PageRequest) -> int | None:
    text = request.text("step", 7)
    if text and not (text.isascii() and text.isdecimal()):
        raise Unknown(coded("step-unknown", step=text))
    return int(text) if text else None


def _print(visit: Visit) -> HttpResponse:
    record = _round_steps(visit.page_request)
    replay = rounds.round_page(record, len(record.steps))
    visit.looking.entry_count = len(record.steps)
    return visit.render("pages/round_print.html", replay=replay, printed=rounds.printed(record))


ROUND = Page(
    name="round",
    path=PATH,
    title=gettext_lazy("Round"),
    open_to=TABLES,
    template="pages/round.html",
    query=_round,
    shown_as="replay",
    add_context=lambda visit, _steps: {"pinned": visit.page_request.text("step", 7)},
    under="floor",
    follows=LiveUpdate("pages/round_live.html"),
    looks=LOOKS,
    endpoint=Endpoint(
        name="round",
        path=PATH,
        answer=Replay,
        meaning="A round step by step: its steps, and the bets on the layout at one of them.",
        parameters={
            "step": {
                "type": "integer",
                "minimum": 1,
                "description": "Number of the step. By default the last one of a round in play, "
                "and the first one of an ended round",
            },
        },
    ),
    also=(PageAddress("round-print", f"{PATH}/print", _print, looks=LOOKS),),
)
