"""Facts that several rules need: the roles of all people, and the house's settings."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from events.alerts.detector_base import Handler, RuleContext, Watch, WatchedEvent
from events.envelope import EventData
from events.house import alert_rules, settings
from events.house.alert_rules import AlertRule
from events.house.setting_and_chip_structs import SettingChanged
from events.house.settings import HouseSettings
from events.people.role_grant_decider import RoleGranted, RoleRevoked

RULES_SETTING = "alert_rules"


class RoleHolders(msgspec.Struct):
    """The roles in force, by person."""

    roles: dict[str, list[str]] = {}


class Roles(Watch):
    """One state a property."""

    name = "roles"
    state = RoleHolders

    def handlers(self) -> Mapping[type[EventData], Handler]:
        return {RoleGranted: self._granted, RoleRevoked: self._revoked}

    def key(self, event: WatchedEvent) -> str:
        return property_of(event)

    def _granted(self, state: RoleHolders, event: WatchedEvent, _context: RuleContext) -> tuple[()]:
        state.roles[event.data.person] = [*state.roles.get(event.data.person, ()), event.data.role]
        return ()

    def _revoked(self, state: RoleHolders, event: WatchedEvent, _context: RuleContext) -> tuple[()]:
        left = [role for role in state.roles.get(event.data.person, ()) if role != event.data.role]
        state.roles[event.data.person] = left
        return ()


class Values(msgspec.Struct):
    """The settings that were changed; how often each rule of the alerts was."""

    values: dict[str, Any] = {}
    changes: dict[str, int] = {}


class HouseWatch(Watch):
    """One state a property."""

    name = "house"
    state = Values

    def handlers(self) -> Mapping[type[EventData], Handler]:
        return {SettingChanged: self._changed}

    def key(self, event: WatchedEvent) -> str:
        return property_of(event)

    def _changed(self, state: Values, event: WatchedEvent, _context: RuleContext) -> tuple[()]:
        before = alert_rules.rules_from_setting(state.values.get(RULES_SETTING, ""))
        state.values[event.data.setting] = event.data.value
        if event.data.setting == RULES_SETTING:
            after = alert_rules.rules_from_setting(event.data.value)
            changed = [name for name in after if after[name] != before[name]]
            state.changes = {**state.changes, **{name: state.changes.get(name, 0) + 1 for name in changed}}
        return ()


def property_of(event: WatchedEvent) -> str:
    """The property of an event's stream."""
    return event.stream.partition("/")[0]


def roles_of(context: RuleContext, event: WatchedEvent, person: str) -> frozenset[str]:
    """The roles that a person is in at this event."""
    return frozenset(context.state(Roles.name, property_of(event)).roles.get(person, ()))


def rules_at(house: Values) -> Mapping[str, AlertRule]:
    """The rules of the alerts in force, each with its version: how often the house has changed it, and one."""
    rules = alert_rules.rules_from_setting(house.values.get(RULES_SETTING, ""))
    return {name: replace(rule, version=1 + house.changes.get(name, 0)) for name, rule in rules.items()}


def settings_at(context: RuleContext, event: WatchedEvent) -> HouseSettings:
    """The house's settings at this event."""
    return settings.settings_from(context.state(HouseWatch.name, property_of(event)).values)
