"""A pass: a message between the house's processes about a checked request, signed by the key of the house's logins.

One is for waiting: the front door has checked a badge. One is for acting: the process of the pages has checked the
login, and the time of its second factor. One names the client's address at the front door. No pass goes to a browser,
and a holder of a backup cannot make one, since it does not have that key.
"""

import time

import msgspec
from django.conf import settings
from django.core import signing

from events.error_codes import coded
from events.errors import Forbidden

HEADER = "Pitledger-Pass"
SCHEME = "Pitledger-Pass"  # of an Authorization that holds a pass for acting
GOOD_FOR_S = 60
ACT_WITHIN_S = 30
SOURCE = "Pitledger-Source"
HEADERS = frozenset({HEADER.lower(), SOURCE.lower()})  # which only the house itself sends on
_SALT = "pitledger.pass"
_SALT_OF_ACTING = "pitledger.pass.acting"
_SALT_OF_SOURCE = "pitledger.source"


def issued(person: str) -> str:
    """A pass for this person."""
    return signing.dumps(person, key=settings.PITLEDGER_LOGIN_KEY, salt=_SALT)


def holder(pass_text: str) -> str:
    """Return the person of a pass. Raises Forbidden for a foreign or expired one."""
    try:
        return str(signing.loads(pass_text, key=settings.PITLEDGER_LOGIN_KEY, salt=_SALT, max_age=GOOD_FOR_S))
    except signing.BadSignature as error:
        raise Forbidden(coded("waiting-needs-badge")) from error


class PassHolder(msgspec.Struct, frozen=True):
    """The holder of a pass for acting. `factor_s`: age of the second factor; `device`, `table`: of a table's screen."""

    person: str
    factor_s: int | None
    device: str | None = None
    table: str | None = None


def to_act(
    person: str, factor_at: float | None, secret: str | None = None, *, device: str = "", table: str = ""
) -> str:
    """A pass with which this person acts; `factor_at` is when they showed their second factor (None: they did not).

    `secret`: the key of another house's logins than this process's own, for demo and tests. `device` and `table`: the
    screen at which they act, and the table that it is paired with.
    """
    screen = [device, table] if device else []
    content = [person, factor_at, *screen]
    return signing.dumps(content, key=secret or settings.PITLEDGER_LOGIN_KEY, salt=_SALT_OF_ACTING)


def acting(pass_text: str) -> PassHolder:
    """Return the holder of a pass for acting. Raises Forbidden for a foreign or expired one."""
    try:
        person, factor_at, *screen = signing.loads(
            pass_text, key=settings.PITLEDGER_LOGIN_KEY, salt=_SALT_OF_ACTING, max_age=ACT_WITHIN_S
        )
    except signing.BadSignature as error:
        raise Forbidden(coded("pass-invalid")) from error
    return PassHolder(str(person), None if factor_at is None else age_s(factor_at), *screen)


def of_source(address: str, *, may_observe: bool = False) -> str:
    """Return the door's word on the address of a client, and on whether it may observe the house."""
    return signing.dumps([address, may_observe], key=settings.PITLEDGER_LOGIN_KEY, salt=_SALT_OF_SOURCE)


def source(pass_text: str) -> tuple[str, bool] | None:
    """The client's address and whether it may observe the house, by the door's word; None without one."""
    try:
        address, may_observe = signing.loads(
            pass_text, key=settings.PITLEDGER_LOGIN_KEY, salt=_SALT_OF_SOURCE, max_age=GOOD_FOR_S
        )
    except (signing.BadSignature, ValueError):
        return None
    return str(address), bool(may_observe)


def age_s(at: float) -> int:
    """Return the seconds since then. If the clock was set back, a time ahead counts as that old: nothing gets fresh
    again."""
    return abs(int(time.time() - at))
