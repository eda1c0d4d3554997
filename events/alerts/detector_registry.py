"""All watches of the house, in the order in which they get an event: a watch comes after the watches that it reads."""

from events.alerts.clock_drift import Clocks
from events.alerts.dealers_with_excess_void_rounds import Duty, RoundsWatch
from events.alerts.detector_base import Watch
from events.alerts.discrepancies_and_cash import CashWatch, DiscrepancyWatch
from events.alerts.fact_behind_irregularity import ActionStarts
from events.alerts.impossible_card_detector import CardsWatch
from events.alerts.incomplete_or_unshuffled_shoes import Shoes
from events.alerts.irregularity_event_alerts import IrregularityWatch
from events.alerts.late_bets import LateWatch
from events.alerts.late_or_unrevealed_inspection_draws import DrawWatch
from events.alerts.mispays import Mispays
from events.alerts.offline_money import SignalLosses
from events.alerts.refused_device_entries import RefusedEntries
from events.alerts.repeated_approver_pair_alerts import RequestWatch, SameHands, Shifts
from events.alerts.reused_slip_and_receipt_difference_alerts import FoundSlips, SlipWatch
from events.alerts.role_revoked_while_on_post import PostWatch
from events.alerts.roles_and_settings_in_force import HouseWatch, Roles
from events.alerts.staffing_violations import Staff
from events.alerts.unlikely_result_and_integrity_alerts import SystemWatch


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
