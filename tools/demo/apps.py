"""The demo as an app of a checkout: its command, and the addresses and sign-in lines of the house that it made."""

from pathlib import Path

from django.urls import URLPattern

from backoffice.installation.add_on_addresses_and_startup import AddOn


class DemoAddOn(AddOn):
    """Adds to a house that `./manage.py demo` made, and to no other."""

    name = "tools.demo"
    default = True

    def addresses(self, data: Path) -> list[URLPattern]:
        """Return the address that pairs a table device by a printed link."""
        from tools.demo import (
            logins,
            tablet_pairing_link_and_badges,
        )  # here: they need the models, which are loaded after the apps

        return [tablet_pairing_link_and_badges.PAIR] if logins.is_demo(data) else []

    def start_lines(self, data: Path, port: int) -> list[str]:
        """Return the demo's logins, and the link of its table screen."""
        from tools.demo import logins, tablet_pairing_link_and_badges  # here: as above

        saved = logins.saved_logins(data)
        return [] if saved is None else [*logins.lines(saved, port), *tablet_pairing_link_and_badges.lines(data, port)]
