"""People who sign in, for tests: enrolled through the real pages, with an authenticator app of their own."""

import time
from datetime import timedelta
from urllib.parse import parse_qs

from allauth.account.internal.flows import login
from allauth.mfa import app_settings
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.conf import settings
from django.contrib import auth
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone
from django.utils.crypto import get_random_string

from backoffice.models import Person
from backoffice.people import password_setup_links
from backoffice.people.session_store import SessionStore, name_of

PASSWORD = "amber kettle 7 rivers"
FACTORS = "/account/factors"


def code(secret: str) -> str:
    """Return the code that the authenticator app shows now."""
    shown: str = format_hotp_value(hotp_value(secret, int(time.time()) // app_settings.TOTP_PERIOD))
    return shown


def wrong_codes(secret: str, number: int = 1) -> list[str]:
    """Codes that the app shows at no moment of the next minutes, nor of the last ones."""
    now = int(time.time()) // app_settings.TOTP_PERIOD
    right = {format_hotp_value(hotp_value(secret, now + steps)) for steps in range(-20, 21)}
    return [code for code in map("{:06}".format, range(number + len(right))) if code not in right][:number]


def enrolled(person: str, client: Client | None = None) -> tuple[Client, str]:
    """Return a browser of a new person with a password and an authenticator app, and the app's secret."""
    client = client or Client()
    invited = password_setup_links.invite(person, "ada")
    assert client.post("/enrol", {"code": invited, "password": PASSWORD, "again": PASSWORD}).status_code == 302
    client.get(f"{FACTORS}/totp/activate/")
    secret: str = client.session["mfa.totp.secret"]
    assert client.post(f"{FACTORS}/totp/activate/", {"code": code(secret)}).status_code == 302
    return client, secret


def try_password(client: Client, person: str, password: str) -> int:
    """The status of an attempt to sign in; 302 is a right password."""
    return client.post("/sign-in", {"login": person, "password": password}).status_code


def next_page(location: str) -> str:
    """Return the page to which a redirection to the sign-in page will lead back."""
    return parse_qs(location.partition("?")[2])["next"][0]


def signed_in(client: Client, person: str) -> Client:
    """Return the browser of a person, signed in with both factors just now, without the slow sign-in pages."""
    client.cookies[settings.SESSION_COOKIE_NAME] = session_of(person)
    return client


def session_of(person: str, using: str = "default", seen_at: float | None = None) -> str:
    """Return the cookie of a person's new session in that database. `seen_at` is its last activity, by default now."""
    user, _new = Person.objects.using(using).get_or_create(id=person)
    content = {
        auth.SESSION_KEY: person,
        auth.BACKEND_SESSION_KEY: settings.AUTHENTICATION_BACKENDS[0],
        auth.HASH_SESSION_KEY: user.get_session_auth_hash(),
        "has_second_factor": True,
        "seen_at": time.time() if seen_at is None else seen_at,
        login.AUTHENTICATION_METHODS_SESSION_KEY: [{"method": how, "at": time.time()} for how in ("password", "mfa")],
        login._AUTHENTICATION_METHODS_USER_SESSION_KEY: person,
    }
    secret = get_random_string(32, "abcdefghijklmnopqrstuvwxyz0123456789")
    ends, text = timezone.now() + timedelta(hours=1), SessionStore().encode(content)
    Session.objects.using(using).create(session_key=name_of(secret, using), session_data=text, expire_date=ends)
    return secret
