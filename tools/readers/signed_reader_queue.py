"""A reader as a device of the house: its key, its signed entries, and its queue on disk. Nothing is lost by a kill."""

import base64
import hashlib
import hmac
import json
import os
import secrets
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

_QUEUE = """
CREATE TABLE IF NOT EXISTS entry (
    seq INTEGER PRIMARY KEY, digest TEXT NOT NULL, body TEXT NOT NULL, signature TEXT NOT NULL, answer TEXT
)
"""


class PairingProof:
    """A proof of the secret for a key. `sent` goes to the house first, `nonce` after the nonce of the house."""

    def __init__(self, secret: str, jwk: dict[str, str]) -> None:
        self._point = f"{jwk['x']}.{jwk['y']}"
        self._key = hashlib.sha256(secret.encode()).hexdigest()
        self.nonce = secrets.token_hex(32)
        commitment = hashlib.sha256(f"{self.nonce}.{self._point}".encode()).hexdigest()
        proof = hmac.new(self._key.encode(), f"{self._point}.{commitment}".encode(), hashlib.sha256).hexdigest()
        code = hashlib.sha256(f"code.{self._key}".encode()).hexdigest()
        self.sent = {"code": code, "commitment": commitment, "proof": proof}

    def digits(self, house_nonce: str) -> str:
        """Return the four digits that the pit's page shows as well, if no one put another key in between."""
        content = f"{self._key}.{self._point}.{self.nonce}.{house_nonce}".encode()
        return f"{int.from_bytes(hashlib.sha256(content).digest()[:4]) % 10_000:04}"


class ReaderFolder:
    """The folder of a reader: `key.pem`, which only its owner reads, `device.json`, and `queue.sqlite3`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._key = self._own_key()
        self._queue = sqlite3.connect(folder / "queue.sqlite3", isolation_level=None)
        self._queue.execute("PRAGMA journal_mode = WAL")
        self._queue.execute("PRAGMA synchronous = FULL")
        self._queue.execute(_QUEUE)

    @property
    def jwk(self) -> dict[str, str]:
        """The public half of the key."""
        numbers = self._key.public_key().public_numbers()
        return {"kty": "EC", "crv": "P-256", "x": _text(numbers.x), "y": _text(numbers.y)}

    @property
    def paired(self) -> dict[str, str]:
        """Return the device's id, table and house. Raises ValueError before it is paired."""
        try:
            keys: dict[str, str] = json.loads((self.folder / "device.json").read_text())
        except FileNotFoundError:
            raise ValueError("this reader is not paired yet: run `pair LINK` first") from None
        return keys

    def keep(self, device: str, table: str, house: str) -> None:
        """Keep with which table of which house the reader is paired."""
        (self.folder / "device.json").write_text(json.dumps({"device": device, "table": table, "house": house}))

    def pairing(self, secret: str) -> "PairingProof":
        """Return a new proof that this reader knows the secret of a code."""
        return PairingProof(secret, self.jwk)

    def add(self, action: dict[str, Any], *, queued: bool) -> None:
        """Sign an action as the next entry and write it to disk."""
        device = self.paired["device"]
        last = self._queue.execute("SELECT seq, digest FROM entry ORDER BY seq DESC LIMIT 1").fetchone()
        seq, prev = last or (0, hashlib.sha256(device.encode()).hexdigest())
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        entry = {"device": device, "session": "", "seq": seq + 1, "time": now, "queued": queued, "prev": prev}
        body = json.dumps({**entry, "actions": [action], "intent": "fact"})
        digest = hashlib.sha256(body.encode()).hexdigest()
        values = (seq + 1, digest, body, self._signature(body))
        self._queue.execute("INSERT INTO entry (seq, digest, body, signature) VALUES (?, ?, ?, ?)", values)

    def waiting(self, most: int = 50) -> list[dict[str, str]]:
        """Return the first entries without an answer, in order."""
        rows = self._queue.execute(
            "SELECT body, signature FROM entry WHERE answer IS NULL ORDER BY seq LIMIT ?", (most,)
        )
        return [{"body": body, "signature": signature} for body, signature in rows]

    def strike(self, seq: int, answer: dict[str, Any]) -> None:
        """Keep the house's answer to an entry: it is not sent again."""
        self._queue.execute("UPDATE entry SET answer = ? WHERE seq = ?", (json.dumps(answer), seq))

    def close(self) -> None:
        """Close the queue."""
        self._queue.close()

    def _signature(self, body: str) -> str:
        r, s = decode_dss_signature(self._key.sign(body.encode(), ec.ECDSA(hashes.SHA256())))
        return _base64(r.to_bytes(32) + s.to_bytes(32))

    def _own_key(self) -> ec.EllipticCurvePrivateKey:
        path = self.folder / "key.pem"
        if path.exists():
            key = serialization.load_pem_private_key(path.read_bytes(), None)
            assert isinstance(key, ec.EllipticCurvePrivateKey)
            return key
        key = ec.generate_private_key(ec.SECP256R1())
        form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(key.private_bytes(*form))
        return key


def _text(number: int) -> str:
    return _base64(number.to_bytes(32))


def _base64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")
