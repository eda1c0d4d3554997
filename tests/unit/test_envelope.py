"""The event's bytes, the types' catalogue, and reading old events."""

import hashlib
import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest

from events import catalogue
from events.catalogue import action_types, decode, event_types
from events.desk.event_metadata import of_action, of_the_house
from events.envelope import (
    Action,
    ActionData,
    AnyEnvelope,
    EventData,
    Intent,
    Meta,
    Who,
    digest,
    encode,
    first_prev,
    now,
)
from events.errors import Poison
from events.floor.table_installation_decider import TableInstalled
from events.streams.upcast import upcast
from events.tables.event_types.rounds import RoundEnded

STREAM = "athens/tables/bj-01/2026-11-21"
META = Meta(time="2026-11-21T10:00:00.000Z", actor="p-17", actorrole="dealer", actordevice="t-1", correlation="r-3")
RECORDED = "2026-11-21T10:00:00.250Z"
WHERE: dict[str, Any] = {
    "pit": "A",
    "table": "bj-01",
    "gaming_day": "2026-11-21",
    "shift": "day",
    "ruleset": "blackjack-gr@1",
}


class ChipCounted(EventData, frozen=True, kw_only=True, omit_defaults=True):
    TYPE: ClassVar[str] = "chip.counted.v3"
    amount_minor: int
    chips: dict[int, int] = msgspec.field(default_factory=dict)
    note: str | None = None


