"""The frozen houses of tests/data/frozen: copies of their stores, their actions and their books."""

import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec
import psycopg

from events.envelope import Action

FROZEN = Path(__file__).parent.parent / "data" / "frozen"
PROPERTY, PROGRESSIVE = "athens", "blazing"
HOUSES = ("night", "evening", "tables")
HEADS_SIGNED_BY = "5e1f099558d378c30fde089fffcc8d5d41df1c157463c064513b68857b8adf41"


class Line(msgspec.Struct, frozen=True):
    """A recorded step: a request, a turn of the worker, or stored events that a replay takes unchanged."""

    at: str
    until: int = 0
    kind: Literal["tables", "progressives"] | None = None
    name: str = ""
    gaming_day: str | None = None
    person: str = ""
    device: str | None = None
    table: str | None = None
    mode: Literal["atomic", "each"] = "atomic"
    actions: tuple[Action, ...] = ()
    reconcile: str | None = None
    stored: tuple[int, int] | None = None


def read(name: str) -> bytes:
    """A frozen file's content."""
    return lzma.decompress((FROZEN / f"{name}.xz").read_bytes())


def lines(house: str) -> Iterator[Line]:
    """Return all recorded steps in order."""
    decode = msgspec.json.Decoder(Line).decode
    return (decode(line) for line in read(f"{house}.actions.jsonl").splitlines())


def books(house: str) -> Any:
    """The figures of the read models as they were."""
    return json.loads(read(f"{house}.books.json"))


def sqlite_url(house: str, folder: Path) -> str:
    """The store's file, copied into `folder`."""
    path = folder / f"{house}.sqlite3"
    path.write_bytes(read(f"{house}.sqlite3"))
    return f"sqlite:///{path}"


def postgres_url(house: str, empty: str) -> str:
    """The store's rows, in the empty database at this URL."""
    with psycopg.connect(empty, autocommit=True) as connection:
        connection.execute(read(f"{house}.postgres.sql"))
    return empty


def stripped(value: Any) -> Any:
    """Names of rulesets without their version."""
    if isinstance(value, dict):
        return {
            name: value.partition("@")[0] if name == "ruleset" else stripped(value) for name, value in value.items()
        }
    return [stripped(item) for item in value] if isinstance(value, list) else value
