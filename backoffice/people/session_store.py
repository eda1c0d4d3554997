"""Sessions of the pages: the cookie is the secret, and no content of the database can be used in its place.

A row's name is an HMAC of the cookie, and its content is encrypted. Both use the key of the logins, which is in no
database and in no backup. The place of the database is part of the name: in a moved or restored copy no one is signed
in. So is the address of the house: a cookie of one address opens nothing at another.
"""

import base64
import hashlib
import hmac
import json
import os
import secrets
from functools import cache
from typing import Any, cast

from allauth.usersessions.models import UserSession
from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore as InDatabase
from django.contrib.sessions.middleware import SessionMiddleware
from django.contrib.sessions.models import Session
from django.db import DEFAULT_DB_ALIAS, connections
from django.http import HttpRequest, HttpResponse

from backoffice.people.house_address_of_request import mark_of_request

SECRET_BYTES = 24
_MARK = "="  # a name begins so, and no cookie that we hand out does
_NAME_BYTES = 29  # with the mark, 40 characters
_PLACE = """
SELECT 'django_session'::regclass::oid::text, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8),
    (SELECT system_identifier::text FROM pg_control_system())
"""


class SessionStore(InDatabase):
    """A session by its cookie, or by the name of its row, which django-allauth keeps. `session_key` is the name."""

    def __init__(self, session_key: str | None = None) -> None:
        self._secret = self._mark = ""
        if session_key is not None and not session_key.startswith(_MARK):
            self._secret, session_key = session_key, name_of(session_key)
        super().__init__(session_key)

    @classmethod
    def of_cookie(cls, cookie: str | None, mark: str = "") -> "SessionStore":
        """The session of a browser at an address (its mark). A row's name in the cookie opens nothing: it is taken for
        a secret.
        """
        store = cls(None if cookie is None else name_of(cookie, mark=mark))
        store._secret, store._mark = cookie or "", mark
        return store

    @property
    def secret(self) -> str:
        """The secret in the browser's cookie; "" without a session."""
        return self._secret if self.session_key else ""

    def _get_new_session_key(self) -> str:
        self._secret = secrets.token_urlsafe(SECRET_BYTES)
        return name_of(self._secret, mark=self._mark)

    def encode(self, session_dict: dict[str, Any]) -> str:
        """Encrypted JSON."""
        return _cipher(settings.PITLEDGER_LOGIN_KEY).encrypt(json.dumps(session_dict).encode()).decode()

    def decode(self, session_data: str | bytes) -> dict[str, Any]:
        """Decrypt the output of `encode`; an empty session where it was made with another key."""
        try:
            text = _cipher(settings.PITLEDGER_LOGIN_KEY).decrypt(session_data)
            return cast("dict[str, Any]", json.loads(text))
        except (InvalidToken, ValueError):
            return {}


class SessionSecretMiddleware(SessionMiddleware):
    """Django's, with the secret in the cookie instead of the row's name."""

    def process_request(self, request: HttpRequest) -> None:
        """Load the session before the view."""
        cookie = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
        request.session = SessionStore.of_cookie(cookie, mark_of_request(request))

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Put the secret into the cookie after the view."""
        response = super().process_response(request, response)
        cookie = response.cookies.get(settings.SESSION_COOKIE_NAME)
        if cookie is not None and cookie.value and isinstance(request.session, SessionStore):
            response.cookies[settings.SESSION_COOKIE_NAME] = request.session.secret
        return response


def name_of(cookie: str, using: str = DEFAULT_DB_ALIAS, *, mark: str = "") -> str:
    """The name of the row of a session, by the secret in its cookie and the mark of the address where it counts."""
    content = "\0".join([place_of(using), *([mark] if mark else []), cookie]).encode()
    digest = hmac.digest(settings.PITLEDGER_LOGIN_KEY.encode(), content, hashlib.sha256)
    return _MARK + base64.urlsafe_b64encode(digest[:_NAME_BYTES]).decode().rstrip("=")


def place_of(using: str) -> str:
    """Return the mark that a copy of a database does not share: its file, or its cluster, timeline and table."""
    connection = connections[using]
    if connection.vendor == "sqlite":
        try:
            return str(os.stat(connection.settings_dict["NAME"]).st_ino)
        except OSError:  # in memory
            return ""
    connection.ensure_connection()
    place = getattr(connection, "pitledger_place", None)
    if place is None or place[0] is not connection.connection:
        with connection.cursor() as cursor:
            cursor.execute(_PLACE)
            place = (connection.connection, " ".join(cursor.fetchone()))
        connection.pitledger_place = place  # type: ignore[attr-defined]  # as long as this connection lasts
    return str(place[1])


def end_all() -> None:
    """Sign all people out."""
    Session.objects.all().delete()
    UserSession.objects.all().delete()


@cache
def _cipher(key: str) -> Fernet:
    return Fernet(base64.urlsafe_b64encode(hashlib.sha256(b"pitledger sessions\0" + key.encode()).digest()))
