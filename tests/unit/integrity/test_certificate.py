"""The certificate of an award: valid as exported, and invalid after any change."""

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from events.errors import Conflict, Refused, Retry, Unknown
from events.integrity import head_signing
from events.integrity.award_certificate import certificate, encode
from events.integrity.head_signing import make_head
from events.integrity.signed_head_format import decode, has_signature, sign
from events.integrity.signed_head_stores import MemoryHeads
from events.progressives import action_structs
from events.progressives.award_report import award
from events.signing import house_signing_key
from tests.support.houses.progressive_house import DAY, PROPERTY, Casino
from tests.support.records.read_counting_store import ReadCountingStore
from tools import verify_certificate as offline

Json = dict[str, Any]
MICRO = 1_000_000


class HeadPublishingCasino(Casino):
    """A casino that publishes a head after every few rounds."""

    def __init__(self, data: Path, **changes: Any) -> None:
        super().__init__(**changes)
        self.by, self.heads = house_signing_key.signer(data), MemoryHeads()
        self.other_table = 0

    def head(self) -> None:
        make_head(self.store, self.heads, PROPERTY, self.by)

    def rounds(self, count: int) -> None:
        for number in range(count):
            self.play(f"BJ{1 + number % 3}", (1, "ann", 500), (2, "bob", 1000), (3, "cy", 500))
        self.head()

    def jackpot(self, *boxes: int, table: str = "BJ1", level: str = "mega", pay: bool = True) -> list[str]:
        bets = [(1, "ann", 500), (2, "bob", 1000), (3, "cy", 500)]
        hits = self.play(table, *bets, hits=tuple((box, level) for box in boxes))
        self.reconcile()
        for hit in hits if pay else ():
            self.authorise(hit)
            self.pay(hit)
        return hits

    def export(self, hit: str) -> Json:
        self.head()
        made: Json = json.loads(encode(certificate(self.store, self.heads, PROPERTY, hit)))
        return made

    def check(self, hit: str) -> Json:
        """Verify the certificate of a hit, and compare it with the system's own explanation."""
        proof = offline.verify(self.export(hit), [self.by.public])
        explanation = award(self.store, PROPERTY, hit).explanation
        assert proof["lock"]["meter_micro"] == explanation.lock.meter
        assert proof["opening_micro"] == explanation.opening
        assert proof["share_minor"] == explanation.lock.share
        lines = {(line["position"], line["micro"]) for line in proof["lines"]}
        corrections = {(line.at, line.amount) for line in explanation.adjustments}
        assert lines == {(line.at, line.amount) for line in explanation.contributions} | corrections
        return proof


@pytest.fixture
def house(tmp_path: Path) -> Iterator[HeadPublishingCasino]:
    built = HeadPublishingCasino(tmp_path)
    yield built
    built.close()


def test_the_first_award_from_the_opening_on(house: HeadPublishingCasino) -> None:
    house.rounds(7)
    (hit,) = house.jackpot(1)
    report = house.check(hit)
    assert report["opening_is"] == "start"
    assert len(report["lines"]) == 8
    assert report["lock"]["meter_micro"] == (5_000_000 + 8 * 200) * MICRO
    assert report["envy_minor"] == {"bob": 100_000, "cy": 50_000}
    assert [event["type"] for event in report["done"]] == ["hit.authorised.v1", "jackpot.paid.v1"] + [
        "envy.paid.v1"
    ] * 2


def test_a_later_award_from_the_previous_lock_on(house: HeadPublishingCasino) -> None:
    house.rounds(4)
    house.jackpot(1)
    house.rounds(5)
    house.jackpot(2, level="minor")
    house.rounds(3)
    hits = house.jackpot(1, 3, table="BJ2")
    house.rounds(2)
    report = house.check(hits[1])
    assert report["opening_is"] == "previous lock"
    assert (len(report["lock"]["shares"]), len(report["lines"])) == (2, 10)
    certificate_ = house.export(hits[1])
    assert certificate_["heads"]["before"]["number"] > 0
    shown = {json.loads(event["event"])["type"] for event in certificate_["events"]}
    listed = {kind for _, kind, _ in certificate_["range"]["leaves"]}
    assert "round.ended.v1" in listed - shown, "contents of other events stay closed"


