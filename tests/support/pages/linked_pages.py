"""The pages of the house that its own links lead to, each with the templates that rendered it."""

import html
import re
import time
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.test import Client
from django.urls import Resolver404, resolve

import backoffice
from backoffice.site.page_declarations_in_menu_order import SITE
from backoffice.urls import addresses

LOG = ("events", "event")  # where the links of figures lead
PAGES_WITHOUT_FIGURES, QUERIES = 2, 8  # of each kind that are read; queries of each page with figures
_FIGURE = re.compile(
    r'{%\s*(figure|figured|metered|of_line|figure_of_shift)\b|class="fig[ "]|{%\s*events\b[^%]*\btype='
)
_UNFINISHED = "pages/parts/working.html"
_NAMES = {pattern.name for address, pattern in addresses(SITE.urls) if "/do/" not in address}


class LinkedPage(NamedTuple):
    """A page as a reader sees it."""

    name: str
    address: str
    source: str
    templates: frozenset[str]


def templates_with_figures() -> frozenset[str]:
    """Return the names of all templates in which a figure is linked to its events."""
    paths = Path(backoffice.__file__).parent.rglob("templates/**/*.html")
    linking = (path for path in paths if _FIGURE.search(path.read_text("utf-8")))
    return frozenset(path.as_posix().rpartition("/templates/")[2] for path in linking)


def linked_pages(client: Client) -> Iterator[LinkedPage]:
    """Yield the pages that links lead to from the floor on: all with figures, and some of each other kind.

    A page with figures is read with a few of its queries. Its events, forms and files are left out.
    """
    linking, with_figures = templates_with_figures(), set[str]()
    waiting, known, number = deque(["/"]), {"/"}, Counter[tuple[str, bool]]()
    while waiting:
        address = waiting.popleft()
        name, has_query = _name(address), "?" in address
        if not name or number[name, has_query] >= _most(name in with_figures, has_query=has_query):
            continue
        number[name, has_query] += 1
        response = _finished(client, address)
        following = [response["Location"]] if response.status_code in (301, 302) else []
        if response.status_code == 200 and response["Content-Type"].startswith("text/html"):
            page = LinkedPage(name, address, response.content.decode(), _templates(response))
            if page.templates & linking:
                with_figures.add(name)
            yield page
            following = links(page.source, address)
        waiting.extend(link for link in dict.fromkeys(following) if link not in known)
        known.update(following)


class LinkedFigure(NamedTuple):
    """An amount or a number of a page that links to events. `key` is the link's id, or its text without one."""

    key: str
    address: str
    value: int
    is_amount: bool


def linked_figures(source: str) -> Iterator[LinkedFigure]:
    """Yield the figures of a page that link to the log, with a minus for the words "lost" and "short"."""
    for attributes, content in re.findall(r"<a\b([^>]*)>(.*?)</a>", source, flags=re.DOTALL):
        link = re.search(r'\bhref="(/events\?[^"]*)"', attributes)
        if link is None:
            continue
        address, text = html.unescape(link[1]), re.sub(r"<[^>]+>|\s+", " ", content).strip()
        name = re.search(r'\bid="([^"]+)"', attributes)
        key = name[1] if name else text
        if amounts := re.findall(r'<data class="money" value="(-?\d+)">', content):
            assert len(amounts) == 1, content
            sign = -1 if '<span class="signed minus">' in content else 1
            yield LinkedFigure(key, address, sign * int(amounts[0]), is_amount=True)
        elif number := re.fullmatch(r"([\d,]+)(?: [^\d]*)?|[^\d]*: ([\d,]+)", text):
            yield LinkedFigure(key, address, int((number[1] or number[2]).replace(",", "")), is_amount=False)


def links(source: str, address: str) -> list[str]:
    """Return the addresses in the house that a page links to."""
    targets = (html.unescape(link).partition("#")[0] for link in re.findall(r'<a\b[^>]*\bhref="([^"]+)"', source))
    own = urlsplit(address).path
    return [own + link if link.startswith("?") else link for link in targets if link.startswith(("/", "?"))]


def _finished(client: Client, address: str) -> Any:
    """Return the response, with the result of a calculation in the background."""
    deadline = time.monotonic() + 60
    while _UNFINISHED in _templates(response := client.get(address)):
        assert time.monotonic() < deadline, address
        time.sleep(0.05)
    return response


def _templates(response: Any) -> frozenset[str]:
    return frozenset(str(template.name) for template in response.templates)


def _name(address: str) -> str:
    """Return the name of a page's address; "" for a form, a file or an address of no page."""
    try:
        name = resolve(urlsplit(address).path).url_name or ""
    except Resolver404:
        return ""
    return name if name in _NAMES and name not in LOG else ""


def _most(has_figures: bool, *, has_query: bool) -> int:
    """Return how many pages of a kind are read."""
    if not has_figures:
        return PAGES_WITHOUT_FIGURES
    return QUERIES if has_query else 1_000
