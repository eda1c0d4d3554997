"""All watches of the house, in the order in which they see an event: a watch stands behind those it reads."""

from events.alerts.approval_partners import RequestWatch, SameHands, Shifts
from events.alerts.cards import CardsWatch
from events.alerts.chance_and_integrity import SystemWatch
from events.alerts.clock_drift import Clocks
from events.alerts.detector_base import Watch
from events.alerts.discrepancies_and_cash import CashWatch, DiscrepancyWatch
from events.alerts.first_event_of_action import ActionStarts
from events.alerts.incomplete_or_unshuffled_shoes import Shoes
from events.alerts.inspection_draw_commitment_breaches import DrawWatch
from events.alerts.irregularity_event_alerts import IrregularityWatch
from events.alerts.late_bets import LateWatch
from events.alerts.mispays import Mispays
from events.alerts.offline_money import SignalLosses
from events.alerts.refused_device_entries import RefusedEntries
from events.alerts.role_revoked_while_on_post import PostWatch
from events.alerts.roles_and_settings_watches import HouseWatch, Roles
from events.alerts.slips import FoundSlips, SlipWatch
from events.alerts.staffing_violations import Staff
from events.alerts.void_rounds import Duty, RoundsWatch


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
