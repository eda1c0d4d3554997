"""A house that lies and signs the lie: chain, tree and heads are all valid, but the total is wrong."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from events.envelope import digest, first_prev
from events.integrity.merkle import Tree, leaf_hash, plan_range
from events.integrity.signed_head_format import decode, sign
from events.progressives import action_structs
from events.store import Stored
from tests.support.houses.progressive_house import NAME, PROPERTY
from tests.unit.integrity.test_certificate import HeadPublishingCasino
from tools import verify_certificate as offline

Json = dict[str, Any]
STREAM = f"{PROPERTY}/progressives/{NAME}"
LOCKED, PAID, ENVY, AUTHORISED = "shares.locked.v1", "jackpot.paid.v1", "envy.paid.v1", "hit.authorised.v1"
Lie = Callable[[int, Json], Json | None]


class LyingHouse:
    """Two jackpots of one level: the second, of two winners, is certified from the first on."""

    def __init__(self, folder: Path) -> None:
        self.house = HeadPublishingCasino(folder)
        self.house.rounds(3)
        self.house.jackpot(1)
        self.house.rounds(4)
        change = action_structs.ChangeParameters(level="mega", feed_millionths=95_000, cap_minor=9_000_000)
        self.house.ask(change, "mark", "anna")
        self.house.ask(action_structs.AdjustMeter(level="mega", amount_minor=-50, reason="malfunction"), "mark", "sven")
        self.hit, _ = self.house.jackpot(1, 2, table="BJ2")
        honest = self.house.export(self.hit)
        self.before, self.after = honest["heads"]["before"], honest["heads"]["after"]
        self.stored = self.house.store.after(0, 10_000, until=self.after["position"])
        assert offline.verify(self.certificate(), [self.house.by.public]) == offline.verify(honest)

    def last(self, kind: str) -> int:
        """The position of the last event of a type."""
        return max(event.position for event in self.stored if event.type == kind)

    def certificate(
        self, lie: Lie = lambda at, event: event, fed: int = 0, mix: Callable[[list[Stored]], list[Stored]] = list
    ) -> Json:
        """The house's certificate after each event went through `lie` (None: never written), and all through `mix`."""
        stored = mix(list(_retold(self.stored, lie)))
        tree = Tree(leaf_hash(event.position, event.type, digest(event.raw)) for event in stored)
        first = sum(event.position <= self.before["position"] for event in stored)
        before = self._signed(self.before, tree, first, stored[first - 1].position, fed)
        listed = stored[first:]
        shown = [
            event for event in stored if event.stream == STREAM or (event in listed and event.type in offline.TELLING)
        ]
        return {
            "type": "pitledger.certificate.v1",
            "property": PROPERTY,
            "progressive": STREAM,
            "hit": self.hit,
            "heads": {"before": before, "after": self._signed(self.after, tree, len(tree), stored[-1].position, fed)},
            "range": {
                "leaves": [(event.position, event.type, digest(event.raw).hex()) for event in listed],
                "proof": [hash_.hex() for hash_ in tree.proof(plan_range(first, len(tree), len(tree)))],
            },
            "events": [{"position": event.position, "event": event.raw.decode()} for event in shown],
        }

    def _signed(self, head: Json, tree: Tree, size: int, position: int, fed: int) -> Json:
        decoded = decode(json.dumps(head).encode())
        fed_more = {
            stream: {level: sum_ + fed for level, sum_ in levels.items()} for stream, levels in decoded.fed.items()
        }
        changed = msgspec.structs.replace(
            decoded, size=size, position=position, root=tree.root(size).hex(), fed=fed_more
        )
        signed: Json = msgspec.to_builtins(sign(changed, self.house.by))
        return signed


def _retold(stored: list[Stored], lie: Lie) -> Iterator[Stored]:
    """Yield the same events with the lie, in a valid chain."""
    ends: dict[str, tuple[int, bytes]] = {}
    for event_ in stored:
        event = lie(event_.position, json.loads(event_.raw))
        if event is None:
            continue
        version, end = ends.get(event_.stream, (0, first_prev(event_.stream)))
        event |= {"prev": end.hex(), "id": f"{event_.stream}@{version + 1}"}
        raw = json.dumps(event, separators=(",", ":")).encode()
        ends[event_.stream] = version + 1, digest(raw)
        yield msgspec.structs.replace(event_, raw=raw, type=event["type"], version=version + 1)


