"""The same days in euro, yen and dinar. Every page, file, paper and command shows the same minor units.

A day is played three times with the same minor units. The test rewrites each euro amount in the format of the other
currency, with its decimals. The result must equal the output in that currency.
"""

import io
import itertools
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.test import Client

from backoffice.days import system_state_for_day_close
from backoffice.wording import formats
from events.accounting.report import checklist_system_state_source
from events.accounting.report.checklist_system_state_source import SystemState
from events.store import open_store
from projections.journal.journal_rows_from_events import JournalPosting
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, PROPERTY, House, serving
from tests.support.houses.worked_day import WorkedDay
from tests.support.pages.addresses import READ
from tests.support.pages.page_actors import at
from tests.support.pages.page_text_and_queries import written

pytestmark = pytest.mark.django_db

WELL = SystemState(readers={}, head=10**9, aside={})
OTHERS = ("JPY", "KWD")
COMMANDS = (
    ("cash", DAY, "--all"), ("hold",), ("hold", "--by", "bet"), ("hold", "--json"), ("report", DAY),
    ("report", DAY, "--json"), ("journal", DAY), ("journal", DAY, "--csv"), ("journal", DAY, "--per-event", "--csv"),
    ("journal", DAY, "--json"), ("journal", DAY, "--beancount"), ("books",), ("books", "--json"), ("liability",),
    ("explain", f"BJ1-{DAY}-1-1"), ("whatif", "blazing", "--seed", "mega=30000"), ("par", "roulette-french"),
    ("search", "type:bet.placed"), ("search", "amount:>0"), ("search", "paid:>0"),
)  # fmt: skip
# What differs from run to run, and what is no amount of money: times, digests, clauses,
# axes of charts.
_NOISE = re.compile(
    r"[0-9a-f]{12,}|(?:\d{4}-)?(?:\d\d-\d\d[ T])?\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?|\d+ m?s ago"
    r"|REPRINT, copy \d+|(?:NJ|SD) [\d.]+\S*|[\d.]+ of so much|---+"
    r"|csrf\w+|nonce=\S+|sealed\":\"[^\"]+|R1 2025-11 [\d.]+ [\d.]+"
    r"|played_s\":\d+|FR1 (?:-?[\d,]+ )+Table win"
)
_SHOWN = r"(?:\d{1,3}(?:,\d{3})+|\d+)\.\d\d(?:\d{2,6})?(?![\d.A-Za-z]| ?%)"
_EURO = re.compile(rf"(?<![\d.:@-])(?<!\d,)[−-]?{_SHOWN}")
_IN_SHEETS = re.compile(r"(?<![^,\n])-?\d+\.\d{2,8}(?=[,\s])")
_IN_WORDS = re.compile(r"(?<=[\" −])-?(?:\d{1,3}(?:,\d{3})+|\d+)\.\d{2,8}(?=[\" ]|, )")
_QUOTED = re.compile(r'(?<=")-?\d+\.\d{2,8}(?=")')
# What was printed before; what is worked out first; amounts on drawn chips, which are rounded.
LEFT_OUT = re.compile(r"given-out$|/liability$|/api/.*/luck$|/print$|^/tables/.*/rounds/")


def worked(house: Any) -> None:
    """Play and close the day whose figures were calculated by hand."""
    house.play()
    house.ok("days", "", "anna", house.action("day.close"))


def played(house: Any) -> None:
    """The evening with hits, payments and a mispay; open still."""
    evening_with_everything.play(house)


DAYS: dict[str, tuple[type[House], Callable[[Any], None]]] = {"worked": (WorkedDay, worked), "evening": (House, played)}


@pytest.fixture(params=DAYS)
def three(
    request: pytest.FixtureRequest, on_each_database: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, dict[str, str]]:
    """Return the pages and outputs of the day in each currency, by address or command."""
    shape, play = DAYS[request.param]
    monkeypatch.setattr(system_state_for_day_close, "read_system_state", lambda: WELL)
    outputs = {}
    for currency in ("EUR", *OTHERS):
        url = f"sqlite:///{tmp_path / currency}.sqlite3"
        if "postgres" in request.node.callspec.id:
            url = request.getfixturevalue("new_database")()
        monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
        monkeypatch.setenv("PITLEDGER_STORE", url)
        monkeypatch.setenv("PITLEDGER_PROPERTY", PROPERTY)
        house = type("Of", (shape,), {"currency": currency})(open_store(url))
        checklist_system_state_source.register_source(house.store, lambda: WELL)
        play(house)
        with serving(house):
            _project(house)
            outputs[currency] = {**_pages(at("anna")), **_commands()}
        house.close()
    return outputs


