"""Events of the house: settings change, chips are issued and destroyed."""

from typing import Any, ClassVar, Literal

from events.envelope import ActionData, EventData
from events.fields import Chips, Currency, Name, SettingText, Signed, Text

Way = Literal["brought in", "destroyed"]
Value = Signed | SettingText  # the shape of a setting decides which of them it is
Pairs = tuple[tuple[str, str], ...]  # (person, role)


class ChangeSetting(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Change a setting on which figures depend, from now on.

    All of them: docs/reference/house-settings.md.
    """

    TYPE: ClassVar[str] = "setting.change"
    setting: Name
    value: Value


class SettingChanged(EventData, frozen=True, kw_only=True):
    """The setting has this value from this event on; `before` is the former one."""

    TYPE: ClassVar[str] = "setting.changed.v1"
    setting: str
    value: Any
    before: Any
    approvals: Pairs


class IssueChips(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Issue new chips into the cage, or destroy chips.

    `currency` is the property's: chips of another one are refused.
    """

    TYPE: ClassVar[str] = "chips.issue"
    chips: Chips
    way: Way
    reason: Text
    currency: Currency | None = None


class ChipsIssued(EventData, frozen=True, kw_only=True):
    """The number of new chips in the cage, which the house owes. The house no longer owes destroyed chips."""

    TYPE: ClassVar[str] = "chips.issued.v1"
    chips: dict[int, int]
    amount_minor: int
    way: Way
    reason: str
    approvals: Pairs
