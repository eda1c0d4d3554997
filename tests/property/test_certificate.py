"""An edited certificate is refused or states the same facts, for every edited byte or event."""

import copy
import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.envelope import digest
from events.integrity.award_certificate import certificate, encode
from events.integrity.merkle import Frontier, Tree, leaf_hash, plan_range
from tests.support.houses.progressive_house import NAME, PROPERTY
from tests.unit.integrity.test_certificate import HeadPublishingCasino
from tools import verify_certificate as offline

Json = dict[str, Any]
SCRIPT = Path(offline.__file__)


class ValidCertificate:
    """A valid certificate in a cycle of its own, with its facts and the house that made it."""

    def __init__(self, folder: Path) -> None:
        self.house = HeadPublishingCasino(folder)
        self.house.rounds(4)
        self.house.jackpot(1)
        self.house.rounds(5)
        (self.hit, _) = self.house.jackpot(2, 3, table="BJ2")
        self.whole = self.house.export(self.hit)
        self.raw = encode(certificate(self.house.store, self.house.heads, PROPERTY, self.hit))
        self.keys = [self.house.by.public]
        self.report = offline.verify(self.whole, self.keys)

    def says_no_more(self, whole: Json) -> bool:
        """Refused, or the very same statement."""
        try:
            return offline.verify(whole, self.keys) == self.report
        except offline.CertificateError:
            return True


@pytest.fixture(scope="module")
def valid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ValidCertificate]:
    built = ValidCertificate(tmp_path_factory.mktemp("keys"))
    yield built
    built.house.close()


@given(data=st.data())
def test_any_byte(valid: ValidCertificate, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(valid.raw) - 1))
    raw = bytearray(valid.raw)
    raw[at] ^= data.draw(st.integers(1, 255))
    try:
        whole = json.loads(raw.decode())
    except ValueError:
        return  # cannot be read
    assert valid.says_no_more(whole)


@given(data=st.data())
def test_any_byte_of_an_event(valid: ValidCertificate, data: st.DataObject) -> None:
    whole = copy.deepcopy(valid.whole)
    record = data.draw(st.sampled_from(whole["events"]))
    at = data.draw(st.integers(0, len(record["event"]) - 1))
    other = data.draw(st.characters(codec="utf-8").filter(lambda c: c != record["event"][at]))
    record["event"] = record["event"][:at] + other + record["event"][at + 1 :]
    with pytest.raises(offline.CertificateError):
        offline.verify(whole, valid.keys)


@given(data=st.data())
def test_dropped_doubled_or_put_elsewhere(valid: ValidCertificate, data: st.DataObject) -> None:
    whole = copy.deepcopy(valid.whole)
    for part in data.draw(st.sampled_from([["events"], ["leaves"], ["events", "leaves"], ["proof"]])):
        rows = whole["events"] if part == "events" else whole["range"][part]
        at, to = (data.draw(st.integers(0, len(rows) - 1)) for _ in range(2))
        match data.draw(st.sampled_from(["drop", "double", "swap", "cut"])):
            case "drop":
                del rows[at]
            case "double":
                rows.insert(to, rows[at])
            case "swap":
                rows[at], rows[to] = rows[to], rows[at]
            case _:
                del rows[at:]
    assert valid.says_no_more(whole)


