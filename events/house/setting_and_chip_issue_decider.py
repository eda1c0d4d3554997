"""Changes of settings, and issues of chips, by two people of two departments, neither of them the pit."""

import msgspec

from events.envelope import Action, ActionData, EventData, Who
from events.error_codes import coded
from events.errors import Invalid, Refused
from events.house import settings
from events.house.setting_and_chip_structs import ChangeSetting, ChipsIssued, IssueChips, Pairs, SettingChanged
from events.house.settings import HouseSettings
from events.money import single_currency_rule
from events.people import approval_request_lifecycle, authority
from events.people.approval_request_lifecycle import Moment, Requests
from events.roles import AuthorityRule, Roles
from events.rules.chip_sums_by_denomination import chips_minor, taken_away, total_pieces

CLAUSE = "house setting"
CHIPS = "house chips"
_OTHERS: Roles = ("cage", "progressive manager", "security", "surveillance")
RULES: dict[str, AuthorityRule] = {
    "setting.change": AuthorityRule(
        ask=("accountant", *_OTHERS),
        keys=(("accountant",), _OTHERS),
        by_departments=True,
        excluded=("asked",),
        clause=CLAUSE,
    ),
    "chips.issue": AuthorityRule(
        ask=("cage", "accountant"),
        keys=(("cage",), ("accountant", "security", "surveillance")),
        by_departments=True,
        excluded=("asked",),
        clause=CHIPS,
    ),
}


class House(msgspec.Struct, frozen=True):
    """Settings by name; the chips issued and not destroyed, by denomination; requests that wait for a second person."""

    values: dict[str, object] = {}
    chips: dict[int, int] = {}
    requests: Requests = {}

    @property
    def settings(self) -> HouseSettings:
        """Return the settings in force."""
        return settings.settings_from(self.values)


class Bound(msgspec.Struct, frozen=True):
    """The property's currency, "" before it is set; `is_used`: a table or a progressive is in it."""

    currency: str = ""
    is_used: bool = False


def decide(
    house: House, action: Action, data: ActionData, actor: Who, moment: Moment, bound: Bound | None = None
) -> list[EventData]:
    """Return the events that the action makes, or the request that it becomes."""
    bound = bound or Bound()

    def judge(action: Action, data: ActionData, before: approval_request_lifecycle.Pairs) -> list[EventData]:
        if not isinstance(data, ChangeSetting | IssueChips):
            raise Refused(CLAUSE, coded("not-an-action-of-house", action=action.type))
        people = approval_request_lifecycle.all_approvers(before, actor)
        if isinstance(data, ChangeSetting):
            event: EventData = _setting_changed(house, data, people, bound)
        else:
            event = _issued(house, data, people, bound)
        authority.require(RULES[data.TYPE], people)
        return [event]

    return approval_request_lifecycle.decide("house", house.requests, action, data, actor, moment, judge)


def _setting_changed(house: House, data: ChangeSetting, people: Pairs, bound: Bound) -> SettingChanged:
    if data.setting == "currency" and bound.is_used and data.value != bound.currency:
        message = coded("currency-is-fixed", currency=bound.currency)
        raise Refused(single_currency_rule.CLAUSE, message, field="data.value")
    value = settings.valid_value(house.values, data.setting, data.value, bound.currency)
    before = getattr(house.settings, data.setting)
    if value == before:
        raise Refused(CLAUSE, coded("setting-is-so", setting=data.setting), field="data.value")
    return SettingChanged(setting=data.setting, value=value, before=before, approvals=people)


def _issued(house: House, data: IssueChips, people: Pairs, bound: Bound) -> ChipsIssued:
    """Issue or destroy chips. Chips are destroyed in the cage. Their counters never see the content by the books."""
    if data.currency is not None and not bound.currency:
        message = coded("currency-not-set")
        raise Refused(single_currency_rule.CLAUSE, message, field="data.currency")
    if data.currency is not None:
        single_currency_rule.require(data.currency, bound.currency)
    worth = chips_minor(data.chips, "data.chips")
    if not worth:
        raise Invalid("data.chips", coded("chips-none"))
    short = [denomination for denomination, count in data.chips.items() if count > house.chips.get(denomination, 0)]
    if data.way == "destroyed" and short:
        raise Refused(
            CHIPS,
            coded("chips-never-issued", denomination=short[0], count=house.chips.get(short[0], 0)),
            field="data.chips",
        )
    return ChipsIssued(chips=data.chips, amount_minor=worth, way=data.way, reason=data.reason, approvals=people)


def evolve(house: House, event: EventData, _actor: str = "") -> House:
    """The house after the event."""
    if isinstance(event, SettingChanged):
        return msgspec.structs.replace(house, values={**house.values, event.setting: event.value})
    if isinstance(event, ChipsIssued):
        change = total_pieces if event.way == "brought in" else taken_away
        return msgspec.structs.replace(house, chips=change(house.chips, event.chips))
    if isinstance(event, approval_request_lifecycle.EVENTS):
        return msgspec.structs.replace(house, requests=approval_request_lifecycle.evolve(house.requests, event))
    return house


def stream_of(property_: str) -> str:
    """The house's stream."""
    return f"{property_}/house"
