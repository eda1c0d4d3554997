"""The processes that make up a running Pitledger, in the order in which they start."""

import os
import signal
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

from backoffice.http import probe_paths
from backoffice.running import database_and_mail_settings, embedded_kafka_broker_process
from backoffice.running.heartbeat import Pulse
from backoffice.running.part_start_watch_and_restart import Process, says_ready, says_waits
from events.settings.setting_declarations import EMBEDDED
from events.settings.settings_from_environment import settings

LOOPBACK = "127.0.0.1"
PAGES_THREADS = 8  # pages that are made at a time; the web process sends no longer
WEB_CONNECTIONS = 16_384  # that are held at a time: one costs a few kilobytes
WEB_HEADERS_MS = 10_000  # for a request's headers, and for the next request of a connection
ANSWER_S = 5.0
WORK = (
    "backoffice.house.celery_worker_wiring",
    "workers.tasks",
    "workers.celery_file_transport_class",
    "celery.bin.celery",
    "celery.apps.worker",
    "celery.app.amqp",
)
MODULES = {  # that a part needs: none of them may begin a thread or open a connection at its import
    "relay": ("backoffice.management.commands.relay", "events.relay.relay", "events.store.store_from_url"),
    "projector": (
        "backoffice.management.commands.project",
        "events.relay.gapless_event_topic_reader",
        "projections.engine.runner",
    ),
    "worker": WORK,
    "beat": (*WORK, "celery.apps.beat"),
    "pages": (
        "granian.cli",
        "granian.server",
        "backoffice.urls",
        "backoffice.site.wsgi_application_behind_door",
        "backoffice.http.monitoring_access",
    ),
    "web": ("granian.cli", "granian.server", "uvloop", "backoffice.door.rsgi_application"),
    "live": ("uvicorn.protocols.http.h11_impl", "backoffice.live.asgi"),
}
# In addition, where a database is on PostgreSQL: the driver would otherwise be in the memory of each part.
MODULES_OF_POSTGRES = ("events.store.postgres", "events.store.listen_notify")
WEB_KILL_S = 2  # an open stream of events would otherwise hold the server for minutes


def processes(kafka: str, web_port: int, data: Path) -> list[Process]:
    """Broker (only for `kafka` "embedded"), relay, projector, worker, beat, pages, web, live: for one data folder."""
    live_port, pages_port = settings().port_of_live(web_port), settings().port_of_pages(web_port)
    broker = []
    if kafka == EMBEDDED:
        # The same as long as this list is in use, however often the broker restarts.
        port = embedded_kafka_broker_process.free_port((web_port, live_port, pages_port))
        kafka = f"{embedded_kafka_broker_process.LOOPBACK}:{port}"
        broker = [_broker(port, data)]
    env = _environment(kafka, web_port, data)
    manage = [sys.executable, str(database_and_mail_settings.ROOT / "manage.py")]
    celery = [sys.executable, "-m", "celery", "--quiet", "--app", "backoffice.house.celery_worker_wiring"]
    # One process does the tasks, and another only sends the sweep: killed together or apart, both are started again.
    # (A worker's own embedded beat would be a child that no one watches.)
    work = [*celery, "worker", "--pool", "solo", "--without-gossip", "--without-mingle", "--loglevel", "INFO"]
    beat = [*celery, "beat", "--loglevel", "WARNING"]
    return [
        *broker,
        _house_process("relay", [*manage, "relay"], data, env),
        # It waits for its database as long as a rebuild compares.
        replace(_house_process("project", [*manage, "project"], data, env, "projector"), ready_s=300.0, silent_s=300.0),
        # Its own farewell takes Celery four seconds, and a task may end at any moment.
        replace(
            _house_process("worker", work, data, env),
            death_signal=signal.SIGKILL,
            grace_s=1.0,
            waits=lambda: _worker_waits(data),
        ),
        replace(_house_process("beat", beat, data, env), death_signal=signal.SIGKILL, waits=str),
        replace(_house_process("pages", _pages(pages_port), data, env), ready=lambda _: answers(pages_port)),
        # After an update it may have a year to fold before it answers.
        replace(
            _house_process("web", serve_web(web_port), data, env), ready=lambda _: answers(web_port), ready_s=300.0
        ),
        replace(
            _house_process("live", [sys.executable, "-m", "backoffice.live"], data, env),
            ready=lambda _: answers(live_port, probe_paths.LIVE),  # its streams wait for the databases by themselves
            grace_s=4.0,
        ),
    ]


