"""Screens on the casino floor: each opens its signs with a key of its own, which a code that works once puts into it.

An administrator makes the code (`./manage.py people display`), or surveillance for a wall of alerts (its page); on the
screen a person opens the link once. The code is after the #, which browsers never send. The key is in a cookie that
scripts cannot read. No log has either.
"""

import hashlib
import itertools
import secrets
from datetime import timedelta

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from backoffice.models import Display
from backoffice.people.house_address_of_request import mark_of_request
from backoffice.people.lookalike_id_refusal import new_id

COOKIE = "pitledger_display"
KEPT_S = 400 * 86_400  # the longest that browsers keep a cookie
VALID_FOR = timedelta(days=2)


def invite(display: str, by: str, *, wall_of: str = "") -> str:
    """A new code for a screen, shown once; the key it had is void from now on. `wall_of`: whose alerts it shows."""
    code = secrets.token_urlsafe(24)
    now = timezone.now()
    values = {"code": _digest(code), "code_ends_at": now + VALID_FOR, "key": "", "made_by": by, "made_at": now}
    values["wall_of"] = wall_of
    display = new_id(Display, display, "display", "display")
    Display.objects.update_or_create(id=display, defaults=values)
    return code


def let_in(response: HttpResponse, code: str, mark: str = "") -> bool:
    """Put a new key, for the address of this mark, into the browser that shows the code. False: the code is void, or
    another person was faster.
    """
    key = secrets.token_urlsafe(32)
    valid = Display.objects.filter(code=_digest(code), code_ends_at__gt=timezone.now())
    if not valid.update(code="", key=_digest(mark + key)):
        return False
    response.set_cookie(COOKIE, key, max_age=KEPT_S, httponly=True, samesite="Strict")
    return True


def display_of(request: HttpRequest) -> Display | None:
    """Return the screen that sent the request; None for any other client."""
    if not (key := request.COOKIES.get(COOKIE)):
        return None
    return Display.objects.filter(key=_digest(mark_of_request(request) + key)).first()


def walls() -> list[Display]:
    """Return the screens that show alerts, or have a code for it."""
    return [*Display.objects.exclude(wall_of="").exclude(key="", code="").order_by("made_at", "id")]


def invite_wall(person: str) -> tuple[str, str]:
    """Return the name and the code of a new wall of a person. Two people at once get two names."""
    names = (f"wall-{secrets.randbelow(900_000) + 100_000}" for _ in itertools.count())
    name = next(name for name in names if not Display.objects.filter(id=name).exists())
    return name, invite(name, person, wall_of=person)


def revoke_wall(display: str) -> int:
    """Void the key and the code of a wall; return the number of such walls."""
    return revoke(display) if Display.objects.filter(id=display).exclude(wall_of="").exists() else 0


def revoke(display: str) -> int:
    """Void its key and its code; return the number of such screens."""
    return Display.objects.filter(id=display).update(key="", code="")


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
