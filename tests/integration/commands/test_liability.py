"""`liability` on a store, and `soak`."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from events.desk.desk import Desk
from events.envelope import AnyEnvelope
from events.progressives import action_structs, due_lock_and_lapse_appending
from events.progressives.event_types import FundDeposited
from events.store import open_store
from tests.simulation.simulated_evening import PROGRESSIVE, Wire, found_house, link_tables, served
from tests.support.houses.progressive_house import PROPERTY, Casino
from tools.demo import demo_house_setup
from tools.demo.gaming_day_play import DemoDay

pytestmark = pytest.mark.django_db


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of this installation's store."""
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_PROPERTY", PROPERTY)
    monkeypatch.delenv("PITLEDGER_STORE", raising=False)
    return f"sqlite:///{tmp_path / 'events.sqlite3'}"


@pytest.fixture
def casino(installed: str) -> Casino:
    return Casino(open_store(installed))


def test_a_funded_progressive(casino: Casino, capsys: pytest.CaptureFixture[str]) -> None:
    casino.play("BJ1")
    casino.arm("BJ2", (1, "ann", 700))
    casino.close()
    call_command("liability")
    output = capsys.readouterr().out
    assert "funded" in output
    assert "SHORT" not in output
    assert "does not fit" in output


def test_one_that_is_short_ends_with_1(casino: Casino, capsys: pytest.CaptureFixture[str]) -> None:
    casino.play("BJ1", hits=((1, "major"),))
    number = casino.arm("BJ1", (1, "ann", 500))
    casino.hit("BJ1", number, 1)
    casino.ask(action_structs.ReadMeter(level="mega", read_minor=0), "anna")
    casino.reconcile()
    casino.close()
    with pytest.raises(CommandError) as ended:
        call_command("liability")
    assert ended.value.returncode == 1
    output = capsys.readouterr().out
    assert "SHORT by 4,999.8" in output
    assert "waiting: mega for athens/tables/BJ1" in output
    assert "variance open: mega-1" in output
    with pytest.raises(CommandError):
        call_command("liability", "--json", "--progressive", "blazing")
    reports = json.loads(capsys.readouterr().out)
    assert (reports[0]["is_short"], reports[0]["odds"][1]["observed"]) == (True, 1)


def test_there_is_nothing_to_tell_of_what_is_not_there(casino: Casino) -> None:
    casino.close()
    with pytest.raises(CommandError):
        call_command("liability", "--progressive", "other")


def test_soak_plays_the_days_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("soak", "--seed", "4")
    call_command("soak", "--seed", "5", "--sqlite")
    assert capsys.readouterr().out.count("1 days") == 2


# --- the demo's fund ----------------------------------------------------------------------------------------------


class Careless(Wire):
    """Forgets the deposit of this number; keeps those that were made."""

    def __init__(self, desk: Desk, forgets: int) -> None:
        super().__init__(lambda command: served(desk, command))
        self.forgets, self.deposits = forgets, 0
        self.made: list[FundDeposited] = []

    def send(
        self, path: str, person: str, actions: list[dict[str, Any]], device: str | None = None
    ) -> list[AnyEnvelope]:
        if actions[0]["type"] == "fund.deposit":
            self.deposits += 1
            if self.deposits == self.forgets:
                return []
        events = super().send(path, person, actions, device)
        self.made += [event.data for event in events if isinstance(event.data, FundDeposited)]
        return events


def demo_day(store_url: str, forgets: int = 0) -> Careless:
    """A quarter of an hour of the demo, with all its jackpots."""
    store = open_store(store_url)
    store.create()
    found_house(store)
    desk = Desk(store, PROPERTY)
    wire = Careless(desk, forgets)
    demo_house_setup.open_progressive(desk)
    link_tables(wire)

    def share(hit: str) -> int | None:
        due_lock_and_lapse_appending.reconcile(store, PROPERTY, PROGRESSIVE)
        lock = due_lock_and_lapse_appending.current(store, PROPERTY, PROGRESSIVE).lock(hit)
        return lock.share if lock else None

    for _ in DemoDay(wire, 7, 0.25, share).play():
        pass
    desk.close()
    store.close()
    return wire


def test_the_demo_s_fund_covers_what_is_owed(installed: str, capsys: pytest.CaptureFixture[str]) -> None:
    made = demo_day(installed).made
    assert [deposit.level for deposit in made[:3]] == ["mega", "major", "minor"], "at the opening"
    assert [(deposit.level, deposit.amount_minor) for deposit in made[3:]] == [("major", 500_000), ("minor", 50_000)]
    assert {tuple(role for _, role in deposit.approvals) for deposit in made} == {("cage", "accountant")}
    call_command("liability")
    output = capsys.readouterr().out
    assert "funded\n" in output
    assert "SHORT" not in output


@pytest.mark.parametrize(("number", "level"), [(1, "mega"), (4, "major"), (5, "minor")])
def test_a_deposit_that_was_forgotten_is_missed(
    installed: str, capsys: pytest.CaptureFixture[str], number: int, level: str
) -> None:
    demo_day(installed, forgets=number)
    with pytest.raises(CommandError, match="does not cover its liability") as ended:
        call_command("liability", "--json")
    assert ended.value.returncode == 1
    (report,) = json.loads(capsys.readouterr().out)
    assert [level_["level"] for level_ in report["liability"] if level_["short"]] == [level]
    assert demo_house_setup.SEEDS[level] * 990_000 < sum(level_["short"] for level_ in report["liability"])
    with pytest.raises(CommandError):
        call_command("liability")
    assert "SHORT by" in capsys.readouterr().out
