"""The process that commands of `tests.support.processes.manage_command_runner` are forked from.

It runs by path, with the checkout as its only argument.

Half of what a command costs is importing; this process has imported all that needs no settings, does nothing else, and
starts no thread. Each line of its input is a command in JSON; a line of its output is that command's exit code. It ends
with its input.
"""

import contextlib
import importlib
import json
import os
import pkgutil
import runpy
import sys
from typing import Any

LIBRARIES = (
    "django.core.management",
    "django.core.serializers.json",
    "django.contrib.humanize",
    "django.db.models",
    "django.http",
    "django.template.backends.django",
    "django.urls",
    "kafka.admin",
    "psycopg",
    "sqlite3",
)


def main(checkout: str) -> None:
    sys.path.insert(0, checkout)
    import events

    for name in (*LIBRARIES, *(module.name for module in pkgutil.walk_packages(events.__path__, "events."))):
        importlib.import_module(name)
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            return become(json.loads(line))
        os.write(1, f"{os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}\n".encode())
    return None


def become(command: dict[str, Any]) -> None:
    """This process is the command from here on; it ends as Python ends."""
    for number, path, how in ((0, os.devnull, os.O_RDONLY), (1, "out", os.O_WRONLY), (2, "err", os.O_WRONLY)):
        os.dup2(os.open(command.get(path, path), how), number)
    os.environ.clear()
    os.environ.update(command["env"])
    os.chdir(command["cwd"])
    sys.argv = command["words"]
    with contextlib.suppress(EOFError):
        runpy.run_path(command["words"][0], run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1])
