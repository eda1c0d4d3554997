"""The house's present settings out of the store: for code that decides or lists by them and keeps no state of them."""

from events import catalogue
from events.house import settings
from events.house.setting_and_chip_issue_decider import stream_of
from events.house.setting_and_chip_structs import SettingChanged
from events.house.settings import HouseSettings
from events.store import EventReader


def settings_of(history: EventReader, property_: str, until: int | None = None) -> HouseSettings:
    """Return the settings in force by all stored events; `until`: at that position."""
    stored_events = history.stream(stream_of(property_))
    changes_stored = [
        stored
        for stored in stored_events
        if stored.type == SettingChanged.TYPE and (until is None or stored.position <= until)
    ]
    changes = [catalogue.decode(stored.type, stored.raw).data for stored in changes_stored]
    return settings.settings_from({change.setting: change.value for change in changes})
