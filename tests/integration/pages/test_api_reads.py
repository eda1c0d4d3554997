"""The API document lists every address, and describes the real answers."""

import copy
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from jsonschema import Draft202012Validator

from backoffice.event_log import filters
from backoffice.openapi import action_interface_openapi_document as openapi
from backoffice.openapi.read_operations import by_path
from backoffice.site.page_declarations_in_menu_order import SITE
from events.streams import stream_kind_declaration
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, House

pytestmark = pytest.mark.django_db

Json = dict[str, Any]
API = "/api/v1"
OPENAPI = openapi.build()
READS = by_path(SITE)

# Of a case and of a draw: tests/integration/pages/test_cases.py and test_draws.py, where there is one.
ELSEWHERE = {"/cases/{name}", "/draws/{draw}"}
# Addresses that together answer with everything there is: by path of the document, with their query.
QUERIES_BY_PATH = {
    "/tables": ["", f"?gaming_day={DAY}", "?gaming_day=1999-01-01"],
    "/tables/{name}/{gaming_day}": [f"FR1/{DAY}", f"FR2/{DAY}", f"BJ1/{DAY}"],
    "/tables/{name}/{gaming_day}/rounds/{number}": [f"FR1/{DAY}/rounds/1", f"BJ1/{DAY}/rounds/1"],
    "/days/{gaming_day}/cash": [f"{DAY}/cash", f"{DAY}/cash?all=true"],
    "/days/{gaming_day}/luck": [f"{DAY}/luck", f"{DAY}/luck?by=table&again=true"],
    "/timelines/{thing}/{name}": ["table/FR1", "player/g-1", "drop-box/b-1", "progressive/blazing"],
    "/dealers/{person}": ["dora", f"dora?from={DAY}&game=roulette"],
    "/dealers/{person}/rounds": ["dora/rounds", "dora/rounds?only=mispays&with=g-1"],
    "/players/{person}": ["g-1"],
    "/players/{person}/rounds": ["g-1/rounds", "g-1/rounds?game=roulette&hour=23"],
    "/hold": ["", f"?day={DAY}&by=table"],
    "/progressives": [""],
    "/alerts": ["", "?name=mispay", f"?day={DAY}&status=open&order=oldest&limit=1"],
    "/alerts/{alert}": [evening_with_everything.MISPAY_ALERT],
    "/progressives/{name}": ["blazing"],
    "/events": ["", f"?table=FR1&gaming_day={DAY}&limit=3", "?sum=fed&meter=blazing/mega", "?type=role.granted.v1"],
    "/search/completions": ["", "?q=table:F", "?q=type:bet%20table:FR1&at=8"],
    "/search/saved": [""],
    "/search/facets": ["", "?q=table:FR1"],
    "/search": ["", "?q=table:FR1%20-type:bet.placed&order=oldest&limit=3"],
    "/integrity": [""],
    "/given-out": ["", "?about=nothing"],
    "/looks": ["", "?kind=search"],
    "/system": [""],
    "/system/deliveries": ["", "?state=sent&destination=mail"],
    "/cases": [""],
    "/draws": [""],
    "/inspections": [""],
    "/position": ["", "?at_least=1&within=1"],
}


def _addresses(patterns: list[Any], before: str = "/") -> Iterator[str]:
    for pattern in patterns:
        here = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _addresses(pattern.url_patterns, here)
        elif isinstance(pattern, URLPattern):
            yield here


def _strict(part: Any) -> Any:
    """Return the schema without additional properties, so that no field of an answer is undocumented."""
    if isinstance(part, dict):
        strict_part = {name: _strict(inner) for name, inner in part.items()}
        if part.get("type") == "object" and isinstance(part.get("properties"), dict):
            strict_part |= {"additionalProperties": False}
        return strict_part
    return [_strict(inner) for inner in part] if isinstance(part, list) else part


def _wrong(schema: Json, answer: Any) -> list[str]:
    """Return the differences between an answer and its documentation."""
    full_schema = {**schema, "components": OPENAPI["components"]}
    strict = _strict(copy.deepcopy(full_schema))
    strict["components"]["schemas"]["Event"] = OPENAPI["components"]["schemas"]["Event"]  # its `data` is any
    return [
        f"{'/'.join(map(str, error.path))}: {error.message}"
        for error in Draft202012Validator(strict).iter_errors(answer)
    ]


