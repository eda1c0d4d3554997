"""Cost of detecting new ids at the desk: processor time an action, against a desk without the check.

On SQLite, whose part of an action is the smallest, thirty actions a command. Sides run in turn in one process, in short
turns, so that a busy machine affects both.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

from events.desk.command_and_answer_structs import Reply
from events.desk.desk import Desk
from events.desk.lookalike_id_claims import IdClaims, Named
from events.envelope import Action
from events.store import open_store
from tools.bench import generated_roulette_actions
from tools.bench.benchmark_report_formats import Line
from tools.bench.measurement_servers import MeasurementServers
from tools.bench.turns_medians_and_percentiles import Options

GOALS = {"known players": 1.05, "a player who is new in each action": 1.5}
ROUNDS = 5  # of a turn
TURNS_A_SECOND = 10
Side = Callable[[], float]  # plays for a turn; microseconds of processor time an action


class NewGuestsTable(generated_roulette_actions.RouletteTerminal):
    """A table at which each bet is that of another guest."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._guests = count(1)

    def act(self, kind: str, **data: Any) -> Action:
        """An action; a bet gets a player of its own."""
        player = {"player": f"guest-{next(self._guests):07d}"} if kind == "bet.place" else {}
        return super().act(kind, **data | player)


class NoClaims(IdClaims):
    """Tells no ids apart."""

    def new(self, _named: object) -> list[Named]:
        """Return no new ids."""
        return []


def measure(options: Options, parts: MeasurementServers) -> list[Line]:
    """Microseconds of processor time an action, of known players and of new ones."""
    lines = []
    for (work, goal), table in zip(
        GOALS.items(), (generated_roulette_actions.RouletteTerminal, NewGuestsTable), strict=True
    ):
        with parts.folder() as folder, _desk(folder / "with", table) as ours, _desk(folder / "without", table) as peer:
            peer.desk.streams.ids = NoClaims(peer.desk.store, generated_roulette_actions.PROPERTY)
            figures = _in_short_turns(options, [ours.turn, peer.turn])
        options.tell(f"  {work}: {figures[0]:.0f} µs, {figures[1]:.0f} µs without")
        lines.append(
            Line(
                work=f"an action of {work}",
                ours=figures[0] / 1_000,
                unit="ms",
                peer=figures[1] / 1_000,
                against="no ids told apart",
                goal=goal,
            )
        )
    return lines


class _PlayedDesk:
    def __init__(self, desk: Desk, table: generated_roulette_actions.RouletteTerminal) -> None:
        self.desk, self._table = desk, table

    def turn(self) -> float:
        """Play some rounds in this thread."""
        commands = [self._table.command(self._table.round()) for _ in range(ROUNDS)]
        futures: list[Future[list[Reply]]] = [Future() for _ in commands]
        begun = process_time()
        for command, future in zip(commands, futures, strict=True):
            self.desk.serve([(command, future)])
        spent = process_time() - begun
        for future in futures:
            generated_roulette_actions.accepted(future.result())
        return spent / (ROUNDS * generated_roulette_actions.ACTIONS_A_ROUND) * 1e6


@contextmanager
def _desk(folder: Path, table: type[generated_roulette_actions.RouletteTerminal]) -> Iterator[_PlayedDesk]:
    folder.mkdir()
    with closing(open_store(f"sqlite:///{folder / 'events.sqlite3'}")) as store:
        store.create()
        with closing(Desk(store, generated_roulette_actions.PROPERTY)) as desk:
            generated_roulette_actions.install(
                desk, "install:R1", pit="A", table="R1", game="roulette", ruleset="roulette-american"
            )
            opened_table = table("R1")
            generated_roulette_actions.answered(desk, opened_table.opening())
            yield _PlayedDesk(desk, opened_table)


def _in_short_turns(options: Options, sides: Sequence[Side]) -> list[float]:
    """Return the median of each side's turns."""
    times: list[list[float]] = [[] for _ in sides]
    for _ in range(max(options.turns, round(options.turns * options.seconds * TURNS_A_SECOND))):
        for side, spent in zip(sides, times, strict=True):
            spent.append(side())
    return [median(spent) for spent in times]
