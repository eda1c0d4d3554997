"""Output of several processes, on one stream."""

import os
import threading
from collections.abc import Sequence
from typing import IO, TextIO

from backoffice.running.logging_configuration import is_json, json_line
from backoffice.running.open_files_locks_full_disk import if_there_is_room

COLOURS = (36, 33, 32, 35, 34, 31)


class Voice:
    """The lines of all processes on one output, each after its process's name; in colour on a terminal."""

    def __init__(self, output: TextIO, names: Sequence[str]) -> None:
        self._output = output
        self._width = max((len(name) for name in names), default=0)
        self._colours = dict(zip(names, COLOURS * (len(names) // len(COLOURS) + 1), strict=False))
        self._in_colour = output.isatty() and "NO_COLOR" not in os.environ
        self._is_json = is_json()
        self._turn = threading.Lock()

    def __call__(self, name: str, text: str, *, own: bool = False) -> None:
        """Write a line of a process; `own`: the supervisor's line about it. In JSON mode a process's own lines stay
        unchanged.
        """
        if self._is_json:
            line = text if text.startswith('{"time":') else json_line("info", text, part=name, supervisor=own)
            self._write_line(line)
            return
        prefix = f"{name:{self._width}} {'*' if own else '|'} "
        if self._in_colour:
            prefix = f"\x1b[{self._colours.get(name, 0)}m{prefix}\x1b[0m"
        self._write_line(f"{prefix}{text}")

    def _write_line(self, line: str) -> None:
        with self._turn, if_there_is_room():
            self._output.write(f"{line}\n")
            self._output.flush()

    def pump(self, name: str, output: IO[bytes]) -> None:
        """Pass a process's lines on until it closes its output."""
        for line in output:
            self(name, line.decode(errors="replace").rstrip())
