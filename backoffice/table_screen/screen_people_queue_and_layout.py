"""State of a screen: the table's layout, the people at the screen, the device's queue, and their open items."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from django.utils.text import capfirst

from backoffice.api.shared_command_desk import desk
from backoffice.forms.request_and_action_wording import action_lines
from backoffice.kit.reader_and_read_rule_types import Reader
from backoffice.models import BadgeSession, QueueEntry, RefusedEntry, TableDevice
from backoffice.people import staff_list_and_name_lookup
from backoffice.people.current_roles import roles_of
from backoffice.table_screen import badge_sessions, device_authentication
from backoffice.table_screen.pen_of_last_recording_device import Pen, pen_of
from backoffice.table_screen.reader_entry_checks_and_completion import ACTIONS
from backoffice.table_screen.received_entry_processing import OPEN
from backoffice.tables.open_and_cleared_irregularities import IrregularityShown, open_irregularities
from backoffice.tables.screen_translation import in_language, translator
from backoffice.wording.code_to_word_translation import word
from backoffice.wording.stream_currencies import currency_at
from events.envelope import Who
from events.errors import Unknown
from events.runtime import clock
from events.tables.screen.step_refusals_by_decider import Refusal

WAITING_SHOWN = 100
READINGS_SHOWN = 5


class SessionShown(msgspec.Struct, frozen=True):
    """A person at this screen."""

    session: str
    person: str
    role: str
    name: str


class DeviceShown(msgspec.Struct, frozen=True):
    """This device and the end of its queue. `clock_behind_ms`: against the house's clock, 0 where both are equal."""

    id: str
    table: str
    use: str
    is_active: bool
    last_seq: int
    last_digest: str
    clock_behind_ms: int


class WaitingEntry(msgspec.Struct, frozen=True):
    """An entry that waits: for a badge ("unverified") or for an inspector's decision ("held").

    `content` has a sentence for each of its actions.
    """

    device: str
    seq: int
    digest: str
    state: str
    session: str
    time: str
    actions: list[dict[str, Any]]
    content: list[str]


class RefusedShown(msgspec.Struct, frozen=True):
    """An entry that was changed, missing or out of order."""

    device: str
    seq: int
    code: str
    at: str
    label: str


class ReadingShown(msgspec.Struct, frozen=True):
    """An entry of a card, wheel or dice reader or of a chip tray, in words."""

    device: str
    use: str
    time: str
    content: list[str]


class PlaceRefusals(msgspec.Struct, frozen=True):
    """A refusal with all places that it closes, each with its seat or box (None: at every one)."""

    refusal: Refusal
    places: list[tuple[str, int | None]]


class ScreenState(msgspec.Struct, frozen=True, kw_only=True):
    """The whole content of a screen. `layout` is null without a person at the screen. `readings` are the latest entries
    of readers at the table, for people at the screen. `waits`, `refused` and `irregularities` are for people who lead
    the table.

    `place_refusals`: the places that take no chip now, by their refusal, in place of the layout's `refused_places`.
    """

    layout: Any
    me: list[SessionShown]
    roles: list[str]
    device: DeviceShown
    position: int
    house_time: str
    pen: Pen | None
    waits: list[WaitingEntry]
    refused: list[RefusedShown]
    readings: list[ReadingShown]
    irregularities: list[IrregularityShown]
    names: dict[str, str]
    csrf: str
    place_refusals: list[PlaceRefusals] | msgspec.UnsetType = msgspec.UNSET


def with_grouped_refusals(state: ScreenState) -> ScreenState:
    """Return a state that has each refusal of places once: a tenth of its size where all places are closed."""
    if state.layout is None:
        return state
    groups: dict[int, PlaceRefusals] = {}  # by identity: one refusal closes many places
    for refused_place in state.layout.refused_places:
        refusal = refused_place.refusal
        group = groups.setdefault(id(refusal), PlaceRefusals(refusal, []))
        group.places.append((refused_place.place, refused_place.seat))
    layout = msgspec.structs.replace(state.layout, refused_places=())
    return msgspec.structs.replace(state, layout=layout, place_refusals=list(groups.values()))


