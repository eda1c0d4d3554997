"""The house's settings as the store has them by now: for whoever decides or lists by them and keeps no state of it."""

from events import catalogue
from events.house import settings
from events.house.decider import stream_of
from events.house.settings import Settings
from events.house.types import SettingChanged
from events.store import Past


def settings_of(past: Past, property_: str, until: int | None = None) -> Settings:
    """Those in force by all that is stored; `until`: at that position."""
    found = past.stream(stream_of(property_))
    said = [one for one in found if one.type == SettingChanged.TYPE and (until is None or one.position <= until)]
    changes = [catalogue.decode(one.type, one.raw).data for one in said]
    return settings.of({one.setting: one.value for one in changes})
