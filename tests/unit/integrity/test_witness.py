"""The witness outside the house: it takes heads that follow and refuses heads that contradict, and it keeps both.

The house cannot edit the witness's file.
"""

import inspect
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from events.errors import Conflict, Poison, Retry
from events.integrity import witness_file_reader
from events.integrity.head_signing import make_head
from events.integrity.signed_head_format import Head, Looked, decode, digest_of, encode, sign
from events.integrity.signed_head_stores import MemoryHeads
from events.relay.witness_delivery import hand_over
from events.signing import house_signing_key
from events.signing.last_signed_head_file import GivenUpHeads, LastHead
from events.store.in_memory_store import MemoryStore
from tests.unit.integrity.test_heads import say
from tools import verify_certificate, witness

TOOL = Path(witness.__file__)


def _known_extent(looked: Looked | None) -> Callable[[], Looked | None]:
    return lambda: looked


class HouseWithWitness:
    """A house with three heads, the same house with another history under the same key, and a witness's file."""

    def __init__(self, folder: Path) -> None:
        self.by = house_signing_key.Signer(house_signing_key.signer(folder)._private)
        self.heads, self.other = self.history(5, 7, 1), self.history(4, 7, 2)
        self.path = folder / "witness.jsonl"

    def history(self, *counts: int) -> MemoryHeads:
        """Make heads over these numbers of events. The first head has no length of the access log."""
        store, heads = MemoryStore(), MemoryHeads()
        for number, count in enumerate(counts):
            say(store, count)
            looked = Looked(lines=number, digest="ab" * 32) if number else None
            make_head(store, heads, "athens", self.by, looked=_known_extent(looked))
        return heads

    def after(self, heads: MemoryHeads, count: int) -> MemoryHeads:
        """Return the other history, on top of the first `count` heads of this one."""
        heads_ = MemoryHeads()
        for number, raw in enumerate(self.heads.after(0)[:count], 1):
            heads_.add(number, raw)
        for raw in heads.after(count):
            last = heads_.last()
            changed = msgspec.structs.replace(decode(raw), previous=digest_of(last) if last else "")
            heads_.add(changed.number, encode(sign(changed, self.by)))
        return heads_

    @contextmanager
    def witness(self, *names: str) -> Iterator[witness.WitnessStore]:
        opened = witness.WitnessStore(self.path, names)
        with opened._file:
            yield opened

    def taken(self, *raws: bytes, keys: tuple[str, ...] = ()) -> list[str]:
        """Return the refusals of the witness."""
        with self.witness(*keys) as opened:
            refused: list[str] = witness.take_all(opened, raws)["refused"]
            return refused

    def read(self) -> witness_file_reader.WitnessFile:
        return witness_file_reader.read(self.path.read_bytes())


@pytest.fixture
def witnessed(tmp_path: Path) -> HouseWithWitness:
    return HouseWithWitness(tmp_path)


def changed(raw: bytes, **fields: object) -> bytes:
    return encode(msgspec.structs.replace(decode(raw), **fields))


def test_what_follows_is_taken_once_and_read_again(witnessed: HouseWithWitness) -> None:
    raws = witnessed.heads.after(0)
    assert witnessed.taken(*raws, raws[1], keys=(witnessed.by.public,)) == []
    assert witnessed.taken(*raws) == []
    assert len(witnessed.path.read_bytes().splitlines()) == 3
    assert witnessed.read().heads == raws


def test_who_has_the_key_cannot_tell_another_story(witnessed: HouseWithWitness) -> None:
    witnessed.taken(*witnessed.heads.after(0))
    raws = witnessed.other.after(0)
    refused = witnessed.taken(*raws)
    assert refused[0].startswith("CONTRADICTION: head 1 is not the one that was witnessed")
    assert len(refused) == 3
    file = witnessed.read()
    assert (file.heads, file.refused) == (witnessed.heads.after(0), raws)
    witnessed.taken(*raws)
    assert witnessed.read() == file, "the same evidence is kept once"


