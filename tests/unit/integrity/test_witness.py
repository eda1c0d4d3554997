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
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from events.errors import Conflict, Poison, Retry
from events.integrity import witness_checks
from events.integrity.head_signing import make_head
from events.integrity.head_store import MemoryHeads
from events.integrity.heads import Head, Looked, decode, digest_of, encode, sign
from events.relay.witness_delivery import hand_over
from events.signing import keys
from events.signing.signer_memory import GivenUpHeads, LastHead
from events.store.memory import MemoryStore
from tests.unit.integrity.test_heads import say
from tools import verify_certificate, witness

TOOL = Path(witness.__file__)


def returned(looked: Looked | None) -> Looked | None:
    return looked


class Told:
    """A house with three heads, the same house with another history under the same key, and a witness's file."""

    def __init__(self, folder: Path) -> None:
        self.by = keys.Signer(keys.signer(folder)._private)
        self.heads, self.other = self.history(5, 7, 1), self.history(4, 7, 2)
        self.path = folder / "witness.jsonl"

    def history(self, *counts: int) -> MemoryHeads:
        """Make heads over these numbers of events. The first head has no length of the access log."""
        store, heads = MemoryStore(), MemoryHeads()
        for number, count in enumerate(counts):
            say(store, count)
            looked = Looked(lines=number, digest="ab" * 32) if number else None
            make_head(store, heads, "athens", self.by, looked=partial(returned, looked))
        return heads

    def after(self, heads: MemoryHeads, kept: int) -> MemoryHeads:
        """Return the other history, on top of the first `kept` heads of this one."""
        more = MemoryHeads()
        for number, raw in enumerate(self.heads.after(0)[:kept], 1):
            more.add(number, raw)
        for raw in heads.after(kept):
            last = more.last()
            changed = msgspec.structs.replace(decode(raw), previous=digest_of(last) if last else "")
            more.add(changed.number, encode(sign(changed, self.by)))
        return more

    @contextmanager
    def witness(self, *names: str) -> Iterator[witness.Witness]:
        opened = witness.Witness(self.path, names)
        with opened._file:
            yield opened

    def taken(self, *raws: bytes, keys: tuple[str, ...] = ()) -> list[str]:
        """Return the refusals of the witness."""
        with self.witness(*keys) as opened:
            refused: list[str] = witness.take_all(opened, raws)["refused"]
            return refused

    def read(self) -> witness_checks.WitnessFile:
        return witness_checks.read(self.path.read_bytes())


@pytest.fixture
def told(tmp_path: Path) -> Told:
    return Told(tmp_path)


def changed(raw: bytes, **fields: object) -> bytes:
    return encode(msgspec.structs.replace(decode(raw), **fields))


def test_what_follows_is_taken_once_and_read_again(told: Told) -> None:
    raws = told.heads.after(0)
    assert told.taken(*raws, raws[1], keys=(told.by.public,)) == []
    assert told.taken(*raws) == []
    assert len(told.path.read_bytes().splitlines()) == 3
    assert told.read().heads == raws


def test_who_has_the_key_cannot_tell_another_story(told: Told) -> None:
    told.taken(*told.heads.after(0))
    raws = told.other.after(0)
    refused = told.taken(*raws)
    assert refused[0].startswith("CONTRADICTION: head 1 is not the one that was witnessed")
    assert len(refused) == 3
    found = told.read()
    assert (found.heads, found.refused) == (told.heads.after(0), raws)
    told.taken(*raws)
    assert told.read() == found, "the same evidence is kept once"


def test_a_story_that_leaves_the_witnessed_one_is_refused_from_there(told: Told) -> None:
    told.taken(*told.heads.after(0)[:2])
    last = told.other.after(2)[0]
    assert "does not follow" in told.taken(last)[0]
    shorter = encode(sign(decode(changed(told.heads.after(2)[0], size=12)), told.by))
    assert "vouches for no more" in told.taken(shorter)[0]
    assert told.read().refused == [last, shorter]


