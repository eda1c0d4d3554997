"""All generated documents by their path under docs/, and whether the present files are fresh and compatible."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from backoffice.openapi import action_interface_openapi_document as openapi
from backoffice.openapi import event_and_action_schemas
from events import catalogue
from events.streams.upcast import UPCASTERS
from tools.documents import (
    asyncapi_document,
    event_and_action_pages,
    glossary_page,
    metrics_page,
    par_sheet_pages,
    python_client_generation,
    reference_pages,
    screen_typescript_types,
)
from tools.documents.schema_compatibility_rules import Side, breaks

# Folders with generated files only.
FOLDERS = ("events", "actions", "par")
# Defaults that were removed from a published action, by action and field: a missing value has another meaning since.
# These are the only ones; docs/adr/0108 and 0114 explain why no sender is affected.
DROPPED_DEFAULTS = {
    ("table.install", "currency"): "EUR",
    ("progressive.open", "currency"): "EUR",
    ("session.open", "shift"): "day",
    ("session.roll", "shift"): "day",
}
_SIDES: dict[str, Side] = {"events": "event", "actions": "action"}


def generate() -> dict[str, str]:
    """Every document: path under docs/ and text. The same code gives the same bytes."""
    return {
        "events/README.md": event_and_action_pages.events_page(),
        "actions/README.md": event_and_action_pages.actions_page(),
        "openapi.json": _json(openapi.build()),
        "asyncapi.json": _json(asyncapi_document.build()),
        **{
            f"events/{name}.json": _json(event_and_action_schemas.event_schema(name))
            for name in catalogue.event_types()
        },
        **{
            f"actions/{name}.json": _json(event_and_action_schemas.action_schema(name))
            for name in catalogue.action_types()
        },
        **par_sheet_pages.pages(),
        **reference_pages.pages(),
        "reference/metrics.md": metrics_page.page(),
        "reference/glossary.md": glossary_page.page(),
        **python_client_generation.pages(),
        **screen_typescript_types.pages(),
    }


def stale(docs: Path, pages: Mapping[str, str]) -> list[str]:
    """Return paths under `docs` that are missing, differ from the generated content, or are no longer generated."""
    changed = [path for path, text in pages.items() if _read(docs / path) != text]
    return sorted([*changed, *left_over(docs, pages)])


def left_over(docs: Path, pages: Mapping[str, str]) -> list[str]:
    """Generated files that nothing generates any more. The schema of an event type with an upcaster stays
    permanently."""
    there = (path for folder in FOLDERS for path in (docs / folder).glob("*") if path.is_file())
    paths = (path.relative_to(docs).as_posix() for path in there)
    return sorted(path for path in paths if path not in pages and not _retired(path))


def incompatible(published: Mapping[str, str], pages: Mapping[str, str]) -> list[str]:
    """Return the incompatible changes since the schemas published before (paths under docs/ and texts)."""
    return [line for path in sorted(published) for line in _breaks(path, published[path], pages.get(path))]


def _breaks(path: str, before: str, now: str | None) -> Iterator[str]:
    folder, _, name = path.partition("/")
    if folder not in _SIDES or not name.endswith(".json") or _retired(path):
        return
    subject = f"{_SIDES[folder]} {name.removesuffix('.json')}"
    if now is None:
        yield f"{subject}: the type is gone"
        return
    old, new = json.loads(before), json.loads(now)
    _drop_defaults(name.removesuffix(".json"), old, new)
    for line in breaks(old, new, _SIDES[folder]):
        yield f"{subject}: {line}"


def _drop_defaults(action: str, old: dict[str, Any], new: Mapping[str, Any]) -> None:
    """Take a dropped default out of the old schema, if it is that very one and the new schema does not have one."""
    for (name, field), default in DROPPED_DEFAULTS.items():
        before, now = (
            schema.get("$defs", {}).get("data", {}).get("properties", {}).get(field) for schema in (old, new)
        )
        if name == action and before and now and "default" not in now and before.get("default") == default:
            del before["default"]


def _retired(path: str) -> bool:
    """Return whether the path is the schema of an event type that is read as its successor."""
    folder, _, name = path.partition("/")
    return folder == "events" and name.removesuffix(".json") in UPCASTERS


def _json(document: Mapping[str, Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
