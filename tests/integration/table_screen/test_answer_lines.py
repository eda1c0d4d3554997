"""The answer to an entry in two lines: the answers before the state of the screen is computed."""

import json
import zlib
from collections.abc import Iterator
from typing import Any

import pytest

from backoffice.http.ndjson_content_type import KIND
from backoffice.people import badge_authentication
from backoffice.table_screen import screen_state
from events.errors import Busy
from tests.support.house import House
from tests.support.table_device import Tablet, act, paired

pytestmark = pytest.mark.django_db
STAKE = {"wager": "red", "amount_minor": 500, "player": "p1"}
MOVING = ("house_time", "csrf")  # members that differ between two answers


@pytest.fixture
def tablet(house: House) -> Tablet:
    tablet = paired(house)
    assert tablet.come(badge_authentication.issue_badge("dora")).status_code == 200
    return tablet


def sent(tablet: Tablet, *actions: dict[str, Any], encoding: str = "identity", language: str = "en") -> Any:
    """The answer in two lines; its pieces are not read yet."""
    body = {"entries": [tablet.entry(*actions)], "state_after": True, "group_refusals": True}
    headers = {"Accept-Encoding": encoding, "Accept-Language": language}
    return tablet.post(f"/table/{tablet.table}/queue", body, **headers)


def pieces(response: Any) -> Iterator[bytes]:
    """The pieces of a response as they arrive, without compression."""
    if response["Content-Encoding"] != "gzip":
        yield from response.streaming_content
        return
    unpacked = zlib.decompressobj(wbits=31)
    for piece in response.streaming_content:
        yield unpacked.decompress(piece)


@pytest.mark.parametrize("encoding", ["identity", "gzip, br"])
def test_the_answers_arrive_before_the_state_is_computed(
    tablet: Tablet, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    computed, real = [], screen_state.state_of

    def state_of(*given: Any) -> Any:
        computed.append(given)
        return real(*given)

    monkeypatch.setattr(screen_state, "state_of", state_of)
    response = sent(tablet, act("round.open"), encoding=encoding)
    assert response["X-Accel-Buffering"] == "no", "a proxy passes the first line on at once"
    arriving = pieces(response)
    answers = json.loads(next(arriving))
    assert not computed
    assert (response["Content-Type"], answers["answers"][0]["status"]) == (KIND, 200)
    assert answers["last_seq"] == tablet.seq
    state = json.loads(b"".join(arriving))
    assert len(computed) == 1
    assert state["position"] == answers["answers"][0]["position"]
    assert state["layout"]["phase"] == "open"


@pytest.mark.parametrize("language", ["en", "el"])
def test_both_lines_are_what_one_answer_has(tablet: Tablet, language: str) -> None:
    first = b"".join(sent(tablet, act("round.open"), language=language).streaming_content)
    entry = tablet.entry(act("bet.place", bet="b1", **STAKE))
    again = {"entries": [entry], "group_refusals": True}
    whole = tablet.post("/table/FR1/queue", again, **{"Accept-Language": language}).json()
    repeated = {**again, "state_after": True}
    in_lines = tablet.post("/table/FR1/queue", repeated, **{"Accept-Language": language})
    answers, state = map(json.loads, b"".join(in_lines.streaming_content).splitlines())
    assert len(first.splitlines()) == 2
    own = whole.pop("state")
    assert answers == whole
    assert {**state, **dict.fromkeys(MOVING)} == {**own, **dict.fromkeys(MOVING)}


def test_a_state_that_cannot_be_computed_is_left_out(tablet: Tablet, monkeypatch: pytest.MonkeyPatch) -> None:
    def state_of(*_given: Any) -> Any:
        raise Busy("the table is busy")

    monkeypatch.setattr(screen_state, "state_of", state_of)
    lines = b"".join(sent(tablet, act("round.open")).streaming_content).splitlines()
    assert [json.loads(line)["answers"][0]["status"] for line in lines] == [200]


def test_a_refused_request_is_one_problem(tablet: Tablet) -> None:
    tablet.entry(act("round.open"))  # never sent: the next one is not the next of the chain
    answer = sent(tablet, act("bets.close"))
    assert (answer.status_code, answer.json()["code"]) == (409, "queue-entry-missing")
