"""The session before a round is folded once, also from an earlier round. Only a few rounds are remembered."""

from collections.abc import Sequence

import pytest

from backoffice.surveillance.replay.round_lookup import Beginnings
from events import catalogue
from events.envelope import AnyEnvelope
from events.tables.round_replay import session_after
from tests.support.houses.sample_event_streams import History
from tests.support.tables.in_memory_tables import roulette_table

ROUNDS = 4
Placed = list[tuple[int, AnyEnvelope]]


def played(stake: int = 500) -> tuple[str, Placed]:
    """Rounds of roulette with one bet each, by position."""
    table, history = roulette_table(), History()
    for number in range(ROUNDS):
        wheel, ball = ("cw", "ccw") if number % 2 else ("ccw", "cw")
        bet = {"bet": f"b{number}", "wager": "red", "amount_minor": stake, "player": "g-1", "seat": 1}
        table.ask("round.open").ask("bet.place", **bet).ask("ball.launch", wheel=wheel, ball=ball)
        table.ask("bets.close").ask("ball.land", number=36).pay().end()
    for event in table.events:
        history.append(table.state.stream.partition("/")[2], event)
    return table.state.stream, [
        (stored_event.position, catalogue.decode(stored_event.type, stored_event.raw))
        for stored_event in history.events
    ]


class EventCountingStream:
    """A stream that counts the events read from it."""

    def __init__(self, placed: Placed) -> None:
        self.placed = placed
        self.read: list[int] = []

    def before(self, beginnings: Beginnings, stream: str, number: int) -> object:
        """The session before a round."""
        opened = [(at, event) for at, event in self.placed if event.type == "round.opened.v1"]
        position, first = opened[number - 1]

        def events(since: int) -> Sequence[AnyEnvelope]:
            events_between = [event for at, event in self.placed if since <= at < position]
            self.read.append(len(events_between))
            return events_between

        return beginnings.session_before(first.prev, stream, position, events)

    def folded(self, number: int) -> object:
        """Return the session before a round, folded from the beginning."""
        opened = [at for at, event in self.placed if event.type == "round.opened.v1"]
        return session_after([event for at, event in self.placed if at < opened[number - 1]])


@pytest.mark.parametrize("order", [(1, 2, 3, 4), (4, 3, 2, 1), (2, 4, 1, 3)])
def test_it_is_the_same_however_one_came_there(order: tuple[int, ...]) -> None:
    name, placed = played()
    stream, beginnings = EventCountingStream(placed), Beginnings()
    for number in order:
        assert stream.before(beginnings, name, number) == stream.folded(number)


def test_a_later_round_reads_what_is_between_and_a_known_one_nothing() -> None:
    name, placed = played()
    stream, beginnings = EventCountingStream(placed), Beginnings()
    for number in (2, 3, 3, 2):
        stream.before(beginnings, name, number)
    whole, between = stream.read
    assert between < whole


def test_another_history_under_the_same_name_is_folded_from_its_beginning() -> None:
    """The first event of a remembered round has another digest in the other history."""
    name, placed = played()
    other_name, other = played(stake=1_000)
    assert name == other_name
    beginnings, first, second = Beginnings(), EventCountingStream(placed), EventCountingStream(other)
    first.before(beginnings, name, 2)
    assert second.before(beginnings, name, 3) == second.folded(3)
    assert len(second.read) == 2, "what follows was looked at, and did not follow"


def test_only_so_many_are_remembered() -> None:
    name, placed = played()
    stream, beginnings = EventCountingStream(placed), Beginnings(at_most=1)
    for number in (4, 3, 4):
        stream.before(beginnings, name, number)
    assert len(stream.read) == 3
