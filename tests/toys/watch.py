"""An alert of the product, as docs/howto/add-an-alert.md adds one: a table that receives many fills in a session."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import msgspec
import pytest

from events.alerts import detector_registry
from events.alerts.detector_base import Handler, RaisedAlert, RuleContext, Watch, WatchedEvent, raised
from events.envelope import EventData
from events.house import alert_rules
from events.house.alert_rules import AlertRule
from events.tables.event_types.money import FillReceived
from projections.alerts import projector

RULE = AlertRule(
    name="many fills",
    title="many fills",
    means="a table received more fills in a session than the house expects",
    severity="low",
    parameters={"fills": 2},
)


class SessionFills(msgspec.Struct):
    """The events of the fills that a table received in a session."""

    fills: list[str] = []


class FillWatch(Watch):
    """One state a session."""

    name = "fills"
    state = SessionFills

    def handlers(self) -> Mapping[type[EventData], Handler]:
        return {FillReceived: self._received}

    def _received(self, state: SessionFills, event: WatchedEvent, context: RuleContext) -> Sequence[RaisedAlert]:
        before = tuple(state.fills)
        state.fills.append(event.id)
        is_raised = len(state.fills) == context.rules[RULE.name].parameters["fills"] + 1
        return (raised(RULE.name, event, *before, fills=len(state.fills)),) if is_raised else ()


def install(patch: pytest.MonkeyPatch) -> None:
    """Add the rule and the watch to their lists."""
    declared: Any = alert_rules.RULES
    patch.setitem(declared, RULE.name, RULE)
    patch.setattr(
        alert_rules, "rules_from_setting", cache(alert_rules.rules_from_setting.__wrapped__)
    )  # remembers nothing of before
    patch.setattr(projector, "watches", lambda: (*detector_registry.watches(), FillWatch()))
