"""The bridge: pairs a reader with its table, and sends the lines of a serial port, a TCP port or standard input."""

import contextlib
import queue
import socket
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

import httpx

from tools.readers.reader_line_parsing import action_of
from tools.readers.signed_reader_queue import ReaderFolder

RETRY_S = 1.0
WITHIN_S = 30.0
TRANSIENT = frozenset({429, 502, 503, 504})


class ReaderRejection(Exception):
    """The house refuses the reader or its queue: a person must look at it."""


def pair(reader: ReaderFolder, link: str, name: str, http: httpx.Client, wait_s: float = 300.0) -> str:
    """Pair the reader by the link of the pit's page; return its id. Raises ReaderRejection."""
    address = urlsplit(link)
    house, secret = f"{address.scheme}://{address.netloc}", address.fragment
    proof = reader.pairing(secret)
    body = {**proof.sent, "public_key": reader.jwk, "device_name": name}
    answer = http.post(f"{house}/table/pair", json=body)
    if answer.status_code != httpx.codes.OK:
        raise ReaderRejection(answer.json().get("detail", answer.text))
    answers = answer.json()
    digits = proof.digits(answers["nonce"])
    pairing_answer = http.post(f"{house}/table/pairings/{answers['pairing']}", json={"nonce": proof.nonce})
    if pairing_answer.status_code != httpx.codes.OK:
        raise ReaderRejection(pairing_answer.json().get("detail", pairing_answer.text))
    print(f"The pit's page must show these digits: {digits}", flush=True)
    until = time.monotonic() + wait_s
    while (state := _state(http, house, answers["pairing"])) == "waiting" and time.monotonic() < until:
        time.sleep(RETRY_S)
    if state != "confirmed":
        raise ReaderRejection(f"The pairing was not confirmed: {state}.")
    reader.keep(answers["device"], answers["table"], house)
    return str(answers["device"])


def _state(http: httpx.Client, house: str, pairing: str) -> str:
    return str(http.get(f"{house}/table/pairings/{pairing}").json().get("state", "unknown"))


def serve(reader: ReaderFolder, lines: Iterator[str], http: httpx.Client) -> int:
    """Send each line as it comes, and those that waited; return how many lines could not be read."""
    has_signal, wrong = send(reader, http), 0
    for line in _with_pauses(lines):
        if line.strip():
            try:
                reader.add(action_of(line), queued=not has_signal)
            except ValueError as error:
                wrong += 1
                print(error, file=sys.stderr, flush=True)
        has_signal = send(reader, http)
    while reader.waiting() and not send(reader, http):
        time.sleep(RETRY_S)
    return wrong


def send(reader: ReaderFolder, http: httpx.Client) -> bool:
    """Send the waiting actions in order; return whether the house answered. Raises ReaderRejection."""
    paired = reader.paired
    while entries := reader.waiting():
        sent_at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        try:
            body = {"entries": entries, "sent": sent_at}
            answer = http.post(f"{paired['house']}/table/{paired['table']}/reader", json=body)
        except httpx.TransportError:
            return False
        if answer.status_code in TRANSIENT:
            return False
        if answer.status_code != httpx.codes.OK:
            raise ReaderRejection(answer.json().get("detail", answer.text))
        for reply in answer.json()["answers"]:
            if reply["status"] in TRANSIENT:
                return False
            reader.strike(reply["seq"], reply)
            if problem := reply.get("problem"):
                print(f"entry {reply['seq']} refused: {problem['detail']}", file=sys.stderr, flush=True)
    return True


def _with_pauses(lines: Iterator[str]) -> Iterator[str]:
    """Yield the lines, and "" after each second without one, so that waiting actions are sent meanwhile."""
    taken_lines: queue.Queue[str | None] = queue.Queue()

    def read() -> None:
        for line in lines:
            taken_lines.put(line)
        taken_lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    while True:
        try:
            line = taken_lines.get(timeout=RETRY_S)
        except queue.Empty:
            line = ""
        if line is None:
            return
        yield line


def of_file(file: IO[str]) -> Iterator[str]:
    """Lines of standard input or of a serial device, which the system has set to its speed (`stty`)."""
    yield from iter(file.readline, "")


def of_tcp(host: str, port: int) -> Iterator[str]:
    """Lines of a reader that listens on a TCP port; connects again when the connection ends."""
    while True:
        with contextlib.suppress(OSError), socket.create_connection((host, port), timeout=WITHIN_S) as connection:
            connection.settimeout(None)
            yield from iter(connection.makefile(encoding="ascii", errors="replace").readline, "")
        time.sleep(RETRY_S)


def of_serial(path: Path) -> Iterator[str]:
    """Lines of a serial device; opens it again when it was unplugged."""
    while True:
        with contextlib.suppress(OSError), path.open(encoding="ascii", errors="replace") as file:
            yield from of_file(file)
        time.sleep(RETRY_S)
