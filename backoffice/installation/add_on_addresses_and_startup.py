"""Apps beside the product, as the demo in a checkout: they may add addresses, and lines to the start of `up`."""

from collections.abc import Iterator
from pathlib import Path

from django.apps import AppConfig, apps
from django.urls import URLPattern


class AddOn(AppConfig):
    """An installed app that adds to a house. `data` is the data folder: an add-on decides by it for which house."""

    default = False  # a subclass is an app, this is none

    def addresses(self, data: Path) -> list[URLPattern]:
        """Return the addresses that come before those of every house, each with its reading rule."""
        return []

    def start_lines(self, data: Path, port: int) -> list[str]:
        """Return the lines about signing in that `up` prints; none leaves them to `up`."""
        return []


def addresses(data: Path) -> list[URLPattern]:
    """Return the addresses of all add-ons."""
    return [address for add_on in _installed() for address in add_on.addresses(data)]


def start_lines(data: Path, port: int) -> list[str]:
    """Return the lines of all add-ons for the start of `up`."""
    return [line for add_on in _installed() for line in add_on.start_lines(data, port)]


def _installed() -> Iterator[AddOn]:
    return (app for app in apps.get_app_configs() if isinstance(app, AddOn))