@pytest.fixture(scope="module")
def liar(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LyingHouse]:
    built = LyingHouse(tmp_path_factory.mktemp("keys"))
    yield built
    built.house.close()


def says(position: int, **data: Any) -> Lie:
    """The event there says something else."""
    return lambda at, event: event | {"data": event["data"] | data} if at == position else event


def without(*positions: int) -> Lie:
    """These were never written down."""
    return lambda at, event: None if at in positions else event


def refused(liar: LyingHouse, lie: Lie, why: str, fed: int = 0) -> None:
    with pytest.raises(offline.CertificateError, match=why):
        offline.verify(liar.certificate(lie, fed), [liar.house.by.public])


def test_another_stake(liar: LyingHouse) -> None:
    armed = next(event for event in reversed(liar.stored) if event.position == liar.last("progressive.armed.v1"))
    bets = json.loads(armed.raw)["data"]["bets"]
    changed = [bets[0] | {"stake_minor": 1_000}, *bets[1:]]
    refused(liar, says(armed.position, bets=changed), "the contributions make")
    refused(liar, without(armed.position), "the contributions make")


def test_a_round_that_nobody_armed(liar: LyingHouse) -> None:
    """An event that moves nothing is turned into one that feeds."""
    armed = next(json.loads(event.raw) for event in liar.stored if event.position == liar.last("progressive.armed.v1"))
    other = next(event.position for event in reversed(liar.stored) if event.type == "hit.declared.v1") - 10
    armed["data"]["round"] = 99
    false = {"type": armed["type"], "data": armed["data"]}
    refused(liar, lambda at, event: event | false if at == other else event, "the contributions make")


def test_what_was_fed_by_the_earlier_head(liar: LyingHouse) -> None:
    refused(liar, lambda at, event: event, "start, seeds, fed", fed=1)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"amount_minor": 2_500_000}, "meter, house and the shares"),
        ({"house_minor": 5}, "meter, house and the shares"),
        ({"seed_minor": 2_400_000}, "in force"),
        ({"cap_minor": None}, "in force"),
        ({"parameters_version": 1}, "in force"),
        ({"policy": "full-each"}, "in force"),
        ({"meter_micro": 1}, "the contributions make"),
        ({"as_of": 1}, "no event stands"),
        ({"level": "minor"}, "the lock stands at no hit"),
    ],
    ids=str,
)
def test_another_lock(liar: LyingHouse, changed: Json, why: str) -> None:
    refused(liar, says(liar.last(LOCKED), **changed), why)


def test_other_winners(liar: LyingHouse) -> None:
    (raw,) = {event.raw for event in liar.stored if event.position == liar.last(LOCKED)}
    shares = json.loads(raw)["data"]["shares"]
    refused(liar, says(liar.last(LOCKED), shares=shares[:1]), "the winners are")
    shares_ = [shares[0] | {"share_minor": shares[0]["share_minor"] + 1}, *shares[1:]]
    refused(liar, says(liar.last(LOCKED), shares=shares_), "meter, house and the shares")


@pytest.mark.parametrize(
    ("kind", "changed", "why"),
    [
        (PAID, {"amount_minor": 1}, "was paid, of a share"),
        (AUTHORISED, {"amount_minor": 1}, "agreed 0 times"),
        (AUTHORISED, {"approvals": [["ines", "inspector"]]}, "those who must"),
        (AUTHORISED, {"approvals": [["dora", "inspector"], ["sven", "surveillance"]]}, "those who must"),
        (AUTHORISED, {"approvals": [["sven", "surveillance"], ["anna", "accountant"]]}, "those who must"),
        (ENVY, {"amount_minor": 1}, "envy of"),
        (ENVY, {"player": "eve"}, "envy of"),
    ],
    ids=str,
)
def test_another_payment(liar: LyingHouse, kind: str, changed: Json, why: str) -> None:
    mine = max(event.position for event in liar.stored if event.type == kind and liar.hit.encode() in event.raw)
    refused(liar, says(mine, **changed), why)


def test_an_envy_bonus_that_was_not_paid(liar: LyingHouse) -> None:
    mine = max(event.position for event in liar.stored if event.type == ENVY and liar.hit.encode() in event.raw)
    refused(liar, without(mine), "envy of")


def test_rates_and_corrections_that_were_others(liar: LyingHouse) -> None:
    parameters, adjusted = liar.last("parameters.changed.v1"), liar.last("meter.adjusted.v1")
    refused(liar, says(parameters, feed_millionths=94_000), "the contributions make")
    refused(liar, without(parameters), "the contributions make")
    refused(liar, says(adjusted, amount_minor=-49), "the contributions make")
    refused(liar, without(adjusted), "the contributions make")


