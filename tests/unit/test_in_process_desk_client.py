"""Actions from threads of the door's process: answered in its event loop, and let go of where it ends."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from backoffice.api.json_response import Response
from backoffice.door.in_process_desk_client import InProcessDeskClient

Asked = tuple[str, dict[str, str], bytes]


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield loop
    asyncio.run_coroutine_threadsafe(asyncio.sleep(0), loop).result()  # what was cancelled has ended
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def test_a_post_is_answered_in_the_event_loop(loop: asyncio.AbstractEventLoop) -> None:
    received: list[tuple[Asked, int]] = []

    async def taking(path: str, headers: dict[str, str], body: bytes) -> Response:
        received.append(((path, headers, body), threading.get_ident()))
        return Response(409, "application/problem+json", b"{}", {})

    answer = InProcessDeskClient(taking, loop).post("/api/v1/x/actions", content=b"[]", headers={"Authorization": "a"})
    assert (answer.status_code, answer.content) == (409, b"{}")
    [(request, thread)] = received
    assert request == ("/api/v1/x/actions", {"Authorization": "a"}, b"[]")
    assert thread != threading.get_ident()


def test_a_thread_that_waits_is_let_go_when_the_process_ends(loop: asyncio.AbstractEventLoop) -> None:
    is_asked = threading.Event()

    async def taking(*_: object) -> Response:
        is_asked.set()
        await asyncio.Event().wait()
        raise AssertionError

    client = InProcessDeskClient(taking, loop)
    errors: list[BaseException] = []

    def post() -> None:
        try:
            client.post("/api/v1/x/actions", content=b"", headers={})
        except ConnectionError as error:
            errors.append(error)

    waiting = threading.Thread(target=post)
    waiting.start()
    assert is_asked.wait(30)
    client.close()
    waiting.join(30)
    assert len(errors) == 1
    post()
    assert len(errors) == 2, "nothing is sent after the end"
