"""All badges and devices' keys in memory, so that no request costs a query, not even a stranger's.

A thread compares with the directory twice a second while requests come, and reads it again after a change. A revoked
key is dead within a second: a request that depends on an older read waits for a newer one.
"""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from django.db import Error, connection
from django.db.models import Count, Max

from backoffice.access.database_error_classification import failure_of
from backoffice.databases.connections_to_replaced_files import close_stale_connections
from backoffice.models import Credential
from backoffice.people.badge_and_key_authentication import Holder, holders
from events.error_codes import coded
from events.errors import Retry

OLD_S = 0.5  # from then it is read again, while the old still holds
DEAD_S = 1.0  # no one is authenticated by an older roster
WAIT_S = 5.0

Credentials = dict[str, Holder]
State = tuple[object, ...]


def state() -> State:
    """Return a value that changes with every change of the credentials: they are made and revoked, never changed
    back."""
    close_stale_connections()
    counts = {"made": Count("digest"), "revoked": Count("revoked_at"), "last": Max("made_at")}
    return tuple(Credential.objects.aggregate(**counts).values())


class Roster:
    """The credentials by digest, in memory. To be used in the event loop's thread."""

    def __init__(
        self,
        read: Callable[[], Credentials] = holders,
        state: Callable[[], State] = state,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._read_all, self._state, self._clock = read, state, clock
        self._credentials: Credentials = {}
        self._read_of: State | None = None
        self._as_of = float("-inf")
        self._read_task: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(1, "roster")  # one thread: one connection

    def find(self, digest: str) -> Holder | None:
        """Return the holder, as of the last read; None for an unknown or revoked badge."""
        return self._credentials.get(digest)

    def is_old(self) -> bool:
        """Return whether `be_fresh` has anything to do."""
        return self._clock() - self._as_of > OLD_S

    async def be_fresh(self) -> None:
        """Return when the cached roster is fresh enough to use. Raises Retry where the directory does not answer."""
        age = self._clock() - self._as_of
        if age > DEAD_S:
            await self.look()
        elif age > OLD_S:
            self._begin()

    async def look(self) -> None:
        """Return when a person has looked who began after now, or just before. Raises Retry."""
        try:
            async with asyncio.timeout(WAIT_S):
                await asyncio.shield(self._begin())
        except TimeoutError as error:
            raise Retry(coded("directory-silent")) from error
        except Error as error:
            raise failure_of(error, coded("directory-not-read"), "PITLEDGER_READ") from error

    def close(self) -> None:
        """Let go of the thread."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _begin(self) -> "asyncio.Task[None]":
        if self._read_task is None or self._read_task.done():
            self._read_task = asyncio.create_task(self._look())
            self._read_task.add_done_callback(lambda task: task.cancelled() or task.exception())
        return self._read_task

    async def _look(self) -> None:
        began = self._clock()
        now, credentials = await asyncio.get_running_loop().run_in_executor(self._thread, self._compare)
        if credentials is not None:
            self._credentials, self._read_of = credentials, now
        self._as_of = began

    def _compare(self) -> tuple[State, Credentials | None]:
        """Return the directory's state, and all credentials if it has changed. Runs in the roster's thread."""
        try:
            now = self._state()
            return now, None if now == self._read_of else self._read_all()
        except Error:
            connection.close()  # the next one opens another
            raise
