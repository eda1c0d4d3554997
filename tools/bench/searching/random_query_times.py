"""Any query of the grammar within half a second: nested ones, made of parts that occur, on the same long log."""

from random import Random
from time import perf_counter

from backoffice.surveillance.search.paged_search_within_time_limit import PAGE, page, search_deadline
from backoffice.surveillance.search.search_to_log_conditions import search
from tests.support.records.naive_search import RandomSearchParts
from tools.bench.searching.long_log_generation import COLUMNS, History

QUERIES = 400
SAMPLE = 5_000  # events of which the parts are made
SEED = 20_261_126
_RAW = COLUMNS.index("raw")


def slowest(history: History, events: int, using: str, zone: str, queries: int = QUERIES) -> list[tuple[float, str]]:
    """Milliseconds of a page of each query, newest or oldest first, with the query; slowest first."""
    random, rows = Random(SEED), history.rows[:events]  # a short log has only the first ones
    some = random.sample(rows, min(SAMPLE, len(rows)))
    some += [row for row in rows if b"irregularity." in row[_RAW]][:SAMPLE]  # rare ones are asked for, too
    parts = RandomSearchParts([row[_RAW] for row in some], random, zone)
    for text in ("slip:1", "mispay"):  # a process that serves has loaded the games and the words of the pages
        page(search(text, using))
    return sorted((_page(parts, random, using) for _ in range(queries)), reverse=True)


def _page(parts: RandomSearchParts, random: Random, using: str) -> tuple[float, str]:
    text = " ".join(parts.nested()[0] for _ in range(random.choice((1, 2))))
    newest = bool(random.getrandbits(1))
    begun = perf_counter()
    until = search_deadline()
    page(search(text, using), newest=newest, size=PAGE, until=until)
    return (perf_counter() - begun) * 1_000, text