def test_a_story_that_leaves_the_witnessed_one_is_refused_from_there(witnessed: HouseWithWitness) -> None:
    witnessed.taken(*witnessed.heads.after(0)[:2])
    last = witnessed.other.after(2)[0]
    assert "does not follow" in witnessed.taken(last)[0]
    shorter = encode(sign(decode(changed(witnessed.heads.after(2)[0], size=12)), witnessed.by))
    assert "vouches for no more" in witnessed.taken(shorter)[0]
    assert witnessed.read().refused == [last, shorter]


def test_a_head_over_more_lines_of_the_access_log_is_taken(witnessed: HouseWithWitness) -> None:
    """A house where people only look signs heads over the same events."""
    last = decode(witnessed.heads.after(2)[0])
    fields = {"number": 4, "previous": digest_of(encode(last))}
    raw = encode(sign(msgspec.structs.replace(last, looked=Looked(lines=9, digest="cd" * 32), **fields), witnessed.by))
    same = encode(sign(msgspec.structs.replace(last, **fields), witnessed.by))
    fewer = encode(
        sign(msgspec.structs.replace(last, looked=Looked(lines=1, digest="cd" * 32), **fields), witnessed.by)
    )
    witnessed.taken(*witnessed.heads.after(0))
    assert "vouches for no more" in witnessed.taken(same)[0]
    assert "vouches for no more" in witnessed.taken(fewer)[0]
    assert witnessed.taken(raw) == []
    assert witnessed.read().heads[-1] == raw


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"{}", "not a head"),
        (b"[" * 100_000, "not a head"),
        (b"\xff", "not a head"),
        (b'{"type":"pitledger.head.v1"}', "not a head"),
    ],
)
def test_what_is_no_head_is_refused_and_not_kept(witnessed: HouseWithWitness, raw: bytes, why: str) -> None:
    assert why in witnessed.taken(raw)[0]
    assert witnessed.path.read_bytes() == b""


def as_plain(head: Head, **fields: object) -> dict[str, Any]:
    return {**msgspec.to_builtins(head), **fields}


@pytest.mark.parametrize(
    "written",
    [
        lambda head: json.dumps(as_plain(head)),
        lambda head: json.dumps(as_plain(head), sort_keys=True, separators=(",", ":")),
        lambda head: json.dumps(as_plain(head, signature=head.signature.upper()), separators=(",", ":")),
        lambda head: encode(head).decode().replace('"number":', '"number":7,"number":'),
        lambda head: encode(head).decode().replace('"fed":', '"f\\u0065d":'),
        lambda head: encode(head).decode().replace('"lines":1,', "").replace('"}}', '","lines":1}}'),
        lambda head: json.dumps(as_plain(head, fed=dict(reversed(head.fed.items()))), separators=(",", ":")),
        lambda head: json.dumps(
            as_plain(head, fed={stream: dict(reversed(levels.items())) for stream, levels in head.fed.items()}),
            separators=(",", ":"),
        ),
    ],
)
def test_a_head_that_others_wrote_down_anew_does_not_take_the_place_of_the_houses(
    witnessed: HouseWithWitness, written: Callable[[Head], str]
) -> None:
    """A reader of the topic can send a copied head first. Its signature is right; the next head follows other bytes."""
    fed = {"athens/progressives/a": {"mega": 1, "major": 2}, "athens/progressives/b": {"minor": 3}}
    first, second, third = witnessed.heads.after(0)
    before = encode(sign(msgspec.structs.replace(decode(first), fed=fed), witnessed.by))
    head = sign(msgspec.structs.replace(decode(second), fed=fed, previous=digest_of(before)), witnessed.by)
    assert witnessed.taken(before) == []
    assert witnessed.taken(written(head).encode()) != []
    follows = sign(msgspec.structs.replace(decode(third), previous=digest_of(encode(head))), witnessed.by)
    assert witnessed.taken(encode(head), encode(follows)) == []
    assert witnessed.read().refused == []


