"""The settings: all that differs from house to house, read from the environment by one parser.

Each has a name, a type, a default and a help, here and nowhere else; docs/reference/settings.md is made from them.
One that is empty is not set. A process reads them once: what they say holds for as long as it lives.
"""

import os
from collections.abc import Mapping
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from events.errors import Invalid

ROOT = Path(__file__).resolve().parent.parent
PREFIX = "PITLEDGER_"
EMBEDDED, FILESYSTEM, MACHINE = "embedded", "filesystem", "machine"
CLOCK = "clock"  # in the data folder of a house that lives in its own time
# No settings of a house: what our own processes tell their children, docker-compose.yml takes, and tests are told.
OF_CHILDREN = {"PITLEDGER_PROCESS_MARK", "PITLEDGER_DEMO"}
OF_COMPOSE = {"PITLEDGER_DB_PASSWORD"}
OF_TESTS = {"PITLEDGER_RECORDED_DATA", "PITLEDGER_BENCH_BARE"}

_PORT = "port: a number from 1 to 65535"
_SECONDS = "number of seconds above 0 and up to a day"
_DAY_S = 86_400


def _help(text: str, default: str = "", wanted: str = "", **bounds: Any) -> Meta:
    """What a setting means; its default where that is not a plain value; and what a wrong value is not."""
    return Meta(description=text, extra={"default": default, "wanted": wanted}, **bounds)


class Settings(msgspec.Struct, frozen=True, kw_only=True, rename=lambda name: PREFIX + name.rstrip("_").upper()):
    """What the environment says, the defaults filled in."""

    data: Annotated[
        str,
        _help(
            "folder for files, logs and locks of a running house",
            "`var/house`; the last demo's `var/demo` while there is no house",
        ),
    ] = ""
    property_: Annotated[str, _help("the casino: first part of every stream, source of every event")] = "athens"
    store: Annotated[
        str,
        _help(
            "event store: `sqlite:///PATH` or `postgresql://USER:PASSWORD@HOST:PORT/DB`",
            "`events.sqlite3` in the data folder",
        ),
    ] = ""
    read: Annotated[
        str,
        _help(
            "read models, directory, access log: same form, another database. Options, as for TLS, are libpq's "
            "variables (`PGSSLMODE`), for both",
            "`read.sqlite3` in the data folder",
        ),
    ] = ""
    clock: Annotated[
        str,
        _help(
            "the house's clock: `machine`, or a small file that sets a played one: `2026-11-20T18:00:00.000Z since "
            "1795200000` runs on from that second of the machine's, the time alone stands still. For demos, tests and "
            "training: all processes of the house share it, `up` says so",
            "`clock` in the data folder, which a demo leaves standing where its night ended and `up` lets run on; "
            "else the machine's",
        ),
    ] = ""
    kafka: Annotated[str, _help("bootstrap servers, or `embedded` for the broker that `up` starts")] = EMBEDDED
    celery: Annotated[str, _help("`redis://...`, or `filesystem`", "`filesystem`, in the data folder")] = FILESYSTEM
    sweep_s: Annotated[
        float, _help("seconds between two sweeps for work that a lost task forgot", wanted=_SECONDS, gt=0, le=_DAY_S)
    ] = 5
    head_s: Annotated[float, _help("seconds between two signed integrity heads", wanted=_SECONDS, gt=0, le=_DAY_S)] = 10
    head_key: Annotated[
        str,
        _help(
            "the private key (Ed25519) that signs them and from which the key of the snapshots' seals is derived, 32 "
            "random bytes in hex: `openssl rand -hex 32` makes one. Keep it where the database's keepers cannot read "
            "it; the public key stands in every head. The same for all processes of a house",
            "made for the data folder at first use, in its `keys/`",
        ),
    ] = ""
    wait_alert_s: Annotated[
        float,
        _help("seconds that a jackpot may wait for its round's deal before somebody is told", wanted=_SECONDS, gt=0),
    ] = 120
    partitions: Annotated[
        str,
        _help(
            "the partition of each property on one Kafka, as `athens=0,corfu=1`",
            "0 for every property",
            "list of partitions: want PROPERTY=NUMBER,...",
            pattern=r"^\s*[^=,]+=\s*\d+\s*(,\s*[^=,]+=\s*\d+\s*)*,?$",
        ),
    ] = ""
    web_port: Annotated[int, _help("port of pages and API, on loopback", wanted=_PORT, ge=1, le=65_535)] = 8000
    live_port: Annotated[
        int,
        _help("port of the live streams, on loopback", "the port after `PITLEDGER_WEB_PORT`", _PORT, ge=1, le=65_535),
    ] = 0
    live_host: Annotated[str, _help("the address on which the live streams listen")] = "127.0.0.1"
    secret_key: Annotated[str, _help("Django's secret", "made for the data folder at first use")] = ""
    rulesets: Annotated[str, _help("a folder with the casino's own rulesets, which win over ours", "none")] = ""

    @property
    def data_folder(self) -> Path:
        """Everything that this installation keeps on this machine."""
        return Path(self.data)

    def port_of_live(self, web: int | None = None) -> int:
        """Where the live streams listen beside pages on this port (default: on theirs)."""
        return self.live_port or (web or self.web_port) + 1


