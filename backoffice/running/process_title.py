"""Title of a forked process in `ps` and `/proc/PID/environ`: without it, the command line of its ancestor.

Written into the memory where the kernel looks, the arguments and the environment that the ancestor was started with.
(The package setproctitle does the same, and loses the environment, by which parts that were left over are found.)
"""

import ctypes
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

_ARGUMENTS, _ARGUMENTS_END, _ENVIRONMENT, _ENVIRONMENT_END = 45, 46, 47, 48  # in /proc/PID/stat, after the name


def show(command: Sequence[str], env: Mapping[str, str], first: Sequence[str]) -> None:
    """Show a command line and an environment: variables in `first` come first in this order, others as they fit.

    Call it after `os.environ` was set again: it overwrites memory that the C library read before.
    """
    stat = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    begin, arguments_end, environment, end = (
        int(stat[field]) for field in (_ARGUMENTS, _ARGUMENTS_END, _ENVIRONMENT, _ENVIRONMENT_END)
    )
    if 0 < begin < arguments_end == environment < end:  # else the system does not say
        shown = layout(command, env, first, arguments_end - begin, end - begin)
        ctypes.memmove(begin, shown, len(shown))


def layout(command: Sequence[str], env: Mapping[str, str], first: Sequence[str], arguments: int, room: int) -> bytes:
    """Return `room` bytes: the command line, which may exceed the `arguments` bytes, then the fitting part of `env`."""
    shown = os.fsencode(" ".join(command))[: room - 1].ljust(arguments, b"\0") + b"\0"
    for name in sorted(env, key=lambda name: [not name.startswith(start) for start in first]):
        variable = os.fsencode(f"{name}={env[name]}") + b"\0"
        if len(shown) + len(variable) <= room:
            shown += variable
    return shown[:room].ljust(room, b"\0")
