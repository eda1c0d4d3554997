"""A repeated key gets the same answer without the desk: for a second, and only an answer that cannot change."""

import msgspec
import pytest

from backoffice.api.json_response import Response, rendered
from backoffice.door import action_receiver
from backoffice.door.action_receiver import RepeatedAnswers
from events.desk.command_and_answer_structs import Answer, Command, Reply
from events.envelope import Action, Who
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from tests.support.clocks.settable_clocks import SettableSeconds

BODY = b'{"type": "round.open", "key": "k"}'
WHO = Who(person="dora", roles=frozenset(), device="t-1", table="FR1")
COMMAND = Command(Target("tables", "FR1"), (msgspec.json.decode(BODY, type=Action),), WHO)
FIRST: Reply = Answer("k", 7, [])
REPEATED: Reply = Answer("k", 7, [], repeated=True)


def rendered_replies(replies: list[Reply]) -> Response:
    return rendered(replies, 200)


def is_repeated(*replies: Reply) -> bool:
    cache = RepeatedAnswers(SettableSeconds())
    cache.remember_answer(COMMAND, BODY, [*replies], rendered_replies([*replies]))
    return cache.find(COMMAND, BODY) is not None


def test_a_repeats_answer_serves_for_a_second() -> None:
    clock = SettableSeconds()
    cache = RepeatedAnswers(clock)
    assert cache.find(COMMAND, BODY) is None
    cache.remember_answer(COMMAND, BODY, [REPEATED], rendered_replies([REPEATED]))
    clock.now += 0.9
    assert cache.find(COMMAND, BODY) == rendered_replies([REPEATED])
    clock.now += 0.2
    assert cache.find(COMMAND, BODY) is None, "a later request is answered from the store as it is then"


def test_only_what_cannot_differ_the_next_time_is_kept() -> None:
    refused = Problem(409, "No", "not now")
    assert is_repeated(REPEATED, REPEATED)
    assert not is_repeated(FIRST), "the next answer says that it is a repeat"
    assert not is_repeated(refused)
    assert not is_repeated(REPEATED, refused)


@pytest.mark.parametrize("other", [{"person": "ines"}, {"device": "t-2"}, {"table": "FR2"}])
def test_nobody_gets_what_another_sent(other: dict[str, str]) -> None:
    cache = RepeatedAnswers(SettableSeconds())
    cache.remember_answer(COMMAND, BODY, [REPEATED], rendered_replies([REPEATED]))
    theirs = msgspec.structs.replace(COMMAND, who=msgspec.structs.replace(WHO, **other))
    elsewhere = msgspec.structs.replace(COMMAND, target=Target("tables", "FR2"))
    assert cache.find(theirs, BODY) is None
    assert cache.find(COMMAND, BODY + b" ") is None
    assert cache.find(elsewhere, BODY) is None
    assert cache.find(COMMAND, BODY) is not None


def test_few_and_small_ones_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(action_receiver, "MAX_KEPT", 2)
    cache = RepeatedAnswers(SettableSeconds())
    for body in (b"a", b"b", b"a", b"c"):
        cache.remember_answer(COMMAND, body, [REPEATED], rendered_replies([REPEATED]))
    assert [cache.find(COMMAND, body) is None for body in (b"a", b"b", b"c")] == [False, True, False]
    cache.remember_answer(COMMAND, b"d", [REPEATED], Response(200, "", b" " * (action_receiver.MAX_BODY + 1), {}))
    assert cache.find(COMMAND, b"d") is None
