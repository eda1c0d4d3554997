"""The one desk of this process: its writer thread is shared by all requests."""

import logging
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

from eventsourcing.persistence import PersistenceError

from backoffice.days import system_state_for_day_close
from backoffice.installation.dependency_injection import Installation, installation
from backoffice.surveillance import people_barred_from_alert_decision
from events.accounting.report import checklist_system_state_source
from events.accounting.report import ledger_cache_for_day_close as accounts
from events.alerts import alert_people_cache
from events.cases.case_key_and_file_vault import destroy_again
from events.desk import lookalike_id_claims
from events.desk.desk import Desk
from events.errors import PitledgerError
from events.progressives import due_lock_and_lapse_appending

log = logging.getLogger(__name__)


@contextmanager
def built(house: Installation) -> Iterator[Desk]:
    """Yield the desk over the house's store; at the end it answers the queued actions."""
    checklist_system_state_source.register_source(house.store, system_state_for_day_close.read_system_state)
    alert_people_cache.set_finder(house.store, people_barred_from_alert_decision.find)
    with closing(Desk(house.store, house.settings.property_, house.settings.fresh_s)) as desk:
        yield desk


def desk() -> Desk:
    """The process's desk, opened at its first use and closed at exit."""
    return installation().part(built)


def prepare(house: Installation) -> None:
    """Open the desk and load every progressive and the accounts, before the first action."""
    began_at = time.monotonic()
    try:
        destroy_again(house.store)
        lookalike_id_claims.index(house.store, house.settings.property_)
        due_lock_and_lapse_appending.prepare(house.part(built).store, house.settings.property_)
        accounts.prepare(house.store, house.settings.property_)
    except (PitledgerError, PersistenceError) as error:  # later requests get this error
        log.warning("the progressives are not at hand yet: %s", error)
    else:
        log.info("the progressives are at hand after %.1f s", time.monotonic() - began_at)
