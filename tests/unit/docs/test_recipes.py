"""The recipes of the games are played as they stand, each row an action at a real desk."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from events.desk.command_and_answer_structs import Answer, Reply
from events.envelope import Action
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from events.tables import gaming_day_stream_for_action
from events.tables.actions.round_action_structs import PlaceBet
from tests.support.houses.small_house import House, events_of

HOWTO = Path(__file__).parents[3] / "docs" / "howto"
ROW = re.compile(r"^\| ([a-z ]+) \| `([a-z_.]+)` \| (?:`(\{.*\})` )?\| (?:(.*) )?\|$", re.MULTILINE)
# Who is meant by each word of the first column; the people's ids stand in the data.
PEOPLE = {
    "inspector": "ines",
    "dealer": "dora",
    "pit boss": "paul",
    "surveillance": "sven",
    "cage": "cage",
    "count": "cora",
}
RECIPES = [
    ("play-roulette.md", "FR1", "roulette", "roulette-french"),
    ("play-baccarat.md", "BA1", "baccarat", "baccarat"),
    ("play-craps.md", "CR1", "craps", "craps-gr"),
    ("play-craps.md", "CR1", "craps", "craps-by"),
    ("play-blackjack.md", "BJ1", "blackjack", "blackjack-trilux"),
]
ELSEWHERE = {"hit.authorise": "blazing", "jackpot.pay": "blazing"}  # what is sent to the progressive


@pytest.fixture
def house() -> Iterator[House]:
    house_ = House()
    yield house_
    house_.close()


class RecipePlayer:
    """A page on its way through the desk."""

    def __init__(self, house: House, table: str) -> None:
        self.house = house
        self.table = table
        self.request: dict[str, Any] = {}
        self.request_target = Target("tables", table)

    def row(self, who: str, kind: str, data: dict[str, Any], note: str, ruleset: str) -> None:
        """One action; it is done, refused with the clause that the note names, or asked for."""
        target = self.request_target if kind == "approval.give" else self._target(kind)
        content = self.request if kind == "approval.give" else {}
        reply = self._send(target, who, self.house.action(kind, **{**data, **content}))
        if "refused" in note:
            assert isinstance(reply, Problem), (kind, data)
            assert f"`{reply.clause}`" in note, (kind, data, reply)
            assert str(reply.clause).startswith((ruleset, "house", "blazing7s"))
            return
        assert isinstance(reply, Answer), (kind, data, reply)
        events = events_of([cast(Reply, reply)])
        assert ("as a request" in note) == (events[0].type == "approval.requested.v1"), (kind, note)
        if "as a request" in note:
            self.request, self.request_target = (
                {"request": events[0].data.request, "content": events[0].data.content},
                target,
            )
        for event in events:
            assert event.type != "irregularity.recorded.v1", (kind, data, event.data)

    def _target(self, kind: str) -> Target:
        return Target("progressives", ELSEWHERE[kind]) if kind in ELSEWHERE else Target("tables", self.table)

    def _send(self, target: Target, who: str, action: Action) -> Reply:
        return self.house.send(target.kind, target.name, PEOPLE[who], action)[0]


def rows(page: str) -> list[tuple[str, str, dict[str, Any], str]]:
    """Return the person, action, data and note of each row."""
    matches = ROW.findall((HOWTO / page).read_text(encoding="utf-8"))
    return [(who, kind, msgspec.json.decode(data or "{}"), note) for who, kind, data, note in matches]


@pytest.mark.parametrize(("page", "table", "game", "ruleset"), RECIPES)
def test_the_recipe_is_played_as_it_stands(house: House, page: str, table: str, game: str, ruleset: str) -> None:
    if game != "blackjack" and table != "FR1":
        house.install(table, game, ruleset)
    play = RecipePlayer(house, table)
    for who, kind, data, note in rows(page):
        play.row(who, kind, data, note, ruleset)
    session, _ = gaming_day_stream_for_action.session(house.desk.streams.new_view(), table)
    assert session.status == "counted", "the day is played to its end"
    assert (session.bets, session.due) == ({}, {})


@pytest.mark.parametrize("page", sorted({page for page, *_ in RECIPES}))
def test_every_row_of_a_table_is_read(page: str) -> None:
    lines = [line for line in (HOWTO / page).read_text().splitlines() if line.startswith("| ") and "`" in line[:60]]
    assert (
        len([line for line in lines if re.match(r"\| [a-z ]+ \| `[a-z_]+\.[a-z_]+` \|", line)]) == len(rows(page)) > 15
    )


def test_each_game_has_its_recipe() -> None:
    assert {game for _, _, game, _ in RECIPES} == {"baccarat", "blackjack", "craps", "roulette"}
    assert PlaceBet.TYPE in {kind for page, *_ in RECIPES for _, kind, _, _ in rows(page)}
