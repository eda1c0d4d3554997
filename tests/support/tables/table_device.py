"""A tablet as its browser behaves: a key of its own, its cookies, and a signed queue."""

import base64
import json
from collections.abc import Sequence
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from django.test import Client

from backoffice.table_screen import pairing
from backoffice.table_screen.queued_entry_structs_and_chain import digest_of, first_digest
from events.runtime import clock
from tests.support.houses.small_house import House
from tools.readers.signed_reader_queue import PairingProof

JSON = "application/json"


def encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


class Tablet:
    """A device and its browser. `device` is "" until it is paired."""

    def __init__(self, table: str = "FR1") -> None:
        self.table, self.device, self.digits = table, "", ""
        self.client = Client()
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.seq, self.prev = 0, ""
        self.sessions: dict[str, str] = {}

    @property
    def jwk(self) -> dict[str, str]:
        numbers = self.key.public_key().public_numbers()
        x, y = (encoded(number.to_bytes(32)) for number in (numbers.x, numbers.y))
        return {"kty": "EC", "crv": "P-256", "x": x, "y": y}

    def post(self, path: str, body: Any, **headers: str) -> Any:
        return self.client.post(path, json.dumps(body), JSON, headers=headers or None)

    def pair(self, secret: str, name: str = "Tablet") -> Any:
        proof = PairingProof(secret, self.jwk)
        answer = self.post("/table/pair", {**proof.sent, "public_key": self.jwk, "device_name": name})
        if answer.status_code != 200:
            return answer
        self.device = answer.json()["device"]
        self.prev, self.digits = first_digest(self.device), proof.digits(answer.json()["nonce"])
        return self.post(f"/table/pairings/{self.device}", {"nonce": proof.nonce})

    def come(self, badge: str, role: str = "dealer", **fields: str) -> Any:
        answer = self.post(f"/table/{self.table}/session", {"badge": badge, "role": role, **fields})
        if answer.status_code == 200:
            self.sessions[role] = answer.json()["session"]
        return answer

    def state(self) -> Any:
        return self.client.get(f"/table/{self.table}/state")

    def sign(self, body: str) -> dict[str, str]:
        r, s = decode_dss_signature(self.key.sign(body.encode(), ec.ECDSA(hashes.SHA256())))
        return {"body": body, "signature": encoded(r.to_bytes(32) + s.to_bytes(32))}

    def entry(self, *actions: dict[str, Any], role: str = "dealer", **fields: Any) -> dict[str, str]:
        """The next entry of the chain, signed."""
        self.seq += 1
        content = {
            "device": self.device,
            "session": fields.pop("session", None) or self.sessions.get(role, ""),
            "seq": self.seq,
            "time": fields.pop("time", None) or clock.event_time(clock.moment()),
            "queued": fields.pop("queued", False),
            "prev": self.prev,
            "actions": list(actions),
            **fields,
        }
        body = json.dumps(content)
        self.prev = digest_of(body)
        return self.sign(body)

    def send(self, entries: Sequence[dict[str, str]], **fields: Any) -> Any:
        return self.post(f"/table/{self.table}/queue", {"entries": list(entries), **fields})


def act(kind: str, /, **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data}


def paired(house: House, table: str = "FR1", use: str = "screen") -> Tablet:
    """A tablet that paul has paired with the table."""
    tablet = Tablet(table)
    device, secret = pairing.invite(table, use, "paul")
    assert tablet.pair(secret).status_code == 200
    device.refresh_from_db()
    about = {"device": device.pk, "table": table, "use": use, "key": device.fingerprint}
    house.ok("devices", "", "paul", house.action("device.pair", **about))
    return tablet
