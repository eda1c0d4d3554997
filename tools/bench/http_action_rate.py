"""Single actions over HTTP, durable before they are answered, as the product's own web process serves them."""

import contextlib
import sys
from collections.abc import Iterator

import msgspec

from backoffice.installation.processes_in_start_order import answers
from backoffice.running import database_and_mail_settings
from backoffice.running.part_start_watch_and_restart import Process
from backoffice.running.supervisor import Supervisor
from events.store.postgres_session_settings import connect
from tests.servers import free_port
from tools.bench import bare_insert_wsgi_app, house_setup_for_http, load_generating_terminals
from tools.bench.benchmark_report_formats import Line
from tools.bench.measurement_servers import MeasuredHouse, MeasurementServers, child, next_line
from tools.bench.turns_medians_and_percentiles import Options, in_turn, percentile

TERMINALS = 16
BARE_THREADS = 24  # most of them wait for their commit


def measure(options: Options, parts: MeasurementServers) -> list[Line]:
    """Actions a second and their milliseconds, beside a view that does nothing but INSERT."""
    with parts.house() as house, parts.database() as bare_url:
        with child("tools.bench.house_setup_for_http", house_setup_for_http.HouseSetupJob(TERMINALS)) as founding:
            keys = msgspec.json.decode(next_line(founding), type=house_setup_for_http.HouseKeys)
        with house.running("web") as port, _bare(house, bare_url) as bare_port:
            ours, theirs = _Side(port, keys), _Side(bare_port, keys)
            ours.run(1.0)
            ours.milliseconds.clear()
            rates = in_turn(options, {"action interface": ours.run, "bare INSERT": theirs.run})
    work = f"HTTP, durable single actions, {TERMINALS} connections"
    bare_against = "bare INSERT behind the same server"
    rate = Line(
        work=work,
        ours=rates["action interface"],
        unit="actions/s",
        peer=rates["bare INSERT"],
        against=bare_against,
        goal=3_000,
        of="amount",
    )
    times = [
        Line(
            work=f"{work}, p{percent}",
            ours=percentile(ours.milliseconds, percent),
            unit="ms",
            peer=percentile(theirs.milliseconds, percent),
            against=bare_against,
            goal=goal,
            of="amount",
        )
        for percent, goal in ((50, None), (99, 20))
    ]
    return [rate, *times]


class _Side:
    """A server under load, turn after turn; the tables go on where they were."""

    def __init__(self, port: int, keys: house_setup_for_http.HouseKeys) -> None:
        self._port = port
        self._keys = keys
        self._played: dict[str, int] = {}
        self.milliseconds: list[float] = []

    def run(self, seconds: float) -> float:
        """Actions a second."""
        job = load_generating_terminals.TerminalLoadJob(
            self._port, seconds, self._keys.badge, self._keys.devices, self._played
        )
        with child("tools.bench.load_generating_terminals", job) as running:
            measured = msgspec.json.decode(next_line(running), type=load_generating_terminals.LoadFigures)
        self._played = measured.played
        self.milliseconds += measured.milliseconds
        return len(measured.milliseconds) / measured.seconds


@contextlib.contextmanager
def _bare(house: MeasuredHouse, url: str) -> Iterator[int]:
    """The bare application in the same server with as many threads; gives its port."""
    with connect(url, autocommit=True) as connection:
        connection.execute(bare_insert_wsgi_app.CREATE.encode())
    port = free_port()
    serve = [
        sys.executable,
        "-m",
        "granian",
        "--interface",
        "wsgi",
        "--http",
        "1",
        "--no-ws",
        "--host",
        load_generating_terminals.LOOPBACK,
    ]
    size = ["--port", str(port), "--workers", "1", "--blocking-threads", str(BARE_THREADS)]
    process = Process(
        "bare",
        [*serve, *size, "tools.bench.bare_insert_wsgi_app:application"],
        lambda _: answers(port),
        {"PITLEDGER_BENCH_BARE": url},
    )
    with (
        (house.data / "bare.log").open("a") as output,
        Supervisor([process], house.data / "bare", output=output, cwd=database_and_mail_settings.ROOT),
    ):
        yield port
