"""A house with open tables and devices for the measurement of table screens.

`python -m tools.bench.table_screen_bench_house` runs in the house's environment, takes its job as a line of JSON and
answers with the badges and the codes of the pairings.
"""

import contextlib
import sys

import django
import msgspec

SHOE = {"shoe": "s1", "packs": 8, "seal": "A-1"}
DICE = [{"serial": "K17", "colour": "red"}] * 5
CREW = (("second dealer", "dan"), ("stickman", "stan"), ("manager", "mia"))


class ScreenHouseJob(msgspec.Struct, frozen=True):
    """Tables by name with their game and ruleset; or, with none, the confirmation of all devices that wait."""

    tables: dict[str, tuple[str, str]]


class Badges(msgspec.Struct, frozen=True):
    """Badges of the dealer and of the inspector, the secret of a pairing for each table, and the keys of terminals."""

    dealer: str
    inspector: str
    secrets: dict[str, str]
    device_keys: dict[str, str]


# The tables whose actions are sent without a screen: a p99 needs a hundred of them in the shortest run.
BARE = ("B1", "B2", "B3", "B4", "B5")


def opened(job: ScreenHouseJob) -> Badges:
    """Open the tables and make a code for a device at each."""
    from backoffice.people import badge_and_key_authentication
    from backoffice.table_screen import pairing
    from events.settings.settings_from_environment import settings
    from events.store import open_store
    from tests.support.houses.small_house import House

    with contextlib.closing(House(open_store(settings().store))) as house:
        for name, (game, ruleset) in job.tables.items():
            if name not in ("FR1", "BJ1", "BJ2"):  # those are in every such house
                house.install(name, game, ruleset)
            house.open_table(name)
            if game == "baccarat":
                act = house.action
                house.ok("tables", name, "dora", act("shoe.load", **SHOE), act("shoe.burn", card="2C"))
            if game == "craps":
                act = house.action
                posts = (act("staff.assign", post=post, person=person) for post, person in CREW)
                house.ok("tables", name, "ines", *posts, act("dice.put", dice=DICE))
    secrets = {name: pairing.invite(name, "screen", "paul")[1] for name in job.tables}
    device_keys = {name: badge_and_key_authentication.issue_device_key(f"terminal-{name}", name) for name in BARE}
    return Badges(
        badge_and_key_authentication.issue_badge("dora"),
        badge_and_key_authentication.issue_badge("ines"),
        secrets,
        device_keys,
    )


def confirm() -> None:
    """Confirm every device that has sent its key."""
    from backoffice.models import TableDevice
    from events.settings.settings_from_environment import settings
    from events.store import open_store
    from tests.support.houses.small_house import reopened_house

    with contextlib.closing(reopened_house(open_store(settings().store))) as house:
        for device in TableDevice.objects.exclude(public_key=""):
            about = {"device": device.pk, "table": device.table, "use": device.use, "key": device.fingerprint}
            house.ok("devices", "", "paul", house.action("device.pair", **about))


def main() -> None:
    """Do the job that stands on the first line."""
    django.setup()
    job = msgspec.json.decode(sys.stdin.buffer.readline(), type=ScreenHouseJob)
    if job.tables:
        answer = msgspec.json.encode(opened(job))
    else:
        confirm()
        answer = b"{}"
    sys.stdout.buffer.write(answer + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
