"""`./manage.py up`: run everything in one process tree until Ctrl-C."""

import logging
import os
import signal
from argparse import ArgumentTypeError
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from socket import gethostname
from typing import Any

from django.conf import settings as django
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX as NO_PASSWORD
from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser
from django.core.management.commands.migrate import Command as DjangoMigrate
from django.utils.log import configure_logging

from backoffice.access.access_log_end_for_heads import sign_last_head
from backoffice.access.router import ALIAS, LABEL
from backoffice.installation import add_on_addresses_and_startup
from backoffice.installation.processes_in_start_order import LOOPBACK, processes
from backoffice.installation.startup_setting_warnings import setting_warnings
from backoffice.management.house_command import HouseCommand
from backoffice.models import PartReport, Person
from backoffice.running import database_and_mail_settings, logging_configuration
from backoffice.running.port_claims import claimed, must_be_free
from backoffice.running.supervisor import Supervisor
from events.errors import Invalid, PitledgerError, Unknown
from events.integrity.signed_head_stores import open_heads
from events.runtime import clock
from events.settings.setting_declarations import CLOCK
from events.settings.settings_from_environment import settings
from events.signing import house_signing_key
from events.store import open_store
from events.store.guard_trigger_check import prepare
from events.store.property_owner_check import must_be_of

RELEASED_S = 5.0  # for the kernel to close the sockets of the processes that were ended


