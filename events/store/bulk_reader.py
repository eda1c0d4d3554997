"""Bulk reading for rebuilds: the raw events by position, in large chunks, read ahead by a thread of its own."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from events.store import EventReader, Stored

CHUNK = 10_000  # about 5 MB; larger ones bring nothing


def chunks(store: EventReader, after: int = 0, until: int | None = None, size: int = CHUNK) -> Iterator[list[Stored]]:
    """All events above a position, up to another (or to where the store ends now), `size` at a time.

    While the caller works on a chunk the next one is fetched: at most two are in memory.
    """
    last = store.position() if until is None else until
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="store-copy") as ahead:
        coming = ahead.submit(store.after, after, size, (), last)
        while chunk := coming.result():
            coming = ahead.submit(store.after, chunk[-1].position, size, (), last)
            yield chunk
