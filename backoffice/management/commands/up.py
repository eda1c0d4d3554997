"""`./manage.py up`: everything running, one process tree."""

import logging
import os
import signal
from argparse import ArgumentTypeError
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from backoffice import environment
from backoffice.processes import LOOPBACK, processes
from backoffice.supervisor import Supervisor
from events.errors import Conflict, PitledgerError
from events.relay import embedded
from events.store import open_store


class Command(BaseCommand):
    """Starts and watches; ends with exit code 0 when told to, with 1 when something cannot be kept running."""

    help = (
        "Start broker, relay, projector, worker and web, restart what dies, and stop them as one on Ctrl-C. "
        "With PITLEDGER_KAFKA set to an address no broker is started."
    )

    requires_system_checks = ()  # they would import every page, which the web process does anyway

    def add_arguments(self, parser: CommandParser) -> None:
        names = "broker, relay, projector, worker, beat, web, live"
        parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help=f"of {names} only these")
        parser.add_argument("--without", nargs="+", default=[], metavar="NAME", help="all but these")
        port = os.environ.get("PITLEDGER_WEB_PORT", "8000")
        parser.add_argument("--port", type=_port, default=port, help="of the pages (%(default)s)")

    def handle(self, *args: Any, **options: Any) -> None:
        logging.getLogger("kafka").setLevel(logging.CRITICAL)  # the ready check speaks for it
        data, port = environment.data_folder(), options["port"]
        os.environ["PITLEDGER_DATA"] = str(data)
        try:
            supervisor = Supervisor(
                processes(os.environ.get("PITLEDGER_KAFKA") or embedded.EMBEDDED, port, data),
                data,
                only=options["only"],
                without=options["without"],
                cwd=environment.ROOT,
            )
            code = self._run(supervisor, port)
        except PitledgerError as error:
            raise CommandError(str(error)) from error
        if code:
            raise CommandError("a process could not be kept running: everything is stopped", returncode=code)

    def _run(self, supervisor: Supervisor, port: int) -> int:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:  # which nohup ignores
                signal.signal(number, lambda *_: supervisor.ask_to_stop())
        try:
            supervisor.take_over()
            if "web" in supervisor.names and embedded.accepts(port):
                raise Conflict(f"port {port} is in use: choose another one by PITLEDGER_WEB_PORT or --port")
            if "live" in supervisor.names and embedded.accepts(live := environment.live_port(port)):
                raise Conflict(f"port {live} is in use: choose another one by PITLEDGER_LIVE_PORT")
            self._prepare()
            supervisor.start()
            if supervisor.is_up:
                self.stdout.write(
                    f"Pitledger is up: http://{LOOPBACK}:{port}/ with its data in {environment.data_folder()}"
                )
                self.stdout.write("Ctrl-C stops it.")
            return supervisor.wait()
        finally:
            supervisor.stop()

    def _prepare(self) -> None:
        """Tables where there are none yet. Nothing happens to those that are there."""
        store = open_store(environment.store_url())
        try:
            store.create()
        finally:
            store.close()
        call_command("migrate", interactive=False, verbosity=0)


def _port(text: str) -> int:
    """A port to listen on, for argparse."""
    if not text.isdecimal() or not 1 <= int(text) <= 65_535:
        raise ArgumentTypeError(f"{text!r} is no port: a number from 1 to 65535, by --port or PITLEDGER_WEB_PORT")
    return int(text)
