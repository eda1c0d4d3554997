"""SQL from files: statements by name, each with a line that describes it.

-- name: head
-- A stream's last event.
SELECT ...
"""

import re
from collections.abc import Mapping
from pathlib import Path

_FOLDER = Path(__file__).parent / "sql"
_NAME = re.compile(r"^-- name: (\w+)\n((?:--.*\n)+)", re.MULTILINE)
_PLAIN = re.compile(r"[a-z_][a-z0-9_]*\Z")


def names(events_table: str, schema: str = "public") -> dict[str, str]:
    """Return the names filled into the SQL: the tables' names, derived from that of the events ("pitledger_events")."""
    stem = events_table.removesuffix("_events")
    table_names = {"schema": schema, "events": events_table, "keys": f"{stem}_keys", "snapshots": f"{stem}_snapshots"}
    table_names["heads"] = f"{stem}_heads"
    for name in table_names.values():
        if not _PLAIN.match(name):
            raise ValueError(f"not a plain table or schema name: {name!r}")
    return table_names


def script(file: str, values: Mapping[str, str]) -> str:
    """The whole file, to be run at once."""
    return _fill((_FOLDER / file).read_text(encoding="utf-8"), values)


def statements(file: str, values: Mapping[str, str]) -> dict[str, str]:
    """Return the file's statements by name. Placeholders that are not in `values` stay as they are ("{topic}")."""
    parts = _NAME.split(script(file, values))
    return {name: text.strip() for name, text in zip(parts[1::3], parts[3::3], strict=True)}


def _fill(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace("{" + name + "}", value)
    return text
