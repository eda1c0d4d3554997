"""Settings of this process, read from the environment by one parser.

An empty setting is not set. They are parsed again only after a change of the environment.
"""

import os
from collections.abc import Mapping
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from events.error_codes import coded
from events.errors import Invalid
from events.settings.network_address_parsing import WrongAddress, addresses, networks, proxies
from events.settings.setting_declarations import (
    CLOCK,
    FILE,
    IN_FILES,
    MACHINE,
    NAMES,
    OF_CHILDREN,
    OF_COMPOSE,
    OF_TESTS,
    PREFIX,
    SECRETS,
    Settings,
    wanted_form,
)

ZONES = Path("/usr/share/zoneinfo")
ROOT = Path(__file__).resolve().parents[2]
_NO_ZONE = (ZoneInfoNotFoundError, ValueError, OSError)  # no such name, no name at all, a folder of them


def settings() -> Settings:
    """Return the settings of this process. Raises Invalid."""
    global _latest  # noqa: PLW0603 - environment and settings are replaced together, for all threads at once
    # Each request asks several times. Comparing the environment's own bytes takes one microsecond. The public mapping
    # checks and encodes every name: fifteen.
    now: Mapping[bytes, bytes] = getattr(os.environ, "_data", os.environb)
    environment, parsed = _latest
    if parsed is None or now != environment:
        environment = dict(now)
        parsed = _of_process(tuple([pair for pair in environment.items() if pair[0].startswith(_PREFIX)]))
        _latest = environment, parsed
    return parsed


_PREFIX = PREFIX.encode()
_latest: tuple[Mapping[bytes, bytes], Settings | None] = {}, None


@lru_cache(maxsize=32)
def _of_process(variables: tuple[tuple[bytes, bytes], ...]) -> Settings:
    return _read(_values({os.fsdecode(name): os.fsdecode(value) for name, value in variables}))


def read(environment: Mapping[str, str]) -> Settings:
    """Parse an environment. Raises Invalid, with the name of the setting, for a wrong value and an unknown name."""
    for name in sorted(environment):
        if name.startswith(PREFIX) and name not in {*NAMES, *IN_FILES, *OF_CHILDREN, *OF_COMPOSE, *OF_TESTS}:
            near = get_close_matches(name, NAMES, 1)
            hint = f"did you mean {near[0]}?" if near else "docs/reference/settings.md lists all"
            raise Invalid(name, coded("environment-setting-unknown", hint=hint))
    return _read(_values(environment))


def _values(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The settings in the order of NAMES, "" where one is not set. Raises Invalid."""
    return tuple(_secret(environment, name) if name in SECRETS else environment.get(name, "") for name in NAMES)


def _secret(environment: Mapping[str, str], name: str) -> str:
    value, path = environment.get(name, ""), environment.get(f"{name}{FILE}", "")
    if value and path:
        raise Invalid(name, coded("setting-set-twice", name=name, file=f"{name}{FILE}"))
    return _content(name, path) if path else value


@lru_cache(maxsize=32)
def _content(name: str, path: str) -> str:
    try:
        content = Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Invalid(f"{name}{FILE}", coded("setting-file-unreadable", path=str(path), why=str(error))) from error
    if not content:
        raise Invalid(f"{name}{FILE}", coded("setting-file-empty", path=str(path)))
    return content


@lru_cache(maxsize=32)
def _read(values: tuple[str, ...]) -> Settings:
    texts = {name: value.strip() for name, value in zip(NAMES, values, strict=True) if value.strip()}
    for name, value in texts.items():
        _must_be_one(name, value)
    entered = msgspec.convert(texts, Settings, strict=False)
    if entered.address and entered.mail_link and entered.mail_link.rstrip("/").lower() != entered.link:
        raise Invalid(
            f"{PREFIX}MAIL_LINK",
            coded("mail-link-differs", named=entered.mail_link, link=entered.link),
        )
    return _filled(entered)


def _must_be_one(name: str, value: str) -> None:
    try:
        entered = msgspec.convert({name: value}, Settings, strict=False)
        _must_be_a_zone(entered.time_zone)
        networks(entered.observers)
        addresses(entered.address)
        proxies(entered.proxies)
    except WrongAddress as error:
        raise Invalid(name, coded("setting-invalid", why=str(error))) from None
    except (msgspec.ValidationError, *_NO_ZONE):
        quoted = "the value" if name in SECRETS else repr(value)
        raise Invalid(name, coded("setting-of-another-kind", value=quoted, wanted=wanted_form(name))) from None


def _must_be_a_zone(name: str) -> None:
    """Raise ValueError for a zone that the machine does not have, or that Django would not take: it wants the file."""
    ZoneInfo(name)
    if ZONES.exists() and not ZONES.joinpath(*name.split("/")).exists():
        raise ValueError(f"no file {name} in {ZONES}")


def _filled(settings: Settings) -> Settings:
    """Return the settings with the defaults that follow from other settings, or from the data folder's present
    content."""
    data = Path(settings.data).resolve() if settings.data else _default_folder(is_configured=bool(settings.store))
    clock = settings.clock or (str(data / CLOCK) if (data / CLOCK).exists() else MACHINE)
    return msgspec.structs.replace(
        settings,
        data=str(data),
        store=_with_password(settings.store, settings.db_password) or f"sqlite:///{data / 'events.sqlite3'}",
        read=_with_password(settings.read, settings.db_password) or f"sqlite:///{data / 'read.sqlite3'}",
        access=_with_password(settings.access, settings.db_password) or f"sqlite:///{data / 'access.sqlite3'}",
        clock=clock,
    )


def _with_password(url: str, password: str) -> str:
    """A database's address with the password, where it names a user and no password of its own."""
    before, at, after = url.partition("@")
    has_own = ":" in before.partition("://")[2]
    return url if not password or not at or has_own else f"{before}:{quote(password, safe='')}@{after}"


def _default_folder(*, is_configured: bool) -> Path:
    """`var/house` in the checkout; before there is one, the last demo's `var/demo`, so that `up` shows its day."""
    house, demo = ROOT / "var" / "house", ROOT / "var" / "demo"
    is_configured = is_configured or (house / "events.sqlite3").exists()
    return demo if (demo / "events.sqlite3").exists() and not is_configured else house