@pytest.fixture
def chip_counted_type(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the catalogue know ChipCounted."""
    monkeypatch.setattr(catalogue, "event_types", lambda: {ChipCounted.TYPE: ChipCounted})
    catalogue._decoder.cache_clear()


def raw(data: EventData, version: int = 7, prev: bytes = b"\x01" * 32) -> bytes:
    return encode(STREAM, version, prev, data, META, RECORDED)


def test_the_bytes_of_an_event() -> None:
    assert raw(ChipCounted(amount_minor=500, chips={100: 5})) == (
        b'{"specversion":"1.0","id":"athens/tables/bj-01/2026-11-21@7","source":"athens","type":"chip.counted.v3",'
        b'"time":"2026-11-21T10:00:00.000Z","recordedat":"2026-11-21T10:00:00.250Z",'
        b'"subject":"athens/tables/bj-01/2026-11-21","actor":"p-17","actorrole":"dealer","actordevice":"t-1",'
        b'"correlation":"r-3","prev":"' + b"01" * 32 + b'","data":{"amount_minor":500,"chips":{"100":5}}}'
    )


def test_the_bytes_are_those_of_an_envelope_with_the_same_fields() -> None:
    data = ChipCounted(amount_minor=500)
    meta = {**msgspec.structs.asdict(META), "causation": "k-1", "intent": "fact", "deviceseq": 9, "queued": True}
    envelope = AnyEnvelope(
        specversion="1.0",
        id=f"{STREAM}@7",
        source="athens",
        type=ChipCounted.TYPE,
        recordedat=RECORDED,
        subject=STREAM,
        prev="01" * 32,
        data=data,
        **meta,
    )
    assert encode(STREAM, 7, b"\x01" * 32, data, Meta(**meta), RECORDED) == msgspec.json.encode(envelope)


def test_the_chain_begins_at_the_streams_name() -> None:
    assert first_prev(STREAM) == hashlib.sha256(STREAM.encode()).digest()
    assert digest(b"{}") == hashlib.sha256(b"{}").digest()


def test_now_is_utc_with_milliseconds() -> None:
    moment = now()
    assert len(moment) == len(RECORDED)
    assert moment.endswith("Z")
    assert datetime.fromisoformat(moment).utcoffset() is not None


@pytest.mark.parametrize(("intent", "number"), [("ask", None), ("fact", 0), ("fact", 2**53 - 1)])
def test_an_event_says_how_its_action_was_meant_and_its_number_at_the_terminal(
    intent: Intent, number: int | None
) -> None:
    action = Action(type="round.open", key="k1", intent=intent, device_seq=number)
    who = Who(person="p-17", roles=frozenset({"dealer"}))
    written = encode(STREAM, 7, b"", RoundEnded(**WHERE), of_action("tables", action, who, RECORDED), RECORDED)
    decoded = msgspec.json.decode(written)
    assert (decoded["intent"], decoded.get("deviceseq")) == (intent, number)
    envelope = decode(RoundEnded.TYPE, written)
    assert (envelope.intent, envelope.deviceseq) == (intent, msgspec.UNSET if number is None else number)


def test_what_nobody_asked_for_has_neither_intent_nor_number() -> None:
    written = msgspec.json.decode(encode(STREAM, 7, b"", RoundEnded(**WHERE), of_the_house(RECORDED), RECORDED))
    assert not {"intent", "deviceseq"} & set(written)


@pytest.mark.usefixtures("chip_counted_type")
def test_an_event_is_read_as_the_struct_of_its_type() -> None:
    data = ChipCounted(amount_minor=500, chips={100: 5})
    envelope = decode("chip.counted.v3", raw(data))
    assert envelope.data == data
    assert (envelope.id, envelope.subject, envelope.time, envelope.recordedat) == (
        f"{STREAM}@7",
        STREAM,
        META.time,
        RECORDED,
    )
    assert (envelope.actordevice, envelope.correlation, envelope.causation) == ("t-1", "r-3", msgspec.UNSET)


@pytest.mark.usefixtures("chip_counted_type")
def test_fields_of_a_later_release_are_passed_over() -> None:
    later = raw(ChipCounted(amount_minor=500)).replace(b'"data":{', b'"traceparent":"x","data":{"colour":"red",')
    assert decode("chip.counted.v3", later).data == ChipCounted(amount_minor=500)


@pytest.mark.usefixtures("chip_counted_type")
@pytest.mark.parametrize(
    ("event_type", "bytes_"),
    [
        ("chip.counted.v9", raw(ChipCounted(amount_minor=1))),
        ("chip.counted.v3", b""),
        ("chip.counted.v3", b'{"specversion":"1.0"}'),
        ("chip.counted.v3", raw(ChipCounted(amount_minor=1)).replace(b":1}", b':"1"}')),
        ("chip.counted.v3", raw(ChipCounted(amount_minor=1)).replace(b".v3", b".v2")),
        ("chip.counted.v3", raw(ChipCounted(amount_minor=1)).replace(b"p-17", b"\xff\xfe")),
    ],
)
def test_what_cannot_be_read_is_poison(event_type: str, bytes_: bytes) -> None:
    with pytest.raises(Poison, match=event_type):
        decode(event_type, bytes_)


class OldChipCounted(EventData, frozen=True, kw_only=True, omit_defaults=True):
    TYPE: ClassVar[str] = "chip.counted.v1"
    euros: int


UPCASTERS = {
    "chip.counted.v1": ("chip.counted.v2", lambda data: {"amount": data["euros"] * 100}),
    "chip.counted.v2": ("chip.counted.v3", lambda data: {"amount_minor": data["amount"], "chips": {"100": 5}}),
}


@pytest.mark.usefixtures("chip_counted_type")
def test_an_old_event_is_read_as_its_successor() -> None:
    envelope = decode("chip.counted.v1", raw(OldChipCounted(euros=5)), UPCASTERS)
    assert envelope.type == "chip.counted.v3"
    assert envelope.data == ChipCounted(amount_minor=500, chips={100: 5})
    assert (envelope.id, envelope.prev) == (f"{STREAM}@7", "01" * 32)


@pytest.mark.usefixtures("chip_counted_type")
def test_an_old_event_that_cannot_be_upcast_is_poison() -> None:
    old = raw(OldChipCounted(euros=5))
    for broken in [old.replace(b'"euros"', b'"drachmas"'), old.replace(b"v1", b"v2"), old.replace(b":5}", b':"x"}')]:
        with pytest.raises(Poison, match=r"chip\.counted\.v1"):
            decode("chip.counted.v1", broken, UPCASTERS)


def test_types_without_an_upcaster_stay_as_they_are() -> None:
    data = {"a": 1}
    assert upcast("chip.counted.v3", data, UPCASTERS) == ("chip.counted.v3", data)


def test_the_catalogue_lists_what_the_modules_define() -> None:
    assert event_types()[TableInstalled.TYPE] is TableInstalled
    catalogues: tuple[Mapping[str, type[EventData] | type[ActionData]], ...] = (event_types(), action_types())
    for types in catalogues:
        assert types
        for name, struct in types.items():
            assert name == struct.TYPE
            assert struct.__struct_config__.frozen


def test_every_module_that_defines_types_is_in_the_catalogue() -> None:
    root = Path(catalogue.__file__).parents[1]
    names_a_type = re.compile(r"^    TYPE(: ClassVar\[str\])? = ", re.MULTILINE)
    paths = [path for path in root.glob("events/**/*.py") if names_a_type.search(path.read_text(encoding="utf-8"))]
    modules = {".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__") for path in paths}
    assert modules == set(catalogue.modules())


def test_event_types_are_past_tense_with_a_version_and_actions_have_none() -> None:
    assert all(re.fullmatch(r"[a-z_-]+\.[a-z_-]+\.v[1-9]\d*", name) for name in event_types())
    assert all(re.fullmatch(r"[a-z_-]+\.[a-z_-]+", name) for name in action_types())


def test_two_classes_of_one_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    module = type(catalogue)("events.invented")
    module.__dict__.update(One=ChipCounted, Two=type("Two", (ChipCounted,), {"TYPE": ChipCounted.TYPE}))
    monkeypatch.setattr(catalogue, "import_module", lambda _: module)
    with pytest.raises(ValueError, match=r"two classes are chip\.counted\.v3"):
        catalogue._collect(EventData)
