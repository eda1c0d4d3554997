"""The webhook: an address of the installation gets the open items, signed, with a few retries.

Only the environment names the address. Redirections are not followed, and no proxy of the environment is used. A
message has ids, kinds and roles. It has no names, no amounts and no author of a request.
"""

import hashlib
import hmac
import logging
import time
from collections.abc import Sequence

import msgspec
from django.db.models import F

from backoffice.models import Told
from events.settings.settings_from_environment import settings

TRIES_MAX = 5
AT_ONCE = 200
WITHIN_S = 10.0
SIGNATURE = "Pitledger-Signature"

log = logging.getLogger(__name__)


class WaitingMatter(msgspec.Struct, frozen=True):
    """An open item. Its `id` stays the same, so that a person who has seen it may leave it out."""

    id: str
    kind: str
    state: str
    roles: tuple[str, ...]
    link: str


def post(waiting: Sequence[WaitingMatter]) -> int:
    """Send the items that were not sent yet; return the number accepted."""
    finished = set(
        Told.objects.filter(person="").exclude(is_done=False, tries__lt=TRIES_MAX).values_list("matter", flat=True)
    )
    due = [matter for matter in waiting if matter.id not in finished][:AT_ONCE]
    if not due:
        return 0
    rows = Told.objects.filter(person="", matter__in=[matter.id for matter in due])
    Told.objects.bulk_create([Told(person="", matter=matter.id) for matter in due], ignore_conflicts=True)
    rows.update(tries=F("tries") + 1)
    if not _took(msgspec.json.encode({"waiting": due})):
        return 0
    return rows.update(is_done=True)


def signature(body: bytes, at: int, key: str) -> str:
    """`t=SECONDS,v1=HEX`: the HMAC of the seconds, a dot and the body."""
    signed = hmac.new(key.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={signed}"


def _took(body: bytes) -> bool:
    import httpx  # here: most calls find nothing to tell

    house_settings = settings()
    headers = {
        "Content-Type": "application/json",
        SIGNATURE: signature(body, int(time.time()), house_settings.webhook_key),
    }
    try:
        with httpx.Client(timeout=WITHIN_S, follow_redirects=False, trust_env=False) as http:
            status = http.post(house_settings.webhook, content=body, headers=headers).status_code
    except httpx.HTTPError as error:
        log.warning("the webhook was not reached: %s", type(error).__name__)
        return False
    if not 200 <= status < 300:
        log.warning("the webhook answered %d", status)
    return 200 <= status < 300