def _worker_waits(data: Path) -> str:
    """Beat asks the broker for something every few seconds; of one that hangs the worker hears late, or never."""
    return says_waits("worker", data) or says_waits("beat", data)


def _environment(kafka: str, web_port: int, data: Path) -> dict[str, str]:
    """Return the environment of all processes of a house."""
    granian_logs = Path(__file__).parents[1] / "running" / "granian-log.json"
    return {
        **({"GRANIAN_LOG_CONFIG": str(granian_logs)} if settings().log == "json" else {}),
        "PITLEDGER_DATA": str(data),
        "PITLEDGER_STORE": settings().store,
        "PITLEDGER_READ": settings().read,
        "PITLEDGER_ACCESS": settings().access,
        "PITLEDGER_KAFKA": kafka,
        "PITLEDGER_WEB_PORT": str(web_port),
        "PITLEDGER_LIVE_PORT": str(settings().port_of_live(web_port)),
        "PITLEDGER_PAGES_PORT": str(settings().port_of_pages(web_port)),
        "DJANGO_SETTINGS_MODULE": os.environ.get("DJANGO_SETTINGS_MODULE", "backoffice.settings"),
    }


def _broker(port: int, data: Path) -> Process:
    def ready(pid: int) -> bool:
        return embedded_kafka_broker_process.is_ready(port) and embedded_kafka_broker_process.announce(port, pid, data)

    return Process(
        embedded_kafka_broker_process.NAME,
        embedded_kafka_broker_process.command(port),
        ready,
        {"NO_COLOR": "1"},
        death_signal=signal.SIGKILL,
        alive=lambda: embedded_kafka_broker_process.answers(port),
    )


def _house_process(says: str, command: list[str], data: Path, env: Mapping[str, str], name: str = "") -> Process:
    """Return a process of the house, which reports under that name its start, its progress, and its waits."""
    name = name or says
    modules = (*MODULES[name], *(MODULES_OF_POSTGRES if _is_on_postgres() else ()))
    return Process(
        name,
        command,
        says_ready(says, data),
        env,
        alive=Pulse(says, data),
        waits=lambda: says_waits(says, data),
        modules=modules,
    )


def _is_on_postgres() -> bool:
    return any(url.startswith("postgres") for url in (settings().store, settings().read, settings().access))


def serve_web(port: int) -> list[str]:
    """The command of the web process at this port."""
    bounds = ["--backpressure", str(WEB_CONNECTIONS), "--http1-header-read-timeout", str(WEB_HEADERS_MS)]
    return [*_granian("rsgi", port), *bounds, "--loop", "uvloop", "backoffice.door.granian_entry_point:door"]


def _pages(port: int) -> list[str]:
    return [*_granian("wsgi", port), "--blocking-threads", str(PAGES_THREADS), "backoffice.wsgi:application"]


def _granian(interface: str, port: int) -> list[str]:
    serve = [sys.executable, "-m", "granian", "--interface", interface, "--http", "1", "--no-ws"]
    listen = ["--host", LOOPBACK, "--port", str(port)]
    return [*serve, *listen, "--workers", "1", "--workers-kill-timeout", str(WEB_KILL_S)]


def answers(port: int, path: str = "/healthz") -> bool:
    """Return whether a process answers on the port, with anything but an error of its own."""
    try:
        with urlopen(f"http://{LOOPBACK}:{port}{path}", timeout=ANSWER_S):
            return True
    except HTTPError as error:
        with error:
            return error.code < 500
    except (URLError, OSError):
        return False
