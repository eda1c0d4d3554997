"""A process that sends the deliveries of a house, killed at each step in turn.

`python -m tests.support.processes.killed_sender` starts it.

A step is a write to a database, a message, or an operation on a file. Each line of its input is the number of a step.
It starts from the beginning, is killed before that step, sends the rest, and writes the outcome as a line of JSON.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import django
import msgspec

WRITES = ("INSERT", "UPDATE", "DELETE")
FOLDER = "TEST_REPORT_FOLDER"


class Steps:
    """Counts steps, and dies before one of them; 0: never."""

    def __init__(self, last: int) -> None:
        self.last, self.done = last, 0

    def step(self) -> None:
        self.done += 1
        if self.done == self.last:
            os.kill(os.getpid(), signal.SIGKILL)

    def with_steps(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """A call with a step before and after it."""

        def inner(*arguments: Any, **keywords: Any) -> Any:
            self.step()
            answer = call(*arguments, **keywords)
            self.step()
            return answer

        return inner

    def query(self, execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if sql.lstrip().upper().startswith(WRITES):
            self.step()
        return execute(sql, *rest)


@contextmanager
def counted(steps: Steps) -> Iterator[None]:
    from django.core.mail import EmailMessage
    from django.db import connections

    with ExitStack() as stack:
        for connection in connections.all():
            stack.enter_context(connection.execute_wrapper(steps.query))
        EmailMessage.send = steps.with_steps(EmailMessage.send)  # type: ignore[method-assign]
        os.link, os.fsync = steps.with_steps(os.link), steps.with_steps(os.fsync)
        yield


def sending(last: int) -> int:
    """Send in a process of its own, which dies before this step; return how it ended."""
    from django.db import connections

    connections.close_all()
    process = os.fork()
    if process:
        return os.waitpid(process, 0)[1]
    from backoffice.deliveries.due_delivery_creation_and_sending import deliver
    from backoffice.deliveries.webhook_requests import post

    steps = Steps(last)
    try:
        with counted(steps):
            deliver(steps.with_steps(post))
    except BaseException:
        sys.excepthook(*sys.exc_info())
        os._exit(1)
    os._exit(0)


def begin() -> None:
    """Have nothing sent yet."""
    from backoffice.access.models import GivenOut
    from backoffice.models import Delivery, Subscription

    Delivery.objects.all().delete()
    Subscription.objects.update(position=0, last_at=None)
    GivenOut.objects.all().delete()
    for file in Path(os.environ[FOLDER]).iterdir():
        file.unlink()


def outcome(is_killed: bool) -> dict[str, Any]:
    from backoffice.access.models import GivenOut
    from backoffice.models import DeliveredFile, Delivery, DeliveryAttempt

    return {
        "is_killed": is_killed,
        "deliveries": sorted(Delivery.objects.values_list("id", "state")),
        "files": sorted(file.name for file in Path(os.environ[FOLDER]).iterdir() if not file.name.startswith(".")),
        "written": DeliveredFile.objects.filter(is_written=True).values("name").distinct().count(),
        "copies": GivenOut.objects.count(),
        "interrupted": DeliveryAttempt.objects.filter(state="").count(),
    }


def main() -> None:
    django.setup()
    from backoffice import urls
    from backoffice.deliveries import due_delivery_creation_and_sending, webhook_requests
    from backoffice.models import Delivery
    from backoffice.printing import list_report
    from events.rules import game_declaration_and_registry
    from events.runtime import clock

    assert all(
        (
            urls,
            due_delivery_creation_and_sending,
            webhook_requests,
            list_report,
            game_declaration_and_registry.installed(),
        )
    ), "loaded once, before any process of its own"
    for line in sys.stdin:
        begin()
        status = sending(int(line))
        assert os.WIFSIGNALED(status) or status == 0, "the sender failed"
        Delivery.objects.filter(state="waiting").update(next_try_at=clock.moment() - timedelta(seconds=1))
        assert sending(0) == 0, "the sender after the killed one failed"
        print(msgspec.json.encode(outcome(os.WIFSIGNALED(status))).decode(), flush=True)


if __name__ == "__main__":
    main()
