"""Destinations outside the house, named by the administrator of the machine in one TOML file.

`PITLEDGER_DESTINATIONS` names the file. A page chooses among the names and never shows an address:

    [webhooks.duty-desk]
    address = "https://hooks.example.org/pitledger"
    key_file = "/run/secrets/duty-desk"
    networks = ["10.20.0.0/24"]

    [video_systems.recorder]
    address = "https://video.example.org/bookmarks"
    key_file = "/run/secrets/recorder"

    [folders.accounting]
    path = "/srv/reports"
"""

import tomllib
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from events.error_codes import coded
from events.errors import Invalid
from events.settings.settings_from_environment import settings

SETTING = "PITLEDGER_DESTINATIONS"
KEY_MIN = 32
_LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "::1")
Network = IPv4Network | IPv6Network


class Webhook(msgspec.Struct, frozen=True):
    """An address that takes signed messages. `networks` are the private networks that it may be in."""

    address: str
    key: str
    networks: tuple[Network, ...] = ()


class Destinations(msgspec.Struct, frozen=True):
    """The destinations of this machine by name."""

    webhooks: dict[str, Webhook] = {}
    folders: dict[str, Path] = {}
    video_systems: dict[str, Webhook] = {}


class _Webhook(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    address: str
    key: str = ""
    key_file: str = ""
    networks: tuple[str, ...] = ()


class _Folder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    path: str


class _DestinationsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    webhooks: dict[str, _Webhook] = {}
    folders: dict[str, _Folder] = {}
    video_systems: dict[str, _Webhook] = {}


def destinations() -> Destinations:
    """Return the destinations of this machine; none without the setting. Raises Invalid for a wrong file."""
    file = settings().destinations
    return read(Path(file)) if file else Destinations()


def read(file: Path) -> Destinations:
    """Read a file of destinations. Raises Invalid, with the name of the setting."""
    try:
        written = msgspec.convert(tomllib.loads(file.read_text(encoding="utf-8")), _DestinationsFile)
        return Destinations(
            {name: _webhook(f"webhooks.{name}", webhook) for name, webhook in written.webhooks.items()},
            {name: _folder(name, folder) for name, folder in written.folders.items()},
            {name: _webhook(f"video_systems.{name}", system) for name, system in written.video_systems.items()},
        )
    except (OSError, ValueError) as error:  # TOML, msgspec and networks raise ValueError
        raise Invalid(SETTING, coded("destinations-unreadable", reason=str(error)[:300])) from error


def _webhook(name: str, section: _Webhook) -> Webhook:
    parts = urlsplit(section.address)
    is_loopback = parts.hostname in _LOOPBACK_HOSTS
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and is_loopback)
    if not is_safe or not parts.hostname or parts.username or parts.password or parts.fragment:
        raise ValueError(f"{name}: want https://HOST/PATH without a user")
    key = section.key or (Path(section.key_file).read_text(encoding="utf-8").strip() if section.key_file else "")
    if len(key) < KEY_MIN:
        raise ValueError(f"{name}: want a key of {KEY_MIN} characters at least")
    return Webhook(section.address, key, tuple(map(ip_network, section.networks)))


def _folder(name: str, written: _Folder) -> Path:
    path = Path(written.path)
    if not path.is_absolute():
        raise ValueError(f"folders.{name}: want an absolute path")
    return path