def _ok(path: str) -> Json:
    schema: Json = OPENAPI["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    return schema


def test_every_address_is_documented() -> None:
    addresses = [
        address.removeprefix(API)
        for address in _addresses(get_resolver().url_patterns)
        if address.startswith(f"{API}/")
    ]
    of_kinds = [address for address in addresses if "kind:kind>" in address]
    assert len(of_kinds) == 2, "one for those that have names, one for those that are alone"
    served = {re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", address) for address in addresses if address not in of_kinds}
    served |= {kind.address for kind in stream_kind_declaration.kinds_with_actions().values()}
    assert len(served) > 10
    assert served == set(OPENAPI["paths"])


def test_every_read_is_asked_here() -> None:
    assert QUERIES_BY_PATH.keys() == READS.keys() - ELSEWHERE
    assert {path for path, operations in OPENAPI["paths"].items() if "get" in operations} == {
        *READS,
        "/openapi.json",
        "/tables/{name}/layout",  # tests/integration/api/test_layout.py
        "/cases/{name}/exports/{export}",  # tests/integration/pages/test_case_files.py
    }


@pytest.mark.parametrize("path", QUERIES_BY_PATH)
def test_what_is_answered_is_what_is_documented(client: Client, evening_house: House, path: str) -> None:
    evening_with_everything.finish_blackjack(evening_house)
    evening_with_everything.two_winners(evening_house)
    evening_with_everything.project(evening_house)
    for suffix in QUERIES_BY_PATH[path]:
        address = f"{API}{path.partition('{')[0].rstrip('/')}{'/' if '{' in path else ''}{suffix}"
        response = client.get(address)
        assert response.status_code == 200, address
        assert response.headers["Pitledger-Position"].isdecimal()
        assert _wrong(_ok(path), response.json()) == [], address


def test_a_house_where_nothing_happened_answers_so_too(client: Client, house: House) -> None:
    for path in ("/tables", "/progressives", "/events", "/position"):
        assert _wrong(_ok(path), client.get(f"{API}{path}").json()) == []


@pytest.mark.parametrize(
    ("address", "status"),
    [("/tables/X/2026-11-20", 404), ("/progressives/nope", 404), ("/events?limit=x", 400), ("/events?sum=x", 400)],
)
def test_what_cannot_be_answered_is_a_problem(client: Client, evening_house: House, address: str, status: int) -> None:
    response = client.get(f"{API}{address}")
    assert (response.status_code, response.headers["Content-Type"]) == (status, "application/problem+json")
    problem = OPENAPI["components"]["responses"][f"problem-{status}"]["content"]["application/problem+json"]["schema"]
    assert _wrong(problem, response.json()) == []


def test_every_filter_of_the_log_is_documented_and_read(client: Client, evening_house: House) -> None:
    schemas = {parameter["name"]: parameter["schema"] for parameter in OPENAPI["paths"]["/events"]["get"]["parameters"]}
    for name, schema in schemas.items():
        if name == "sum":
            assert client.get(f"{API}/events?sum={schema['enum'][0]}").status_code == 200
            continue
        wrong = client.get(f"{API}/events", {name: "no-such-thing"})
        is_number = schema["type"] == "integer" or name in ("from", "to")
        unknown = 404 if name == "stream" else 200  # a stream of another property is nowhere here
        assert wrong.status_code == (400 if is_number else unknown), name
        is_told = is_number or name in ("meter", "stream")
        assert is_told or wrong.json()["events"] == [], f"{name} is not looked at"
    assert filters.OFFERED.keys() < schemas.keys()


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_another_method_is_a_problem_that_programs_can_read(method: str) -> None:
    client = Client(enforce_csrf_checks=True)
    for path in ("/tables", "/hold", "/progressives"):
        answer = client.generic(method, f"{API}{path}")
        assert (answer.status_code, answer["Content-Type"]) == (405, "application/problem+json"), path
        assert answer["Allow"] == "GET, HEAD"
