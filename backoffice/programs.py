"""The processes that make up a running Pitledger, in the order in which they start."""

import os
import signal
import sys
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

from backoffice import environment
from backoffice.running import embedded
from backoffice.running.supervisor import Process, says_ready
from events.settings import EMBEDDED, settings

LOOPBACK = "127.0.0.1"
WEB_THREADS = 24  # most of them wait for the one commit that answers them all
WEB_KILL_S = 2  # an open stream of events would otherwise hold the server for minutes


def processes(kafka: str, web_port: int, data: Path) -> list[Process]:
    """Broker (only for `kafka` "embedded"), relay, projector, worker, beat, web and live, for one data folder."""
    live_port = settings().port_of_live(web_port)
    broker = []
    if kafka == EMBEDDED:
        port = embedded.free_port()  # the same as long as this list is in use, however often the broker restarts
        kafka = f"{embedded.LOOPBACK}:{port}"
        broker = [_broker(port, data)]
    env = {
        "PITLEDGER_DATA": str(data),
        "PITLEDGER_STORE": settings().store,
        "PITLEDGER_READ": settings().read,
        "PITLEDGER_KAFKA": kafka,
        "PITLEDGER_WEB_PORT": str(web_port),
        "PITLEDGER_LIVE_PORT": str(live_port),
        "DJANGO_SETTINGS_MODULE": os.environ.get("DJANGO_SETTINGS_MODULE", "backoffice.settings"),
    }
    manage = [sys.executable, str(environment.ROOT / "manage.py")]
    celery = [sys.executable, "-m", "celery", "--quiet", "--app", "backoffice.worker"]
    # One process does the tasks, and another only sends the sweep: killed together or apart, both are started again.
    # (A worker's own embedded beat would be a child that nobody watches.)
    work = [*celery, "worker", "--pool", "solo", "--without-gossip", "--without-mingle", "--loglevel", "INFO"]
    beat = [*celery, "beat", "--loglevel", "WARNING"]
    return [
        *broker,
        Process("relay", [*manage, "relay"], says_ready("relay", data), env),
        Process("projector", [*manage, "project"], says_ready("project", data), env, ready_s=300.0),
        # Its own farewell takes Celery four seconds, and a task may end at any moment.
        Process("worker", work, says_ready("worker", data), env, death_signal=signal.SIGKILL, grace_s=1.0),
        Process("beat", beat, says_ready("beat", data), env, death_signal=signal.SIGKILL),
        # After an update it may have a year to fold before it answers.
        Process("web", _web(web_port), lambda _: answers(web_port), env, ready_s=300.0),
        Process("live", [sys.executable, "-m", "backoffice.live"], lambda _: answers(live_port), env, grace_s=4.0),
    ]


def _broker(port: int, data: Path) -> Process:
    def ready(pid: int) -> bool:
        if not embedded.is_ready(port):
            return False
        embedded.announce(port, pid, data)
        return True

    return Process(embedded.NAME, embedded.command(port), ready, {"NO_COLOR": "1"}, death_signal=signal.SIGKILL)


def _web(port: int) -> list[str]:
    serve = [sys.executable, "-m", "granian", "--interface", "wsgi", "--http", "1", "--no-ws"]
    listen = ["--host", LOOPBACK, "--port", str(port)]
    size = ["--workers", "1", "--blocking-threads", str(WEB_THREADS), "--workers-kill-timeout", str(WEB_KILL_S)]
    return [*serve, *listen, *size, "backoffice.wsgi:application"]


def answers(port: int) -> bool:
    """Whether the web process (or the live one) answers, whatever it says short of an error of its own."""
    try:
        with urlopen(f"http://{LOOPBACK}:{port}/healthz", timeout=2.0):
            return True
    except HTTPError as error:
        with error:
            return error.code < 500
    except (URLError, OSError):
        return False
