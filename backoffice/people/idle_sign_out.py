"""Sign-out after idle time (`PITLEDGER_IDLE_S`), even if a page continues with requests of its own."""

import time
from collections.abc import Callable

from django.contrib import auth
from django.contrib.sessions.backends.base import SessionBase
from django.http import HttpRequest, HttpResponse

from events.settings.settings_from_environment import settings

HERE = "Pitledger-Here"  # a page reports its reader's activity
_SEEN = "seen_at"
_WRITTEN_EVERY_S = 20


class SignOutWhenIdle:
    """Middleware, after sessions, which signs an idle person out.

    Requests that a page makes on its own are no activity of its reader. They are if the page reports that a person has
    typed or pointed since its last request.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.session.get(auth.SESSION_KEY) is not None:
            idle = idle_s(request.session)
            if idle > settings().idle_s:
                auth.logout(request)
            elif not _is_by_itself(request) and (idle > _WRITTEN_EVERY_S or _SEEN not in request.session):
                request.session[_SEEN] = time.time()
        return self.get_response(request)


def idle_s(session: SessionBase) -> float:
    """Return the seconds between the last activity of its reader and now, also by a clock that was set back."""
    return abs(time.time() - session[_SEEN]) if _SEEN in session else 0.0


def _is_by_itself(request: HttpRequest) -> bool:
    """Asked by a page that follows, not by a person."""
    return "seen" in request.GET and HERE not in request.headers
