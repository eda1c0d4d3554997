"""Addresses to visit during the demo's night, and the page that explains a jackpot at its end."""

from collections.abc import Iterator
from pathlib import Path

from backoffice.people import display_keys
from projections.progressives.models import Hit
from tools.demo import demo_house_setup, logins

DISPLAY = "demo-sign"


def invitation(data: Path, port: int) -> Iterator[str]:
    """The lines to print before the night begins: logins, and the pages that move while it is played."""
    pages = f"http://localhost:{port}"
    if login := logins.saved_logins(data):
        yield from logins.lines(login, port)
        yield f"The code of this half minute is {logins.code(login)}."
    yield ""
    yield "Open these while the night is played (u-901, the auditor, reads everything):"
    yield f"  {pages}/  the floor: every table with its rounds and its win"
    yield f"  {pages}/progressives/{demo_house_setup.PROGRESSIVE}  the meters, and the jackpots of the night"
    yield f"  {pages}/alerts  what surveillance is told, within a second"
    yield "The sign above the tables needs no login:"
    yield f"  {pages}/display#{display_keys.invite(DISPLAY, 'demo')}"
    yield ""


def explained(port: int) -> Iterator[str]:
    """The line that leads to the largest jackpot, explained to the cent; none where nothing was won."""
    hit = Hit.objects.filter(share_minor__isnull=False).order_by("-share_minor", "hit").first()
    if hit is not None:
        yield "A jackpot explained to the cent, event by event:"
        yield f"  http://localhost:{port}/progressives/{demo_house_setup.PROGRESSIVE}/hits/{hit.hit}"
