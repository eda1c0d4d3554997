"""State of the house's programs at the close of a day: the read models, and the signed heads."""

import json
from collections import Counter

from django.db import DatabaseError

from backoffice.databases.connections_to_replaced_files import close_stale_connections
from backoffice.installation.dependency_injection import installation
from events.accounting.journal.journal_against_other_accounts_checks import BrokenIdentity
from events.accounting.report import ledger_cache_for_day_close
from events.accounting.report.checklist_system_state_source import SystemState
from events.errors import PitledgerError
from events.integrity.signed_head_stores import open_heads
from events.settings.settings_from_environment import settings
from projections.engine.models import PoisonedEvent, Reader, WaitingEvent
from projections.engine.same_store_check_by_digest import holds
from projections.registry import PROJECTORS


def read_system_state() -> SystemState:
    """Return the present state; unknown for a program that does not answer."""
    close_stale_connections()
    try:
        return SystemState(readers=_readers(), aside=_quarantined_counts(), head=_last_head_position())
    except (DatabaseError, PitledgerError):
        return SystemState(head=_last_head_position())


def journal_broken(gaming_day: str) -> tuple[BrokenIdentity, ...] | None:
    """Return the violations of a day's journal, by the accounts of the process that closes days; None elsewhere."""
    try:
        return ledger_cache_for_day_close.journal_broken(installation().store, settings().property_, gaming_day)
    except PitledgerError:
        return None


def _readers() -> dict[str, int]:
    """Return the position of each read model in this store; 0 for one made of another history."""
    store = installation().store
    readers = Reader.objects.filter(projection__in=PROJECTORS)
    read = {reader.projection: reader.position for reader in readers if holds(store, reader)}
    return {name: read.get(name, 0) for name in PROJECTORS}


def _quarantined_counts() -> dict[str, int]:
    counts: Counter[str] = Counter()
    for model in (PoisonedEvent, WaitingEvent):
        counts.update(model._default_manager.filter(projection__in=PROJECTORS).values_list("projection", flat=True))
    return dict(counts)


def _last_head_position() -> int | None:
    heads = open_heads(settings().store)
    try:
        last = heads.last()
    except PitledgerError:
        return None
    finally:
        heads.close()
    return None if last is None else int(json.loads(last)["position"])