def test_a_head_over_more_lines_of_the_access_log_is_taken(told: Told) -> None:
    """A house where people only look signs heads over the same events."""
    last = decode(told.heads.after(2)[0])
    said = {"number": 4, "previous": digest_of(encode(last))}
    more = encode(sign(msgspec.structs.replace(last, looked=Looked(lines=9, digest="cd" * 32), **said), told.by))
    same = encode(sign(msgspec.structs.replace(last, **said), told.by))
    fewer = encode(sign(msgspec.structs.replace(last, looked=Looked(lines=1, digest="cd" * 32), **said), told.by))
    told.taken(*told.heads.after(0))
    assert "vouches for no more" in told.taken(same)[0]
    assert "vouches for no more" in told.taken(fewer)[0]
    assert told.taken(more) == []
    assert told.read().heads[-1] == more


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"{}", "not a head"),
        (b"[" * 100_000, "not a head"),
        (b"\xff", "not a head"),
        (b'{"type":"pitledger.head.v1"}', "not a head"),
    ],
)
def test_what_is_no_head_is_refused_and_not_kept(told: Told, raw: bytes, why: str) -> None:
    assert why in told.taken(raw)[0]
    assert told.path.read_bytes() == b""


def as_plain(head: Head, **more: object) -> dict[str, Any]:
    return {**msgspec.to_builtins(head), **more}


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
            as_plain(head, fed={one: dict(reversed(levels.items())) for one, levels in head.fed.items()}),
            separators=(",", ":"),
        ),
    ],
)
def test_a_head_that_others_wrote_down_anew_does_not_take_the_place_of_the_houses(
    told: Told, written: Callable[[Head], str]
) -> None:
    """A reader of the topic can send a copied head first. Its signature is right; the next head follows other bytes."""
    fed = {"athens/progressives/a": {"mega": 1, "major": 2}, "athens/progressives/b": {"minor": 3}}
    first, second, third = told.heads.after(0)
    before = encode(sign(msgspec.structs.replace(decode(first), fed=fed), told.by))
    head = sign(msgspec.structs.replace(decode(second), fed=fed, previous=digest_of(before)), told.by)
    assert told.taken(before) == []
    assert told.taken(written(head).encode()) != []
    follows = sign(msgspec.structs.replace(decode(third), previous=digest_of(encode(head))), told.by)
    assert told.taken(encode(head), encode(follows)) == []
    assert told.read().refused == []


def test_who_is_not_the_house_is_refused_and_not_kept(told: Told, tmp_path: Path) -> None:
    first, second, third = told.heads.after(0)
    theirs = keys.signer(tmp_path / "theirs")
    signed = encode(sign(decode(second), theirs))
    assert "not the house's key" in told.taken(encode(sign(decode(first), theirs)), keys=(told.by.public,))[0]
    assert told.taken(first) == []
    assert "not the house's key" in told.taken(signed)[0]
    assert "not signed by the key" in told.taken(changed(second, size=900))[0]
    corfu = encode(sign(decode(changed(second, property="corfu")), told.by))
    assert "is of corfu" in told.taken(corfu)[0]
    assert told.taken(third) == ["REFUSED: heads 2 to 2 were not handed over"]
    assert told.read().heads == [first]
    assert told.read().refused == []


def test_half_a_line_of_a_power_cut_goes_and_an_edited_line_is_told(told: Told) -> None:
    raws = told.heads.after(0)
    told.taken(*raws[:2])
    whole = told.path.read_bytes()
    told.path.write_bytes(whole[:-9])
    assert len(told.read().heads) == 1
    assert told.taken(*raws) == []
    assert told.read().heads == raws
    lines = told.path.read_bytes().splitlines(keepends=True)
    told.path.write_bytes(lines[0] + lines[2])
    assert told.read().amiss == ["line 2 of the witness's file does not follow the line before it: it was changed"]
    with pytest.raises(ValueError, match="somebody changed this file"), told.witness():
        pass
    with pytest.raises(Poison):
        witness_checks.read(b"what?\n")


def test_one_witness_at_a_time_writes_the_file(told: Told) -> None:
    with told.witness(), pytest.raises(BlockingIOError), told.witness():
        pass


