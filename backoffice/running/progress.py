"""The health check of a container: `python -m backoffice.running.progress NAME RUN-FOLDER`, or `--port PORT`.

A part that works beats; one that serves answers. Exit code 0 where it does, 1 with a line where it does not. Only the
standard library is imported: the check runs every few seconds in every container.
"""

import http.client
import sys
import time
from pathlib import Path

SILENT_S = 30.0
ANSWER_S = 5.0
LIVE = "/livez"


def main(arguments: list[str]) -> int:
    """Return the exit code for a part's name and the folder of its beats, or for `--port PORT`."""
    what, where = arguments
    fault = unserved(int(where)) if what == "--port" else silent(what, Path(where))
    if fault:
        print(fault)
    return 1 if fault else 0


def silent(name: str, folder: Path) -> str:
    """Return why a part does not get on, by its beats in the run folder; "" where the last one is fresh."""
    beat = _beat_at(name, folder)
    if beat is None:
        return f"{name} has not started its work"
    age = time.time() - beat
    return f"{name} gave no sign of life for {age:.0f} s" if age > SILENT_S else ""


def last_beat(name: str, folder: Path) -> str:
    """Return when the part beat last, in UTC; "" where it never did."""
    beat = _beat_at(name, folder)
    return "" if beat is None else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(beat))


def _beat_at(name: str, folder: Path) -> float | None:
    try:
        return (folder / f"{name}.beat").stat().st_mtime
    except FileNotFoundError:
        return None


def unserved(port: int) -> str:
    """Return why nothing is served on the port; "" where its process answers, whatever else of the house is away."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_S)
    try:
        connection.request("GET", LIVE, headers={"Host": "localhost"})
        status = connection.getresponse().status
    except OSError as error:
        return f"port {port} does not answer: {error}"
    finally:
        connection.close()
    return f"{LIVE} answers {status}" if status >= 500 else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
