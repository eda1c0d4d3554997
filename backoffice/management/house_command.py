"""The base class of the house's commands, and their answers to errors and to a closed pipe."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
from django.core.management.base import BaseCommand, CommandError

from events.errors import PitledgerError


class HouseCommand(BaseCommand):
    """A command of the house. It skips the system checks of Django, which would import every page."""

    requires_system_checks = ()

    def write_json(self, content: object, enc_hook: Callable[[Any], Any] | None = None) -> None:
        """Print content as indented JSON."""
        self.stdout.write(msgspec.json.format(msgspec.json.encode(content, enc_hook=enc_hook)).decode())


@contextmanager
def exit_code(code: int, *errors: type[Exception]) -> Iterator[None]:
    """Raise CommandError with this exit code for errors of the house, and for these errors."""
    reported_errors: tuple[type[Exception], ...] = (PitledgerError, *errors)
    try:
        yield
    except reported_errors as error:
        raise CommandError(str(error), returncode=code) from error


@contextmanager
def closable_output() -> Iterator[None]:
    """End without an error when the reader of the output has seen enough and closes the pipe."""
    try:
        yield
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
