"""The part of docs/reference/roles.md about the readers of pages and endpoints: from the rules declared with them."""

from collections.abc import Iterator

from backoffice.kit.page_declaration import Page
from backoffice.kit.reader_and_read_rule_types import ReadRule
from backoffice.kit.site_from_page_declarations import Site

_HEAD = """
## Readers of each page

Each row lists the readers of a page in every form (CSV, PDF, JSON, live part), and of the figures for programs. Without
a login a page leads to the sign-in, and `/api/v1/` answers 401. A role that is not listed gets a 403 with the listed
roles. Roles come from events and apply in their own property. A revoked role ends within a second. Pages need a login
with a second factor. `/api/v1/` also accepts a badge. A live stream follows the rule of the sign.

An auditor reads everything that is not sealed and changes nothing; an administrator reads no money; who counts (cage,
count) reads no table's result.

| what | address | who |
|---|---|---|
"""
_PUBLIC = """| health | `/healthz` | anybody |
| metrics, details of health | `/metrics`, `/healthz` | `PITLEDGER_OBSERVERS`, `PITLEDGER_OBSERVER_TOKEN` |
| probes | `/livez`, `/readyz` | anybody |
| the interface's document | `/api/v1/openapi.json` | anybody |
"""


def who_reads(site: Site) -> Iterator[str]:
    """The section, a line a page and an endpoint."""
    yield _HEAD
    for page in site.pages:
        yield _row(str(page.title), _address(page), page.open_to)
    for endpoint, rule in site.rules:
        yield _row(endpoint.meaning.partition(";")[0].partition(".")[0], f"/api/v1/{endpoint.path}", rule)
    yield _PUBLIC


def _address(page: Page) -> str:
    return f"/{page.path}"


def _row(subject: str, address: str, rule: ReadRule) -> str:
    shown_address = address.replace("<str:", "{").replace("<int:", "{").replace(">", "}")
    return f"| {subject} | `{shown_address}` | {rule.words} |\n"
