"""The running web process: no input of any client delays a dealer."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec

from tests.integration.door.conftest import ACTIONS, DoorResponse, Holding, ask, badge_of, buy_in
from tests.support.processes.web_process import DoorProcess, LiveProcess, Web

SOON_S = 4.5  # less than a body may take to come; an idle machine takes milliseconds
SLOW = 60
_HEAD = "Host: localhost\r\nContent-Length: 1000\r\n"


def begun(path: str, headers: str = "") -> bytes:
    """Return a request whose body never arrives."""
    return f"POST {path} HTTP/1.1\r\n{_HEAD}{headers}\r\n{{".encode()


def taken_soon(door: DoorProcess, person: str = "dora") -> None:
    before = time.monotonic()
    answer = buy_in(door.port, person)
    assert answer.status == 200, answer.body
    assert time.monotonic() - before < SOON_S


def until_too_often(asks: Callable[[], DoorResponse]) -> list[DoorResponse]:
    """Return the answers up to the first 429. A busy machine sends requests slowly, and then the limits allow more."""
    answers: list[DoorResponse] = []
    with ThreadPoolExecutor(8) as threads:
        while len(answers) < 2_000 and not any(answer.status == 429 for answer in answers):
            answers += threads.map(lambda _: asks(), range(40))
    return answers


def test_an_action_is_taken_once_and_its_answer_repeated(door: DoorProcess) -> None:
    first, again = buy_in(door.port, key="once"), buy_in(door.port, key="once")
    assert (first.status, again.status) == (200, 200)
    assert first.json["position"] == again.json["position"]
    assert first.headers["content-type"] == "application/json"
    assert (first.headers["cache-control"], first.headers["x-content-type-options"]) == ("no-store", "nosniff")
    assert buy_in(door.port, key="once").body == again.body, "once more, which may be from memory"
    theirs = buy_in(door.port, "paul", key="once")
    assert theirs.status == 409, "the same bytes of somebody else are no repeat"


def test_pages_figures_and_files_come_through_the_door(door: DoorProcess) -> None:
    page = ask(door.port, "GET", "/", Cookie=door.cookie)
    assert (page.status, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert ask(door.port, "GET", "/").headers["location"] == "/sign-in?next=/start"
    assert "content-security-policy" in page.headers
    assert ask(door.port, "GET", "/api/v1/position", Cookie=door.cookie).json["reached"] is True
    assert ask(door.port, "GET", "/api/v1/position").status == 401
    assert ask(door.port, "GET", "/static/style.css").status in (200, 404)
    head = ask(door.port, "HEAD", "/", Cookie=door.cookie)
    assert (head.status, head.body) == (200, b"")
    assert ask(door.port, "GET", "/nothing/é?q=%20".replace("é", "%C3%A9")).status == 404
    health = ask(door.port, "GET", "/healthz")
    assert (health.status, health.json["status"] in ("ok", "degraded")) == (200, True), "no projector follows here"


def test_slow_bodies_are_nobody_elses_and_end(door: DoorProcess, hold: Holding) -> None:
    slow = hold(SLOW, begun(ACTIONS))
    slow += hold(SLOW, begun(ACTIONS, f"Authorization: Bearer {badge_of('ines')}\r\n"))
    pages = hold(SLOW, begun("/"))
    taken_soon(door)
    assert ask(door.port, "GET", "/healthz").status == 200
    nobody, *answers = (connection.recv(65_536) for connection in (slow[0], slow[-1], pages[-1]))
    assert nobody.startswith((b"HTTP/1.1 401 ", b"HTTP/1.1 429 ")), "the address is told 401 so often, and then 429"
    for answer in answers:
        assert answer.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
        assert b"retry-after: 1" in answer
    assert slow[-1].recv(1) == b"", "the connection stays open"


def test_a_body_without_end_is_not_read_to_its_end(door: DoorProcess, hold: Holding) -> None:
    endless = f"POST {ACTIONS} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
    [connection] = hold(
        1, f"{endless}Authorization: Bearer {badge_of('ines')}\r\n\r\n".encode() + b"fff\r\n" + b"{" * 4095 + b"\r\n"
    )
    for _ in range(64):  # the last is more than may be
        connection.sendall(b"fff\r\n" + b"{" * 4095 + b"\r\n")
    assert connection.recv(65_536).startswith(b"HTTP/1.1 413")


def test_idle_connections_and_half_a_request_line_keep_nobody_out(door: DoorProcess, hold: Holding) -> None:
    hold(1_500, b"")
    hold(100, b"GET / HT")
    taken_soon(door)


def test_another_hosts_name_is_refused(door: DoorProcess) -> None:
    assert buy_in(door.port, Host="evil.example").status == 400
    page = ask(door.port, "GET", "/", Host="evil.example")
    assert (page.status, page.json["title"]) == (400, "Another host"), "nobody behind the door is troubled with it"


def test_an_action_by_a_method_in_small_letters_is_taken_here_too(door: DoorProcess) -> None:
    """The pages' process would take it for a POST, past every limit of the door."""
    action = {"type": "buyin.make", "key": "small", "data": {"seat": 1, "player": "p-1", "amount_minor": 100}}
    badge = f"Bearer {badge_of('dora')}"
    answer = ask(door.port, "post", ACTIONS, body=msgspec.json.encode(action), Authorization=badge)
    assert (answer.status, answer.json["repeated"]) == (200, False)
    assert "content-security-policy" not in answer.headers, "which everything from the pages' process has"


