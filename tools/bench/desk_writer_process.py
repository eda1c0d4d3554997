"""A writer as a separate process: a desk with its deciders, and tables that play at full speed or at a rate.

`python -m tools.bench.desk_writer_process` takes its job as a line of JSON and reports that it is ready. It begins on
an empty line and reports its work. On another empty line it reports every request.
"""

import contextlib
import gc
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from itertools import count, cycle, islice

import msgspec

from events.desk.command_and_answer_structs import Command, Reply
from events.desk.desk import Desk
from events.store import open_store
from tools.bench import generated_roulette_actions


class WriterJob(msgspec.Struct, frozen=True):
    """`rate`: events a second, each action a request of its own (0: as fast as it goes, a round a request).
    `mispaid`: each round is paid a chip short."""

    store: str
    prefix: str
    tables: int
    events: int
    rate: int = 0
    mispaid: bool = False


class SentRequest(msgspec.Struct, frozen=True, array_like=True):
    """A request: its last event's position, how many events, when it was due to be sent and when it was answered.

    Times are of the machine's monotonic clock, which all processes share.
    """

    position: int
    events: int
    due: float
    answered: float


class Wrote(msgspec.Struct, frozen=True):
    """The work of the writer. At a rate: its largest delay, and in `sent` every request."""

    events: int
    began: float
    ended: float
    position: int
    late_s_max: float = 0.0
    sent: list[SentRequest] = []


def saturate(desk: Desk, rounds: Sequence[Command]) -> Wrote:
    """Round after round, as many in the desk's queue as it takes in two appends."""
    began, waiting = time.monotonic(), deque[Future[list[Reply]]]()
    position = events = 0

    def answered() -> None:
        nonlocal position, events
        answers = generated_roulette_actions.accepted(waiting.popleft().result())
        position = answers[-1].position
        events += sum(len(answer.events) for answer in answers)

    for command in rounds:
        waiting.append(desk.submit(command))
        if len(waiting) > generated_roulette_actions.QUEUED:
            answered()
    while waiting:
        answered()
    return Wrote(events, began, time.monotonic(), position)


def offer(desk: Desk, actions: Sequence[Command], rate: float) -> Wrote:
    """One action after the other, each when it is due, whether the one before was answered or not."""
    sent_requests: list[SentRequest] = []
    failed: list[BaseException] = []
    late, began = 0.0, time.monotonic()
    for number, command in enumerate(actions):
        due = began + number / rate
        now = time.monotonic()
        if now < due:
            time.sleep(due - now)
        else:
            late = max(late, now - due)
        _note(desk.submit(command), due, sent_requests, failed)
    while len(sent_requests) + len(failed) < len(actions):
        time.sleep(0.01)
    if failed:
        raise failed[0]
    events = sum(each.events for each in sent_requests)
    return Wrote(
        events, began, sent_requests[-1].answered, max(each.position for each in sent_requests), late, sent_requests
    )


def _note(
    future: "Future[list[Reply]]", due: float, sent_requests: list[SentRequest], failed: list[BaseException]
) -> None:
    """Record the answer when it arrives, in the desk's own thread."""

    def note(finished_future: "Future[list[Reply]]") -> None:
        answered = time.monotonic()
        try:
            answer = generated_roulette_actions.accepted(finished_future.result())[0]
        except BaseException as error:
            failed.append(error)
            return
        sent_requests.append(SentRequest(answer.position, len(answer.events), due, answered))

    future.add_done_callback(note)


def main() -> None:
    """Do the job that stands on the first line."""
    job = msgspec.json.decode(sys.stdin.buffer.readline(), type=WriterJob)
    with (
        contextlib.closing(open_store(job.store)) as store,
        contextlib.closing(Desk(store, generated_roulette_actions.PROPERTY)) as desk,
    ):
        tables = generated_roulette_actions.furnish(desk, generated_roulette_actions.names(job.prefix, job.tables))
        for table in tables:
            table.mispaid = job.mispaid
        commands = _commands(tables, job)
        gc.freeze()  # what the terminals would send is not the desk's to look through
        print("ready", flush=True)
        sys.stdin.buffer.readline()
        if job.rate:
            wrote = offer(
                desk,
                commands,
                job.rate * generated_roulette_actions.ACTIONS_A_ROUND / generated_roulette_actions.EVENTS_A_ROUND,
            )
        else:
            wrote = saturate(desk, commands)
    tell(msgspec.structs.replace(wrote, sent=[]))
    if sys.stdin.buffer.readline():
        tell(wrote.sent)


def tell(what: object) -> None:
    """A line for the process that started us."""
    sys.stdout.buffer.write(msgspec.json.encode(what) + b"\n")
    sys.stdout.buffer.flush()


def _commands(tables: Sequence[generated_roulette_actions.RouletteTerminal], job: WriterJob) -> list[Command]:
    """Everything that will be sent, table by table in turn."""
    round_count = -(-job.events // generated_roulette_actions.EVENTS_A_ROUND)
    if not job.rate:
        rounds = cycle([table.rounds() for table in tables])
        return [next(next(rounds)) for _ in range(round_count)]
    return list(islice(_staggered(tables), round_count * generated_roulette_actions.ACTIONS_A_ROUND))


def _staggered(tables: Sequence[generated_roulette_actions.RouletteTerminal]) -> Iterator[Command]:
    """Single actions of all tables in turn, each table elsewhere in its round: no floor's wheels stop as one.

    So the action that decides all bets comes as often as in the bare pipeline, which plays one round after the other.
    """
    singles = [table.singles() for table in tables]
    for lap in count():
        for number, single in enumerate(singles):
            if lap * len(tables) >= number * generated_roulette_actions.ACTIONS_A_ROUND:
                yield next(single)


if __name__ == "__main__":
    main()
