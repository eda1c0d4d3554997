"""Sets a house up for the action interface: people with roles, open tables, badges and device keys.

`python -m tools.bench.house_setup_for_http` runs in the house's environment, takes its job as a line of JSON and tells
the keys.
"""

import contextlib
import sys

import django
import msgspec

from tools.bench import generated_roulette_actions


class HouseSetupJob(msgspec.Struct, frozen=True):
    """So many tables."""

    tables: int


class HouseKeys(msgspec.Struct, frozen=True):
    """The dealer's badge, each table's device key, the badge of a person without a role, and of a second dealer."""

    badge: str
    devices: dict[str, str]
    other: str = ""
    second: str = ""


def set_up_house(job: HouseSetupJob) -> HouseKeys:
    """All of it; the tables are ready for their first round."""
    from backoffice.people import badge_and_key_authentication
    from events.desk.desk import Desk
    from events.settings.settings_from_environment import settings
    from events.store import open_store

    names = generated_roulette_actions.names("R", job.tables)
    with (
        contextlib.closing(open_store(settings().store)) as store,
        contextlib.closing(Desk(store, settings().property_)) as desk,
    ):
        generated_roulette_actions.hire(
            desk, generated_roulette_actions.CHIEF, generated_roulette_actions.DEALER, generated_roulette_actions.SECOND
        )
        generated_roulette_actions.furnish(desk, names)
    badge = badge_and_key_authentication.issue_badge(generated_roulette_actions.DEALER.person)
    devices = {name: badge_and_key_authentication.issue_device_key(f"terminal-{name}", name) for name in names}
    return HouseKeys(
        badge,
        devices,
        badge_and_key_authentication.issue_badge("somebody"),
        badge_and_key_authentication.issue_badge(generated_roulette_actions.SECOND.person),
    )


def main() -> None:
    """Do the job that stands on the first line."""
    django.setup()
    keys = set_up_house(msgspec.json.decode(sys.stdin.buffer.readline(), type=HouseSetupJob))
    sys.stdout.buffer.write(msgspec.json.encode(keys) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
