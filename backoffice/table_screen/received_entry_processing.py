"""The queue of a device on the house's side: entries are taken in order, each once, then carried out and answered.

An entry is carried out and stored with its answer in one transaction. After a kill in between, the device sends it
again: it is carried out under the same keys, so no action is done twice. An entry that the house cannot answer now is
stored first. A repeated entry gets its first answer.
"""

import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from django.db import IntegrityError, transaction

from backoffice.kit import precomposed_row_statements
from backoffice.models import BadgeSession, QueueEntry, TableDevice
from backoffice.table_screen import (
    device_authentication,
    device_keys_and_signatures,
    queued_entry_structs_and_chain,
    reader_entry_checks_and_completion,
    refused_entry_and_signal_loss_events,
)
from backoffice.table_screen.action_sending_to_front_door import DeskAnswer, DevicePerson, send
from backoffice.table_screen.queued_entry_structs_and_chain import ChainBreak, Entry, SignedEntry
from backoffice.wording.error_code_sentences import in_active_language
from events.error_codes import coded
from events.errors import Busy, Invalid
from events.runtime import clock
from events.streams.stream_kind_declaration import Target

RELIEF = "relief-"  # a session of this name waits for the badge of a person who came without signal
DIFFERENCE_MS = 1_000  # of the clocks, from which on the device's times are corrected
RETENTION_DAYS = 90  # of answered entries: a device repeats entries without an answer
WAITING_MAX = 10_000  # entries of a device that wait for a decision
OPEN = ("unverified", "held")
_encode = msgspec.json.Encoder().encode
_locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
_nothing_taken: set[str] = set()  # devices without a taken entry that waits for the house; one process takes all


class QueueAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The answer to an entry. `status`: of HTTP, 202 while it waits, then `state` is the cause.

    `replies`: the desk's, one for each action. `problem` is the first refused one.
    """

    seq: int
    status: int
    state: str
    position: int = 0
    replies: list[dict[str, Any]] = []
    problem: dict[str, Any] | None = None


class Clock(msgspec.Struct, frozen=True):
    """The device's clock against the house's: milliseconds by which it is behind; 0 where they agree."""

    behind_ms: int = 0

    def to_house_time(self, time: str, now: datetime) -> datetime:
        """Return a device's time by the house's clock, never ahead of it. Raises Invalid."""
        try:
            moment = datetime.fromisoformat(time)
        except ValueError as error:
            raise Invalid("time", coded("device-time-format")) from error
        if moment.tzinfo is None:
            raise Invalid("time", coded("device-time-format"))
        try:
            return min(moment.astimezone(UTC) + timedelta(milliseconds=self.behind_ms), now)
        except OverflowError as error:  # beyond the years that a clock shows
            raise Invalid("time", coded("device-time-format")) from error


def clock_of(device: TableDevice, sent_at: str | None) -> Clock:
    """Return the device's clock, by the time `sent_at` that it shows now; a difference is kept with the device."""
    now = clock.moment()
    if sent_at is None:
        return Clock(device.clock_behind_ms)
    house_time = Clock().to_house_time(sent_at, datetime.max.replace(tzinfo=UTC))
    behind = round((now - house_time).total_seconds() * 1_000)
    behind = behind if abs(behind) > DIFFERENCE_MS else 0
    if abs(behind - device.clock_behind_ms) > DIFFERENCE_MS / 2:
        device.clock_behind_ms = behind
        TableDevice.objects.filter(pk=device.pk).update(clock_behind_ms=behind)
    return Clock(behind)


def receive(
    device: TableDevice, sessions: Sequence[BadgeSession], signed_entries: Sequence[SignedEntry], device_clock: Clock
) -> list[QueueAnswer]:
    """Take entries in order and carry them out; one answer for each. Raises ChainBreak for the first that is not the
    next one; those before it are taken."""
    with _locks[device.pk]:  # one process takes all entries; two requests at once wait for each other
        numbers = frozenset(_numbers(signed_entries))
        carried_out = run(device, sessions)
        rows: list[QueueEntry] = []
        try:
            rows.extend(_take(device, sessions, signed, device_clock, numbers) for signed in signed_entries)
        except ChainBreak as broken:
            refused_entry_and_signal_loss_events.keep_refused_entry(device, broken)
            run(device, sessions)
            raise
        carried_out |= run(device, sessions)
        answers = [answer_of(row) for row in _rows_with_answers(rows, carried_out)]
        refused_entry_and_signal_loss_events.report_signal_loss(device, sessions[0].person if sessions else "")
        return answers


def run(device: TableDevice, sessions: Sequence[BadgeSession] = ()) -> dict[int, QueueEntry]:
    """Carry out the taken entries of a device in order, up to the first that the house cannot answer now; return those
    that it answered. `sessions`: people who are known to be at the device."""
    carried_out: dict[int, QueueEntry] = {}
    if device.pk in _nothing_taken:
        return carried_out
    for row in QueueEntry.objects.filter(device=device, state="taken").select_related("device").order_by("seq"):
        if not _carry_out(row, queued_entry_structs_and_chain.read(row.body), _person_at(sessions, row)):
            return carried_out
        carried_out[row.pk] = row
    _nothing_taken.add(device.pk)
    return carried_out