def test_one_badge_gets_so_much_and_the_others_theirs(door: DoorProcess) -> None:
    action = {"type": "buyin.make", "data": {"seat": 1, "player": "p-1", "amount_minor": 100}}
    many = [action | {"key": f"many-{number}"} for number in range(200)]  # ten seconds' worth
    body = msgspec.json.encode({"mode": "each", "actions": many})
    bearing: dict[str, Any] = {"Authorization": f"Bearer {badge_of('paul')}"}
    assert ask(door.port, "POST", ACTIONS, body=body, **bearing).status == 200
    refused = buy_in(door.port, "paul")
    assert (refused.status, refused.headers["retry-after"]) == (429, "1")
    assert "At most 20 requests a second are accepted from one badge" in refused.json["detail"]
    taken_soon(door)


def test_who_is_refused_again_and_again_waits_and_the_others_do_not(door: DoorProcess) -> None:
    body = msgspec.json.encode({"mode": "each", "actions": [{"type": "no.such", "key": f"no-{n}"} for n in range(60)]})
    bearing: dict[str, Any] = {"Authorization": f"Bearer {badge_of('ines')}"}
    assert ask(door.port, "POST", ACTIONS, body=body, **bearing).status == 200
    refused = buy_in(door.port, "ines")
    assert (refused.status, refused.headers["retry-after"]) == (429, "1")
    assert "At most 10 requests a second are accepted of what one badge is refused" in refused.json["detail"]
    taken_soon(door)


def test_unknown_badges_are_refused_without_asking_for_each(door: DoorProcess) -> None:
    wrong = {"Authorization": "Bearer of-nobody"}
    answers = until_too_often(lambda: buy_in(door.port, **wrong))
    assert {answer.status for answer in answers} == {401, 429}
    taken_soon(door)


def test_who_shows_no_badge_hears_so_for_a_while(door: DoorProcess) -> None:
    answers = until_too_often(lambda: ask(door.port, "POST", ACTIONS, body=b"{}"))
    assert {answer.status for answer in answers} == {401, 429}
    assert "without any badge" in next(answer for answer in answers if answer.status == 429).json["detail"]
    taken_soon(door)


def test_a_visitor_gets_so_many_pages(web: Web) -> None:
    with DoorProcess(web, PITLEDGER_LIMIT_ADDRESS="1") as strict:
        answers = until_too_often(lambda: ask(strict.port, "GET", "/robots.txt"))
        assert {answer.status for answer in answers} == {404, 429}
        taken_soon(strict)


