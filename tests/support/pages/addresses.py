"""Every address that the resolver knows, with something in each place, and the rule beside its declaration."""

from typing import Any, get_args

from django.urls import URLPattern, get_resolver

from backoffice.kit.reader_and_read_rule_types import ReadRule
from backoffice.people.second_factor_enforcement import OWN
from backoffice.urls import addresses
from events.roles import Role
from tests.support.houses.evening_with_everything import MISPAY_ALERT
from tests.support.houses.small_house import DAY

ROLES = [role for role in get_args(Role) if role != "system"]
PLACES: dict[str, Any] = {
    "gaming_day": DAY,
    "hit": f"BJ1-{DAY}-1-1",
    "position": 9,
    "kind": "tables",
    "year": "2026",
    "number": 1,
    "report": "slips",
    "thing": "table",
    "entry": 1,
    "alert": MISPAY_ALERT,
    "sheet": "tables",
}
# Nothing stands there on the evening: no cage has been opened, the day is not closed, and no count has differed.
SLIP = "/cage/slips/tables/2026/1"
ABSENT = (
    SLIP,
    f"{SLIP}/pdf",
    f"/days/{DAY}/discrepancies/9",
    "/pit/FR1/devices/FR1/waiting",
    *(f"{root}/draws/FR1" for root in ("", "/api/v1")),  # no draw of the evening has this name
    "/draws/FR1/proof",
    *(f"/draws/FR1/do/{action}" for action in ("draw.reveal", "inspection.record")),
    *(f"/days/{DAY}/report.{kind}" for kind in ("pdf", "xlsx")),
)
CASE = "0" * 16  # no case of the evening has this id
NAMES = {"cases": CASE, "tables": "FR1", "progressives": "blazing", "dealers": "dora", "players": "g-1"}
PATTERNS = [
    (where, pattern)
    for where, pattern in addresses(get_resolver().url_patterns)
    if not (pattern.name or "").startswith(OWN)
]


def address_of(where: str, pattern: URLPattern) -> str:
    """One with something in every place."""
    name = next((name for part, name in NAMES.items() if f"/{part}/" in where), "FR1")
    places = {converter: PLACES.get(converter, name) for converter in pattern.pattern.converters}
    for converter, value in places.items():
        kinds = [f"<{kind}{converter}>" for kind in ("", "str:", "int:", "kind:", "named-kind:")]
        for written in kinds:
            where = where.replace(written, str(value))
    assert "<" not in where, where
    return where


def rule_of(pattern: URLPattern) -> ReadRule:
    rule = getattr(pattern.callback, "open_to", None)
    assert isinstance(rule, ReadRule)
    return rule


READS = [(address_of(where, pattern), rule_of(pattern)) for where, pattern in PATTERNS]
OF_NO_CASE = tuple(address for address, _rule in READS if f"/cases/{CASE}" in address)
CLOSED = [(address, rule) for address, rule in READS if not rule.public]
READ = [(address, rule) for address, rule in CLOSED if "/do/" not in address]  # the others are forms of actions
