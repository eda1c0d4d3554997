"""Declaration of the draws. A decision reads the signed heads and the witness's last one, and makes the secret."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import msgspec

from events.envelope import ActionData, Who
from events.error_codes import coded
from events.errors import Refused
from events.inspection_draws import decider, secret_encryption
from events.inspection_draws.decider import Draw, Draws, Material
from events.inspection_draws.displayed_names import WORDS
from events.inspection_draws.event_types import CommitDraw, RecordInspection, RevealDraw
from events.inspection_draws.head_selection import counting_head, covering_head
from events.inspection_draws.people_who_worked_at_table import people_at
from events.inspection_draws.verifiable_weighted_draw import commitment_of, draw, seed_of
from events.integrity.signed_head_format import digest_of
from events.integrity.signed_head_stores import Heads, open_heads
from events.settings.settings_from_environment import settings
from events.signing.secrets_created_at_first_use import durable_secret_key
from events.store import EventReader, Stored
from events.store.cached_values_per_store import StoreMemory
from events.store.named_notes_shared_by_processes import Notes
from events.streams.stream_kind_declaration import Decisions, Kind, Routing, StreamView

WITNESS_NOTE = "witness"


class _WitnessNote(msgspec.Struct):
    """The last contact of the witness, as the worker notes it."""

    where: str
    last: int = 0


def key() -> bytes:
    """Return the key that seals the secrets of this house's draws."""
    return secret_encryption.key_of(durable_secret_key(settings()))


def secret_of(draw: Draw) -> bytes:
    """Return the secret of a draw. Raises Conflict where the house's secret key is another one."""
    if draw.opened is not None:
        return bytes.fromhex(draw.opened.secret)
    return secret_encryption.unseal(key(), draw.terms.draw, draw.terms.commitment, draw.terms.sealed)


def drawn(store: EventReader, draw: Draw) -> tuple[int, ...]:
    """Return the drawn entries of a revealed draw, in order; () before. Raises Conflict."""
    if draw.opened is not None:
        return draw.opened.drawn
    if draw.revealed is None:
        return ()
    (raw,) = heads_of(store).after(draw.revealed.head - 1, 1)
    return drawn_by(draw, raw)


def drawn_by(draw_: Draw, head: bytes) -> tuple[int, ...]:
    """Return the entries that a head draws with the secret of the draw, in order."""
    seed = seed_of(secret_of(draw_), head)
    return draw(seed, [entry.weight for entry in draw_.terms.entries], draw_.terms.number)


def heads_of(store: EventReader) -> Heads:
    """Return the heads beside the events of a store."""
    memory: StoreMemory | None = getattr(store, "process_cache", None)
    if memory is None:
        return open_heads(settings().store)
    return memory.get((Heads,), lambda: open_heads(settings().store))


def witnessed() -> int | None:
    """Return the number of the last head that the witness has; None without a witness. Raises Retry."""
    if not settings().witness:
        return None
    raw = Notes(settings().access).read(WITNESS_NOTE)
    with suppress(msgspec.MsgspecError):
        note = msgspec.json.decode(raw or b"", type=_WitnessNote)
        return note.last if note.where == settings().witness else 0
    return 0


def _context(view: StreamView, stream: str, draws: Draws, data: ActionData, who: Who) -> Material:
    """Make the secret of a commitment, find the head that counts, or compute the drawn entries."""
    if not {*decider.RULES[data.TYPE].ask} & who.roles:
        return Material()  # the decider refuses without reading anything
    draw = draws.draws.get(getattr(data, "draw", ""))
    if isinstance(data, CommitDraw):
        secret = secret_encryption.new_secret()
        return Material(commitment=commitment_of(secret), sealed=secret_encryption.seal(key(), data.draw, secret))
    if draw is None:
        return Material()
    if isinstance(data, RevealDraw) and draw.revealed is None:
        return _head_for(view.store, stream, draw)
    if isinstance(data, RecordInspection) and decider.may_inspect(draw, who.person, who.roles):
        entries = drawn(view.store, draw)
        return Material(drawn=entries, at_table=_at_table(view, draw, data.entry) if data.entry in entries else ())
    return Material()


def _at_table(view: StreamView, draw: Draw, number: int) -> frozenset[str]:
    entry = draw.entry(number)
    return people_at(view.store, view.property, entry.table, entry.since, entry.until)


def _head_for(history: EventReader, stream: str, draw: Draw) -> Material:
    """Return the head that counts, or the code of the error without one."""
    heads = heads_of(history)
    covering = covering_head(heads, commitment(history, stream, draw).position)
    head = None if covering is None else counting_head(heads, covering, draw.terms.draw_at)
    if head is None:
        return Material(missing="draw-head-not-signed")
    if head.number == covering:
        return Material(missing="draw-head-does-not-follow")
    if (last := witnessed()) is None:
        return Material(missing="draw-without-witness")
    if last < head.number:
        return Material(missing="draw-head-not-witnessed")
    secret_of(draw)  # a draw that nobody could open is not revealed
    return Material(head=head.number, head_digest=digest_of(head.raw), head_time=head.time)


def commitment(history: EventReader, stream: str, draw: Draw) -> Stored:
    """Return the event of a draw's commitment."""
    (stored,) = history.stream(stream, draw.version - 1, 1)
    return stored


def _confirm(view: StreamView, _stream: str, _draws: Draws, batch: Sequence[Any]) -> None:
    """Confirm that the tables of a list are on the floor."""
    for part in batch:
        for table in part.tables if isinstance(part, CommitDraw) else ():
            if table.table not in view.property_state("floor").tables:
                raise Refused(decider.CLAUSE, coded("table-unknown", table=table.table), field="data.tables")


def kind() -> Kind:
    """The declaration."""
    return Kind(
        streams="PROPERTY/draws",
        title="Of draws",
        summary="Commit and reveal a draw of tables to inspect, record an inspection",
        types=("events.inspection_draws.event_types",),
        rules=decider.RULES,
        words=WORDS,
        decisions=Decisions(
            begin=lambda _look, _stream: Draws(),
            context=_context,
            decide=decider.decide,
            evolve=decider.evolve,
            rests_on=("floor",),
            confirm=_confirm,
        ),
        routing=Routing(
            belongs_to=lambda event, _stream: getattr(event, "draw", None),
        ),
    )
