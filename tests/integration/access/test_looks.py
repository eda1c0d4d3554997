"""Who looked: a chain in which nothing is changed, missing or cut off unseen."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from django.db.utils import ConnectionHandler

from backoffice.access.end import end_at
from backoffice.access.looks import SEARCH, add, amiss, digest_of, end
from backoffice.access.models import Look
from backoffice.environment import database
from events.integrity.heads import Head, Looked, encode, has_signature, sign
from events.signing.keys import Signer, signer
from tests.scratch import access_log

ROOT = "00" * 32


@pytest.fixture
def by(tmp_path: Path) -> Signer:
    return signer(tmp_path)


def head(by: Signer, number: int, looked: Looked | None) -> Head:
    """One of a house, as if nothing had happened but looking."""
    said: dict[str, Any] = {"looked": looked} if looked is not None else {}
    made = Head(
        type="pitledger.head.v1", property="athens", number=number, size=1, position=1, root=ROOT,
        time="2026-11-20T20:00:00Z", previous="", fed={}, key="", **said,
    )  # fmt: skip
    return sign(made, by)


def some(count: int) -> None:
    for number in range(count):
        add(SEARCH, f"/events?q={number}", person="anna", source="10.0.0.1", found=number)


@pytest.mark.django_db
def test_each_line_covers_the_one_before() -> None:
    assert end() == Looked(lines=0, digest="")
    some(3)
    first, second, third = Look.objects.order_by("number")
    assert [first.number, second.number, third.number] == [1, 2, 3]
    assert first.digest == digest_of(first, "")
    assert third.digest == digest_of(third, second.digest)
    assert end() == Looked(lines=3, digest=third.digest)
    assert list(amiss(iter(()))) == []


def _edit() -> None:
    Look.objects.filter(number=2).update(person="bob")


def _edit_with_its_digest() -> None:
    line, before = Look.objects.get(number=2), Look.objects.get(number=1)
    line.what = "/events?q=nothing"
    line.digest = digest_of(line, before.digest)
    line.save()


def _take_out() -> None:
    Look.objects.filter(number=2).delete()


def _cut_off() -> None:
    Look.objects.filter(number__gte=2).delete()


def _write_anew() -> None:
    Look.objects.all().delete()
    for number in (7, 8, 9):
        add(SEARCH, f"/events?q={number}", person="anna", source="10.0.0.1", found=number)


@pytest.mark.parametrize(
    ("harm", "says"),
    [
        (_edit, "line 2 of who looked is not what was written"),
        (_edit_with_its_digest, "line 3 of who looked is not what was written"),
        (_take_out, "line 2 of who looked is missing: line 3 comes next"),
        (_cut_off, "who looked ends at line 1, head 1 saw 3: cut off"),
        (_write_anew, "line 3 of who looked is not the one that head 1 saw: rewritten"),
    ],
)
@pytest.mark.django_db
def test_what_was_changed_is_named(by: Signer, harm: Callable[[], None], says: str) -> None:
    some(3)
    heads = [head(by, 1, end()), head(by, 2, None)]
    assert list(amiss(iter(heads))) == []
    harm()
    (found,) = amiss(iter(heads))
    assert (found.kind, found.position) == ("looks", 0)
    assert found.message.startswith(says)


def _edit_the_last_with_its_digest() -> None:
    line, before = Look.objects.get(number=3), Look.objects.get(number=2)
    line.what = "/events?q=nothing"
    line.digest = digest_of(line, before.digest)
    line.save()


@pytest.mark.parametrize("harm", [_edit_the_last_with_its_digest, _write_anew])
@pytest.mark.django_db
def test_what_was_written_anew_is_found_whatever_later_heads_saw(by: Signer, harm: Callable[[], None]) -> None:
    """As many lines as an earlier head saw, and others."""
    some(3)
    heads = [head(by, 1, end())]
    harm()
    heads += [head(by, 2, end()), head(by, 3, end())]
    (found,) = amiss(iter(heads))
    assert found.message.startswith("line 3 of who looked is not the one that head 1 saw: rewritten. ")


def test_a_head_without_it_is_signed_and_written_as_it_always_was(by: Signer) -> None:
    old, new = head(by, 1, None), head(by, 1, Looked(lines=2, digest="ab"))
    assert b"looked" not in encode(old)
    assert b'"looked":{"lines":2,"digest":"ab"}' in encode(new)
    assert has_signature(old)
    assert has_signature(new)
    assert old.signature != new.signature


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def shared(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    django_db_setup: None,
    django_db_blocker: Any,
) -> Iterator[str]:
    """The URL of an access log that every thread finds."""
    is_file = request.param == "sqlite"
    url = f"sqlite:///{tmp_path}/access.sqlite3" if is_file else request.getfixturevalue("postgres_url")
    with django_db_blocker.unblock():
        access_log(url)
        monkeypatch.setitem(
            connections.settings, "access", ConnectionHandler({"default": database(url)}).settings["default"]
        )
        before = connections["access"]
        del connections["access"]
        yield url
        connections["access"].close()
        connections["access"] = before


def test_many_at_once_make_one_chain(shared: str) -> None:
    assert end_at(shared) == Looked(lines=0, digest="")

    def write(_number: int) -> None:
        try:
            some(5)
        finally:
            connections["access"].close()

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(write, range(4)))
    assert [line.number for line in Look.objects.order_by("number")] == list(range(1, 21))
    assert list(amiss(iter(()))) == []
    assert end_at(shared) == end()


def test_where_there_is_no_such_log_a_head_says_nothing_of_it(tmp_path: Path) -> None:
    assert end_at(f"sqlite:///{tmp_path}/none/access.sqlite3") is None
    assert end_at(f"sqlite:///{tmp_path}/empty.sqlite3") is None
    assert end_at("postgresql://nobody@127.0.0.1:1/none") is None
