"""`verify` refuses a witness's file that is empty, endless or another house's, as it would compare nothing."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from events.errors import Poison
from events.integrity.signed_head_format import decode, encode, sign
from events.integrity.signed_head_stores import open_heads
from events.integrity.witness_file_reader import must_vouch
from tests.regressions.test_forged_history import Intruder, intruder
from tests.support.houses.small_house import PROPERTY
from tests.unit.integrity.test_witness import HouseWithWitness, changed

pytestmark = pytest.mark.django_db  # verify compares the log of who looked

__all__ = ["intruder"]  # a fixture, on both databases


def refused(*arguments: str) -> str:
    with pytest.raises(CommandError) as error:
        call_command("verify", "--no-topic", "--no-read-models", *arguments)
    assert error.value.returncode == 2
    return str(error.value)


def test_verify_refuses_it(intruder: Intruder, tmp_path: Path) -> None:
    theirs, empty = HouseWithWitness(tmp_path / "theirs"), tmp_path / "empty.jsonl"
    theirs.taken(encode(sign(decode(changed(theirs.heads.after(0)[0], property="corfu")), theirs.by)))
    empty.touch()
    for option in ("--witness", "--heads"):
        assert "holds no head: nothing was witnessed there" in refused(option, str(empty))
        assert "/dev/null is not a file" in refused(option, "/dev/null")
        assert "/dev/full is not a file" in refused(option, "/dev/full")
    assert f"is of corfu, and this house is {PROPERTY}" in refused("--witness", str(theirs.path))
    kept_heads = tmp_path / "kept.jsonl"
    kept_heads.write_bytes(b"\n".join([*open_heads(intruder.url).after(0), b""]))
    call_command("verify", "--no-topic", "--no-read-models", "--heads", str(kept_heads))


def test_one_head_of_this_house_is_enough_and_what_is_none_is_left_to_the_audit() -> None:
    ours, theirs, none = b'{"property":"athens"}', b'{"property":"corfu"}', b"what?"
    must_vouch("copy", [theirs, ours], "athens")
    must_vouch("copy", [none], "athens")
    for raws in ([], [theirs]):
        with pytest.raises(Poison):
            must_vouch("copy", raws, "athens")
