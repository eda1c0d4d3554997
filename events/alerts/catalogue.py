"""All watches of the house, in the order in which they see an event: a watch stands behind those it reads."""

from events.alerts.action_starts import ActionStarts
from events.alerts.cards import Cards
from events.alerts.chance import OfTheSystem
from events.alerts.clock import Clocks
from events.alerts.hands import Requests, SameHands, Shifts
from events.alerts.irregularities import Irregularities
from events.alerts.late_bets import Late
from events.alerts.mispays import Mispays
from events.alerts.money import Cash, Discrepancies
from events.alerts.revoked_posts import OnPosts
from events.alerts.shared_state import House, Roles
from events.alerts.shoes import Shoes
from events.alerts.slips import FoundSlips, Slips
from events.alerts.staff import Staff
from events.alerts.voids import Duty, Played
from events.alerts.watch import Watch


def watches() -> tuple[Watch, ...]:
    """A new one of each."""
    return (
        *(Roles(), House(), Shifts(), Requests(), Duty(), ActionStarts(), OnPosts()),
        *(Late(), Mispays(), Cards(), Shoes(), Irregularities(), Staff()),
        *(FoundSlips(), Slips(), Discrepancies(), Cash(), Played(), SameHands(), Clocks(), OfTheSystem()),
    )