def test_a_hit_that_was_void_after_all(liar: LyingHouse) -> None:
    paid = max(event.position for event in liar.stored if event.type == AUTHORISED and liar.hit.encode() in event.raw)

    def lie(at: int, event: Json) -> Json:
        return event | {"type": "hit.voided.v1"} if at == paid else event

    refused(liar, lie, "the winners are")


def test_the_previous_lock_said_otherwise(liar: LyingHouse) -> None:
    first = min(event.position for event in liar.stored if event.type == LOCKED)
    refused(liar, says(first, seed_minor=2_600_000), "the contributions make")
    refused(liar, says(first, amount_minor=1), "the contributions make")


def test_two_heads_of_two_logs(liar: LyingHouse) -> None:
    """Events were rewritten between the two heads. Both heads are signed, but they do not belong to one log."""
    whole = liar.certificate()
    head = decode(json.dumps(whole["heads"]["before"]).encode())
    whole["heads"]["before"] = msgspec.to_builtins(sign(msgspec.structs.replace(head, root="0" * 64), liar.house.by))
    with pytest.raises(offline.CertificateError, match="does not go on"):
        offline.verify(whole, [liar.house.by.public])


def test_an_order_that_is_none(liar: LyingHouse) -> None:
    """The hit's event is listed in front of a round that was armed before it."""

    def mixed(stored: list[Stored]) -> list[Stored]:
        *rest, second_last, two, last = stored
        return [*rest, two, second_last, last]

    with pytest.raises(offline.CertificateError, match="does not come after"):
        offline.verify(liar.certificate(mix=mixed), [liar.house.by.public])


def test_an_event_listed_as_another(liar: LyingHouse) -> None:
    def renamed(stored: list[Stored]) -> list[Stored]:
        at = liar.last(LOCKED)
        return [
            msgspec.structs.replace(event, type="meter.read.v1") if event.position == at else event for event in stored
        ]

    with pytest.raises(offline.CertificateError, match=r"listed as meter\.read\.v1 and says"):
        offline.verify(liar.certificate(mix=renamed), [liar.house.by.public])


@pytest.mark.parametrize("changed", [{"position": 10**6}, {"size": 10**6}], ids=str)
def test_a_head_that_is_further_than_the_list(liar: LyingHouse, changed: Json) -> None:
    whole = liar.certificate()
    head = decode(json.dumps(whole["heads"]["after"] | changed).encode())
    whole["heads"]["after"] = msgspec.to_builtins(sign(head, liar.house.by))
    with pytest.raises(offline.CertificateError, match="does not end where"):
        offline.verify(whole, [liar.house.by.public])


def test_a_range_that_begins_within_the_cycle(liar: LyingHouse) -> None:
    """The certificate is correct, but it leaves out the contributions before its range."""
    heads = [json.loads(raw) for raw in liar.house.heads.after(0)]
    first = min(event.position for event in liar.stored if event.type == LOCKED)
    within = [head for head in heads if first < head["position"] < liar.last("meter.adjusted.v1")]
    honest, liar.before = liar.before, within[-1]
    try:
        whole = liar.certificate()
    finally:
        liar.before = honest
    with pytest.raises(offline.CertificateError, match="the range begins after the previous lock"):
        offline.verify(whole, [liar.house.by.public])


def turned(position: int, kind: str) -> Lie:
    """The event there is of another type."""
    return lambda at, event: event | {"type": kind} if at == position else event


def test_a_round_that_was_void(liar: LyingHouse) -> None:
    ended = max(event.position for event in liar.stored if event.type == "round.ended.v1" and "/BJ2/" in event.stream)
    refused(liar, turned(ended, "round.voided.v1"), "the round was declared void")


def test_a_hit_that_was_void_after_it_was_paid(liar: LyingHouse) -> None:
    """The share stays the same, and the house says that there was no hit."""
    mine = max(event.position for event in liar.stored if event.type == ENVY and liar.hit.encode() in event.raw)
    refused(liar, turned(mine, "hit.voided.v1"), f"the hit {liar.hit} was declared void")


def test_a_policy_that_nobody_knows(liar: LyingHouse) -> None:
    def lie(_at: int, event: Json) -> Json:
        data = event["data"]
        return event | {"data": data | {"policy": "lucky"}} if "policy" in data else event

    refused(liar, lie, "there is no policy lucky")