@pytest.mark.parametrize("policy", ["split", "full-each", "sequential"])
def test_every_policy(tmp_path: Path, policy: str) -> None:
    house = HeadPublishingCasino(tmp_path, policy=policy)
    house.rounds(3)
    for hit in house.jackpot(1, 2, 3):
        house.check(hit)
    house.close()


def test_parameters_corrections_voids_and_caps(house: HeadPublishingCasino) -> None:
    house.rounds(3)
    change = action_structs.ChangeParameters(
        level="mega", feed_millionths=95_000, seed_minor=1_000_000, cap_minor=5_001_000
    )
    house.ask(change, "mark", "anna")
    house.ask(action_structs.AdjustMeter(level="mega", amount_minor=-777, reason="malfunction"), "mark", "sven")
    wrong, right = house.jackpot(1, 2, pay=False)
    house.void(wrong)
    house.reconcile()
    house.rounds(2)
    late = house.late_hit("BJ2", 1, 3)
    house.reconcile()
    assert len([line for line in house.check(right)["lines"] if line["what"] == "adjustment: malfunction"]) == 1
    assert house.check(late)["opening_is"] == "previous lock"
    with pytest.raises(Refused):
        house.export(wrong)


def test_a_share_that_was_paid_is_certified_as_it_was_paid(house: HeadPublishingCasino) -> None:
    """An earlier group void afterwards makes another meter, but paid is paid."""
    house.rounds(2)
    (first,) = house.jackpot(1, pay=False)
    (second,) = house.jackpot(2, table="BJ2", pay=False)
    for hit in (first, second):
        house.authorise(hit)
    house.pay(second)
    share = offline.verify(house.export(second))["share_minor"]
    house.void(first)
    house.reconcile()
    assert offline.verify(house.export(second))["share_minor"] == share


def test_what_is_not_there_or_not_covered_has_no_certificate(house: HeadPublishingCasino) -> None:
    with pytest.raises(Unknown):
        house.export("no-hit")
    (hit,) = house.jackpot(1)
    with pytest.raises(Retry):
        certificate(house.store, house.heads, PROPERTY, hit)


# --- tampering --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Json, HeadPublishingCasino]]:
    house = HeadPublishingCasino(tmp_path_factory.mktemp("keys"))
    house.rounds(4)
    house.jackpot(1)
    house.rounds(6)
    (hit,) = house.jackpot(2, table="BJ2")
    yield house.export(hit), house
    house.close()


def event_of(made: Json, kind: str, last: bool = True) -> Json:
    """The last (first) event of a type that is shown."""
    events: list[Json] = [event for event in made["events"] if json.loads(event["event"])["type"] == kind]
    return events[-1 if last else 0]


def edited(made: Json, kind: str, before: str, after: str) -> Json:
    record = event_of(made, kind)
    assert before in record["event"]
    record["event"] = record["event"].replace(before, after)
    return made


def change_amount(made: Json) -> Json:
    return edited(made, "shares.locked.v1", '"amount_minor":', '"amount_minor":1')


def change_stake(made: Json) -> Json:
    return edited(made, "progressive.armed.v1", '"stake_minor":500', '"stake_minor":1000')


def change_player(made: Json) -> Json:
    return edited(made, "jackpot.paid.v1", '"player":"bob"', '"player":"eve"')


def hide_event(made: Json) -> Json:
    """An event that is not shown any more."""
    made["events"].remove(event_of(made, "progressive.armed.v1"))
    return made


def drop_leaf(made: Json) -> Json:
    """An event that is not even listed any more."""
    record = event_of(made, "progressive.armed.v1")
    made["events"].remove(record)
    made["range"]["leaves"] = [leaf for leaf in made["range"]["leaves"] if leaf[0] != record["position"]]
    return made


def rename_leaf(made: Json) -> Json:
    """Listed as something that moves no meter."""
    record = event_of(made, "progressive.armed.v1")
    made["events"].remove(record)
    for leaf in made["range"]["leaves"]:
        if leaf[0] == record["position"]:
            leaf[1] = "round.opened.v1"
    return made