def _person_at(sessions: Sequence[BadgeSession], row: QueueEntry) -> str:
    return next((session.person for session in sessions if session.id == row.session), "") or person_of(row)


def answer_of(row: QueueEntry) -> QueueAnswer:
    """Return the first answer of an entry, or the reason why it waits."""
    if row.answer:
        answer = msgspec.json.decode(row.answer, type=QueueAnswer)
        problem = in_active_language(answer.problem) if answer.problem else None
        return msgspec.structs.replace(answer, problem=problem)
    return QueueAnswer(seq=row.seq, status=503 if row.state == "taken" else 202, state=row.state)


def person_of(row: QueueEntry) -> str:
    """Return the person who made an entry: of its session, or of the badge that confirmed its relief; "" unknown."""
    rows = BadgeSession.objects.filter(device__table=row.table)
    rows = rows.filter(relief=row.session) if row.session.startswith(RELIEF) else rows.filter(id=row.session)
    return rows.values_list("person", flat=True).first() or ""


def carry_out_as(row: QueueEntry, person: str) -> QueueAnswer:
    """Carry out an entry that waited, as the act of an inspector who decided so."""
    with _locks[row.device_id]:
        row.refresh_from_db()
        if row.state in OPEN:
            _carry_out(row, queued_entry_structs_and_chain.read(row.body), person)
            refused_entry_and_signal_loss_events.report_signal_loss(row.device, person)
    return answer_of(row)


def verify_relief(device: TableDevice, relief: str, person: str) -> None:
    """Take the entries of a relief without signal, now that the badge was checked, and carry them out."""
    with _locks[device.pk]:
        rejected = [seq for name, seq in device_authentication.read_devices().rejected if name == device.pk]
        rows = QueueEntry.objects.filter(device=device, session=relief, state="unverified")
        rows.exclude(seq__in=rejected).update(state="taken")
        _nothing_taken.discard(device.pk)
        run(device)
        refused_entry_and_signal_loss_events.report_signal_loss(device, person)


def _numbers(sent: Sequence[SignedEntry]) -> Iterator[int]:
    for signed in sent:
        try:
            yield queued_entry_structs_and_chain.read(signed.body).seq
        except Invalid:
            continue


def _take(
    device: TableDevice,
    sessions: Sequence[BadgeSession],
    signed_entry: SignedEntry,
    device_clock: Clock,
    numbers: frozenset[int],
) -> QueueEntry:
    """Take an entry as the next one, or as one that was taken before. Raises ChainBreak."""
    try:
        return _take_entry(device, sessions, signed_entry, device_clock, numbers)
    except ChainBreak:
        last = device.last_seq
        device.refresh_from_db()  # another request may have brought entries since this one read the device
        if device.last_seq == last:
            raise
    return _take_entry(device, sessions, signed_entry, device_clock, numbers)


def _take_entry(
    device: TableDevice,
    sessions: Sequence[BadgeSession],
    signed_entry: SignedEntry,
    device_clock: Clock,
    numbers: frozenset[int],
) -> QueueEntry:
    digest = queued_entry_structs_and_chain.digest_of(signed_entry.body)
    if not device_keys_and_signatures.is_signed(device.public_key, signed_entry.body, signed_entry.signature):
        raise ChainBreak("queue-entry-changed", _number(signed_entry, device), digest)
    entry = queued_entry_structs_and_chain.read(signed_entry.body)
    if entry.device != device.pk:
        raise ChainBreak("queue-entry-changed", entry.seq, digest)
    if entry.seq <= device.last_seq:
        return _taken_before(device, entry.seq, digest)
    queued_entry_structs_and_chain.require_next(entry, device.last_seq, device.last_digest, numbers)
    session = reader_entry_checks_and_completion.session_of(device, entry, sessions)
    row = _row_of(device, signed_entry, entry, (_state(device, entry, sessions), session), device_clock)
    if (
        row.state == "taken"
        and device.use not in reader_entry_checks_and_completion.ACTIONS
        and device.pk in _nothing_taken
    ):
        _send_to_desk(row, entry, _person_at(sessions, row))
    return _store(row, entry)


def _taken_before(device: TableDevice, seq: int, digest: str) -> QueueEntry:
    """Return an entry that was taken before; one without its answer where the entry is deleted. Raises ChainBreak."""
    row = QueueEntry.objects.filter(device=device, seq=seq).first()
    if row is None:
        answer = _encode(QueueAnswer(seq=seq, status=200, state="done")).decode()
        return QueueEntry(device=device, seq=seq, digest=digest, state="done", answer=answer)
    if row.digest != digest:
        raise ChainBreak("queue-entry-changed", seq, digest)
    if row.state == "taken":
        _nothing_taken.discard(device.pk)
    return row


def delete_old(table: str) -> int:
    """Delete the answered entries of a table after their retention; return their number. Their events stay."""
    before = clock.moment() - timedelta(days=RETENTION_DAYS)
    rows = QueueEntry.objects.filter(table=table, received_at__lt=before, state="done")
    return rows.exclude(is_queued=True, is_reported=False).delete()[0]


