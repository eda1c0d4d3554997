"""Pages as a reader sees them: their text, their figures, their database queries."""

import html
import re
from io import BytesIO

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pypdf import PdfReader

_FORM_SECRET = re.compile(r'(name="csrfmiddlewaretoken" value=)"[^"]*"')


def source(client: Client, url: str, status: int = 200) -> str:
    """The page's HTML without the secrets of its forms: any short word occurs in random letters."""
    response = client.get(url)
    assert response.status_code == status, response.content[:2_000]
    return without_form_secrets(response.content.decode())


def without_form_secrets(page: str) -> str:
    """A page's HTML without the random tokens that its forms send back."""
    return _FORM_SECRET.sub(r'\1""', page)


def words(client: Client, url: str, status: int = 200) -> str:
    """The page as it is read: without tags, one space between words."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", source(client, url, status)))).strip()


def figures(client: Client, url: str) -> dict[str, tuple[str, int]]:
    """The linked figures of a page, as `linked_figures` has them."""
    return linked_figures(source(client, url))


def linked_figures(page: str) -> dict[str, tuple[str, int]]:
    """The linked figures of a page's source by the link's id: where it leads, and the amount in minor units."""
    pattern = r'<a class="fig" id="([^"]+)" href="([^"]+)">(?:<span[^>]*>)?<data class="money" value="(-?\d+)">'
    links = re.findall(pattern, page)
    return {name: (html.unescape(address), int(amount)) for name, address, amount in links}


def signed_figures(page: str) -> dict[str, tuple[str, int]]:
    """Return the same, with a minus for the words "lost" and "short"."""
    pattern = (
        r'<a class="fig" id="([^"]+)" href="([^"]+)"><span class="signed minus"><data class="money" value="(\d+)">'
    )
    below = {name: -int(amount) for name, _address, amount in re.findall(pattern, page)}
    return {name: (address, below.get(name, amount)) for name, (address, amount) in linked_figures(page).items()}


def linked_counts(page: str) -> dict[str, tuple[str, int]]:
    """The linked numbers of a page's source, which are no money, by the link's id: where it leads, and the number."""
    links = re.findall(r'<a class="fig" id="([^"]+)" href="([^"]+)">([\d,]+)</a>', page)
    return {name: (html.unescape(address), int(number.replace(",", ""))) for name, address, number in links}


def log_total(client: Client, address: str) -> int:
    """Return the total of the event log at this address, in minor units."""
    page = source(client, address)
    start = page.index('id="total"')
    tile = page[start : page.index("</div>", start)]
    return int(tile.split('<data class="money" value="')[1].split('"')[0]) if "<data" in tile else 0


def queries(client: Client, url: str) -> int:
    """Return the number of queries that the page makes."""
    with CaptureQueriesContext(connection) as captured:
        source(client, url)
    return len(captured)


def written(pdf: bytes) -> str:
    """The words on a report's pages."""
    return " ".join(" ".join(page.extract_text() for page in PdfReader(BytesIO(pdf)).pages).split())
