"""The page of a table's screen, its manifest and its service worker.

The page itself holds no data of the house. Its content comes from `state`, for a paired device with people at it.
"""

import hashlib
from functools import cache
from pathlib import Path

import msgspec
from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.templatetags.static import PrefixNode, static
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.translation import get_language
from django.views.decorators.http import require_GET

from backoffice.table_screen.page_words import page_words

FOLDER = "backoffice/table"
VENDORED = ("backoffice/vendor/preact-11.2.0.module.js", "backoffice/vendor/htm-3.1.1.module.js")
WORKER = "sw.js"
LOCK_S = 600  # without a tap, and never in the middle of a round
BACKGROUND = "#0b110e"


@require_GET
def page(request: HttpRequest, name: str) -> HttpResponse:
    """Answer with the page of a table's screen."""
    context = {
        "table": name,
        "words": page_words(),
        "page": {
            "table": name,
            "base": reverse("table-screen", args=[name]),
            "language": get_language(),
            "csrf": get_token(request),
            "lock_s": LOCK_S,
        },
    }
    response = render(request, "table_screen/page.html", context)
    patch_cache_control(response, no_cache=True)
    return response


@require_GET
def manifest(_request: HttpRequest, name: str) -> HttpResponse:
    """Answer with the manifest by which a browser installs the screen as an app."""
    address = reverse("table-screen", args=[name])
    content = {
        "name": f"Pitledger {name}",
        "short_name": name,
        "id": address,
        "start_url": address,
        "scope": "/table/",
        "display": "fullscreen",
        "orientation": "any",
        "background_color": BACKGROUND,
        "theme_color": BACKGROUND,
        "icons": [{"src": static("backoffice/mark.svg"), "sizes": "any", "type": "image/svg+xml"}],
    }
    return HttpResponse(msgspec.json.encode(content), content_type="application/manifest+json")


@require_GET
def service_worker(_request: HttpRequest) -> HttpResponse:
    """Answer with the service worker: its text behind the version and the list of the files that it keeps."""
    head = b"const VERSION = %b;\nconst FILES = %b;\n" % tuple(map(msgspec.json.encode, (version(), files())))
    response = HttpResponse(head + _read(f"{FOLDER}/{WORKER}"), content_type="text/javascript")
    patch_cache_control(response, no_cache=True)
    return response


@cache
def names() -> tuple[str, ...]:
    """Names of the static files that the screen consists of, without the service worker."""
    folder = Path(str(finders.find(FOLDER)))
    own = (f"{FOLDER}/{path.name}" for path in folder.iterdir() if path.suffix in (".js", ".css"))
    return tuple(sorted(name for name in (*own, *VENDORED) if not name.endswith(WORKER)))


def files() -> tuple[str, ...]:
    """Addresses of the screen's files, as the page and its modules name them."""
    prefix = PrefixNode.handle_simple("STATIC_URL")
    return tuple(f"{prefix}{name}" for name in names())


@cache
def version() -> str:
    """The name of the version: a hash of all its files."""
    digest = hashlib.sha256(b"".join(_read(name) for name in (*names(), f"{FOLDER}/{WORKER}")))
    return f"pitledger-table-{digest.hexdigest()[:16]}"


def _read(name: str) -> bytes:
    return Path(str(finders.find(name))).read_bytes()