def _project(house: House) -> None:
    """The read models of this house alone."""
    for model in apps.get_app_config("projections").get_models():
        model._default_manager.all().delete()
    evening_with_everything.project(house)
    JournalPosting(house.store, PROPERTY).catch_up()


def _pages(client: Client) -> dict[str, str]:
    """Every address that is read, with its sheets, workbooks and papers."""
    outputs = {}
    for address in dict.fromkeys(path for path, _ in READ):
        answer = client.get(address)
        if answer.streaming or answer.status_code != 200:
            outputs[address] = str(answer.status_code)
            continue
        outputs[address] = _text(answer.content, answer.headers.get("Content-Type", ""))
    return outputs


def _text(content: bytes, kind: str) -> str:
    if "pdf" in kind:
        return written(content)
    if "sheet" in kind:
        with zipfile.ZipFile(io.BytesIO(content)) as book:
            return " ".join(book.read(name).decode() for name in sorted(book.namelist()) if "worksheets/sheet" in name)
    return content.decode()


def _commands() -> dict[str, str]:
    outputs = {}
    for words in COMMANDS:
        out = io.StringIO()
        with suppress(CommandError):
            call_command(*words, stdout=out, stderr=io.StringIO())
        outputs[" ".join(words)] = out.getvalue()
    return outputs


def plain(text: str, currency: str) -> str:
    """Return the text without the currency's name and the parts that differ from run to run."""
    text = re.sub(r"<[^>]+>", " ", re.sub(r"<text.*?</text>", " ", text))
    text = _NOISE.sub(" ", re.sub(r"[ \u00a0]+", " ", text.replace("&nbsp;", " ")))
    text = text.replace("¥", currency).replace("€", "EUR").replace(currency, " CUR ")
    return re.sub(r"\s+", " ", text).strip()


_WAITS = re.compile(r"being worked out|Calculating|\"position\": ?null")


def amounts_of(name: str) -> re.Pattern[str]:
    """Return the pattern of amounts in an answer: decimals in text, in sheets or on pages."""
    if "/api/" in name:
        return _IN_WORDS
    if "json" in name or "luck.csv" in name:
        return _QUOTED
    return _IN_SHEETS if "csv" in name else _EURO


def rewritten(text: str, currency: str, pattern: re.Pattern[str]) -> str:
    """A text in euro with every amount of it as this currency writes the same minor units."""

    def amount(match: re.Match[str]) -> str:
        micro = int(Decimal(match[0].replace(",", "").replace("−", "-")).scaleb(8))
        shown = formats.micro(abs(micro), currency)
        return match[0][: match[0][0] in "−-"] + (shown if "," in match[0] else shown.replace(",", ""))

    return pattern.sub(amount, text)


def test_every_figure_is_the_same_minor_units_in_each_currency(
    three: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    amounts, wrong = 0, []
    for currency in OTHERS:
        for name, text in three["EUR"].items():
            if LEFT_OUT.search(name) or any(_WAITS.search(three[code][name]) for code in three):
                continue
            euro, other, pattern = plain(text, "EUR"), plain(three[currency][name], currency), amounts_of(name)
            amounts += len(pattern.findall(euro))
            # A number of fewer digits may have no comma where the other has one.
            expected, actual = rewritten(euro, currency, pattern).replace(",", ""), other.replace(",", "")
            if name.endswith((".pdf", "/pdf")):  # pages break elsewhere
                expected, actual = (" ".join(sorted(set(_AMOUNTS.findall(text)))) for text in (expected, actual))
            if expected != actual:
                wrong.append(f"{currency} {name}: {_apart(expected, actual)}")
    assert not wrong, "\n".join(wrong)
    assert amounts > 1_000
    for currency, name in itertools.product(OTHERS, (f"journal {DAY} --beancount", f"journal {DAY} --json")):
        assert f'"{currency}"' in three[currency][name]
    for currency in OTHERS:
        _is_accepted(tmp_path, three[currency][f"journal {DAY} --beancount"])


def _is_accepted(folder: Path, journal: str) -> None:
    """Assert that the real bean-check accepts the journal."""
    file = folder / "journal.beancount"
    file.write_text(journal, encoding="utf-8")
    command = [sys.executable, "-m", "beancount.scripts.check", str(file)]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (process.returncode, process.stderr) == (0, "")


_AMOUNTS = re.compile(r"[−-]?\d{3,}(?:\.\d+)?|\d+\.\d+")


def _apart(expected: str, actual: str) -> str:
    """Return the place where two texts begin to differ."""
    at = next((n for n, both in enumerate(zip(expected, actual, strict=False)) if both[0] != both[1]), 0)
    return f"want {expected[max(at - 50, 0) : at + 50]!r}, found {actual[max(at - 50, 0) : at + 50]!r}"
