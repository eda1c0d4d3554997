"""Pairing of a device with a table: a secret for one use in two minutes, the device's key, four digits, a pit boss.

The secret is behind the # of the link in the QR code, which browsers never send. The device sends the public half of
a key of its own. Both sides show the same four digits. A pit boss confirms by `device.pair`.

The secret never travels. The device names it by a code, and proves it with a MAC over its public key and over a
commitment to a nonce. Then the house sends its own nonce, and the device opens the commitment. The digits depend on
the secret, the key and both nonces. A person between them who breaks TLS must choose a key before either nonce is
known: one guess in 10,000. The tablet's page computes the same.
"""

import hashlib
import hmac
import json
import re
import secrets
from datetime import timedelta
from typing import Literal

import msgspec
from django.db.models import F, QuerySet
from django.utils import timezone

from backoffice.models import TableDevice
from backoffice.table_screen import device_authentication, device_keys_and_signatures, queued_entry_structs_and_chain
from events.error_codes import coded
from events.errors import Conflict, Forbidden, Invalid
from events.floor.device_and_entry_decider import USES
from events.text.id_spelling_normalization import require_visible

CODE_FOR = timedelta(minutes=2)
CONFIRM_WITHIN = timedelta(minutes=5)
KEPT_FOR = timedelta(days=1)  # a code that paired nothing
_NONCE = re.compile(r"[0-9a-f]{32,128}")
State = Literal["open", "waiting", "confirmed", "revoked", "refused", "expired"]


class PairingRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body with which a device asks to be paired. `code` names the secret, `proof` is made with it."""

    code: str
    public_key: msgspec.Raw
    commitment: str
    proof: str
    device_name: str = ""


def invite(table: str, use: str, by: str) -> tuple[TableDevice, str]:
    """Return a new pairing and its secret, which is shown once."""
    if use not in USES:
        raise Invalid("use", coded("one-of-these", known=list(USES)))
    now, secret = timezone.now(), secrets.token_urlsafe(24)
    paired = device_authentication.read_devices().paired
    TableDevice.objects.filter(made_at__lt=now - KEPT_FOR).exclude(id__in=list(paired)).delete()
    id_ = f"{table}-{secrets.token_hex(4)}"
    device = TableDevice.objects.create(
        id=id_,
        table=table,
        use=use,
        secret=key_of(secret),
        made_by=by,
        made_at=now,
        ends_at=now + CODE_FOR,
        last_digest=queued_entry_structs_and_chain.first_digest(id_),
    )
    return device, secret


def answer(request: PairingRequest, credential: str) -> TableDevice:
    """Take a device's key. Raises Conflict for a code that is unknown, used or too old, Forbidden for a wrong proof."""
    key = device_keys_and_signatures.canonical(msgspec.json.decode(request.public_key))
    name = request.device_name.strip()[:80]
    require_visible(name, "device_name")
    invited = _invited(request.code)
    if not _is_same(request.proof, _proof_of(invited.secret, key, request.commitment)):
        raise Forbidden(coded("pairing-proof"))
    now, rows = timezone.now(), TableDevice.objects.filter(pk=invited.pk)
    taken_count = rows.filter(public_key="", refused_at=None, ends_at__gt=now).update(
        public_key=key,
        fingerprint=device_keys_and_signatures.fingerprint(key),
        commitment=request.commitment[:64],
        house_nonce=secrets.token_hex(16),
        name=name,
        cookie=credential,
        ends_at=now + CONFIRM_WITHIN,
    )
    if not taken_count and not _repeat(rows, key, request.commitment, credential):
        rows.exclude(public_key="").update(used_again=F("used_again") + 1)
        raise Conflict(coded("pairing-code-used"))
    return rows.get()


def _repeat(rows: QuerySet[TableDevice], key: str, commitment: str, credential: str) -> bool:
    """Give the same device a new credential, where the answer to its first request was lost. Return whether it is the
    same one: its key and its commitment are, and its digits are not shown yet."""
    waiting = rows.filter(public_key=key, commitment=commitment[:64], digits="", refused_at=None)
    return bool(waiting.filter(ends_at__gt=timezone.now()).update(cookie=credential))


def _invited(code: str) -> TableDevice:
    """Return the pairing of a code, used or not. Raises Conflict."""
    recent = TableDevice.objects.filter(made_at__gt=timezone.now() - KEPT_FOR)
    codes = (device for device in recent if _is_same(code, _code_of(device.secret)))
    if (device := next(codes, None)) is None:
        raise Conflict(coded("pairing-code-used"))
    return device


def reveal(device: TableDevice, nonce: str) -> TableDevice:
    """Take the nonce to which a device committed, once; both sides have the digits then. Raises Conflict, Invalid."""
    _require_nonce(nonce)
    if not _is_same(_commitment_of(nonce, device.public_key), device.commitment):
        refuse(device)
        raise Forbidden(coded("pairing-proof"))
    digits = pairing_digits(device.secret, device.public_key, nonce, device.house_nonce)
    TableDevice.objects.filter(pk=device.pk, digits="", refused_at=None).update(digits=digits)
    device.refresh_from_db()
    if device.digits != digits:
        raise Conflict(coded("pairing-code-used"))
    return device


def refuse(device: TableDevice) -> None:
    """Refuse a waiting device: its digits differ, or it is unknown."""
    TableDevice.objects.filter(pk=device.pk, refused_at=None).update(refused_at=timezone.now())


def state_of(device: TableDevice) -> State:
    """Return how far a pairing is."""
    devices = device_authentication.read_devices()
    if device.id in devices.revoked:
        return "revoked"
    if device.public_key and device_authentication.is_paired(device):
        return "confirmed"
    if device.refused_at is not None:
        return "refused"
    if device.ends_at <= timezone.now():
        return "expired"
    return "waiting" if device.public_key else "open"


def key_of(secret: str) -> str:
    """Return the key of a secret, which the house keeps: its SHA-256, in hex."""
    return _sha256(secret)


def _code_of(key: str) -> str:
    """Return the name of a code in a device's messages; it reveals nothing about the secret."""
    return _sha256(f"code.{key}")


def _commitment_of(nonce: str, public_key: str) -> str:
    """Return the commitment to a nonce and a canonical public key."""
    return _sha256(f"{nonce}.{_point(public_key)}")


def _proof_of(key: str, public_key: str, commitment: str) -> str:
    """Return the device's proof that it knows the secret, for this key and this commitment alone."""
    content = f"{_point(public_key)}.{commitment}".encode()
    return hmac.new(key.encode(), content, hashlib.sha256).hexdigest()


def pairing_digits(key: str, public_key: str, nonce: str, house_nonce: str) -> str:
    """Return the four digits that tablet and pit page show."""
    content = f"{key}.{_point(public_key)}.{nonce}.{house_nonce}".encode()
    return f"{int.from_bytes(hashlib.sha256(content).digest()[:4]) % 10_000:04}"


def _require_nonce(nonce: str) -> None:
    """Raises Invalid for less than 16 bytes in hex."""
    if not _NONCE.fullmatch(nonce):
        raise Invalid("nonce", coded("pairing-nonce"))


def _is_same(digits_text: str, expected: str) -> bool:
    """Compare two texts in constant time."""
    return hmac.compare_digest(digits_text.encode(), expected.encode())


def _point(public_key: str) -> str:
    jwk = json.loads(public_key)
    return f"{jwk['x']}.{jwk['y']}"


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
