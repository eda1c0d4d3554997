"""The layers read each request alike: generated requests at the real door, and Django's reading of accepted ones."""

import itertools
import random
import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote, urlencode

import msgspec
import pytest

from tests.integration.door.conftest import ACTIONS, ask, badge_of
from tests.servers.ports import LOOPBACK
from tests.support.processes.web_process import DoorProcess, LiveProcess, Web

SEEDS = 400
ODD_HEADERS: dict[str, list[tuple[str, str]]] = {
    "a made-up source": [("X-Forwarded-For", "10.0.1.1")],
    "the same with underscores": [("X_Forwarded_For", "10.0.1.2"), ("X-Real-Ip", "1")],
    "a source by many names": [("Forwarded", "for=10.0.1.3"), ("X-Real-IP", "10.0.1.4"), ("X_Real_Ip", "10.0.1.5")],
    "our own word for it": [("Pitledger-Source", "10.0.1.6"), ("Pitledger_Source", "10.0.1.7")],
    "a pass": [("Pitledger-Pass", "dora:x:y"), ("Pitledger_Pass", "dora:x:y")],
    "another host beside": [("X-Forwarded-Host", "evil.example"), ("X_Forwarded_Host", "evil.example")],
    "another method beside": [("X-HTTP-Method-Override", "DELETE"), ("X_Http_Method", "PUT")],
    "another address beside": [("X-Original-URL", "/sign-out"), ("X-Rewrite-Url", "/sign-out")],
    "a proxy for us": [("Proxy", "http://evil.example")],
    "two hosts": [("Host", "evil.example")],
    "the host twice": [("Host", "localhost")],
    "two cookies": [("Cookie", "sessionid=b")],
    "a cookie with an underscore": [("Coo_kie", "sessionid=c")],
    "two badges": [("Authorization", "Bearer b")],
    "two devices": [("Pitledger-Device", "a"), ("Pitledger-Device", "b")],
    "two origins": [("Origin", "http://localhost"), ("Origin", "http://evil.example")],
    "two kinds": [("Content-Type", "text/plain"), ("Content-Type", "application/json")],
    "UTF-7": [("Content-Type", "application/x-www-form-urlencoded; charset=utf-7")],
    "a codec that is none of text": [("Content-Type", "multipart/form-data; boundary=x; charset=hex")],
    "a charset in another form": [("Content-Type", "multipart/form-data; boundary=x; charset*=utf-8''utf-16")],
    "UTF-8": [("Content-Type", "application/json; charset=UTF-8")],
    "a header that is to be forgotten": [("Connection", "cookie, authorization")],
    "a connection to be closed": [("Connection", "close")],
    "lists in two lines": [("Accept", "text/html"), ("Accept", "text/plain")],
    "nothing": [],
}
ODD_LINES = {
    "folded": "X-Odd: a\r\n b",
    "folded at first": " X-Odd: a",
    "a space before the colon": "Host : evil.example",
    "no colon": "X-Odd",
    "a carriage return": "X-Odd: a\rHost: evil.example",
    "a line feed": "X-Odd: a\nHost: evil.example",
    "a control character": "X-Odd: a\x01b",
    "NUL": "X-Odd: a\x00b",
    "another alphabet": "X-Odd: \xe9",
}
PATHS = (
    *("/floor", "/floor/", "//floor", "/floor//a", "/floor;a=1", "/floor;/../x", "/a%2Fb", "/a%252Fb", "/a%25"),
    *("/%2e%2e/floor", "/x/../floor", "/x/%2e%2e/floor", "/x/./floor", "/..", "/x/..%2ffloor", "/x/%252e%252e/y"),
    *("/a%5cb", "/a\\b", "/a%00", "/a%0a", "/a%0d%0aHost:%20evil", "/a%7f", "/%ff", "/%c3%a9", "/%ed%a0%80", "/%zz"),
    *("/a%3fb", "/a%23b", "/a#b", "http://localhost/floor", "http://evil.example/floor", "http://x@localhost/floor"),
    *("http://localhost:1/floor", "floor", "*", "/api/v1/position", "/API/v1/position", "/sign-in%20"),
)
QUERIES = (
    "",
    "a=1",
    "a=1&a=2",
    "a=%00&b=%ff",
    "a;b=1",
    "%61=1",
    "within=0&%77ithin=1",
    "gaming_day=1&gaming_day=2",
    "?",
)
HOSTS = (
    *("localhost", "LOCALHOST", "localhost.", "localhost:80", "localhost:", "127.0.0.1", "x@localhost", "localhost@x"),
    *("evil.example", "localhost, evil.example", "localhost evil", "localhost:80:90", "", "[::1]", "[::1", "::1"),
)
BODIES: dict[str, tuple[list[tuple[str, str]], bytes, bytes | None]] = {
    "none": ([], b"", b""),
    "by its length": ([("Content-Length", "3")], b"a=1", b"a=1"),
    "of the same length twice": ([("Content-Length", "3"), ("Content-Length", "3")], b"a=1", b"a=1"),
    "of two lengths": ([("Content-Length", "3"), ("Content-Length", "1")], b"a=1", None),
    "of a length with a sign": ([("Content-Length", "+3")], b"a=1", None),
    "of a length with an underscore": ([("Content-Length", "3"), ("Content_Length", "1")], b"a=1", b"a=1"),
    "in chunks": ([("Transfer-Encoding", "chunked")], b"3\r\na=1\r\n0\r\n\r\n", b"a=1"),
    "in chunks with a length": (
        [("Content-Length", "3"), ("Transfer-Encoding", "chunked")], b"3\r\na=1\r\n0\r\n\r\n", b"a=1",
    ),
    "in chunks that are said twice": (
        [("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")], b"3\r\na=1\r\n0\r\n\r\n", None,
    ),
    "compressed and in chunks": ([("Transfer-Encoding", "gzip, chunked")], b"3\r\na=1\r\n0\r\n\r\n", None),
    "in chunks by another word": ([("Transfer-Encoding", "xchunked")], b"3\r\na=1\r\n0\r\n\r\n", None),
    "as it is, and a length": ([("Transfer-Encoding", "identity"), ("Content-Length", "3")], b"a=1", None),
    "with a header behind": (
        [("Transfer-Encoding", "chunked")], b"3\r\na=1\r\n0\r\nX-Forwarded-For: 10.0.1.9\r\n\r\n", b"a=1",
    ),
}  # fmt: skip
OURS = {"host", "cookie", "authorization", "connection", "content-type"}  # headers that more than one layer reads