def move_leaf(made: Json) -> Json:
    made["range"]["leaves"][0][0] -= 1
    return made


def swap_leaves(made: Json) -> Json:
    leaves = made["range"]["leaves"]
    leaves[0], leaves[1] = leaves[1], leaves[0]
    return made


def hide_own_event(made: Json) -> Json:
    """An event of the progressive's own stream before the range."""
    made["events"] = made["events"][1:]
    return made


def replace_root(made: Json) -> Json:
    made["heads"]["after"]["root"] = "0" * 64
    return made


def replace_signature(made: Json) -> Json:
    head = made["heads"]["after"]
    head["signature"] = head["signature"][:-2] + ("00" if head["signature"][-2:] != "00" else "01")
    return made


def replace_fed(made: Json) -> Json:
    made["heads"]["before"]["fed"]["athens/progressives/blazing"]["mega"] += 1
    return made


def forget_earlier_head(made: Json) -> Json:
    made["heads"]["before"] = None
    return made


def show_twice(made: Json) -> Json:
    made["events"].append(made["events"][-1])
    return made


def break_proof(made: Json) -> Json:
    made["range"]["proof"][0] = "0" * 64
    return made


def longer_proof(made: Json) -> Json:
    made["range"]["proof"].append("0" * 64)
    return made


def other_hit(made: Json) -> Json:
    made["hit"] = f"BJ9-{DAY}-1-1"
    return made


def other_property(made: Json) -> Json:
    made["property"] = "corfu"
    return made


TAMPERINGS = [
    change_amount,
    change_stake,
    change_player,
    hide_event,
    drop_leaf,
    rename_leaf,
    move_leaf,
    swap_leaves,
    hide_own_event,
    replace_root,
    replace_signature,
    replace_fed,
    forget_earlier_head,
    show_twice,
    break_proof,
    longer_proof,
    other_hit,
    other_property,
]


@pytest.mark.parametrize("tamper", TAMPERINGS, ids=lambda tamper: tamper.__name__)
def test_a_certificate_that_somebody_was_at_is_not_valid(
    certified: tuple[Json, HeadPublishingCasino], tamper: Callable[[Json], Json]
) -> None:
    whole = copy.deepcopy(certified[0])
    assert offline.verify(whole, [certified[1].by.public])
    with pytest.raises(offline.CertificateError):
        offline.verify(tamper(whole), [certified[1].by.public])


def test_a_head_replaced_and_signed_by_another_key_needs_the_houses_key_to_be_seen(
    certified: tuple[Json, HeadPublishingCasino], tmp_path: Path
) -> None:
    whole = copy.deepcopy(certified[0])
    head = decode(json.dumps(whole["heads"]["after"]).encode())
    forged = sign(head, house_signing_key.signer(tmp_path))
    assert has_signature(forged)
    whole["heads"]["after"] = json.loads(json.dumps({**whole["heads"]["after"], "key": forged.key}))
    whole["heads"]["after"]["signature"] = forged.signature
    for known in ([], [certified[1].by.public]):
        with pytest.raises(offline.CertificateError, match="key"):
            offline.verify(whole, known)


@pytest.mark.parametrize("field", ["type", "heads", "range", "events", "progressive", "hit"])
def test_what_is_no_certificate_proves_nothing(certified: tuple[Json, HeadPublishingCasino], field: str) -> None:
    wrong: list[Any] = [None, [], "x", 7]
    for value in wrong:
        whole = copy.deepcopy(certified[0])
        whole[field] = value
        with pytest.raises(offline.CertificateError):
            offline.verify(whole)


