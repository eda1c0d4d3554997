"""The front door with time limits of a second. The views of a table wait while the data folder has a file for it."""

import time
from collections.abc import Iterable
from pathlib import Path
from wsgiref.types import StartResponse, WSGIEnvironment

from backoffice.door.granian_entry_point import door  # first: it sets Django up

# isort: split
from backoffice.door import table_screen_entries_to_views
from backoffice.site.wsgi_application_behind_door import Application, django_application
from events.settings.settings_from_environment import settings

__all__ = ["door"]
POLL_S = 0.02


def _waiting() -> Application:
    views, folder = django_application(), Path(settings().data)

    def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        table = environ["PATH_INFO"].split("/")[2]
        while (folder / f"{table}-waits").exists():
            time.sleep(POLL_S)
        return views(environ, start_response)

    return application


for name, value in {"WITHIN_S": 1.0, "STATE_WITHIN_S": 0.5, "django_application": _waiting}.items():
    setattr(table_screen_entries_to_views, name, value)