def test_whoever_asks_too_often_keeps_nobody_from_asking_how_the_house_is(web: Web) -> None:
    with DoorProcess(web, PITLEDGER_LIMIT_ADDRESS="1") as strict:
        assert any(ask(strict.port, "GET", "/robots.txt").status == 429 for _ in range(200))  # one a second is let in
        healthy = [ask(strict.port, "GET", "/healthz") for _ in range(20)]
        assert [answer.status for answer in healthy] == [200] * 20
        assert {answer.json["status"] for answer in healthy} <= {"ok", "degraded"}, "no projector follows here"
        assert any(ask(strict.port, "GET", "/healthz", Host="evil.example").status == 429 for _ in range(200))
        assert any(ask(strict.port, "GET", "/robots.txt").status == 429 for _ in range(200))


def test_without_the_pages_actions_go_on(web: Web) -> None:
    with DoorProcess(web, PITLEDGER_PAGES_PORT="1") as alone:
        page = ask(alone.port, "GET", "/")
        assert (page.status, page.headers["retry-after"]) == (503, "1")
        assert ask(alone.port, "GET", "/healthz").json["status"] == "degraded"
        taken_soon(alone)


def test_probes_tell_a_process_that_hangs_from_a_house_that_lacks_something(web: Web) -> None:
    """Without pages the house is degraded. The door is still alive and ready, under any host name."""
    with DoorProcess(web, PITLEDGER_PAGES_PORT="1") as alone:
        for path in ("/livez", "/readyz"):
            answer = ask(alone.port, "GET", path, Host="10.1.2.3:8000")
            assert (answer.status, answer.json) == (200, {"status": "ok"}), path
        assert ask(alone.port, "POST", "/livez").status != 200
        assert ask(alone.port, "GET", "/healthz", Host="10.1.2.3:8000").status == 400


def test_a_wait_is_the_live_processs_and_takes_a_badge(door: DoorProcess, live: LiveProcess) -> None:
    bearing: dict[str, Any] = {"Authorization": f"Bearer {badge_of('ines')}"}
    far = "/api/v1/position?at_least=999999999&within=10"  # all come before the first ones are let go
    assert ask(door.port, "GET", far).status == 401
    with ThreadPoolExecutor(20) as threads:
        waiting = [threads.submit(lambda: ask(door.port, "GET", far, **bearing)) for _ in range(20)]
        taken_soon(door)
        answers = [wait.result() for wait in waiting]
    waited, refused = ([a for a in answers if a.status == status] for status in (200, 429))
    assert (len(waited), len(refused)) == (8, 12)
    assert not any(answer.json["reached"] for answer in waited)
    assert all(answer.headers["retry-after"] == "1" for answer in refused)
    assert ask(door.port, "GET", "/api/v1/position?at_least=0&within=5", **bearing).json["reached"] is True


def test_a_file_of_a_case_is_larger_than_an_action_and_refused_before_it_comes(door: DoorProcess) -> None:
    path, dora = f"/api/v1/cases/{'0' * 16}/attachments", {"Authorization": f"Bearer {badge_of('dora')}"}
    large = b"x" * (1 << 20)
    answer = ask(door.port, "POST", path, body=large, **dora)
    assert (answer.status, answer.json["code"]) == (404, "case-unknown"), "the body came through"
    announced = {"Content-Length": str(1 << 20)}
    assert ask(door.port, "POST", path, body=b"x", **announced).status == 401
    answer = ask(door.port, "POST", path, body=b"x", **dora, **{"Content-Length": str(27 << 20)})
    assert (answer.status, answer.json["code"]) == (413, "case-file-too-large")
    answer = ask(door.port, "POST", path.replace("attachments", "exports"), body=b"x", **dora, **announced)
    assert (answer.status, answer.json["code"]) == (413, "body-too-large")
