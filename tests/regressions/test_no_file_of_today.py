"""A played house is read without any ruleset's file: all files are deleted, or their content is changed."""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.core.management import CommandError, call_command
from pytest_django.plugin import DjangoDbBlocker

from events.desk.desk import Desk
from events.errors import Unknown
from events.integrity.award_certificate import certificate, encode
from events.integrity.head_signing import make_head
from events.integrity.signed_head_stores import MemoryHeads
from events.progressives import due_lock_and_lapse_appending, history_reader, whatif
from events.progressives.award_report import award
from events.rules import loading_and_pinning_rulesets
from events.runtime.cache_until_declarations_change import forget
from events.signing import house_signing_key
from events.store import EventStore, open_store
from projections import figures_of_all_read_models_with_digest as figures
from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget as Tables
from projections.registry import projectors
from tests.support.houses.small_house import DAY, PROPERTY, House
from tests.support.processes.scratch_databases import new_file, read_models
from tools import verify_certificate

OWN = {
    "roulette-club": ("roulette-french", {"version": "3"}),
    "blazing7s-club": ("blazing7s", {"version": "7", "pays": {"three7": 300, "two7": 40, "one7": 3}}),
}
HIT = f"BJ1-{DAY}-1-1"
PAR = ("roulette-club@3", "blazing7s-club@7", "blackjack-trilux@1")


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of an empty store of this installation, on either database."""
    postgres = request.param == "postgres"
    url = request.getfixturevalue("postgres_url") if postgres else f"sqlite:///{tmp_path}/events.sqlite3"
    monkeypatch.setenv("PITLEDGER_STORE", url)
    monkeypatch.setenv("PITLEDGER_PROPERTY", PROPERTY)
    return str(url)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The casino's own rulesets."""
    folder = tmp_path / "rulesets"
    folder.mkdir()
    for name, (of, changes) in OWN.items():
        shipped = json.loads(loading_and_pinning_rulesets.shipped()[of].read_text(encoding="utf-8"))
        (folder / f"{name}.json").write_text(json.dumps(shipped | {"name": name} | changes), encoding="utf-8")
    monkeypatch.setenv("PITLEDGER_RULESETS", str(folder))
    return folder


@pytest.fixture
def played(url: str, folder: Path) -> Iterator[House]:
    """Yield two tables in the middle of their day, with a locked hit and an unsettled bet."""
    house = House(open_store(url), ruleset="blazing7s-club")
    house.install("R1", "roulette", "roulette-club")
    for table in ("R1", "BJ1"):
        house.open_table(table)
    act = house.action
    bets = [act("bet.place", bet=wager, wager=wager, amount_minor=1_000, player="ann", box=1)
            for wager in ("main", "blazing7s")]  # fmt: skip
    start = [act("round.open"), *bets, act("bets.close"), act("progressive.arm")]
    places: list[dict[str, Any]] = [{"to": "box", "box": 1}, {"to": "dealer"}, {"to": "box", "box": 1}]
    dealt = [act("card.deal", card="7D", **place) for place in places]
    house.ok("tables", "BJ1", "dora", *start, *dealt, act("hit.declare", box=1, level="mega"), act("deal.complete"))
    straight = act("bet.place", bet="s", wager="straight", numbers=[7], amount_minor=1_000, player="ann", seat=1)
    house.ok("tables", "R1", "dora", act("round.open"), straight)
    due_lock_and_lapse_appending.reconcile(house.store, PROPERTY, "blazing")
    yield house
    house.close()


def delete(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Delete every ruleset's file: the casino's, the shipped and the released ones."""
    for file in folder.iterdir():
        file.unlink()
    monkeypatch.setattr(loading_and_pinning_rulesets, "_find", _gone)
    monkeypatch.setattr(loading_and_pinning_rulesets, "_released", lambda stamp: None)


def _gone(name: str) -> Path:
    raise Unknown(f"there is no ruleset {name!r}")


def alter(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Change the files of the same names and versions so that every bet pays even money."""
    for file in folder.iterdir():
        data = json.loads(file.read_text(encoding="utf-8"))
        pays = "payouts" if "payouts" in data else "pays"
        file.write_text(json.dumps(data | {pays: dict.fromkeys(data[pays], 1)}), encoding="utf-8")


def in_a_new_process(house: House) -> None:
    house.desk.close()
    loading_and_pinning_rulesets._contents.clear()
    loading_and_pinning_rulesets.load.cache_clear()
    forget()
    house.desk = Desk(house.store, PROPERTY)


def answers(house: House, folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """All that a house can be asked for without acting."""
    store = house.store
    start = history_reader.start(store, PROPERTY, "blazing")
    facts = [fact for _, fact in history_reader.facts(store, PROPERTY, "blazing")]
    change = whatif.WhatIfChange(levels={}, policy="full-each")
    view = house.desk.streams.new_view()
    return {
        "explain": award(store, PROPERTY, HIT),
        "whatif": whatif.whatif(start, facts, change),
        "books": _books(store, folder.parent),
        "sessions": [_session(view.read_stream(f"{PROPERTY}/tables/{table}/{DAY}").state) for table in ("R1", "BJ1")],
        "liability": _command_output(capsys, "liability", "--json"),
        "par": [_command_output(capsys, "par", ruleset, "--json") for ruleset in PAR],
    }


def _session(session: Any) -> tuple[Any, ...]:
    return session.plays, session.progressive_plays, session.bets, session.due, session.phase


def _command_output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with suppress(CommandError):  # which it says by its exit code: short of funds
        call_command(*arguments)
    return capsys.readouterr().out


def _books(store: EventStore, folder: Path) -> Any:
    with read_models(new_file(folder)) as alias:
        applier = Applier(projectors(target=Tables(alias)), PROPERTY)
        applier.load()
        assert applier.apply(store.after(0, 1_000_000)).poisoned == 0
        return msgspec.json.encode(figures.books(None, alias), order="deterministic")


@pytest.mark.parametrize("become", [delete, alter])
def test_all_that_reads_says_the_same(
    played: House,
    folder: Path,
    become: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    django_db_blocker: DjangoDbBlocker,
) -> None:
    heads, by = MemoryHeads(), house_signing_key.signer(folder.parent)
    make_head(played.store, heads, PROPERTY, by)
    with django_db_blocker.unblock():
        then = answers(played, folder, capsys)
        given_out = encode(certificate(played.store, heads, PROPERTY, HIT))
        become(folder, monkeypatch)
        in_a_new_process(played)
        assert answers(played, folder, capsys) == then
    assert encode(certificate(played.store, heads, PROPERTY, HIT)) == given_out
    assert verify_certificate.verify(json.loads(given_out), [by.public])["hit"] == HIT


@pytest.mark.parametrize("become", [delete, alter])
def test_the_tables_play_on(played: House, folder: Path, become: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    become(folder, monkeypatch)
    in_a_new_process(played)
    act = played.action
    start = [act("ball.launch", wheel="cw", ball="ccw"), act("bets.close"), act("ball.land", number=7, revolutions=5)]
    happened = played.ok("tables", "R1", "dora", *start)
    assert next(event.data.profit_minor for event in happened if event.type == "bet.settled.v1") == 35_000
    played.ok("tables", "BJ1", "dora", act("hand.stand", box=1))
