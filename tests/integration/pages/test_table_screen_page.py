"""The page of a table's screen: its content, its size, and the names by which programs find its elements."""

import gzip
import re
from contextlib import closing
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from backoffice.table_screen import page
from backoffice.table_screen.page_words import page_words

ROOT = Path(__file__).resolve().parents[3]
MODULES = ROOT / "backoffice/static/backoffice/table"
REFERENCE = ROOT / "docs/reference/table-screen.md"
SIZE_MAX = 120_000  # bytes, compressed
GAMES = ("roulette", "blackjack", "baccarat", "craps", "trilux", "banker", "bigsix")
pytestmark = pytest.mark.django_db


def modules() -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(MODULES.glob("*.js"))}


def test_the_whole_screen_is_smaller_than_120_kb(client: Client) -> None:
    files = [Path(str(finders.find(name))).read_bytes() for name in page.names()]
    shell = client.get("/table/FR1").content
    assert sum(len(gzip.compress(content)) for content in (*files, shell)) < SIZE_MAX


def test_the_page_runs_no_inline_script_and_no_eval(client: Client) -> None:
    answer = client.get("/table/FR1")
    scripts = re.findall(r"<script([^>]*)>", answer.content.decode())
    assert all('type="application/json"' in script or "src=" in script for script in scripts)
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert not any(re.search(r"\beval\(|new Function\(|innerHTML", text) for text in modules().values())


def test_the_service_worker_keeps_every_file_of_one_version(client: Client) -> None:
    worker = client.get("/table/sw.js")
    assert worker.headers["Content-Type"] == "text/javascript"
    addresses = re.findall(r'"(/static/[^"]+)"', worker.content.decode())
    assert addresses == list(page.files())
    module_names = {match for text in modules().values() for match in re.findall(r'from "\./([\w.]+)"', text)}
    assert {Path(address).name for address in addresses} >= module_names | {"main.js", "table.css"}
    for address in addresses:
        with closing(client.get(address)) as answer:
            assert answer.status_code == 200, address


def test_a_browser_can_install_it(client: Client) -> None:
    manifest = client.get("/table/FR1/manifest.webmanifest").json()
    assert (manifest["start_url"], manifest["scope"], manifest["display"]) == ("/table/FR1", "/table/", "fullscreen")


def test_the_modules_know_no_game_and_no_rule() -> None:
    mentions = {(name, game) for name, text in modules().items() for game in GAMES if game in text.lower()}
    assert mentions == set()


def test_every_word_of_the_modules_is_a_word_of_the_house() -> None:
    texts = "\n".join(modules().values())
    words = set(re.findall(r'word\("(\w+)"', texts)) | set(re.findall(r'word\([^"`]*\? "(\w+)" : "(\w+)"', texts))
    flat = {name for entry in words for name in (entry if isinstance(entry, tuple) else (entry,))}
    assert flat - set(page_words()) == set()


def test_the_reference_lists_every_attribute_of_the_markup() -> None:
    texts = "\n".join(text for name, text in modules().items() if name != "sw.js")
    used = set(re.findall(r"\s(data-[a-z]+(?:-[a-z]+)*)=", texts))
    documented = set(re.findall(r"^\| `(data-[a-z-]+)` \|", REFERENCE.read_text(), re.MULTILINE))
    assert used == documented
    contract = "do place seat player chip card number dice phase pending queued"
    assert documented >= {f"data-{name}" for name in contract.split()}
