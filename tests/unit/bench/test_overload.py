"""The allowed answers to an attacker who tries to stop the dealers, and the reported ones."""

import pytest

from tools.bench import dealers_during_an_attack, hostile_http_clients, house_setup_for_http

KEYS = house_setup_for_http.HouseKeys("dealer's", {"R1": "key"}, "nobody's", "second dealer's")
ATTACKS = {attack.name: attack for attack in dealers_during_an_attack.attacks(KEYS)}


def wrong(name: str, silent: int = 0, **statuses: int) -> list[str]:
    answered = hostile_http_clients.AnswerCounts(
        {status.removeprefix("s"): times for status, times in statuses.items()}, silent
    )
    return [*dealers_during_an_attack._wrongly(ATTACKS[name], answered)]


@pytest.mark.parametrize(
    ("name", "status"),
    [("pages", "302"), ("one key again and again", "200"), ("a flood of wrong badges", "401"), ("waits", "200")],
)
def test_what_is_deserved_is_no_news(name: str, status: str) -> None:
    assert wrong(name, **{f"s{status}": 9, "s429": 5, "s503": 1, "cut": 2}) == []


def test_another_answer_is_told_with_how_often() -> None:
    assert wrong("pages", s302=9, s500=2) == ["pages was answered {'500': 2}"]
    assert wrong("one key again and again", s200=1, s403=3) == ["one key again and again was answered {'403': 3}"]


def test_who_never_gets_what_is_deserved_measures_something_else() -> None:
    assert wrong("one key again and again", s429=7) == ["one key again and again was never answered 200"]


def test_a_refusal_that_does_not_say_when_to_come_again_is_told() -> None:
    assert wrong("idle connections", silent=2) == ["2 refusals of idle connections do not say when to come again"]


def test_one_key_is_repeated_by_somebody_who_may() -> None:
    [request] = ATTACKS["one key again and again"].requests
    assert "Bearer second dealer's" in request
