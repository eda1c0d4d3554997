"""A scan of all stored data and all answers: no place has a draw's secret and result before they are public.

It covers the data folder with store, heads and access log, the topic's records, log lines and read models. It also
covers every address, search, suggestions and the live stream. Inspectors see the result on their pages, but no one sees
the secret.
"""

import base64
import itertools
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from django.test import Client

from backoffice.surveillance.large_screen_alert_content import wall_mark
from events.inspection_draws import stream_declaration as kind
from events.inspection_draws.due_draw_publication import publish_due
from events.integrity.signed_head_stores import Heads, open_heads
from events.relay.topic_records import headers
from events.store import everything, open_store
from tests.support.houses import evening_with_everything
from tests.support.houses.inspection_draw_house import TERMS, DrawingHouse
from tests.support.houses.small_house import PROPERTY, serving
from tests.support.pages.addresses import CLOSED
from tests.support.pages.sign_in import signed_in

pytestmark = pytest.mark.django_db(databases="__all__")
QUERIES = ("type:draw.revealed", "stream:athens/draws", "inspection", "draw", "secret", "table:BJ1")
OWN = ("/draws/night", "/api/v1/draws/night", "/api/v1/inspections")
READER = "olga"  # reads every page; the others are asked for what is of draws
OUTSIDERS = ("paul", "anna")


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[DrawingHouse]:
    """A house whose store and heads are files of the data folder."""
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_ACCESS", f"sqlite:///{tmp_path}/access.sqlite3")
    url = f"sqlite:///{tmp_path}/events.sqlite3"
    store = open_store(url)
    store.create()
    house = DrawingHouse(monkeypatch, tmp_path, store)
    house.heads = open_heads(url)
    store.process_cache.forget((Heads,))
    store.process_cache.get((Heads,), lambda: house.heads)
    with serving(house):
        yield house
    house.close()


def forms_of_secret(secret: bytes) -> list[bytes]:
    """The secret as people and programs write bytes: as they are, in hexadecimal, Base64 and decimal."""
    coded = [base64.b64encode(bytes(before) + secret)[before + 1 :][:38] for before in range(3)]
    url_safe = [text.replace(b"+", b"-").replace(b"/", b"_") for text in coded]
    numbers = [str(int.from_bytes(secret, order)).encode() for order in ("big", "little")]
    return [secret, secret.hex().encode(), secret.hex().upper().encode(), *coded, *url_safe, *numbers]


def forms_of_result(drawn: tuple[int, ...]) -> list[bytes]:
    """The drawn entries as a list, in order or sorted."""
    orders = {drawn, tuple(sorted(drawn))}
    return [sep.join(map(str, order)).encode() for order in orders for sep in (",", ", ", " ", "\t", "\n", "-")]


def has_any_form(content: bytes, forms: list[bytes]) -> bool:
    """Return whether a form stands in the content, not as a part of a longer number or word."""
    return any(re.search(rb"(?<![\w-])" + re.escape(form) + rb"(?![\w-])", content) for form in forms)


def read_models() -> bytes:
    """Every row of every table of the read models and the back office."""
    texts = []
    for connection in connections.all():
        with connection.cursor() as cursor:
            for table in connection.introspection.table_names(cursor):
                cursor.execute(f'SELECT * FROM "{table}"')
                texts += [repr(tuple(map(_plain, row))) for row in cursor.fetchall()]
    return "\n".join(texts).encode()


def _plain(value: object) -> object:
    return bytes(value).decode("latin-1") if isinstance(value, bytes | memoryview) else value


def answers(person: str, addresses: list[str]) -> Iterator[tuple[str, bytes]]:
    client = signed_in(Client(), person)
    for address in addresses:
        answer: Any = client.get(address)
        content = b"".join(answer.streaming_content) if answer.streaming else answer.content
        yield f"{person} {address}", content + str(answer.headers).encode()


def written(house: DrawingHouse, folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield everything stored or answered, with its place."""
    evening_with_everything.project(house)
    for file in folder.rglob("*"):
        if file.is_file():
            yield str(file.relative_to(folder)), file.read_bytes()
    for previous, stored in enumerate(everything(house.store)):
        yield f"record {stored.position}", stored.raw + repr(headers(stored, previous, b"x")).encode()
    for number, head in enumerate(house.heads.after(0), 1):
        yield f"head {number}", head
    yield "read models", read_models()
    yield "live stream", wall_mark().encode()


def everywhere() -> list[str]:
    """Every address, and those of draws."""
    return [address for address, _rule in CLOSED] + of_draws()


def of_draws() -> list[str]:
    """Addresses of the draw, searches, and completions."""
    searches = [f"/api/v1/search?q={query}" for query in QUERIES] + [f"/events?q={query}" for query in QUERIES]
    return [*OWN, *searches, *(f"/api/v1/search/completions?q={query}" for query in QUERIES)]


def test_secret_and_result_are_nowhere_until_they_are_public(
    house: DrawingHouse, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    tables = [{"table": "BJ1"}, {"table": "BJ2"}, {"table": "FR1"}]
    house.commit(**TERMS | {"tables": tables, "slot_minutes": 5, "number": 5})
    house.reveal()
    drawn, secret = tuple(house.drawn()), kind.secret_of(house.state().draws["night"])
    about = {"draw": "night", "way": "live", "looked_at": "cards", "finding": "in order"}
    house.do("sid", "inspection.record", entry=drawn[0], **about)
    secrets, results = forms_of_secret(secret), forms_of_result(drawn)
    outside = (answers(person, of_draws()) for person in OUTSIDERS)
    places = itertools.chain(written(house, tmp_path), answers(READER, everywhere()), *outside)
    count = 0
    for place, content in places:
        assert not has_any_form(content, secrets + results), place
        count += 1
    assert count > len(CLOSED)
    for place, content in answers("sven", of_draws()):  # an inspector sees the entries, and no secret
        assert not has_any_form(content, secrets), place
    logs = (caplog.text + "".join(capfd.readouterr())).encode()
    assert not has_any_form(logs, secrets + results)

    house.turn_to("2026-11-21T01:00:00.000Z")  # the time of the last entry is over
    assert publish_due(house.store, PROPERTY) == 1
    house.sign()
    places = itertools.chain(written(house, tmp_path), answers("olga", ["/draws/night/proof"]))
    shown = {place for place, content in places if has_any_form(content, secrets) and has_any_form(content, results)}
    assert {"read models", "olga /draws/night/proof"} <= shown, "the scan sees what is public"
    assert any(place.startswith("record ") for place in shown)