def state_of(device: TableDevice, sessions: Sequence[BadgeSession], csrf: str) -> ScreenState:
    """Return the state of a screen for the people at it."""
    layout = _layout(device, sessions)
    names = _names(sessions)
    is_led = any(session.role != "dealer" for session in sessions)
    return ScreenState(
        layout=layout,
        me=[
            SessionShown(session.id, session.person, session.role, names.get(session.person, ""))
            for session in sessions
        ],
        roles=list(badge_sessions.ROLES),
        device=_device(device),
        position=layout.position if layout is not None else 0,
        house_time=clock.event_time(clock.moment()),
        pen=pen_of(device),
        waits=waiting_entries(device.table) if is_led else [],
        refused=refused_entries(device.table) if is_led else [],
        readings=readings(device.table) if sessions else [],
        irregularities=open_irregularities(layout.stream, layout.currency) if is_led and layout is not None else [],
        names=names,
        csrf=csrf,
    )


def waiting_entries(table: str) -> list[WaitingEntry]:
    """Return the entries at a table that wait for a badge or a decision, without those that were rejected."""
    rejected = device_authentication.current_devices().rejected
    currency = currency_at(f"tables/{table}")
    rows = QueueEntry.objects.filter(table=table, state__in=OPEN).order_by("received_at", "seq")[:WAITING_SHOWN]
    return [
        WaitingEntry(
            device=row.device_id,
            seq=row.seq,
            digest=row.digest,
            state=row.state,
            session=row.session,
            time=clock.event_time(row.time),
            actions=_actions(row),
            content=[_in_words(action, currency) for action in _actions(row)],
        )
        for row in rows
        if (row.device_id, row.seq) not in rejected
    ]


def refused_entries(table: str) -> list[RefusedShown]:
    """Return the entries at a table that were refused, the latest first."""
    rows = RefusedEntry.objects.filter(device__table=table).order_by("-at")[:WAITING_SHOWN]
    return [RefusedShown(row.device_id, row.seq, row.code, clock.event_time(row.at), word(row.code)) for row in rows]


def readings(table: str) -> list[ReadingShown]:
    """Return the latest entries of the readers at a table, the newest first."""
    readers = dict(TableDevice.objects.filter(table=table, use__in=ACTIONS).values_list("pk", "use"))
    if not readers:
        return []
    currency = currency_at(f"tables/{table}")
    done = QueueEntry.objects.filter(table=table, device__in=readers, state="done")
    rows = done.order_by("-received_at", "-seq")[:READINGS_SHOWN]
    return [
        ReadingShown(
            device=row.device_id,
            use=capfirst(word(readers[row.device_id])),
            time=clock.event_time(row.time),
            content=[_in_words(action, currency) for action in _actions(row)],
        )
        for row in rows
    ]


def _actions(row: QueueEntry) -> list[dict[str, Any]]:
    actions: list[dict[str, Any]] = msgspec.json.decode(row.body)["actions"]
    return actions


def _in_words(action: Mapping[str, Any], currency: str) -> str:
    """Return an action as people read it: its title, then its fields."""
    data = action.get("data", {})
    try:
        lines = [f"{line.label}: {line.after}" for line in action_lines(str(action["type"]), data, currency)]
    except (AttributeError, TypeError, ValueError):  # a device may send any value
        lines = [str(data)]
    title = capfirst(word(str(action["type"])))
    return f"{title}. {', '.join(lines)}" if lines else title


def _layout(device: TableDevice, sessions: Sequence[BadgeSession]) -> Any:
    if not sessions:
        return None
    people = [
        Who(person=session.person, roles=frozenset(), device=device.pk, table=device.table) for session in sessions
    ]
    try:
        return in_language(desk().questions.screen(device.table, None, people, translator()))
    except Unknown:  # a table that was taken from the floor
        return None


def _device(device: TableDevice) -> DeviceShown:
    is_active = device_authentication.current_devices().is_active(device.pk)
    return DeviceShown(
        device.pk, device.table, device.use, is_active, device.last_seq, device.last_digest, device.clock_behind_ms
    )


def _names(sessions: Sequence[BadgeSession]) -> dict[str, str]:
    """Return the names of people, for those at the screen who may know them."""
    for session in sessions:
        names = staff_list_and_name_lookup.names_for(Reader(session.person, roles_of(session.person)))
        if names:
            return names
    return {}
