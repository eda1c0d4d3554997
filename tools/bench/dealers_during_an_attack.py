"""Dealers at their pace while a person tries to stop them: each way beside the same minutes undisturbed."""

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from backoffice.running import child_process_start_and_end
from tools.bench import hostile_http_clients, house_setup_for_http, load_generating_terminals, paced_dealer_requests
from tools.bench.benchmark_report_formats import Line
from tools.bench.measurement_servers import MeasuredHouse, MeasurementServers, child, next_line
from tools.bench.turns_medians_and_percentiles import Options, percentile

TABLES = 16
A_SECOND = 12  # actions of each table: a quick dealer's are two or three
FLOOD_A_SECOND = 1_000
TOO_MUCH = {"429", "503"}  # what anybody may be answered who asks more than a house can do
_ACTION = '{"type": "buyin.make", "key": "KEY", "data": {"seat": 1, "player": "p", "amount_minor": 100}}'

_VOID = '{"type": "hit.void", "key": "v", "data": {"hit": "h", "reason": "r"}}'


class Attack(msgspec.Struct, frozen=True):
    """The actions of a person, and their port: pages and actions, or live streams.

    `answers` are the expected statuses, in addition to the refusal by the rate limit.
    """

    name: str
    connections: int
    requests: list[str]
    a_second: float = 0.0
    live: bool = False
    answers: frozenset[str] = frozenset()

    def unexpected(self, statuses: Mapping[str, int]) -> dict[str, int]:
        """Return the statuses that an attacker should never get."""
        return {status: times for status, times in statuses.items() if status not in self.answers | TOO_MUCH | {"cut"}}


def attacks(keys: house_setup_for_http.HouseKeys) -> list[Attack]:
    """All of them."""
    table, mine = next(iter(keys.devices)), _badge(keys.other)
    actions = f"/api/v1/tables/{table}/actions"
    flood = [_post(actions, mine, _ACTION.replace("KEY", f"f-{n}")) for n in range(64)]
    unknown = [_post(f"/api/v1/progressives/unknown-{n}/actions", mine, _VOID) for n in range(64)]
    far = "/api/v1/position?at_least=999999999&within=5"
    return [
        Attack("bodies that do not come", 400, [_begun(actions, ""), _begun(actions, mine), _begun("/", "")]),
        Attack("idle connections", 2_000, [""]),
        _flood("a flood without a badge", [_post(actions, "", _ACTION)], "401"),
        _flood("a flood of wrong badges", [_post(actions, _wrong(n), _ACTION) for n in range(64)], "401"),
        _flood("a flood with a badge", flood, "403"),
        _flood("one key again and again", [_post(actions, _badge(keys.second), _ACTION)], "200"),
        _flood("unknown names", unknown, "403", "404"),
        _flood("pages", [_get("/"), _get("/events"), _get("/progressives/")], "302"),
        _flood("waits", [_get(far, mine)], "200", "429", connections=64),  # eight of a person wait
        Attack("listeners", 500, [_get("/live/progressives/unknown")], 0.0, live=True),
    ]


def _flood(name: str, requests: list[str], *answers: str, connections: int = 16) -> Attack:
    return Attack(name, connections, requests, FLOOD_A_SECOND, answers=frozenset(answers))


def _badge(badge: str) -> str:
    return f"Authorization: Bearer {badge}\r\n"


def _wrong(number: int) -> str:
    return _badge(f"wrong-{number}")


def _get(path: str, headers: str = "") -> str:
    return f"GET {path} HTTP/1.1\r\nHost: {load_generating_terminals.LOOPBACK}\r\n{headers}\r\n"


def _post(path: str, headers: str, body: str) -> str:
    host = load_generating_terminals.LOOPBACK
    return f"POST {path} HTTP/1.1\r\nHost: {host}\r\n{headers}Content-Length: {len(body)}\r\n\r\n{body}"


def _begun(path: str, headers: str) -> str:
    return (
        f"POST {path} HTTP/1.1\r\nHost: {load_generating_terminals.LOOPBACK}\r\n{headers}Content-Length: 1000\r\n\r\n{{"
    )


