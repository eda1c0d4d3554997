"""Readers at a table: a card shoe, a wheel, dice, a chip tray. A reader sends the actions of its kind, at its table.

Its readings are recorded in the name of the dealer at the table, with the reader as the device. Without a dealer at a
screen of the table they wait for an inspector's decision.
"""

from collections.abc import Mapping, Sequence

import msgspec
from django.utils import timezone
from msgspec.structs import replace

from backoffice.api.shared_command_desk import desk
from backoffice.models import BadgeSession, QueueEntry, TableDevice
from backoffice.table_screen import (
    badge_sessions,
    device_authentication,
    device_keys_and_signatures,
    queued_entry_structs_and_chain,
)
from backoffice.table_screen.queued_entry_structs_and_chain import Entry, SignedEntry
from events.envelope import Action, Who
from events.error_codes import coded
from events.errors import Forbidden

ACTIONS: Mapping[str, frozenset[str]] = {
    "card reader": frozenset({"card.deal", "cut_card.reach", "shoe.burn"}),
    "wheel reader": frozenset({"ball.launch", "ball.land"}),
    "dice reader": frozenset({"dice.roll"}),
    "chip tray": frozenset({"bet.place", "bet.withdraw", "bet.restake"}),
}


def is_of_kind(use: str, entry: Entry) -> bool:
    """Return whether all actions of an entry are those of such a reader."""
    return all(action.type in ACTIONS[use] for action in entry.actions)


def reader_of(signed: SignedEntry, table: str) -> TableDevice:
    """Return the reader that signed an entry. Raises Forbidden, Invalid."""
    entry = queued_entry_structs_and_chain.read(signed.body)
    device = TableDevice.objects.filter(pk=entry.device, table=table, use__in=ACTIONS).first()
    if device is None or not device_authentication.is_paired(device):
        raise Forbidden(coded("device-not-paired", table=table))
    if not device_keys_and_signatures.is_signed(device.public_key, signed.body, signed.signature):
        raise Forbidden(coded("reader-entry-unsigned"))
    if not is_of_kind(device.use, entry):
        raise Forbidden(coded("reader-actions", use=device.use, actions=sorted(ACTIONS[device.use])))
    return device


def dealer_at(table: str) -> list[BadgeSession]:
    """Return the session of the dealer at the table's screen; empty without a dealer."""
    rows = BadgeSession.objects.filter(
        device__table=table, role="dealer", ended_at=None, began_at__gt=timezone.now() - badge_sessions.LASTS
    )
    active = device_authentication.current_devices()
    sessions = [session for session in rows.order_by("-began_at") if active.is_active(session.device_id)]
    return sessions[:1]


def session_of(device: TableDevice, entry: Entry, sessions: Sequence[BadgeSession]) -> str:
    """Return the session in whose name an entry is recorded: of a reader, the dealer's."""
    if device.use in ACTIONS:
        return sessions[0].id if sessions else ""
    return entry.session


def completed(row: QueueEntry, person: str, actions: tuple[Action, ...]) -> tuple[Action, ...]:
    """Return a reader's actions with details from the procedure of the table: the place of a card.

    They are stored with the entry first: when it is sent again, it is sent with the same places.
    """
    if not row.completed:
        placed = [_placed(row.table, person, action) if action.type == "card.deal" else action for action in actions]
        row.completed = msgspec.json.encode(placed).decode()
        QueueEntry.objects.filter(pk=row.pk, completed="").update(completed=row.completed)
        row.refresh_from_db(fields=["completed"])
    return msgspec.json.decode(row.completed, type=tuple[Action, ...])


def _placed(table: str, person: str, action: Action) -> Action:
    data = msgspec.json.decode(action.data)
    if "to" in data:
        return action
    screen = desk().questions.screen(table, None, [Who(person=person, roles=frozenset())])
    step = next((step for step in screen.steps if step.do == action.type and step.refusal is None), None)
    if step is None:
        return action
    return replace(action, data=msgspec.Raw(msgspec.json.encode({**step.data, **data})))
