"""Refused entries of a device's queue: changed, missing or out of order. A device never does that by itself."""

from collections.abc import Mapping

import msgspec

from events.alerts.detector_base import Handler, RaisedAlert, RuleContext, Watch, WatchedEvent, raised
from events.envelope import EventData
from events.floor.device_and_entry_decider import EntryRefused

NAME = "refused entry"


class NoEntryState(msgspec.Struct):
    """An empty state."""


class RefusedEntries(Watch):
    """No state: the event holds everything."""

    name = "refused entries"
    state = NoEntryState

    def handlers(self) -> Mapping[type[EventData], Handler]:
        return {EntryRefused: self._refused}

    def key(self, event: WatchedEvent) -> str:
        return ""

    def _refused(self, _state: NoEntryState, event: WatchedEvent, _context: RuleContext) -> tuple[RaisedAlert]:
        data: EntryRefused = event.data
        return (raised(NAME, event, device=data.device, entry=data.entry, reason=data.fault),)
