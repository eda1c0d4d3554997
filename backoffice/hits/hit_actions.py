"""Actions that a person may take on a hit."""

from collections.abc import Collection, Iterator

from django.utils.translation import gettext as _

from backoffice.inbox import inbox
from backoffice.kit.due_actions import DueAction
from backoffice.progressives.matters import shares
from projections.matters.models import HousePayment
from projections.progressives.models import Hit

SETTLED = ("paid", "void", "refused")


def actions_on_hit(progressive: str, name: str, person: str, roles: Collection[str]) -> list[DueAction]:
    """Return the actions this person may take on a hit: those that wait for them, and those always open."""
    row = Hit.objects.filter(hit=name, stream__endswith=f"/progressives/{progressive}").first()
    if row is None:
        return []
    waiting = inbox.of_a_hit(progressive, name)
    dos = [do for matter in waiting if matter.is_for(person, roles) for do in matter.dos]
    own = [do for matter in waiting if matter.by == person for do in matter.own]
    return [*dos, *own, *_always(row, progressive)]


def _always(row: Hit, progressive: str) -> Iterator[DueAction]:
    to = f"progressives/{progressive}"
    if row.status not in SETTLED:
        yield DueAction(_("Void hit"), "", to, "", "hit.void", {"hit": row.hit})
    known = {"hit": row.hit, "level": row.level, "player": row.player}
    yield DueAction(_("Pay from house funds"), "", to, "", "house.pay", known)
    for paid in HousePayment.objects.filter(stream=row.stream, hit=row.hit, void_at=None):
        yield shares.taking_back(paid)