def values(part: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every number in it."""
    if isinstance(part, dict | list):
        for key, inner in part.items() if isinstance(part, dict) else enumerate(part):
            yield from values(inner, (*path, key))
    elif isinstance(part, int) and not isinstance(part, bool):
        yield path


@given(data=st.data())
def test_an_event_decoded_changed_and_encoded_again(valid: ValidCertificate, data: st.DataObject) -> None:
    whole = copy.deepcopy(valid.whole)
    record = data.draw(
        st.sampled_from([record for record in whole["events"] if [*values(json.loads(record["event"]))]])
    )
    event = inner = json.loads(record["event"])
    *way, last = data.draw(st.sampled_from([*values(event)]))
    for key in way:
        inner = inner[key]
    inner[last] += data.draw(st.integers(1, 10**6))
    record["event"] = json.dumps(event, separators=(",", ":"))
    with pytest.raises(offline.CertificateError):
        offline.verify(whole, valid.keys)


# --- those who know how it is made --------------------------------------------------------------------------------


def resealed(whole: Json, position: int, **changes: Any) -> Json:
    """Return the certificate with a changed event, and with its new leaf and root."""
    entry = next(entry for entry in whole["events"] if entry["position"] == position)
    event = json.loads(entry["event"])
    event["data"] |= changes
    entry["event"] = json.dumps(event, separators=(",", ":"))
    for leaf in whole["range"]["leaves"]:
        if leaf[0] == position:
            leaf[2] = hashlib.sha256(entry["event"].encode()).hexdigest()
    size = whole["heads"]["before"]["size"]
    tree = Frontier(size, [bytes.fromhex(hash_) for hash_ in whole["range"]["proof"]])
    for place, kind, hash_ in whole["range"]["leaves"]:
        tree.add(leaf_hash(place, kind, bytes.fromhex(hash_)))
    whole["heads"]["after"]["root"] = tree.root().hex()
    return whole


def test_an_event_changed_with_its_digest_and_the_root(valid: ValidCertificate) -> None:
    """All that is missing is the house's signature."""
    lock = next(record for record in valid.whole["events"] if valid.report["lock"]["group"] in record["event"])
    whole = resealed(copy.deepcopy(valid.whole), lock["position"], amount_minor=1)
    with pytest.raises(offline.CertificateError, match="not signed"):
        offline.verify(whole, valid.keys)


@pytest.mark.parametrize("kind", ["envy.paid.v1", "jackpot.paid.v1", "hit.authorised.v1", "shares.locked.v1"])
def test_the_end_of_the_stream_left_out(valid: ValidCertificate, kind: str) -> None:
    """The chain cannot show that its end is missing; the list does."""
    whole = copy.deepcopy(valid.whole)
    last = max(record["position"] for record in whole["events"] if json.loads(record["event"])["type"] == kind)
    whole["events"] = [record for record in whole["events"] if record["position"] < last]
    with pytest.raises(offline.CertificateError, match="is not shown"):
        offline.verify(whole, valid.keys)


def test_a_stream_that_nothing_vouches_for(tmp_path: Path) -> None:
    """The heads include the hit but not its award. An invented end of the stream with an award is refused."""
    house = HeadPublishingCasino(tmp_path)
    house.rounds(2)
    house.jackpot(1)
    house.head()
    (hit,) = house.play("BJ2", (1, "ann", 500), (2, "bob", 1000), hits=((1, "mega"),))
    house.head()
    before, after = (json.loads(raw) for raw in house.heads.after(0)[-2:])
    house.reconcile()
    stored, stream = house.store.after(0, 10_000), f"{PROPERTY}/progressives/{NAME}"
    tree = Tree(leaf_hash(event.position, event.type, digest(event.raw)) for event in stored[: after["size"]])
    listed = stored[before["size"] : after["size"]]
    shown = [event for event in stored if event.stream == stream or (event in listed and event.type in offline.TELLING)]
    whole = {
        "type": "pitledger.certificate.v1",
        "property": PROPERTY,
        "progressive": stream,
        "hit": hit,
        "heads": {"before": before, "after": after},
        "range": {
            "leaves": [(event.position, event.type, digest(event.raw).hex()) for event in listed],
            "proof": [hash_.hex() for hash_ in tree.proof(plan_range(before["size"], after["size"], after["size"]))],
        },
        "events": [{"position": event.position, "event": event.raw.decode()} for event in shown],
    }
    with pytest.raises(offline.CertificateError, match="nothing vouches"):
        offline.verify(whole, [house.by.public])
    house.close()


# --- the script alone, in an empty folder -------------------------------------------------------------------------


def alone(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the script as an auditor does, without this checkout and its installed packages."""
    script = folder / "verify_certificate.py"
    script.write_bytes(SCRIPT.read_bytes())
    command = [sys.executable, "-I", "-S", str(script), *arguments]
    return subprocess.run(command, cwd=folder, env={}, capture_output=True, text=True, timeout=60, check=False)


def test_the_script_in_an_empty_folder(valid: ValidCertificate, tmp_path: Path) -> None:
    (tmp_path / "award.json").write_bytes(valid.raw)
    done = alone(tmp_path, "award.json", "--key", valid.keys[0])
    assert (done.returncode, done.stderr) == (0, "VALID\n")
    assert f"at {valid.hit}" in done.stdout
    done = alone(tmp_path, "award.json", "--key", valid.keys[0], "--json")
    assert json.loads(done.stdout) == json.loads(json.dumps(valid.report))


def test_the_script_refuses_an_amount_that_was_changed(valid: ValidCertificate, tmp_path: Path) -> None:
    lock = next(record for record in valid.whole["events"] if '"type":"jackpot.paid.v1"' in record["event"])
    event = json.loads(lock["event"])
    event["data"]["amount_minor"] += 1
    whole = copy.deepcopy(valid.whole)
    next(record for record in whole["events"] if record["position"] == lock["position"])["event"] = json.dumps(
        event, separators=(",", ":")
    )
    (tmp_path / "award.json").write_text(json.dumps(whole))
    done = alone(tmp_path, "award.json")
    assert done.returncode == 1
    assert done.stderr.startswith("NOT VALID: ")
    assert done.stdout == ""