@dataclass(frozen=True)
class Odd:
    """A request with one odd part."""

    method: str = "POST"
    path: str = "/floor"
    query: str = ""
    host: str = "localhost"
    headers: tuple[tuple[str, str], ...] = (("Cookie", "sessionid=a"), ("Authorization", "Bearer a"))
    lines: tuple[str, ...] = ()
    body: str = "by its length"

    @property
    def raw(self) -> bytes:
        framing, body, _ = BODIES[self.body]
        target = self.path + (f"?{self.query}" if self.query else "")
        pairs = [("Host", self.host), *self.headers, *framing]
        head = [f"{self.method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in pairs), *self.lines]
        return "\r\n".join((*head, "", "")).encode("latin-1") + body

    @property
    def once(self) -> dict[str, str]:
        """The headers that count, each with its only value."""
        pairs = [(name.lower(), value) for name, value in (("Host", self.host), *self.headers)]
        return {name: value for name, value in pairs if "_" not in name and [n for n, _ in pairs].count(name) == 1}


def each_by_itself() -> Iterator[Odd]:
    """Every oddity in a request that is plain otherwise."""
    plain = Odd()
    yield from (replace(plain, path=path) for path in PATHS)
    yield from (replace(plain, query=query) for query in QUERIES)
    yield from (replace(plain, host=host) for host in HOSTS)
    yield from (replace(plain, headers=(*plain.headers, *header)) for header in ODD_HEADERS.values())
    yield from (replace(plain, lines=(line,)) for line in ODD_LINES.values())
    yield from (replace(plain, method=method, body=body) for method, body in itertools.product(("POST", "put"), BODIES))


def several_oddities(seed: int) -> Odd:
    """Several oddities at once."""
    dice = random.Random(seed)
    headers = [pair for name in dice.sample(sorted(ODD_HEADERS), dice.randint(0, 2)) for pair in ODD_HEADERS[name]]
    pairs = [*Odd.headers, *headers]
    dice.shuffle(pairs)
    return Odd(
        method=dice.choice(("POST", "GET", "PUT", "post", "DELETE", "OPTIONS")),
        path=dice.choice(PATHS) if dice.random() < 0.4 else "/floor",
        query=dice.choice(QUERIES),
        host=dice.choice(HOSTS[:4]) if dice.random() < 0.8 else dice.choice(HOSTS),
        headers=tuple(pairs),
        lines=(dice.choice([*ODD_LINES.values()]),) if dice.random() < 0.1 else (),
        body=dice.choice(sorted(BODIES)) if dice.random() < 0.4 else "by its length",
    )


class Echo(Web):
    """A replacement of the pages, which answers how Django read a request."""

    name = "echo"

    def command(self) -> list[str]:
        return [*super().command()[:-1], "tests.integration.door.request_echo_server:application"]


@pytest.fixture(scope="module")
def front(django_db_blocker: Any) -> Iterator[DoorProcess]:
    """A door with the echo behind it."""
    with (
        Echo(lambda folder: None, django_db_blocker) as echo,
        DoorProcess(echo, PITLEDGER_LIMIT_ADDRESS="100000") as door,
    ):
        yield door


def answer_of(port: int, raw: bytes) -> tuple[int, bytes]:
    """Status (0: it hung up) and body of the first answer."""
    with socket.create_connection((LOOPBACK, port), timeout=30) as connection:
        connection.sendall(raw)
        with connection.makefile("rb") as file:
            try:
                status = file.readline()
                lengths = [line for line in iter(file.readline, b"\r\n") if line.lower().startswith(b"content-length")]
                body = file.read(int(lengths[0].split(b":")[1])) if lengths else b""
            except ConnectionError:
                return 0, b""
    return (int(status.split()[1]) if status else 0), body


def check(odd: Odd, status: int, body: bytes) -> None:
    """Check that an accepted request was read as it was sent, and that any other was refused in plain words."""
    assert status == 200 or 400 <= status < 500 or (status == 0 and odd.lines), (odd, status, body)
    assert b"Traceback" not in body
    if status != 200:
        return
    seen = msgspec.json.decode(body)
    assert seen["remote"] == LOOPBACK, odd
    assert seen["headers"]["x-forwarded-for"] == LOOPBACK, odd
    assert seen["method"] == odd.method.upper(), odd
    address = re.sub(r"^http://[^/]*", "", odd.path).partition("#")[0]
    assert seen["path"] == unquote(address), odd
    assert seen["query"] == ("" if "#" in odd.path else odd.query), odd
    assert seen["host"] == odd.host, odd
    assert seen["body"].encode("latin-1") == (b"" if odd.method == "GET" else BODIES[odd.body][2]), odd
    framing = {"content-length", "x-forwarded-for"}
    extra = seen["headers"].keys() - odd.once.keys() - framing - {"accept", "x-odd"}
    assert not extra, (odd, extra)
    for name in OURS & seen["headers"].keys():
        assert seen["headers"][name] == odd.once.get(name), (odd, name)


def test_every_layer_reads_a_request_alike(front: DoorProcess) -> None:
    requests = [*each_by_itself(), *(several_oddities(seed) for seed in range(SEEDS))]
    statuses = []
    for odd in requests:
        status, body = answer_of(front.port, odd.raw)
        check(odd, status, body)
        statuses.append(status)
    assert statuses.count(200) > 100, "most would be refused for one reason"
    log = (front.folder / "server.log").read_text(errors="replace")
    assert "Traceback" not in log
    print(f"{len(requests)} requests, {statuses.count(200)} of them let in")


@pytest.mark.parametrize("name", [name for name in ODD_HEADERS if name.startswith("two ")])
def test_what_contradicts_itself_is_refused(front: DoorProcess, name: str) -> None:
    odd = replace(Odd(), headers=(*Odd.headers, *ODD_HEADERS[name]))
    status, body = answer_of(front.port, odd.raw)
    assert (status, msgspec.json.decode(body)["title"]) == (400, "Ambiguous request")


@pytest.mark.parametrize("name", ["X_Forwarded_For", "X-Forwarded-For", "X-Forwarded_For", "Forwarded"])
def test_wrong_passwords_are_counted_whatever_source_is_made_up(door: DoorProcess, name: str) -> None:
    person, answers = f"guessed-{name}", []
    page = ask(door.port, "GET", "/sign-in", Host="localhost")
    token = re.search(rb'name="csrfmiddlewaretoken" value="([^"]+)"', page.body)
    cookie = page.headers["set-cookie"].partition(";")[0]
    assert token
    for number in range(7):
        form = urlencode({"csrfmiddlewaretoken": token[1].decode(), "login": person, "password": f"wrong {number}"})
        made_up = {"Host": "localhost", "Cookie": cookie, "X-Real-Ip": "1", name: f"10.0.1.{number}"}
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        answers.append(ask(door.port, "POST", "/sign-in", body=form.encode(), **kind | made_up))
    limited = [b"Too many failed attempts" in answer.body for answer in answers]
    assert limited == [False] * 5 + [True] * 2, [answer.status for answer in answers]


@pytest.mark.parametrize("host", HOSTS)
def test_every_process_goes_by_the_same_hosts(door: DoorProcess, live: LiveProcess, web: Web, host: str) -> None:
    raw = replace(Odd(), method="GET", path="/healthz", host=host, headers=(), body="none").raw
    statuses = [answer_of(process.port, raw)[0] for process in (door, live, web)]
    assert len({status == 200 for status in statuses}) == 1, statuses
    assert all(status in (200, 400, 403) for status in statuses), statuses


@pytest.mark.parametrize("name", [name for name in ODD_HEADERS if name.startswith("two ")])
def test_the_live_process_refuses_what_contradicts_itself(live: LiveProcess, name: str) -> None:
    odd = replace(Odd(), method="GET", path="/live/progressives/blazing", body="none")
    status, _ = answer_of(live.port, replace(odd, headers=(*odd.headers, *ODD_HEADERS[name])).raw)
    assert status == 400


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32", "utf-7"])
def test_an_action_is_utf_8(door: DoorProcess, encoding: str) -> None:
    body = b'{"type":"buyin.make","key":"encoded","data":{"seat":1,"player":"p","amount_minor":1}}'
    badge = {"Authorization": f"Bearer {badge_of('ines')}"}
    kind = {"Content-Type": f"application/json; charset={encoding}"}
    assert ask(door.port, "POST", ACTIONS, body=body, **badge, **kind).status == 400
    if encoding != "utf-7":  # in which these bytes are the same
        assert ask(door.port, "POST", ACTIONS, body=body.decode().encode(encoding), **badge).status == 400


def test_a_name_twice_in_the_json_of_an_action_is_refused(door: DoorProcess) -> None:
    badge = {"Authorization": f"Bearer {badge_of('ines')}"}
    for body in (
        b'{"type":"buyin.make","key":"twice-1","key":"twice-2","data":{"seat":1,"player":"p","amount_minor":1}}',
        b'{"type":"buyin.make","key":"twice-3","data":{"seat":1,"player":"p","amount_minor":1,"amount_minor":9}}',
        b'{"type":"buyin.make","key":"twice-4","data":{"seat":1,"player":"p","amount_minor":1,"amount_m\\u0069nor":9}}',
        b'{"actions":[{"type":"buyin.make","key":"twice-5","data":{"seat":1,"seat":2,"player":"p","amount_minor":1}}]}',
    ):
        answer = ask(door.port, "POST", ACTIONS, body=body, **badge)
        assert (answer.status, answer.json["field"]) == (400, "body"), answer
        assert "twice" in answer.json["detail"]
