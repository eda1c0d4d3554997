"""The access log: a chain that shows every changed, missing or cut-off line."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest
from django.db import connections
from django.db.utils import ConnectionHandler

from backoffice.access import last_log_line_anchor_file
from backoffice.access.access_log_end_for_heads import end_at
from backoffice.access.last_log_line_anchor_file import Anchor
from backoffice.access.models import Look
from backoffice.access.personal_data_access_log import (
    SEARCH,
    accept_end,
    access_log_extent,
    add,
    digest_of,
    first_fault,
)
from backoffice.running.database_and_mail_settings import database
from events.envelope import Meta
from events.integrity.head_signing import make_head
from events.integrity.signed_head_format import Head, Looked, decode, encode, has_signature, sign
from events.integrity.signed_head_stores import MemoryHeads
from events.people.role_grant_decider import RoleGranted
from events.signing.house_signing_key import Signer, signer
from events.store import Append, NewEvent
from events.store.in_memory_store import MemoryStore
from tests.support.processes.scratch_databases import access_log

ROOT = "00" * 32
BY = Meta(time="2026-11-20T20:00:00.000Z", actor="adam", actorrole="administrator")


@pytest.fixture
def by(tmp_path: Path) -> Signer:
    return signer(tmp_path)


def head(by: Signer, number: int, looked: Looked | None) -> Head:
    """Return a head whose only change is its state of the access log."""
    fields: dict[str, Any] = {"looked": looked} if looked is not None else {}
    made = Head(
        type="pitledger.head.v1", property="athens", number=number, size=1, position=1, root=ROOT,
        time="2026-11-20T20:00:00Z", previous="", fed={}, key="", **fields,
    )  # fmt: skip
    return sign(made, by)


def some(count: int) -> None:
    for number in range(count):
        add(SEARCH, f"/events?q={number}", person="anna", source="10.0.0.1", count=number)


@pytest.mark.django_db
def test_each_line_covers_the_one_before() -> None:
    assert access_log_extent() == Looked(lines=0, digest="")
    some(3)
    first, second, third = Look.objects.order_by("number")
    assert [first.number, second.number, third.number] == [1, 2, 3]
    assert first.digest == digest_of(first, "")
    assert third.digest == digest_of(third, second.digest)
    assert access_log_extent() == Looked(lines=3, digest=third.digest)
    assert list(first_fault(iter(()))) == []


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
        add(SEARCH, f"/events?q={number}", person="anna", source="10.0.0.1", count=number)


@pytest.mark.parametrize(
    ("harm", "says"),
    [
        (_edit, "line 2 of the access log was changed"),
        (_edit_with_its_digest, "line 3 of the access log was changed"),
        (_take_out, "line 2 of the access log is missing: line 3 comes next"),
        (_cut_off, "the access log ends at line 1, head 1 covers 3: lines 2 to 3 are missing, cut off"),
        (_write_anew, "line 3 of the access log is not the one that head 1 covers: rewritten"),
    ],
)
@pytest.mark.django_db
def test_what_was_changed_is_named(by: Signer, harm: Callable[[], None], says: str) -> None:
    some(3)
    heads = [head(by, 1, access_log_extent()), head(by, 2, None)]
    assert list(first_fault(iter(heads))) == []
    harm()
    (difference,) = first_fault(iter(heads))
    assert (difference.kind, difference.position) == ("looks", 0)
    assert difference.message.startswith(says)


def _edit_the_last_with_its_digest() -> None:
    line, before = Look.objects.get(number=3), Look.objects.get(number=2)
    line.what = "/events?q=nothing"
    line.digest = digest_of(line, before.digest)
    line.save()


@pytest.mark.parametrize("harm", [_edit_the_last_with_its_digest, _write_anew])
@pytest.mark.django_db
def test_what_was_written_anew_is_found_whatever_later_heads_saw(by: Signer, harm: Callable[[], None]) -> None:
    """The intruder rewrote lines and kept their number, so that later heads cover the new lines."""
    some(3)
    heads = [head(by, 1, access_log_extent())]
    harm()
    heads += [head(by, 2, access_log_extent()), head(by, 3, access_log_extent())]
    (finding,) = first_fault(iter(heads))
    assert finding.message.startswith("line 3 of the access log is not the one that head 1 covers: rewritten. ")


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
    assert list(first_fault(iter(()))) == []
    assert end_at(shared) == access_log_extent()


def test_where_there_is_no_such_log_a_head_says_nothing_of_it(tmp_path: Path) -> None:
    assert end_at(f"sqlite:///{tmp_path}/none/access.sqlite3") is None
    assert end_at(f"sqlite:///{tmp_path}/empty.sqlite3") is None
    assert end_at("postgresql://nobody@127.0.0.1:1/none") is None


class CommittedAccessLog:
    """A house on files: its heads, and an access log whose lines are committed."""

    def __init__(self, url: str, by: Signer) -> None:
        self.store, self.heads, self.by = MemoryStore(), MemoryHeads(), by
        granted = NewEvent(RoleGranted(person="anna", role="auditor"), BY)
        self.store.append([Append("athens/people", self.store.head("athens/people"), [granted])])
        self._url = url

    def signs(self) -> Head | None:
        made, _is_all = make_head(self.store, self.heads, "athens", self.by, looked=lambda: end_at(self._url))
        return made

    def faults(self) -> list[str]:
        heads = [decode(raw) for raw in self.heads.after(0)]
        return [
            difference.message for difference in first_fault(iter(heads), file_anchor=last_log_line_anchor_file.read())
        ]


@pytest.fixture
def written(shared: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommittedAccessLog:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("PITLEDGER_PROPERTY", "athens")
    return CommittedAccessLog(shared, signer(tmp_path / "data"))


def test_a_head_is_signed_where_only_the_access_log_has_grown(written: CommittedAccessLog) -> None:
    some(2)
    first = written.signs()
    assert first is not None
    assert first.looked == access_log_extent()
    assert written.signs() is None, "nothing is new"
    some(8)
    second = written.signs()
    assert second is not None
    assert second.looked == access_log_extent()
    assert (second.number, second.size, second.root) == (2, first.size, first.root)


def _delete_the_end() -> None:
    Look.objects.filter(number__gt=2).delete()


def _delete_all() -> None:
    Look.objects.all().delete()


def _replace() -> None:
    line, before = Look.objects.get(number=10), Look.objects.get(number=9)
    line.person = "bob"
    line.digest = digest_of(line, before.digest)
    line.save()


def _renumber() -> None:
    Look.objects.filter(number=5).delete()
    for line in Look.objects.filter(number__gt=5).order_by("number"):
        Look.objects.filter(number=line.number).update(number=line.number - 1)


def _renumber_with_digests() -> None:
    _renumber()
    before = Look.objects.get(number=4).digest
    for line in Look.objects.filter(number__gt=4).order_by("number"):
        before = line.digest = digest_of(line, before)
        line.save()


def _restore_an_older_copy_and_go_on() -> None:
    _delete_the_end()
    some(12)


HARMS = [
    (_delete_the_end, "the access log ends at line 2, {} covers 10: lines 3 to 10 are missing"),
    (_delete_all, "the access log ends at line 0, {} covers 10: lines 1 to 10 are missing"),
    (_replace, "line 10 of the access log is not the one that {} covers"),
    (_renumber, "line 5 of the access log was changed"),
    (_renumber_with_digests, "the access log ends at line 9, {} covers 10: line 10 is missing"),
    (_restore_an_older_copy_and_go_on, "line 10 of the access log is not the one that {} covers"),
]


@pytest.mark.parametrize("covered", ["by a head", "by the anchor"])
@pytest.mark.parametrize(("harm", "says"), HARMS)
def test_the_end_is_as_safe_as_the_middle(
    written: CommittedAccessLog, harm: Callable[[], None], says: str, covered: str
) -> None:
    some(2)
    assert written.signs() is not None
    some(8)
    assert covered == "by the anchor" or written.signs() is not None
    assert written.faults() == []
    harm()
    (message,) = written.faults()
    witness = "head 2" if covered == "by a head" else "what was written from this machine by "
    before, _, after = says.partition("{}")
    assert message.startswith(before)
    assert witness in message or not after
    assert after.strip() in message


def test_after_people_accepted_a_restored_log_the_anchor_goes_on(written: CommittedAccessLog) -> None:
    some(5)
    _delete_the_end()
    some(1)
    assert len(written.faults()) == 1
    accept_end()
    some(1)
    assert written.faults() == []
    assert last_log_line_anchor_file.read() == Anchor(lines=4, digest=access_log_extent().digest, at=ANY)
