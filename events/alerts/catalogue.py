"""All watches of the house, in the order in which they see an event: a watch stands behind those it reads."""

from events.alerts.action_starts import ActionStarts
from events.alerts.approval_partners import RequestWatch, SameHands, Shifts
from events.alerts.cards import CardsWatch
from events.alerts.chance import SystemWatch
from events.alerts.clock import Clocks
from events.alerts.draws import DrawWatch
from events.alerts.irregularities import IrregularityWatch
from events.alerts.late_bets import LateWatch
from events.alerts.mispays import Mispays
from events.alerts.money import CashWatch, DiscrepancyWatch
from events.alerts.refused_entries import RefusedEntries
from events.alerts.revoked_posts import PostWatch
from events.alerts.shared_state import HouseWatch, Roles
from events.alerts.shoes import Shoes
from events.alerts.signal_losses import SignalLosses
from events.alerts.slips import FoundSlips, SlipWatch
from events.alerts.staff import Staff
from events.alerts.voids import Duty, RoundsWatch
from events.alerts.watch import Watch


def watches() -> tuple[Watch, ...]:
    """A new one of each."""
    return (
        *(Roles(), HouseWatch(), Shifts(), RequestWatch(), Duty(), ActionStarts(), PostWatch()),
        *(LateWatch(), Mispays(), CardsWatch(), Shoes(), IrregularityWatch(), Staff()),
        *(
            FoundSlips(),
            SlipWatch(),
            DiscrepancyWatch(),
            CashWatch(),
            RoundsWatch(),
            SameHands(),
            Clocks(),
            SignalLosses(),
            RefusedEntries(),
            SystemWatch(),
            DrawWatch(),
        ),
    )