def measure(options: Options, parts: MeasurementServers) -> Iterable[Line]:
    """The slowest hundredth of the dealers' actions, beside each attack and undisturbed; and what memory it took.

    Raises RuntimeError in the end, when all is measured, for answers that no one should have had.
    """
    with (
        parts.house() as house,
        _limits(),
        child("tools.bench.house_setup_for_http", house_setup_for_http.HouseSetupJob(TABLES)) as founding,
    ):
        keys = msgspec.json.decode(next_line(founding), type=house_setup_for_http.HouseKeys)
        with house.running("pages", "web", "live") as port:
            dealers = Dealers(port, keys)
            dealers.work(options.seconds)  # whatever is done once is done
            before = memory(house)
            strange: list[str] = []
            for attack in attacks(keys):
                yield _measured(options, dealers, attack, port, strange)
            label = "memory of the web process after all of that"
            yield Line(work=label, ours=memory(house), unit="MiB", peer=before, against="before", of="amount")
    if strange:
        raise RuntimeError("; ".join(strange))


class Dealers:
    """At work at their tables, which go on where they were."""

    def __init__(self, port: int, keys: house_setup_for_http.HouseKeys) -> None:
        self._port, self._keys = port, keys
        self._played: dict[str, int] = {}

    def work(self, seconds: float) -> list[float]:
        """Each action's milliseconds from when it was due."""
        terminals = load_generating_terminals.TerminalLoadJob(
            self._port, seconds, self._keys.badge, self._keys.devices, self._played
        )
        with child(
            "tools.bench.paced_dealer_requests", paced_dealer_requests.PacedDealersJob(terminals, A_SECOND)
        ) as running:
            measured = msgspec.json.decode(next_line(running), type=load_generating_terminals.LoadFigures)
        self._played = measured.played
        return measured.milliseconds


def _measured(options: Options, dealers: Dealers, attack: Attack, port: int, strange: list[str]) -> Line:
    """Measure in turn, undisturbed and under attack; add unexpected statuses to `strange`."""
    alone: list[float] = []
    latencies: list[float] = []
    for _ in range(options.turns):
        alone += dealers.work(options.seconds)
        with _under(attack, port, options, strange):
            latencies += dealers.work(options.seconds)
    work = f"dealers' actions beside {attack.name}, p99"
    return Line(
        work=work,
        ours=percentile(latencies, 99),
        unit="ms",
        peer=percentile(alone, 99),
        against="undisturbed",
        goal=250,
        of="amount",
    )


@contextlib.contextmanager
def _under(attack: Attack, port: int, options: Options, strange: list[str]) -> Iterator[None]:
    """Attack during the block; then check the answers."""
    job = hostile_http_clients.FloodJob(port + attack.live, attack.connections, attack.requests, attack.a_second)
    with child("tools.bench.hostile_http_clients", job) as running:
        next_line(running)
        yield
        assert running.stdin is not None
        running.stdin.write(b"\n")
        running.stdin.flush()
        answered = msgspec.json.decode(next_line(running), type=hostile_http_clients.AnswerCounts)
    options.tell(f"  {attack.name}: {answered.statuses or 'held'}")
    wrong = [*_wrongly(attack, answered)]
    for problem in wrong:
        options.tell(f"  UNEXPECTED: {problem}")
    strange += wrong


def _wrongly(attack: Attack, answered: hostile_http_clients.AnswerCounts) -> Iterator[str]:
    if statuses := attack.unexpected(answered.statuses):
        yield f"{attack.name} was answered {statuses}"
    if attack.answers and not attack.answers & {*answered.statuses}:
        yield f"{attack.name} was never answered {' or '.join(sorted(attack.answers))}"
    if answered.silent:
        yield f"{answered.silent} refusals of {attack.name} do not say when to come again"


def memory(house: MeasuredHouse) -> float:
    """Of the web process and its children, in MiB."""
    web = child_process_start_and_end.read_pid_file(house.data / "run" / "web.pid")
    assert web is not None
    pids = [web.pid, *_children(web.pid)]
    return sum(_resident(Path(f"/proc/{pid}/status")) for pid in pids) / 1024


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _resident(status: Path) -> int:
    return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmRSS"))


@contextlib.contextmanager
def _limits() -> Iterator[None]:
    """Raise the limits, since one dealer plays all tables: her badge, and all others, have the sum of the tables'
    actions.
    """
    names = {"PITLEDGER_LIMIT_BADGE": str(TABLES * A_SECOND * 2), "PITLEDGER_LIMIT_DEVICE": "100"}
    before = dict(os.environ)
    os.environ.update(names)
    try:
        yield
    finally:
        for name in names:
            os.environ.pop(name)
            if name in before:
                os.environ[name] = before[name]