def test_who_is_not_the_house_is_refused_and_not_kept(witnessed: HouseWithWitness, tmp_path: Path) -> None:
    first, second, third = witnessed.heads.after(0)
    theirs = house_signing_key.signer(tmp_path / "theirs")
    signed = encode(sign(decode(second), theirs))
    assert "not the house's key" in witnessed.taken(encode(sign(decode(first), theirs)), keys=(witnessed.by.public,))[0]
    assert witnessed.taken(first) == []
    assert "not the house's key" in witnessed.taken(signed)[0]
    assert "not signed by the key" in witnessed.taken(changed(second, size=900))[0]
    corfu = encode(sign(decode(changed(second, property="corfu")), witnessed.by))
    assert "is of corfu" in witnessed.taken(corfu)[0]
    assert witnessed.taken(third) == ["REFUSED: heads 2 to 2 were not handed over"]
    assert witnessed.read().heads == [first]
    assert witnessed.read().refused == []


def test_half_a_line_of_a_power_cut_goes_and_an_edited_line_is_told(witnessed: HouseWithWitness) -> None:
    raws = witnessed.heads.after(0)
    witnessed.taken(*raws[:2])
    whole = witnessed.path.read_bytes()
    witnessed.path.write_bytes(whole[:-9])
    assert len(witnessed.read().heads) == 1
    assert witnessed.taken(*raws) == []
    assert witnessed.read().heads == raws
    lines = witnessed.path.read_bytes().splitlines(keepends=True)
    witnessed.path.write_bytes(lines[0] + lines[2])
    assert witnessed.read().amiss == ["line 2 of the witness's file does not follow the line before it: it was changed"]
    with pytest.raises(ValueError, match="somebody changed this file"), witnessed.witness():
        pass
    with pytest.raises(Poison):
        witness_file_reader.read(b"what?\n")


def test_one_witness_at_a_time_writes_the_file(witnessed: HouseWithWitness) -> None:
    with witnessed.witness(), pytest.raises(BlockingIOError), witnessed.witness():
        pass


