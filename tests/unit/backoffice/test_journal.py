"""`./manage.py journal`: the worked day in double entry, on the terminal and as files that other programs take."""

import csv
import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from events.errors import Conflict
from events.money.posting_rules import DEFAULT, mapped, rules_text
from events.store import open_store
from projections.journal.models import JournalEntry
from tests.support.houses import mistaken_day
from tests.support.houses.small_house import DAY
from tests.support.houses.worked_day import CASH, WorkedDay, chips

NEXT = "2026-11-21"


pytestmark = pytest.mark.django_db  # figures say first whether the read models are of this store


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkedDay]:
    """The worked day, in a store that the command opens as well."""
    url = f"sqlite:///{tmp_path / 'events.sqlite3'}"
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("PITLEDGER_STORE", url)
    made = WorkedDay(open_store(url))
    made.play()
    yield made
    made.close()


def journal(*arguments: str) -> str:
    out = io.StringIO()
    call_command("journal", *arguments, stdout=out)
    return out.getvalue()


def as_rows(*arguments: str) -> list[dict[str, str]]:
    return [*csv.DictReader(io.StringIO(journal(*arguments, "--csv")))]


def balances(rows: list[dict[str, str]]) -> dict[str, Decimal]:
    balances_: dict[str, Decimal] = {}
    for row in rows:
        for side, sign in (("debit", 1), ("credit", -1)):
            balances_[row[side]] = balances_.get(row[side], Decimal()) + sign * Decimal(row["amount"])
    return balances_


def accepted(tmp_path: Path, text: str) -> None:
    """Check a text with the real program, Beancount's own check."""
    file = tmp_path / "journal.beancount"
    file.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "beancount.scripts.check", str(file)]
    completed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (completed.returncode, completed.stderr) == (0, "")


def test_on_the_terminal_every_account_and_what_was_posted(house: WorkedDay) -> None:
    lines = [line.split() for line in journal(DAY).splitlines()]
    begun_and_ended = {line[0]: (line[1], line[-1]) for line in lines if len(line) == 5}
    assert begun_and_ended["Assets:Chips:Tables:FR1"] == ("0.00", "16305.00")
    assert begun_and_ended["Income:Tables:FR1"] == ("0.00", "-650.00")
    mispaid = next(line for line in lines if "winnings.mispaid" in line)
    assert mispaid[1:4] == ["FR1", "day", "winnings.mispaid"]
    assert mispaid[-2] == "20.00"


def test_a_program_reads_the_same(house: WorkedDay) -> None:
    journal_ = json.loads(journal(DAY, "--json"))
    assert (journal_["property"], journal_["day"], journal_["currency"], journal_["status"]) == (
        "athens",
        DAY,
        "EUR",
        "open",
    )
    assert {row["account"]: (row["begin"], row["end"]) for row in journal_["trial"]}["Income:Tables:FR1"] == (
        "0.00",
        "-650.00",
    )
    assert journal_["posted"] == as_rows(DAY)
    assert json.loads(journal(DAY, "--json", "--per-event"))["posted"][0].keys() >= {"event", "position"}


def test_sums_and_single_entries_come_to_the_same(house: WorkedDay) -> None:
    rows, each = as_rows(DAY), as_rows(DAY, "--per-event")
    assert balances(rows) == balances(each)
    assert len(each) > len(rows)
    assert sum(balances(each).values()) == 0
    assert all(row["event"].startswith("athens/") for row in each)


def test_the_real_bean_check_accepts_it(house: WorkedDay, tmp_path: Path) -> None:
    accepted(tmp_path, journal(DAY, "--beancount"))
    accepted(tmp_path, journal(DAY, "--beancount", "--per-event"))


def test_a_variance_paid_for_a_reason_in_another_script_has_its_account(
    house: WorkedDay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, reason in enumerate(("Η ένδειξη άργησε", "Табло отстало", "显示屏错误", "the sign lagged")):
        monkeypatch.setattr(mistaken_day, "REASON", reason)
        monkeypatch.setattr(mistaken_day, "VARIANCE", 10_000 * (number + 1))
        mistaken_day.MistakenDay.pay_variance(house)  # type: ignore[arg-type]  # a house that has the same steps
    file = journal(DAY, "--beancount")
    names = [line.split()[0] for line in file.splitlines() if line.startswith("  Expenses:Progressive:Adjustments:")]
    ends = [name.rpartition(":")[2] for name in names]
    assert sorted(ends) == sorted(("Η-ένδειξη-άργησε", "Табло-отстало", "X--显示屏错误", "The-sign-lagged"))
    accepted(tmp_path, file)


def test_the_next_day_begins_where_this_one_ended(house: WorkedDay, tmp_path: Path) -> None:
    held: dict[str, Any] = {"chips": {"100": 10_000, "500": 15_900, "2500": 1_000}, "marker_minor": 50_000}
    house.cage("cage.open", gaming_day=NEXT, cash_minor=CASH + 420_000, **held)
    house.lead("session.open", gaming_day=NEXT, opener=chips(1_630_000))
    file = journal(NEXT, "--beancount")
    assert f"{NEXT} balance Assets:Chips:Tables:FR1 16305.00 EUR" in file
    assert "2026-11-22 balance Assets:Chips:Tables:FR1 16300.00 EUR" in file
    assert "Income" not in file, "it begins at zero, and nothing was played"
    accepted(tmp_path, file)


def test_as_a_workbook(house: WorkedDay, tmp_path: Path) -> None:
    file = tmp_path / "journal.xlsx"
    journal(DAY, "--xlsx", str(file))
    with zipfile.ZipFile(file) as book:
        sheets = [name for name in book.namelist() if name.startswith("xl/worksheets/")]
        assert len(sheets) == 2
        assert b"16305" in book.read("xl/worksheets/sheet1.xml")


def test_names_that_would_become_one_are_refused() -> None:
    assert mapped(["Contra:Progressive:blazing:mega"]) == {
        "Contra:Progressive:blazing:mega": "Liabilities:Contra:Progressive:Blazing:Mega"
    }
    with pytest.raises(Conflict, match="would both be Assets:Chips:Tables:FR-1"):
        mapped(["Assets:Chips:Tables:FR_1", "Assets:Chips:Tables:FR-1"])


@pytest.mark.usefixtures("house")
def test_a_day_of_which_there_is_nothing() -> None:
    with pytest.raises(CommandError) as refused:
        journal("2026-11-25")
    assert refused.value.returncode == 2


def test_the_rules_in_force_are_printed_as_the_setting_has_them(house: WorkedDay) -> None:
    assert journal("--rules").strip() == rules_text(DEFAULT)
    own = rules_text(DEFAULT).replace("Income:Tables:{table}", "Income:4000:{table}")
    change = house.action("setting.change", setting="journal_rules", value=own)
    house.agreed("house", "", ("anna", "cage"), change)
    assert journal("--rules").strip() == own


@pytest.mark.django_db(transaction=True)
def test_entries_are_posted_up_to_the_last_event(house: WorkedDay) -> None:
    posted = journal("--post")
    assert f"up to event {house.store.position():,}" in posted
    assert JournalEntry.objects.filter(dated=DAY).count() == len(as_rows(DAY, "--per-event"))
    assert journal("--post").startswith("0 entries")
