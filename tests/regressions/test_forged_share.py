"""A process locked and paid a share from a forged fold. Pages show the share that the events give."""

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from django.core.management import CommandError, call_command
from pytest_django.plugin import DjangoDbBlocker

from events.progressives import action_structs, due_lock_and_lapse_appending, progressive_state_following_store
from events.progressives.award_report import award
from events.store import open_store
from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.invariants import findings
from projections.registry import projectors
from tests.support.houses.progressive_house import NAME, PROPERTY, Casino
from tests.support.processes.scratch_databases import read_models

pytestmark = pytest.mark.django_db  # verify compares the log of who looked

EXTRA_MINOR = 1_000_000


class ForgedShareHouse:
    """A Mega that was locked, authorised and paid from a fold with a forged extra 10,000.00."""

    def __init__(self, url: str) -> None:
        self.casino = casino = Casino(open_store(url))
        (self.honest,) = casino.play("BJ1", hits=((1, "minor"),))
        casino.reconcile()
        live = progressive_state_following_store.live(casino.store, PROPERTY, NAME)
        assert live.fold is not None
        level = live.fold.state.levels["mega"]
        level.base = msgspec.structs.replace(level.base, meter=level.base.meter + EXTRA_MINOR * 1_000_000)
        level.meter += EXTRA_MINOR * 1_000_000
        (self.hit,) = casino.play("BJ2", hits=((1, "mega"),))
        casino.reconcile()
        locked = due_lock_and_lapse_appending.current(casino.store, PROPERTY, NAME).lock(self.hit)
        assert locked is not None
        self.share = locked.share
        casino.ask(action_structs.AuthoriseHit(hit=self.hit, amount_minor=self.share), "ines", "sven")
        casino.pay(self.hit)
        casino.store.process_cache.clear()  # every process after that folds from the events


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    is_file = request.param == "sqlite"
    url = f"sqlite:///{tmp_path / 'events.sqlite3'}" if is_file else str(request.getfixturevalue("postgres_url"))
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_STORE", url)
    monkeypatch.setenv("PITLEDGER_PROPERTY", PROPERTY)
    return url


@pytest.fixture
def forged(url: str) -> Iterator[ForgedShareHouse]:
    made = ForgedShareHouse(url)
    yield made
    made.casino.close()


def test_the_award_says_where_the_stream_is_not_what_the_facts_make(forged: ForgedShareHouse) -> None:
    award_ = award(forged.casino.store, PROPERTY, forged.hit)
    assert award_.explanation.lock.share == forged.share - EXTRA_MINOR
    made = {(difference.what, difference.said_minor, difference.made_minor) for difference in award_.differences}
    assert ("paid", forged.share, forged.share - EXTRA_MINOR) in made
    assert b"differences" not in msgspec.json.encode(award(forged.casino.store, PROPERTY, forged.honest))


def test_explain_ends_with_1(forged: ForgedShareHouse, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CommandError, match=r"recorded amounts differ from the calculation: .*paid 60") as ended:
        call_command("explain", forged.hit)
    assert ended.value.returncode == 1
    capsys.readouterr()
    call_command("explain", forged.honest)


def test_verify_names_the_lock_first(forged: ForgedShareHouse, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CommandError):
        call_command("verify", "--no-topic", "--no-read-models", "--json")
    (first,) = (finding for finding in json.loads(capsys.readouterr().out)["findings"] if finding["kind"] == "sum")
    assert "shares.locked.v1: meter_micro is" in first["message"]
    assert first["more"] >= 1, "its payment follows from it"


def test_the_books_compare_each_lock_with_their_own_meter(
    forged: ForgedShareHouse,
    request: pytest.FixtureRequest,
    url: str,
    tmp_path: Path,
    django_db_blocker: DjangoDbBlocker,
) -> None:
    is_file = url.startswith("sqlite")
    reads = f"sqlite:///{tmp_path / 'read.sqlite3'}" if is_file else str(request.getfixturevalue("new_database")())
    with django_db_blocker.unblock(), read_models(reads) as alias:
        applier = Applier(projectors(target=WriteTarget(alias)), PROPERTY)
        applier.load()
        applier.apply(forged.casino.store.after(0, 10_000))
        broken = [
            finding for finding in findings(alias) if finding.invariant == "a lock takes from the meter as it stood"
        ]
    assert len(broken) == 1
    assert "mega" in broken[0].subject
