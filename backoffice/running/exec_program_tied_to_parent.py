"""Becomes another program that ends with its parent.

`python exec_program_tied_to_parent.py PARENT SIGNAL PROGRAM [ARGUMENT ...]` is its call.

Where the kernel offers it (Linux), the program gets SIGNAL when its parent dies. The setting survives `exec`, and
unlike a function between fork and exec this is safe in a parent with threads. Runs with the standard library alone.
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1


def main(parent: int, death_signal: int, command: list[str]) -> None:
    """Tie this process to its parent, then become `command`."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, death_signal)
    if os.getppid() != parent:  # it died before the kernel knew that we care
        sys.exit(1)
    os.execvp(command[0], command)  # noqa: S606 - no shell is wanted: this is the program itself


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