class Command(HouseCommand):
    """Starts and watches the parts. Exit code 0 after a requested stop, 1 when a part cannot be kept running."""

    help = (
        "Start broker, relay, projector, worker, beat, pages, web and live. Restart a part that ends. Stop all on "
        "Ctrl-C. If PITLEDGER_KAFKA is an address, no broker is started."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        names = "broker, relay, projector, worker, beat, pages, web, live"
        parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help=f"start only these parts: {names}")
        parser.add_argument("--without", nargs="+", default=[], metavar="NAME", help="all parts except these")
        port = settings().web_port
        parser.add_argument("--port", type=_port, default=port, help="port of the pages (default: %(default)s)")

    def handle(self, *args: Any, **options: Any) -> None:
        logging.getLogger("kafka").setLevel(logging.CRITICAL)  # the ready check speaks for it
        data, port = settings().data_folder, options["port"]
        try:
            supervisor = Supervisor(
                processes(settings().kafka, port, data),
                data,
                names_started=options["only"],
                without=options["without"],
                cwd=database_and_mail_settings.ROOT,
            )
            if not supervisor.names:
                raise Invalid("--only, --without", "nothing is left to start")
            supervisor.share_memory(_begin_logging)
            code = self._run(supervisor, port)
        except PitledgerError as error:
            raise CommandError(str(error), returncode=2 if isinstance(error, Invalid | Unknown) else 1) from error
        if code:
            raise CommandError(
                f"All parts are stopped. This part could not be kept running: {supervisor.failure}", returncode=code
            )

    def _run(self, supervisor: Supervisor, port: int) -> int:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:  # which nohup ignores
                signal.signal(number, lambda *_: supervisor.ask_to_stop())
        with ExitStack() as claims:  # which outlive the processes
            try:
                self._take_ports(supervisor, port, claims)
                for warning in setting_warnings(settings(), os.environ):
                    self.stdout.write(f"WARNING: {warning}.")
                claims.enter_context(self._in_its_own_time())
                self._prepare()
                supervisor.start()
                if supervisor.is_up:
                    what = self._address(port) if "web" in supervisor.names else ", ".join(supervisor.names)
                    self.stdout.write(f"Pitledger is up: {what} with its data in {settings().data_folder}")
                    self._say_how_to_come_in(port)
                    for name in supervisor.parts_down():
                        self.stdout.write(f"{name} is down (see above). The other parts run; a restart is tried.")
                    self.stdout.write("Press Ctrl-C to stop.")
                return supervisor.wait()
            finally:
                supervisor.stop()
                if supervisor.is_up and "worker" in supervisor.names:
                    self._sign_last_head()

    def _address(self, port: int) -> str:
        """Return the address at which people open the house."""
        here = f"http://{LOOPBACK}:{port}"
        return f"{settings().link}/ (here {here})" if settings().addresses else f"{here}/"

    def _sign_last_head(self) -> None:
        """Sign a last head after the pages have stopped: it covers the access log since the last one."""
        try:
            if house_signing_key.is_there():
                with closing(open_store(settings().store)) as store, closing(open_heads(settings().store)) as heads:
                    sign_last_head(store, heads, settings().property_, settings().access)
        except PitledgerError as error:
            self.stdout.write(f"The last head could not be signed: {error}")

    def _say_how_to_come_in(self, port: int) -> None:
        if lines := add_on_addresses_and_startup.start_lines(settings().data_folder, port):
            for line in lines:
                self.stdout.write(line)
        elif not Person.objects.filter(is_active=True).exclude(password__startswith=NO_PASSWORD).exists():
            self.stdout.write("Nobody can sign in yet. `./manage.py people enrol ID` prints a sign-in link.")

    def _take_ports(self, supervisor: Supervisor, port: int, claims: ExitStack) -> None:
        """Check the ports first: where one is taken, no process is started or ended."""
        wanted, left = self._needed_ports(supervisor, port), supervisor.claim()
        own_ports = [number for name, (number, _) in wanted.items() if name in left]
        claims.enter_context(claimed(dict(wanted.values()), own_ports))
        supervisor.take_over()
        must_be_free(dict(wanted.values()), RELEASED_S)

    def _needed_ports(self, supervisor: Supervisor, port: int) -> dict[str, tuple[int, str]]:
        """The ports that this `up` needs, by process, and how to choose others. Raises Invalid for one for two."""
        port_settings = {
            "web": (port, "PITLEDGER_WEB_PORT or --port"),
            "live": (settings().port_of_live(port), "PITLEDGER_LIVE_PORT"),
            "pages": (settings().port_of_pages(port), "PITLEDGER_PAGES_PORT"),
        }
        taken: set[int] = set()
        for number, setting in port_settings.values():
            if number in taken:
                raise Invalid(setting, f"{number} is another process's port already")
            taken.add(number)
        return {name: port_settings[name] for name in supervisor.names if name in port_settings}

    @contextmanager
    def _in_its_own_time(self) -> Iterator[None]:
        """Report a played clock. A stopped clock in the data folder runs while this command does."""
        if (house_clock := clock.played_clock(settings().clock)) is None:
            yield
            return
        path = settings().data_folder / CLOCK
        is_own = house_clock.stands and str(path) == settings().clock
        if is_own:
            clock.start(path, house_clock())
        self.stdout.write(f"WARNING: this house uses a simulated clock ({clock.SETTING}). It shows {house_clock()}")
        try:
            yield
        finally:
            if is_own:
                house_clock.stand()

    def _prepare(self) -> None:
        """Create missing tables. Existing tables of events are not changed."""
        with closing(open_store(settings().store)) as store:
            prepare(store)
            must_be_of(store, settings().property_)
        call_command(DjangoMigrate(), LABEL, database=ALIAS, interactive=False, verbosity=0)
        call_command(DjangoMigrate(), interactive=False, verbosity=0)  # the project's own would restore missing guards
        PartReport.objects.filter(host=gethostname()).delete()  # of an earlier `up`, which had other parts perhaps


def _begin_logging() -> None:
    """Log to the output of this forked part, by its own name."""
    configure_logging(django.LOGGING_CONFIG, django.LOGGING)
    logging_configuration.begin(settings().log)


def _port(text: str) -> int:
    """A port to listen on, for argparse."""
    if not text.isdecimal() or not 1 <= int(text) <= 65_535:
        raise ArgumentTypeError(f"{text!r} is not a port: a number from 1 to 65535, by --port or PITLEDGER_WEB_PORT")
    return int(text)