def _number(signed: SignedEntry, device: TableDevice) -> int:
    """Return the number that a changed entry names, or that of the next one."""
    try:
        return queued_entry_structs_and_chain.read(signed.body).seq
    except Invalid:
        return int(device.last_seq) + 1


def _state(device: TableDevice, entry: Entry, sessions: Sequence[BadgeSession]) -> str:
    """Return whether an entry is carried out ("taken"), waits for a badge, or for an inspector's decision."""
    if not device_authentication.current_devices().is_active(device.pk):
        return "held"
    if device.use in reader_entry_checks_and_completion.ACTIONS:
        return "taken" if reader_entry_checks_and_completion.is_of_kind(device.use, entry) and sessions else "held"
    if any(entry.session in (session.id, session.relief) for session in sessions):
        return "taken"
    return "unverified" if entry.queued and entry.session.startswith(RELIEF) else "held"


def _row_of(
    device: TableDevice,
    signed_entry: SignedEntry,
    entry: Entry,
    state_and_session: tuple[str, str],
    device_clock: Clock,
) -> QueueEntry:
    """Return an entry as it is to be stored; `state_and_session`: the reported state and session. Raises Busy."""
    state, session = state_and_session
    now = clock.moment()
    if state in OPEN and QueueEntry.objects.filter(device=device, state__in=OPEN).count() >= WAITING_MAX:
        raise Busy(coded("queue-full", count=WAITING_MAX))
    return QueueEntry(
        device=device,
        table=device.table,
        seq=entry.seq,
        digest=queued_entry_structs_and_chain.digest_of(signed_entry.body),
        body=signed_entry.body,
        signature=signed_entry.signature,
        session=session[:64],
        is_queued=entry.queued,
        time=device_clock.to_house_time(entry.time, now),
        received_at=now,
        state=state,
    )


def _store(row: QueueEntry, entry: Entry) -> QueueEntry:
    """Store an entry as the next one of its device, with its answer where it has one. Raises ChainBreak."""
    device = row.device
    before = {"id": device.pk, "last_seq": entry.seq - 1, "last_digest": entry.prev}
    after = {"last_seq": entry.seq, "last_digest": row.digest, "seen_at": row.received_at}
    try:
        with transaction.atomic():
            if not precomposed_row_statements.update(TableDevice, before, **after):
                raise IntegrityError
            precomposed_row_statements.insert(row)
    except IntegrityError:  # another request was faster
        device.refresh_from_db()
        return _stored_before(device, entry.seq, row.digest)
    device.last_seq, device.last_digest, device.seen_at = entry.seq, row.digest, row.received_at
    if row.state == "taken":
        _nothing_taken.discard(device.pk)
    if entry.queued:
        refused_entry_and_signal_loss_events.note_entry_without_signal(device)
    return row


def _stored_before(device: TableDevice, seq: int, digest: str) -> QueueEntry:
    """Return an entry that another request has stored. Raises ChainBreak for another one with its number."""
    row = QueueEntry.objects.filter(device=device, seq=seq, digest=digest).first()
    if row is None:
        raise ChainBreak("queue-entry-changed", seq, digest)
    return row


def _carry_out(row: QueueEntry, entry: Entry, person: str) -> bool:
    """Carry out a stored entry and keep the answer; False where the house cannot answer now."""
    if not _send_to_desk(row, entry, person):
        return False
    QueueEntry.objects.filter(pk=row.pk, answer="").update(state=row.state, answer=row.answer)
    return True


def _send_to_desk(row: QueueEntry, entry: Entry, person: str) -> bool:
    """Send an entry's actions to the desk and note the answer; False where the house cannot answer now."""
    time = row.time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    target = Target("tables", row.table, entry.gaming_day)
    mode = "each" if entry.queued else entry.mode
    actions = entry.to_actions(time)
    if row.device.use in reader_entry_checks_and_completion.ACTIONS:
        actions = reader_entry_checks_and_completion.completed(row, person, actions)
    answer = send(DevicePerson(person, row.device_id, row.table), target, actions, mode)
    if answer.is_final:
        row.state, row.answer = "done", _encode(_of_desk(row.seq, answer)).decode()
    return answer.is_final


def _of_desk(seq: int, answer: DeskAnswer) -> QueueAnswer:
    problems = [reply for reply in answer.replies if "status" in reply]
    status = int(problems[0]["status"]) if problems else answer.status
    return QueueAnswer(
        seq=seq,
        status=status,
        state="done",
        position=answer.position,
        replies=answer.replies,
        problem=problems[0] if problems else None,
    )


def _rows_with_answers(rows: Sequence[QueueEntry], carried_out: dict[int, QueueEntry]) -> list[QueueEntry]:
    """Return the rows with their answers; another request may have carried one out."""
    unanswered = [row.pk for row in rows if not row.answer and row.pk not in carried_out]
    fresh = carried_out | (QueueEntry.objects.in_bulk(unanswered) if unanswered else {})
    return [fresh.get(row.pk, row) for row in rows]
