"""Decides on draws: a commitment is never changed, and the person who reveals one chooses nothing.

A second commitment for a period, or one after the period began, is recorded and raises an alert. A refusal would leave
no event for the regulator. Only the first commitment of a period is ever drawn.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta

import msgspec
from msgspec.structs import asdict

from events.envelope import Action, ActionData, EventData, Who
from events.error_codes import coded
from events.errors import Conflict, Forbidden, Invalid, Refused, Unknown
from events.inspection_draws.event_types import (
    ENTRIES_MAX,
    Candidate,
    CommitDraw,
    DrawCommitted,
    DrawOpened,
    DrawRevealed,
    InspectionRecorded,
    RecordInspection,
    RevealDraw,
)
from events.people import authority
from events.people.approval_request_lifecycle import Moment
from events.roles import WATCH, AuthorityRule, Roles

CLAUSE = "house draw"
LEAST_WAIT, MOST_WAIT = timedelta(minutes=10), timedelta(hours=72)
INSPECTING: Roles = (*WATCH, "security")
RULES: dict[str, AuthorityRule] = {
    "draw.commit": AuthorityRule(ask=WATCH, clause=CLAUSE),
    "draw.reveal": AuthorityRule(ask=WATCH, clause=CLAUSE),
    "inspection.record": AuthorityRule(ask=INSPECTING, clause=CLAUSE),
}


class Draw(msgspec.Struct, frozen=True):
    """A draw as far as it has come. `version` is that of its commitment in the stream; `inspected` is by entry.

    Of a published draw the state keeps the drawn entries only.
    """

    terms: DrawCommitted
    version: int
    revealed: DrawRevealed | None = None
    inspected: Mapping[int, InspectionRecorded] = {}
    opened: DrawOpened | None = None
    listed: int = 0  # entries of the list
    drawn_entries: Mapping[int, Candidate] = {}

    def entry(self, number: int) -> Candidate:
        """Return an entry by its number in the list; of a published draw a drawn one."""
        return self.drawn_entries[number] if self.opened is not None else self.terms.entries[number - 1]

    def is_over(self, entry: int, now: str) -> bool:
        """Return whether the time for the inspection of an entry is over."""
        return moment_of(self.terms.inspect_by or self.entry(entry).until) <= moment_of(now)

    def is_public(self, entry: int, now: str) -> bool:
        """Return whether everybody may see that the entry was drawn."""
        return self.opened is not None or entry in self.inspected or self.is_over(entry, now)


class Draws(msgspec.Struct, frozen=True):
    """All draws of the house, by name."""

    draws: Mapping[str, Draw] = {}
    version: int = 0  # of the stream


class Material(msgspec.Struct, frozen=True, kw_only=True):
    """Input of a decision beside the draws, computed by the program.

    Of a commitment: the sealed secret and its hash. Of a reveal: the head that counts, or why there is none yet. Of an
    inspection: the drawn entries, in order, and the people at the table.
    """

    commitment: str = ""
    sealed: str = ""
    head: int = 0
    head_digest: str = ""
    head_time: str = ""
    missing: str = ""  # a code of an error
    drawn: tuple[int, ...] = ()
    at_table: Collection[str] = ()  # people who worked at the drawn table in its time


def moment_of(time: str) -> datetime:
    """Return a time of an event."""
    return datetime.fromisoformat(time)


def decide(
    draws: Draws, action: Action, data: ActionData, actor: Who, moment: Moment, material: Material
) -> list[EventData]:
    """Return the events of an action. Raises Forbidden, Invalid, Refused, Unknown, Conflict."""
    authority.role_for("draws", data.TYPE, actor.roles)
    authority.require_factor(data.TYPE, actor, moment.fresh_s)
    match data:
        case CommitDraw():
            return [_committed(draws, data, moment, material)]
        case RevealDraw():
            return [_revealed(require_draw(draws, data.draw), material)]
        case RecordInspection():
            return [_inspection_recorded(require_draw(draws, data.draw), data, actor, material)]
    raise Refused(CLAUSE, coded("not-an-action-of-draws", action=action.type))


def require_draw(draws: Draws, name: str) -> Draw:
    """Return the draw of this name. Raises Unknown."""
    try:
        return draws.draws[name]
    except KeyError:
        raise Unknown(coded("draw-unknown", draw=name)) from None


def may_inspect(draw: Draw, person: str, roles: Collection[str]) -> bool:
    """Return whether the person sees the result from the reveal on: a named inspector, or surveillance."""
    if not set(INSPECTING) & set(roles):
        return False
    return person in draw.terms.inspectors if draw.terms.inspectors else bool(set(WATCH) & set(roles))


def second_of(draws: Draws, since: str, until: str) -> str:
    """Return the commitment that counts for a period which overlaps this one; "" for none."""
    begin, end = moment_of(since), moment_of(until)
    for name, draw in draws.draws.items():
        terms = draw.terms
        if not terms.second_of and moment_of(terms.since) < end and begin < moment_of(terms.until):
            return name
    return ""


def entries_of(data: CommitDraw) -> tuple[Candidate, ...]:
    """Return the list: for each time of the period every table. The last time may be shorter."""
    begin, end, length = moment_of(data.since), moment_of(data.until), timedelta(minutes=data.slot_minutes)
    slots = min(-((begin - end) // length), ENTRIES_MAX + 1)
    starts = [begin + number * length for number in range(slots)]
    return tuple(
        Candidate(
            table=table.table, since=_time_text(start), until=_time_text(min(start + length, end)), weight=table.weight
        )
        for start in starts
        for table in data.tables
    )


def _time_text(time: datetime) -> str:
    return time.isoformat(timespec="seconds").replace("+00:00", "Z")


def _committed(draws: Draws, data: CommitDraw, moment: Moment, material: Material) -> DrawCommitted:
    if data.draw in draws.draws:
        raise Conflict(coded("draw-name-used", draw=data.draw))
    if moment_of(data.until) <= moment_of(data.since):
        raise Invalid("data.until", coded("draw-period-empty"))
    entries = entries_of(data)
    _check_terms(data, entries, moment)
    return DrawCommitted(
        draw=data.draw,
        since=data.since,
        until=data.until,
        entries=entries,
        number=data.number,
        draw_at=data.draw_at,
        commitment=material.commitment,
        sealed=material.sealed,
        inspect_by=data.inspect_by,
        inspectors=tuple(dict.fromkeys(data.inspectors)),
        second_of=second_of(draws, data.since, data.until),
        is_late=moment_of(data.since) <= moment_of(moment.time),
    )


def _check_terms(data: CommitDraw, entries: Sequence[Candidate], moment: Moment) -> None:
    now, draw_at = moment_of(moment.time), moment_of(data.draw_at)
    tables = [table.table for table in data.tables]
    if len({*tables}) < len(tables):
        raise Invalid("data.tables", coded("draw-table-twice"))
    if len(entries) > ENTRIES_MAX:
        raise Invalid("data.slot_minutes", coded("draw-list-too-long", most=ENTRIES_MAX))
    if data.number > len(entries):
        raise Invalid("data.number", coded("draw-number-too-large", count=len(entries)))
    if not now + LEAST_WAIT <= draw_at <= now + MOST_WAIT:
        raise Refused(CLAUSE, coded("draw-time-range"), field="data.draw_at")
    ends = [data.inspect_by] if data.inspect_by else [entry.until for entry in entries]
    if any(moment_of(end) <= draw_at for end in ends):
        raise Refused(CLAUSE, coded("draw-after-inspection"), field="data.draw_at")
    for person in data.inspectors:
        if not set(INSPECTING) & moment.roles.get(person, frozenset()):
            raise Invalid("data.inspectors", coded("inspector-without-role", person=person))


def _revealed(draw: Draw, material: Material) -> DrawRevealed:
    terms = draw.terms
    if draw.revealed is not None:
        raise Conflict(coded("draw-revealed-already", draw=terms.draw))
    if terms.second_of:
        raise Refused(CLAUSE, coded("draw-is-second", draw=terms.second_of), field="data.draw")
    if material.missing:
        raise Refused(CLAUSE, coded(material.missing), field="data.draw")
    return DrawRevealed(
        draw=terms.draw, head=material.head, head_digest=material.head_digest, head_time=material.head_time
    )


def _inspection_recorded(draw: Draw, data: RecordInspection, actor: Who, material: Material) -> InspectionRecorded:
    """An outsider learns nothing from a refusal: who inspects is judged before the entry is."""
    if not may_inspect(draw, actor.person, actor.roles):
        raise Forbidden(coded("not-an-inspector"))
    if draw.revealed is None:
        raise Refused(CLAUSE, coded("draw-not-revealed"), field="data.draw")
    if data.entry not in material.drawn:
        raise Refused(CLAUSE, coded("entry-not-drawn", entry=data.entry), field="data.entry")
    if data.entry in draw.inspected:
        raise Conflict(coded("inspection-recorded-already", entry=data.entry))
    if actor.person in material.at_table:
        raise Refused(CLAUSE, coded("inspector-at-table", entry=data.entry), field="data.entry")
    entry = draw.entry(data.entry)
    return InspectionRecorded(**asdict(data), table=entry.table, since=entry.since, until=entry.until)


def evolve(draws: Draws, event: EventData, _actor: str = "") -> Draws:
    """Return the draws after the event."""
    version = draws.version + 1
    if isinstance(event, DrawCommitted):
        return Draws({**draws.draws, event.draw: Draw(event, version, listed=len(event.entries))}, version)
    assert isinstance(event, DrawRevealed | InspectionRecorded | DrawOpened), "an event of draws"
    return Draws({**draws.draws, event.draw: _draw_after(draws.draws[event.draw], event)}, version)


def _draw_after(draw: Draw, event: DrawRevealed | InspectionRecorded | DrawOpened) -> Draw:
    if isinstance(event, DrawRevealed):
        return msgspec.structs.replace(draw, revealed=event)
    if isinstance(event, InspectionRecorded):
        return msgspec.structs.replace(draw, inspected={**draw.inspected, event.entry: event})
    drawn_entries = {number: draw.terms.entries[number - 1] for number in event.drawn}
    terms = msgspec.structs.replace(draw.terms, entries=(), sealed="")
    return msgspec.structs.replace(draw, terms=terms, opened=event, drawn_entries=drawn_entries)


def stream_of(property_: str) -> str:
    """Return the stream of the draws."""
    return f"{property_}/draws"
