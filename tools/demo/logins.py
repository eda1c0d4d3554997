"""The demo's logins: one person a role, a password and an authenticator's secret for all, printed and stored with the
data. No other house has such logins: printed secrets are no secrets.
"""

import os
import secrets
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
from allauth.mfa import app_settings
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth as totp

from backoffice.models import Person
from events.errors import Invalid
from tools.demo.demo_house_setup import PEOPLE

MARK = "this-is-a-demo"
LOGINS_FILE = "demo-logins.json"


class Logins(msgspec.Struct, frozen=True):
    """Logins by role; the password and the secret of the authenticator app, the same for all."""

    people: dict[str, str]
    password: str
    secret: str


def is_demo(data: Path) -> bool:
    """Return whether `./manage.py demo` made this folder."""
    return (data / MARK).exists()


def let_in(data: Path) -> Logins:
    """Let one person of each role in. Raises Invalid for a house that is not the demo's."""
    if not is_demo(data):
        raise Invalid("PITLEDGER_DATA", f"{data} is not a demo's: its people come in by ./manage.py people enrol")
    people = {role: person for person, (role, _name) in reversed(PEOPLE.items())}
    demo_logins = Logins(dict(reversed(people.items())), secrets.token_urlsafe(12), totp.generate_totp_secret())
    for person in demo_logins.people.values():
        _let_in(person, demo_logins)
    with os.fdopen(os.open(data / LOGINS_FILE, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as file:
        file.write(msgspec.json.encode(demo_logins))
    return demo_logins


def _let_in(person: str, demo_logins: Logins) -> None:
    user = Person.objects.get(id=person)
    user.set_password(demo_logins.password)
    user.save()
    Authenticator.objects.filter(user=user).delete()
    totp.TOTP.activate(user, demo_logins.secret)


def saved_logins(data: Path) -> Logins | None:
    """Return the logins of the demo played in this folder; None without one."""
    try:
        return msgspec.json.decode((data / LOGINS_FILE).read_bytes(), type=Logins)
    except FileNotFoundError:
        return None


def code(logins: Logins) -> str:
    """Return the present code of the authenticator app."""
    code_text: str = totp.format_hotp_value(
        totp.hotp_value(logins.secret, int(time.time()) // app_settings.TOTP_PERIOD)
    )
    return code_text


def lines(logins: Logins, port: int) -> Iterator[str]:
    """Yield the lines with everything that people need to sign in."""
    yield f"Sign in at http://localhost:{port}/ with the password {logins.password} and a code of an authenticator app"
    yield f"that knows the secret {logins.secret} (without one: ./manage.py demo --code), as one of"
    for role, person in logins.people.items():
        yield f"  {person}  {role}"