NAMES = tuple(field.encode_name for field in msgspec.structs.fields(Settings))


def settings() -> Settings:
    """Those of this process. Raises Invalid."""
    return _read(tuple(os.environ.get(name, "") for name in NAMES))


def read(environment: Mapping[str, str]) -> Settings:
    """Parse an environment. Raises Invalid, with the name of the setting, for a wrong value and an unknown name."""
    for name in sorted(environment):
        if name.startswith(PREFIX) and name not in {*NAMES, *OF_CHILDREN, *OF_COMPOSE, *OF_TESTS}:
            near = get_close_matches(name, NAMES, 1)
            hint = f"did you mean {near[0]}?" if near else "docs/reference/settings.md lists all"
            raise Invalid(name, f"there is no such setting: {hint}")
    return _read(tuple(environment.get(name, "") for name in NAMES))


@lru_cache(maxsize=32)
def _read(values: tuple[str, ...]) -> Settings:
    given = {name: value.strip() for name, value in zip(NAMES, values, strict=True) if value.strip()}
    for name, value in given.items():
        _must_be_one(name, value)
    return _filled(msgspec.convert(given, Settings, strict=False))


def _must_be_one(name: str, value: str) -> None:
    try:
        msgspec.convert({name: value}, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise Invalid(name, f"{value!r} is no {_extra(_META[name])['wanted']}") from error


def _filled(found: Settings) -> Settings:
    """With the defaults that follow from other settings, or from what lies in the data folder by now."""
    data = Path(found.data).resolve() if found.data else _default_folder(is_configured=bool(found.store))
    clock = found.clock or (str(data / CLOCK) if (data / CLOCK).exists() else MACHINE)
    return msgspec.structs.replace(
        found,
        data=str(data),
        store=found.store or f"sqlite:///{data / 'events.sqlite3'}",
        read=found.read or f"sqlite:///{data / 'read.sqlite3'}",
        clock=clock,
    )


def _default_folder(*, is_configured: bool) -> Path:
    """`var/house` in the checkout; before there is one, the last demo's `var/demo`, so that `up` shows its day."""
    house, demo = ROOT / "var" / "house", ROOT / "var" / "demo"
    is_configured = is_configured or (house / "events.sqlite3").exists()
    return demo if (demo / "events.sqlite3").exists() and not is_configured else house


def _extra(meta: Meta) -> dict[str, str]:
    return meta.extra or {}


_META: dict[str, Meta] = {
    field.encode_name: annotation.__metadata__[0]
    for field, annotation in zip(msgspec.structs.fields(Settings), Settings.__annotations__.values(), strict=True)
}


def rows() -> list[tuple[str, str, str]]:
    """Name, meaning and default of every setting, for the reference."""
    plain = {field.encode_name: field.default for field in msgspec.structs.fields(Settings)}
    return [
        (name, str(meta.description), str(_extra(meta)["default"]) or f"`{plain[name]}`")
        for name, meta in _META.items()
    ]
