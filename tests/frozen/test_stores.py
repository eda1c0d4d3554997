"""Old stores stay readable as they were accepted: bytes, folds, books and certificates."""

import json
from typing import Any

import msgspec
import pytest

from events import catalogue
from events.desk.command_and_answer_structs import Answer, Command
from events.desk.decisions_and_appends import Streams
from events.desk.desk import Desk
from events.envelope import Action, Who
from events.games.craps import ruleset as craps
from events.integrity.audit import audit, kept_by_house
from events.integrity.signed_head_stores import open_heads
from events.progressives import due_lock_and_lapse_appending
from events.rules import loading_and_pinning_rulesets
from events.store import EventStore, everything
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from projections import figures_of_all_read_models_with_digest as figures
from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget as Tables
from projections.invariants import findings
from projections.registry import projectors
from tests.frozen import frozen_stores
from tools import verify_certificate

CERTIFICATES = ("BJ1-2026-11-20-2-2", "BJ2-2026-11-20-7-2")


def test_every_chain_and_every_head_holds(store: EventStore, url: str) -> None:
    heads = open_heads(url)
    report = audit(store, frozen_stores.PROPERTY, [kept_by_house(heads)])
    heads.close()
    assert report.findings == []
    assert report.heads == 1
    assert report.uncovered == 0


def test_every_event_decodes(store: EventStore) -> None:
    assert all(catalogue.decode(stored_event.type, stored_event.raw).id for stored_event in everything(store))


def test_the_progressive_folds_without_a_misfit(store: EventStore) -> None:
    assert due_lock_and_lapse_appending.current(store, frozen_stores.PROPERTY, frozen_stores.PROGRESSIVE).state.levels
    assert due_lock_and_lapse_appending.refused_facts(store, frozen_stores.PROPERTY, frozen_stores.PROGRESSIVE) == []
    appended = due_lock_and_lapse_appending.reconcile(store, frozen_stores.PROPERTY, frozen_stores.PROGRESSIVE)
    assert appended == 0, "every lock that is due was said"


def test_every_table_goes_on_from_where_it_was(house: str, store: EventStore) -> None:
    """A late change of staff is a question to each session that is open; the closed ones say that they are."""
    desk = Desk(store, frozen_stores.PROPERTY)
    supervisor = "i-201" if house == "night" else "ines"
    try:
        for number, stream in enumerate(_sessions(store)):
            _, _, table, day = stream.split("/")
            data = msgspec.Raw(msgspec.json.encode({"post": "manager", "person": "m-1"}))
            action = Action(type="staff.assign", key=f"later-{number}", data=data)
            who = Who(person=supervisor, roles=frozenset(), factor_s=0)
            reply = desk.do(Command(Target("tables", table, day), (action,), who))[0]
            assert isinstance(reply, Answer) or (isinstance(reply, Problem) and "is not open" in reply.detail)
    finally:
        desk.close()


def test_what_happened_is_folded_without_any_ruleset(store: EventStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The numbers were asked for when it was decided: no file and no recorded data is needed to read it."""
    craps.rules.__globals__["_rules"].cache_clear()
    monkeypatch.setattr(loading_and_pinning_rulesets, "load", _not_to_be_asked)
    streams = Streams(store, frozen_stores.PROPERTY)
    for stream in _sessions(store):
        seen = streams.new_view().read_stream(stream)
        assert seen.version == store.head(stream).version
        assert seen.state.plays.version == "1"


def _not_to_be_asked(*arguments: Any) -> Any:
    raise AssertionError(f"an evolver asked for {arguments}")


def _sessions(store: EventStore) -> list[str]:
    return sorted({stored_event.stream for stored_event in everything(store, types=["session.opened.v1"])})


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_the_books_are_what_they_were(house: str, store: EventStore, using: str) -> None:
    applier = Applier(projectors(target=Tables(using)), frozen_stores.PROPERTY)
    applier.load()
    applied = applier.apply(store.after(0, 1_000_000))
    assert applied.poisoned == 0
    assert findings(using) == []
    now = frozen_stores.stripped(json.loads(msgspec.json.encode(figures.books(None, using))))
    requests = now["matters"]["requests"]  # those of tables were no matter then
    now["matters"]["requests"] = [request for request in requests if request["action"] != "hit.declare_late"]
    then = frozen_stores.stripped(frozen_stores.books(house))
    assert _as_far_as(then, now) == then


def _as_far_as(then: Any, now: Any) -> Any:
    """Return today's figures without those that the old books do not have."""
    if isinstance(then, dict) and isinstance(now, dict):
        return {name: _as_far_as(value, now.get(name)) for name, value in then.items()}
    if isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        return [_as_far_as(old, new) for old, new in zip(then, now, strict=True)]
    return now


@pytest.mark.parametrize("hit", CERTIFICATES)
def test_certificates_given_out_verify(hit: str) -> None:
    certificate = json.loads(frozen_stores.read(f"{hit}.certificate.json"))
    assert verify_certificate.verify(certificate, [frozen_stores.HEADS_SIGNED_BY])["hit"] == hit
