"""A pass: one of our processes has seen who somebody is, and tells another of our processes. Signed by Django's secret.

One is for waiting: the door has seen a badge. The other is for acting: the process of the pages has seen who is signed
in, and when they showed their second factor. Neither ever goes to a browser.
"""

import time

from django.core import signing

from events.errors import Forbidden

HEADER = "Pitledger-Pass"
SCHEME = "Pitledger-Pass"  # of an Authorization that holds a pass for acting
GOOD_FOR_S = 60
ACT_WITHIN_S = 30
_SALT = "pitledger.pass"
_SALT_OF_ACTING = "pitledger.pass.acting"


def issued(person: str) -> str:
    """A pass for this person."""
    return signing.dumps(person, salt=_SALT)


def holder(shown: str) -> str:
    """Whose it is. Raises Forbidden for one that is not ours, or old."""
    try:
        return str(signing.loads(shown, salt=_SALT, max_age=GOOD_FOR_S))
    except signing.BadSignature as error:
        raise Forbidden("waiting is asked of the web process, with a badge") from error


def to_act(person: str, factor_at: float | None, secret: str | None = None) -> str:
    """A pass with which this person acts; `factor_at` is when they showed their second factor (None: they did not).

    `secret`: that of another house than this process's own, for demo and tests.
    """
    return signing.dumps([person, factor_at], key=secret, salt=_SALT_OF_ACTING)


def acting(shown: str) -> tuple[str, int | None]:
    """Who acts, and how many seconds ago they showed a second factor. Raises Forbidden for a pass not ours, or old."""
    try:
        person, factor_at = signing.loads(shown, salt=_SALT_OF_ACTING, max_age=ACT_WITHIN_S)
    except signing.BadSignature as error:
        raise Forbidden("this pass is not ours, or too old") from error
    return str(person), None if factor_at is None else age_s(factor_at)


def age_s(at: float) -> int:
    """How many seconds ago that was. Where it lies ahead the clock was set back since, and nothing is fresh again by
    that: it counts as so old."""
    return abs(int(time.time() - at))