def test_the_script_alone(
    certified: tuple[Json, HeadPublishingCasino], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, heads = tmp_path / "award.json", tmp_path / "heads.jsonl"
    path.write_text(json.dumps(certified[0]))
    heads.write_bytes(b"\n".join(certified[1].heads.after(0)))
    assert offline.main([str(path), "--key", certified[1].by.public, "--head", str(heads)]) == 0
    text = capsys.readouterr().out
    assert "25,000.00" in text
    assert "envy to ann" in text
    assert offline.main([str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["paid"] is True
    heads.write_text("{}")
    assert offline.main([str(path), "--head", str(heads)]) == 1
    path.write_text(json.dumps(change_amount(copy.deepcopy(certified[0]))))
    assert offline.main([str(path)]) == 1
    path.write_text("no json")
    assert offline.main([str(path)]) == 2


def test_a_store_that_is_not_what_its_head_saw_gives_none(house: HeadPublishingCasino, tmp_path: Path) -> None:
    (hit,) = house.jackpot(1)
    heads = MemoryHeads()
    other = HeadPublishingCasino(tmp_path / "other")
    other.rounds(9)
    other.jackpot(1)
    other.head()
    for number, raw in enumerate(other.heads.after(0), 1):
        heads.add(number, raw)
    with pytest.raises(Conflict):
        certificate(house.store, heads, PROPERTY, hit)
    other.close()


@pytest.mark.parametrize("every", [8, 10**6])
def test_the_cost_is_that_of_the_cycle_once_the_tree_was_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, every: int
) -> None:
    monkeypatch.setattr(head_signing, "MARK_EVERY", every)
    costs = []
    for rounds in (10, 60):
        house = HeadPublishingCasino(tmp_path / str(rounds), store=ReadCountingStore())
        house.rounds(rounds)
        house.jackpot(1)
        house.rounds(2)
        (hit,) = house.jackpot(2)
        house.head()
        house.store.read = 0  # type: ignore[attr-defined]  # a store that counts
        made = json.loads(encode(certificate(house.store, house.heads, PROPERTY, hit)))
        costs.append(house.store.read)  # type: ignore[attr-defined]  # a store that counts
        assert offline.verify(made, [house.by.public])["opening_is"] == "previous lock"
        house.close()
    assert (abs(costs[1] - costs[0]) < 8) == (every == 8), costs


def test_a_mark_that_is_wrong_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head_signing, "MARK_EVERY", 8)
    house = HeadPublishingCasino(tmp_path)
    house.rounds(5)
    house.jackpot(1)
    house.rounds(3)
    (hit,) = house.jackpot(2)
    house.head()
    expected = house.export(hit)
    number = expected["heads"]["before"]["size"] // 8
    mark = house.store.snapshot(f"{PROPERTY}#tree/{number}", "marks-1")
    assert mark is not None
    content = msgspec.msgpack.decode(mark.state)
    content["hashes"] = [b"\0" * 32 for _ in content["hashes"]]
    house.store.save_snapshot(msgspec.structs.replace(mark, state=msgspec.msgpack.encode(content)))
    assert house.export(hit) == expected
    house.close()


# --- Ed25519 in pure Python ---------------------------------------------------------------------------------------

# RFC 8032, 7.1, tests 1 to 3: public key, message, signature
VECTORS = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        (
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe2"
            "4655141438e7a100b"
        ),
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        (
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302ae"
            "eb00d291612bb0c00"
        ),
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        (
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28"
            "dc027beceea1ec40a"
        ),
    ),
]


@pytest.mark.parametrize(("public", "message", "signature"), VECTORS)
def test_the_vectors_of_rfc_8032(public: str, message: str, signature: str) -> None:
    body = bytes.fromhex(message)
    assert offline.is_signed(public, signature, body)
    assert house_signing_key.is_signed(public, signature, body)
    assert not offline.is_signed(public, signature, body + b"x")
    other = signature[:-2] + f"{int(signature[-2:], 16) ^ 1:02x}"
    assert not offline.is_signed(public, other, body)


def test_both_implementations_agree(tmp_path: Path) -> None:
    by = house_signing_key.signer(tmp_path)
    for number in range(10):
        body = b"x" * number
        signature = by.sign(body)
        assert offline.is_signed(by.public, signature, body)
        scalar = int.from_bytes(bytes.fromhex(signature)[32:], "little") + offline.ORDER
        malleable = signature[:64] + scalar.to_bytes(32, "little").hex()
        assert not offline.is_signed(by.public, malleable, body), "one signature a message (5.1.7)"
    for public in ("", "zz", "00", "ff" * 32):
        assert not offline.is_signed(public, by.sign(b""), b"")