def test_gaps_between_two_heads_are_told(witnessed: HouseWithWitness, monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter(["2026-11-20T20:00:00.000Z", "2026-11-20T20:00:10.000Z", "2026-11-20T20:10:00.000Z"])
    with monkeypatch.context() as patched:
        patched.setattr(witness, "now", lambda: next(times))
        witnessed.taken(*witnessed.heads.after(0))
    (gap,) = witnessed.read().gaps
    assert "between head 2 at 2026-11-20T20:00:10.000Z and head 3 at 2026-11-20T20:10:00.000Z" in gap
    with witnessed.witness() as opened:
        assert "for 590 s: from head 2" in opened.gaps(300)[0]
        assert len(opened.gaps(300)) == 2, "the last one is long ago"


def test_after_a_backup_people_say_from_where_the_house_goes_on(witnessed: HouseWithWitness) -> None:
    witnessed.taken(*witnessed.heads.after(0))
    on = witnessed.after(witnessed.other, 1)
    assert len(witnessed.taken(*on.after(0))) == 2
    with witnessed.witness() as opened:
        with pytest.raises(witness.HeadRejection, match="never witnessed"):
            opened.give_up(9, "no such head")
        opened.give_up(1, "the disk died, backup of 20:00")
    assert witnessed.taken(*on.after(1)) == []
    file = witnessed.read()
    assert file.heads == on.after(0)
    assert file.aside == witnessed.heads.after(1)
    assert file.given_up[0].reason.startswith("the disk died")


@contextmanager
def served(witnessed: HouseWithWitness) -> Iterator[str]:
    with witnessed.witness() as opened, witness.door(opened, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()
            thread.join()


def test_the_house_hands_over_by_http_what_the_witness_lacks(witnessed: HouseWithWitness) -> None:
    with served(witnessed) as url:
        assert [hand_over(witnessed.heads, url, "athens") for _ in range(2)] == [3, 3]
        with pytest.raises(Conflict, match="is not here"):
            hand_over(witnessed.history(5), url, "athens")
        with pytest.raises(Conflict, match="does not follow"):
            hand_over(witnessed.after(witnessed.history(5, 6, 2, 4), 2), url, "athens")
    with pytest.raises(Retry, match="does not answer"):
        hand_over(witnessed.heads, url, "athens")
    assert witnessed.read().heads == witnessed.heads.after(0)


def test_the_house_hands_over_by_a_file_that_somebody_fetches(witnessed: HouseWithWitness, tmp_path: Path) -> None:
    drop = tmp_path / "drop"
    assert [hand_over(witnessed.heads, drop.as_uri(), "athens") for _ in range(2)] == [3, 3]
    (path,) = drop.iterdir()
    path.write_bytes(path.read_bytes()[:-20])
    assert hand_over(witnessed.heads, drop.as_uri(), "athens") == 3
    assert witnessed.taken(*witness.dropped([drop])) == []
    assert witnessed.read().heads == witnessed.heads.after(0)
    assert witness_file_reader.read(path.read_bytes()).heads == witnessed.heads.after(0), "bare heads are read as well"
    with pytest.raises(Conflict, match=r"The last head in heads\.athens\.jsonl is not the head 3 kept here\."):
        hand_over(witnessed.other, drop.as_uri(), "athens")


def test_after_a_backup_the_file_goes_on_behind_what_was_given_up(witnessed: HouseWithWitness, tmp_path: Path) -> None:
    drop = tmp_path / "drop"
    hand_over(witnessed.heads, drop.as_uri(), "athens")
    last = decode(witnessed.heads.after(2)[0])
    lost = LastHead(number=3, size=last.size, position=last.position, root=last.root, digest="")
    given_up = [GivenUpHeads(last_kept=1, last=lost, time="2027-01-01T00:00:00.000Z")]
    on = witnessed.after(witnessed.other, 1)
    assert hand_over(on, drop.as_uri(), "athens", given_up) == 3
    assert len(list(witness.dropped([drop]))) == 5


def test_a_folder_that_cannot_be_written_is_tried_again(witnessed: HouseWithWitness, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(Retry, match="cannot be written"):
        hand_over(witnessed.heads, (tmp_path / "file" / "drop").as_uri(), "athens")


def test_the_program_needs_nothing_but_python(witnessed: HouseWithWitness, tmp_path: Path) -> None:
    hand_over(witnessed.heads, (tmp_path / "drop").as_uri(), "athens")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-I", "-S", str(TOOL), str(witnessed.path), *arguments]
        return subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)

    assert run("take", str(tmp_path / "drop")).stdout == "3 heads taken, the last is 3\n"
    assert "vouches for head 3 over 13 events" in run("check").stdout
    hand_over(witnessed.other, (tmp_path / "theirs").as_uri(), "athens")
    refused = run("take", str(tmp_path / "theirs"))
    assert (refused.returncode, "CONTRADICTION: head 1" in refused.stderr) == (1, True)
    checked = run("check")
    assert (checked.returncode, "refused at" in checked.stdout) == (1, True)
    assert run("take", str(tmp_path / "nothing")).returncode == 2


def test_its_curve_is_that_of_the_tool_for_certificates() -> None:
    for name in ("add", "multiply", "decode_point", "is_signed"):
        assert inspect.getsource(getattr(witness, name)) == inspect.getsource(getattr(verify_certificate, name))
    for name in ("P", "ORDER", "D"):
        assert getattr(witness, name) == getattr(verify_certificate, name)


def test_hostile_requests_get_an_answer_and_leave_nothing(witnessed: HouseWithWitness) -> None:
    import http.client

    with served(witnessed) as url:
        address = url.removeprefix("http://").rstrip("/")
        for body, headers, status in (
            (b"what?", {}, 409),
            (b"", {"Content-Length": "-1"}, 413),
            (b"", {"Content-Length": "99999999"}, 413),
        ):
            connection = http.client.HTTPConnection(address, timeout=60)
            connection.request("POST", "/", body, headers)
            answer = connection.getresponse()
            assert (answer.status, json.loads(answer.read())["refused"] != []) == (status, True)
            connection.close()
        assert hand_over(witnessed.heads, url, "athens") == 3
