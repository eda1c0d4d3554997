"""Decisions on waiting entries: those of a revoked device, or of a relief whose badge was not checked.

An inspector accepts or rejects each one as their own act. The event of the decision comes first. Of two decisions the
first one counts. After a crash, an accepted entry is carried out again under the same keys.
"""

from typing import Literal

import msgspec

from backoffice.models import QueueEntry, TableDevice
from backoffice.table_screen import device_authentication, received_entry_processing
from backoffice.table_screen.action_sending_to_front_door import DeskAnswer, DevicePerson, send
from backoffice.table_screen.received_entry_processing import OPEN, QueueAnswer
from events.envelope import Action
from events.error_codes import coded
from events.errors import Invalid, Unknown
from events.streams.stream_kind_declaration import Target

Decision = Literal["accept", "reject"]


class EntryDecision(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A decision at a screen: the session of the person who decides, the entry by device and number, its digest.

    A rejection has a reason.
    """

    session: str
    device: str
    entry: int
    digest: str
    decision: Decision
    reason: str = ""


def waiting_entry(table: str, device: str, seq: int) -> QueueEntry:
    """Return an entry at this table that waits for a decision. Raises Unknown."""
    row = QueueEntry.objects.filter(device=device, table=table, seq=seq).select_related("device").first()
    if row is None or row.state not in OPEN or (device, seq) in device_authentication.read_devices().rejected:
        raise Unknown(coded("queue-entry-not-held"))
    return row


def decide(at: TableDevice, person: str, decision: EntryDecision) -> QueueAnswer:
    """Carry out a decision that a person takes at the screen `at`. Raises Unknown, Invalid."""
    row = waiting_entry(at.table, decision.device, decision.entry)
    if row.digest != decision.digest:
        raise Invalid("digest", coded("queue-entry-not-held"))
    if decision.decision == "accept":
        return accept(row, person)
    return _of_refusal(row, _send(row, person, "device.reject_entry", reason=decision.reason)) or _rejected(row)


def accept(row: QueueEntry, person: str) -> QueueAnswer:
    """Accept an entry, and carry it out as the act of the person who accepted it first."""
    if not _acceptor(row):
        refused = _of_refusal(row, _send(row, person, "device.accept_entry"))
        if not _acceptor(row):
            return refused or QueueAnswer(seq=row.seq, status=503, state=row.state)
    return received_entry_processing.carry_out_as(row, _acceptor(row))


def _acceptor(row: QueueEntry) -> str:
    return device_authentication.read_devices().accepted_by(row.device_id, row.seq)


def _send(row: QueueEntry, person: str, kind: str, **fields: str) -> DeskAnswer:
    """Send the decision to the stream of devices, as the act of the person."""
    data = {"device": row.device_id, "entry": row.seq, "digest": row.digest, **fields}
    key = f"{row.device_id}:{row.seq}:{kind.partition('.')[2]}:{person}"
    action = Action(type=kind, key=key, data=msgspec.Raw(msgspec.json.encode(data)))
    return send(DevicePerson(person, row.device_id, row.table), Target("devices"), (action,), "atomic")


def _of_refusal(row: QueueEntry, answer: DeskAnswer) -> QueueAnswer | None:
    problem = next((reply for reply in answer.replies if "status" in reply), None)
    if problem is None:
        return None
    return QueueAnswer(seq=row.seq, status=int(problem["status"]), state=row.state, problem=problem)


def _rejected(row: QueueEntry) -> QueueAnswer:
    return QueueAnswer(seq=row.seq, status=200, state="rejected")