def test_gaps_between_two_heads_are_told(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter(["2026-11-20T20:00:00.000Z", "2026-11-20T20:00:10.000Z", "2026-11-20T20:10:00.000Z"])
    with monkeypatch.context() as patched:
        patched.setattr(witness, "now", lambda: next(times))
        told.taken(*told.heads.after(0))
    (gap,) = told.read().gaps
    assert "between head 2 at 2026-11-20T20:00:10.000Z and head 3 at 2026-11-20T20:10:00.000Z" in gap
    with told.witness() as opened:
        assert "for 590 s: from head 2" in opened.gaps(300)[0]
        assert len(opened.gaps(300)) == 2, "the last one is long ago"


def test_after_a_backup_people_say_from_where_the_house_goes_on(told: Told) -> None:
    told.taken(*told.heads.after(0))
    on = told.after(told.other, 1)
    assert len(told.taken(*on.after(0))) == 2
    with told.witness() as opened:
        with pytest.raises(witness.Refused, match="never witnessed"):
            opened.give_up(9, "no such head")
        opened.give_up(1, "the disk died, backup of 20:00")
    assert told.taken(*on.after(1)) == []
    found = told.read()
    assert found.heads == on.after(0)
    assert found.aside == told.heads.after(1)
    assert found.given_up[0].reason.startswith("the disk died")


@contextmanager
def served(told: Told) -> Iterator[str]:
    with told.witness() as opened, witness.door(opened, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()
            thread.join()


def test_the_house_hands_over_by_http_what_the_witness_lacks(told: Told) -> None:
    with served(told) as url:
        assert [hand_over(told.heads, url, "athens") for _ in range(2)] == [3, 3]
        with pytest.raises(Conflict, match="is not here"):
            hand_over(told.history(5), url, "athens")
        with pytest.raises(Conflict, match="does not follow"):
            hand_over(told.after(told.history(5, 6, 2, 4), 2), url, "athens")
    with pytest.raises(Retry, match="does not answer"):
        hand_over(told.heads, url, "athens")
    assert told.read().heads == told.heads.after(0)


def test_the_house_hands_over_by_a_file_that_somebody_fetches(told: Told, tmp_path: Path) -> None:
    drop = tmp_path / "drop"
    assert [hand_over(told.heads, drop.as_uri(), "athens") for _ in range(2)] == [3, 3]
    (path,) = drop.iterdir()
    path.write_bytes(path.read_bytes()[:-20])
    assert hand_over(told.heads, drop.as_uri(), "athens") == 3
    assert told.taken(*witness.dropped([drop])) == []
    assert told.read().heads == told.heads.after(0)
    assert witness_checks.read(path.read_bytes()).heads == told.heads.after(0), "bare heads are read as well"
    with pytest.raises(Conflict, match=r"The last head in heads\.athens\.jsonl is not the head 3 kept here\."):
        hand_over(told.other, drop.as_uri(), "athens")


def test_after_a_backup_the_file_goes_on_behind_what_was_given_up(told: Told, tmp_path: Path) -> None:
    drop = tmp_path / "drop"
    hand_over(told.heads, drop.as_uri(), "athens")
    last = decode(told.heads.after(2)[0])
    lost = LastHead(number=3, size=last.size, position=last.position, root=last.root, digest="")
    given_up = [GivenUpHeads(last_kept=1, last=lost, time="2027-01-01T00:00:00.000Z")]
    on = told.after(told.other, 1)
    assert hand_over(on, drop.as_uri(), "athens", given_up) == 3
    assert len(list(witness.dropped([drop]))) == 5


def test_a_folder_that_cannot_be_written_is_tried_again(told: Told, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(Retry, match="cannot be written"):
        hand_over(told.heads, (tmp_path / "file" / "drop").as_uri(), "athens")


def test_the_program_needs_nothing_but_python(told: Told, tmp_path: Path) -> None:
    hand_over(told.heads, (tmp_path / "drop").as_uri(), "athens")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-I", "-S", str(TOOL), str(told.path), *arguments]
        return subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)

    assert run("take", str(tmp_path / "drop")).stdout == "3 heads taken, the last is 3\n"
    assert "vouches for head 3 over 13 events" in run("check").stdout
    hand_over(told.other, (tmp_path / "theirs").as_uri(), "athens")
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


def test_hostile_requests_get_an_answer_and_leave_nothing(told: Told) -> None:
    import http.client

    with served(told) as url:
        address = url.removeprefix("http://").rstrip("/")
        for body, headers, status in (
            (b"what?", {}, 409),
            (b"", {"Content-Length": "-1"}, 413),
            (b"", {"Content-Length": "99999999"}, 413),
        ):
            asked = http.client.HTTPConnection(address, timeout=60)
            asked.request("POST", "/", body, headers)
            answer = asked.getresponse()
            assert (answer.status, json.loads(answer.read())["refused"] != []) == (status, True)
            asked.close()
        assert hand_over(told.heads, url, "athens") == 3
