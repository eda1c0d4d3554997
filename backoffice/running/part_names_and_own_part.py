"""The parts of a house, and which of them this process is."""

import os
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

PARTS = ("broker", "relay", "projector", "worker", "beat", "pages", "web", "live")
REPORTING = PARTS[1:]  # the embedded broker is another program: the supervisor alone sees it
OTHER = "command"  # a command that a person runs
SETTING = "PITLEDGER_PART"  # for a command that the worker starts
# By the command of a process: `manage.py relay`, `celery ... worker`, `granian ... backoffice.wsgi:application`.
_COMMANDS = {"relay": "relay", "project": "projector", "up": "up"}
_SERVED = {"backoffice.wsgi:application": "pages", "backoffice.door.granian_entry_point:door": "web"}


@cache
def own_part() -> str:
    """Return the part that this process is or works for; "command" for any other."""
    return os.environ.get(SETTING) or part_of(tuple(sys.argv))


def part_of(arguments: Sequence[str]) -> str:
    """Return the part that is started by these arguments."""
    program, words = Path(arguments[0] if arguments else ""), arguments[1:]
    if "celery" in program.parts or program.name == "celery":
        return next((word for word in words if word in ("worker", "beat")), OTHER)
    if program.parent.name == "live" or "backoffice.live" in arguments:
        return "live"
    served = next((_SERVED[word] for word in words if word in _SERVED), "")
    return served or (_COMMANDS.get(words[0], OTHER) if words else OTHER)
