"""Tablets without a browser as a process of its own: they pair, sign and queue as the page does, at a real pace.

`python -m tools.bench.simulated_tablets` takes its job as a line of JSON. It writes a line when all tablets wait for
their confirmation. After the next line of input the tablets play. Then it writes the milliseconds of entries and bare
actions.
"""

import base64
import gc
import hashlib
import json
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import httpx
import msgspec
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from tools.bench import generated_roulette_actions
from tools.bench.table_screen_bench_house import BARE, Badges
from tools.readers.signed_reader_queue import PairingProof

WITHIN_S = 20.0


class TabletsJob(msgspec.Struct, frozen=True):
    """Tablets at the tables of `badges` but for those of a browser; each taps every `pause_s` for `seconds`."""

    port: int
    badges: Badges
    tables: list[str]
    seconds: float
    pause_s: float


class TabletFigures(msgspec.Struct, frozen=True):
    """Milliseconds from entries of screens to their answers and to the state that follows, and of bare actions.

    `sent`: the number of entries of each device.
    """

    entries: list[float]
    states: list[float]
    bare: list[float]
    sent: dict[str, int]


class Tablet:
    """A device with a key of its own, and the cookies of its browser."""

    def __init__(self, job: TabletsJob, table: str) -> None:
        self._job, self.table = job, table
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._http = _client(job.port)
        self.seq, self.milliseconds, self.states = 0, list[float](), list[float]()

    def pair(self) -> None:
        """Send the key under the code of the table."""
        numbers = self._key.public_key().public_numbers()
        key = {"kty": "EC", "crv": "P-256", "x": _text(numbers.x), "y": _text(numbers.y)}
        proof = PairingProof(self._job.badges.secrets[self.table], key)
        paired = self._answer("/table/pair", {**proof.sent, "public_key": key, "device_name": "bench"})
        self.device = paired["device"]
        self._answer(f"/table/pairings/{paired['pairing']}", {"nonce": proof.nonce})
        self._digest = hashlib.sha256(self.device.encode()).hexdigest()

    def begin(self) -> None:
        """Exchange the dealer's badge for a session."""
        path = f"/table/{self.table}"
        self._http.headers["X-CSRFToken"] = self._http.get(f"{path}/state").json()["csrf"]
        scan = {"badge": self._job.badges.dealer, "role": "dealer"}
        self._session = self._answer(f"{path}/session", scan)["session"]

    def send(self, action: Any) -> None:
        """Sign an action as the next entry, send it and note how long the answer took."""
        self.seq += 1
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        entry = {"device": self.device, "session": self._session, "seq": self.seq, "time": now, "queued": False}
        actions = [{"type": action.type, "data": json.loads(bytes(action.data))}]
        body = json.dumps({**entry, "prev": self._digest, "actions": actions})
        self._digest = hashlib.sha256(body.encode()).hexdigest()
        signed = {"body": body, "signature": self._signature(body)}
        body_sent = {"entries": [signed], "group_refusals": True, "state_after": True}
        began = time.perf_counter()
        with self._http.stream("POST", f"/table/{self.table}/queue", json=body_sent) as response:
            lines = response.iter_lines()
            answer = json.loads(next(lines))
            self.milliseconds.append(1000 * (time.perf_counter() - began))
            if response.status_code != 200 or json.loads(next(lines))["layout"] is None:
                raise RuntimeError(f"{self.table}: {response.status_code} {answer}")
            self.states.append(1000 * (time.perf_counter() - began))
        if answer["answers"][0]["status"] != 200:
            raise RuntimeError(f"{self.table}: {answer['answers'][0]}")

    def _answer(self, path: str, body: Any) -> Any:
        response = self._http.post(path, json=body)
        if response.status_code != 200:
            raise RuntimeError(f"{path}: {response.status_code} {response.text[:300]}")
        return response.json()

    def _signature(self, body: str) -> str:
        r, s = decode_dss_signature(self._key.sign(body.encode(), ec.ECDSA(hashes.SHA256())))
        return _base64(r.to_bytes(32) + s.to_bytes(32))


class BareTerminal:
    """A terminal that sends bare actions, without a screen: those of the same rounds, at the same pace."""

    def __init__(self, job: TabletsJob, table: str) -> None:
        self._http, self.table = _client(job.port), table
        key = job.badges.device_keys[table]
        self._http.headers.update({"Authorization": f"Bearer {job.badges.dealer}", "Pitledger-Device": key})
        self.milliseconds = list[float]()

    def send(self, action: Any) -> None:
        """Send an action and note how long the answer took."""
        began = time.perf_counter()
        body = msgspec.json.encode(action)
        response = self._http.post(f"/api/v1/tables/{self.table}/actions", content=body)
        self.milliseconds.append(1000 * (time.perf_counter() - began))
        if response.status_code != 200:
            raise RuntimeError(f"{self.table}: {response.status_code} {response.text[:300]}")


def paced(job: TabletsJob, table: str, send: Callable[[Any], None], number: int) -> None:
    """Play whole rounds until the time is over."""
    rounds = generated_roulette_actions.RouletteTerminal(table, 0)
    began = time.perf_counter()
    due = began + job.pause_s * number / max(1, len(job.tables))
    while time.perf_counter() - began < job.seconds:
        for action in rounds.round():
            time.sleep(max(0.0, due - time.perf_counter()))
            due = max(due, time.perf_counter()) + job.pause_s
            send(action)


def measured(job: TabletsJob) -> TabletFigures:
    """Pair, wait for the line that says that the devices are confirmed, and play."""
    tablets = [Tablet(job, table) for table in job.tables if table not in BARE]
    for tablet in tablets:
        tablet.pair()
    _say(b"{}")
    sys.stdin.buffer.readline()
    for tablet in tablets:
        tablet.begin()
    terminals, failed = [BareTerminal(job, table) for table in BARE], list[BaseException]()
    players = [(tablet.table, tablet.send) for tablet in tablets]
    players += [(terminal.table, terminal.send) for terminal in terminals]

    def work(number: int, table: str, send: Callable[[Any], None]) -> None:
        try:
            paced(job, table, send, number)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number, *player)) for number, player in enumerate(players)]
    gc.freeze()  # a collection here would stop all tablets at once, and be taken for a time of the house
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return TabletFigures(
        [ms for tablet in tablets for ms in tablet.milliseconds],
        [ms for tablet in tablets for ms in tablet.states],
        [ms for terminal in terminals for ms in terminal.milliseconds],
        {tablet.device: tablet.seq for tablet in tablets},
    )


def _client(port: int) -> httpx.Client:
    headers = {"Host": f"localhost:{port}"}
    return httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=WITHIN_S, trust_env=False)


def _text(number: int) -> str:
    return _base64(number.to_bytes(32))


def _base64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _say(line: bytes) -> None:
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


def main() -> None:
    """Do the job that stands on the first line."""
    _say(msgspec.json.encode(measured(msgspec.json.decode(sys.stdin.buffer.readline(), type=TabletsJob))))


if __name__ == "__main__":
    main()
