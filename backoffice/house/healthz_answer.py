"""The answer of `/healthz`: "ok", or "degraded" with the reason for unchanged figures and the remedy.

A database that does not answer is a degraded house, not a process to be restarted: the status stays 200. A house whose
database lacks migrations serves no page, and gets 503. The pages and the live process give the same answer. Each asks
the databases itself, so that one can be asked where the other hangs; the live process at most once a second.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import msgspec
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from backoffice.house.condition_lags_and_problems import condition
from backoffice.running.part_names_and_own_part import PARTS

log = logging.getLogger(__name__)

AWAY = "the read models' database does not answer"
HEALTH_OLD_S = 1.0
HealthState: TypeAlias = tuple[dict[str, object], int]
AskInThread: TypeAlias = Callable[[Callable[[], HealthState]], Awaitable[HealthState]]


def health() -> tuple[dict[str, object], int]:
    """Return the state of the house, with the status of the answer. `down` and `why` have the first problems in
    short."""
    if why := unready():
        is_away = why == AWAY
        return {"status": "degraded" if is_away else "down", "why": why}, 200 if is_away else 503
    problems = condition().problems
    if not problems:
        return {"status": "ok"}, 200
    answer: dict[str, object] = {"status": "degraded", "problems": msgspec.to_builtins(problems)}
    if figures := [problem.why for problem in problems if problem.part == "figures"]:
        answer["why"] = figures[0]
    if down := {problem.part: problem.why for problem in reversed(problems) if problem.part in PARTS}:
        answer["down"] = down  # the first problem of a part stays: one that is silent is also behind
    return answer, 200


def unready() -> str:
    """Return why pages cannot be served; "" where they can."""
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        log.warning("the read models' database does not answer: %s", error)
        return AWAY
    return f"{len(missing)} migrations are missing: ./manage.py migrate" if missing else ""


class HouseHealth:
    """The state of the house as of a second ago at most, however many clients ask. In the event loop's thread."""

    def __init__(
        self,
        in_thread: AskInThread,
        look: Callable[[], HealthState] = health,
        clock: Callable[[], float] = time.monotonic,
    ):
        self._in_thread, self._look, self._clock = in_thread, look, clock
        self._health_task: asyncio.Task[HealthState] | None = None
        self._as_of = float("-inf")

    async def now(self, *, is_detailed: bool) -> HealthState:
        """Return the answer and its status; its details only for those who may read them.

        Raises django.db.Error, Retry.
        """
        if self._health_task is None or (self._health_task.done() and self._clock() - self._as_of > HEALTH_OLD_S):
            self._health_task, self._as_of = asyncio.ensure_future(self._ask()), self._clock()
        answer, status = await asyncio.shield(self._health_task)
        return (answer if is_detailed else {"status": answer["status"]}), status

    async def _ask(self) -> HealthState:
        return await self._in_thread(self._look)
