"""Start of a part after its fork: the same as a new Python process, without the imports."""

import atexit
import contextlib
import ctypes
import gc
import io
import os
import runpy
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, NoReturn, TextIO, cast

import msgspec

from backoffice.running import child_process_start_and_end
from backoffice.running.exec_program_tied_to_parent import PR_SET_PDEATHSIG
from backoffice.running.part_names_and_own_part import own_part

POLL_S = 0.001


class ProgramStart(msgspec.Struct):
    """A Python program to run: its command line, environment and folder. `parent` is the supervisor's process id."""

    command: list[str]
    env: dict[str, str]
    cwd: str
    death_signal: int
    parent: int


def is_python(command: Sequence[str]) -> bool:
    """Return whether the command is our Python with a script or a module, and no other options."""
    return command[0] == sys.executable and (command[1] == "-m" or not command[1].startswith("-"))


def run(request: ProgramStart, between: int, line: socket.socket, output: int, begin: Callable[[], None]) -> NoReturn:
    """Tie this process to the supervisor, report its start, and run the program to its end.

    `between` is the process between this one and the fork server. `begin` is called before the program.
    """
    code = 1
    try:
        os.setsid()
        _wait_for_parent(request, between)
        _set_environment(request)
        line.send(str(os.getpid()).encode())
        _open_files(output)
        begin()
        code = _run_program(request.command)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        _finish(code)


def _wait_for_parent(request: ProgramStart, between: int) -> None:
    """Wait until the process in between is gone and the supervisor is the parent; then end together with it."""
    while os.getppid() == between:
        time.sleep(POLL_S)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, request.death_signal)
    if os.getppid() != request.parent:  # it died meanwhile
        os._exit(1)


def _set_environment(request: ProgramStart) -> None:
    """Have the environment, folder and signals of a new process."""
    os.chdir(request.cwd)
    os.environ.clear()
    os.environ.update(request.env)
    sys.argv = arguments_of(request.command)
    show(request.command, request.env, (child_process_start_and_end.MARK, "PITLEDGER_"))
    own_part.cache_clear()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.enable()


def _open_files(output: int) -> None:
    """Have only the standard files, and streams that are unbuffered as PYTHONUNBUFFERED makes them."""
    null = os.open(os.devnull, os.O_RDONLY)
    for number, file in enumerate((null, output, output)):
        os.dup2(file, number)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    sys.stdout, sys.stderr = _stream(1, "strict"), _stream(2, "backslashreplace")
    sys.excepthook = sys.__excepthook__


def _stream(number: int, errors: str) -> TextIO:
    encoding = sys.__stdout__.encoding if sys.__stdout__ else "utf-8"
    raw = cast(BinaryIO, io.FileIO(number, "w", closefd=False))
    return io.TextIOWrapper(raw, encoding, errors, write_through=True)


def arguments_of(command: Sequence[str]) -> list[str]:
    """Return the program's `sys.argv`: with the module's name in the place of its path."""
    return [*command[2:]] if command[1] == "-m" else [*command[1:]]


def _run_program(command: Sequence[str]) -> int:
    """Run `PYTHON SCRIPT ...` or `PYTHON -m MODULE ...` as Python does; returns the exit code."""
    is_module, program = command[1] == "-m", sys.argv[0]
    sys.path[0] = str(Path.cwd() if is_module else Path(program).resolve().parent)
    try:
        if is_module:
            runpy.run_module(program, run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(program, run_name="__main__")
    except SystemExit as end:
        return _exit_code(end.code)
    return 0


def _exit_code(code: object) -> int:
    if code is None or isinstance(code, int):
        return int(code or 0) & 0xFF
    sys.stderr.write(f"{code}\n")
    return 1


def _finish(code: int) -> NoReturn:
    """End as a Python process does. Its caller's stack is the supervisor's, so it does not return there."""
    try:
        threading._shutdown()  # type: ignore[attr-defined]  # as multiprocessing ends its forks
        atexit._run_exitfuncs()
    except BaseException:
        traceback.print_exc()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


# Title of a forked process in `ps` and `/proc/PID/environ`: without it, the command line of its ancestor.
# Written into the memory where the kernel looks, the arguments and the environment that the ancestor was started
# with. (The package setproctitle does the same, and loses the environment, by which parts that were left over are
# found.)
_ARGUMENTS, _ARGUMENTS_END, _ENVIRONMENT, _ENVIRONMENT_END = 45, 46, 47, 48  # in /proc/PID/stat, after the name


def show(command: Sequence[str], env: Mapping[str, str], first: Sequence[str]) -> None:
    """Show a command line and an environment: variables in `first` come first in this order, others as they fit.

    Call it after `os.environ` was set again: it overwrites memory that the C library read before.
    """
    stat = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    begin, arguments_end, environment, end = (
        int(stat[field]) for field in (_ARGUMENTS, _ARGUMENTS_END, _ENVIRONMENT, _ENVIRONMENT_END)
    )
    if 0 < begin < arguments_end == environment < end:  # otherwise the system does not report it
        command_line = layout(command, env, first, arguments_end - begin, end - begin)
        ctypes.memmove(begin, command_line, len(command_line))


def layout(command: Sequence[str], env: Mapping[str, str], first: Sequence[str], arguments: int, room: int) -> bytes:
    """Return `room` bytes: the command line, which may exceed the `arguments` bytes, then the fitting part of `env`."""
    command_line = os.fsencode(" ".join(command))[: room - 1].ljust(arguments, b"\0") + b"\0"
    for name in sorted(env, key=lambda name: [not name.startswith(start) for start in first]):
        variable = os.fsencode(f"{name}={env[name]}") + b"\0"
        if len(command_line) + len(variable) <= room:
            command_line += variable
    return command_line[:room].ljust(room, b"\0")
