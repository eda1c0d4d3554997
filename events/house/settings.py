"""The settings on which figures depend: each is an event, by two people, in force from its position on.

Each is declared here once, as a field: name, shape, default, meaning; docs/reference/house-settings.md is made from
them. Settings of processes are in the environment (`events/settings/setting_declarations.py`).
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
from msgspec import Meta

from events.error_codes import coded
from events.errors import Defect, Invalid
from events.fields import CURRENCIES, END, HISTORY_MAX, LONG_MAX, MONEY_MAX
from events.house import alert_rules, cameras_by_table_setting
from events.money import past_monthly_drop_win_file, posting_rules
from events.money.single_currency_rule import DEFAULT
from events.text.id_spelling_normalization import require_distinct

_TIME = "(?:[01][0-9]|2[0-3]):[0-5][0-9]"
_SHIFT = rf"[A-Za-z0-9](?:[A-Za-z0-9 -]{{0,18}}[A-Za-z0-9])? {_TIME}"
_CLOCK, _SHIFTS = rf"^{_TIME}{END}", rf"^{_SHIFT}(?:, {_SHIFT}){{0,11}}{END}"


def _money(text: str) -> Meta:
    return Meta(ge=0, le=MONEY_MAX, description=text)


class HouseSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings in force, the defaults filled in."""

    currency: Annotated[
        str,
        Meta(
            max_length=3,
            description="the only currency of the property, by ISO 4217 code; fixed by the first table or progressive",
        ),
    ] = ""
    zone: Annotated[
        str, Meta(min_length=1, max_length=64, description="the time zone of the property, by its IANA name")
    ] = "UTC"
    day_begins: Annotated[str, Meta(pattern=_CLOCK, description="start of the gaming day, as HH:MM")] = "06:00"
    shifts: Annotated[
        str, Meta(pattern=_SHIFTS, description="the shifts of a day with their start, as `early 06:00, late 18:00`")
    ] = "day 06:00"
    reported_over_minor: Annotated[
        int, _money("a discrepancy above this amount is reported to Surveillance and Security (NJ 1.21)")
    ] = 2_500
    regulator_from_minor: Annotated[
        int, _money("a discrepancy of this amount or more is reportable to the regulator (NJ 1.21)")
    ] = 10_000
    business_year_begins: Annotated[
        int, Meta(ge=1, le=12, description="the first month of the business year, which numbers slips (LA 2717)")
    ] = 1
    cash_warning_minor: Annotated[
        int, _money("cash in or cash out of a player on a gaming day, from which the compliance officer is warned")
    ] = 800_000
    cash_report_minor: Annotated[
        int, _money("cash in or cash out of a player on a gaming day, above which a report is required (31 CFR 1021)")
    ] = 1_000_000
    tax_over_minor: Annotated[int, _money("a payout above this amount is taxed")] = 0
    tax_millionths: Annotated[
        int, Meta(ge=0, le=10**6, description="tax withheld from a taxed payout, in millionths; 0: none")
    ] = 0
    journal_rules: Annotated[
        str,
        Meta(
            max_length=LONG_MAX,
            description="the accounts of the journal, as `AMOUNT: DEBIT | CREDIT; ...` for every amount",
        ),
    ] = ""
    alert_rules: Annotated[
        str,
        Meta(
            max_length=LONG_MAX,
            description="differences from the default alert rules, as `slip: open_minutes 45; clock: off`: "
            "on or off, severity, parameters",
        ),
    ] = ""
    hold_history: Annotated[
        str,
        Meta(
            max_length=HISTORY_MAX,
            description="drop and win by month before the first event, as `table R1 2025-11 123456.00 24001.50; "
            "game roulette ...`, for the limits of the hold",
        ),
    ] = ""
    cameras: Annotated[
        str,
        Meta(
            max_length=HISTORY_MAX,
            description="the cameras of each table, as `BJ1: C101, C102; FR1: C110`, for bookmarks of video",
        ),
    ] = ""
    video_days: Annotated[int, Meta(ge=1, le=3_650, description="days for which recordings are kept")] = 7
    video_event_days: Annotated[
        int, Meta(ge=1, le=3_650, description="days for which a protected recording of an event is kept")
    ] = 30
    video_warning_hours: Annotated[
        int, Meta(ge=1, le=720, description="hours before a bookmarked recording expires, at which a warning appears")
    ] = 48

    @property
    def shift_begins(self) -> dict[str, str]:
        """Return the beginning of each shift, by name, in order."""
        return dict(shift.rsplit(" ", 1) for shift in self.shifts.split(", "))


_is_shifts = re.compile(_SHIFTS).match


def names_of_shifts(text: str) -> tuple[str, ...]:
    """Return the names of shifts in a text such as `early 06:00, late 18:00`; empty for a text without shifts."""
    return tuple(shift.rsplit(" ", 1)[0] for shift in text.split(", ")) if _is_shifts(text) else ()


_NO_ZONE = (ZoneInfoNotFoundError, ValueError, OSError)
NAMES: tuple[str, ...] = HouseSettings.__struct_fields__
DEFAULTS = HouseSettings()


def settings_from(values: Mapping[str, Any]) -> HouseSettings:
    """Return these values and the defaults. An accepted value is not judged again; former settings are dropped."""
    return HouseSettings(**{name: value for name, value in values.items() if name in NAMES})


def valid_value(values: Mapping[str, Any], name: str, value: Any, bound_to: str = "") -> Any:
    """Return a valid value of a setting, given the others, in a property with this currency ("": not set yet).

    Raises Invalid.
    """
    if name not in NAMES:
        raise Invalid("data.setting", coded("setting-unknown", name=name, names=NAMES))
    try:
        converted = getattr(msgspec.convert({name: value}, HouseSettings), name)
    except msgspec.ValidationError as error:
        raise Invalid(
            "data.value",
            coded("setting-value", setting=name, meaning=_meaning(name), why=str(error).partition(" - at ")[0]),
        ) from error
    if name == "zone":
        try:
            ZoneInfo(converted)
        except _NO_ZONE as error:
            raise Invalid("data.value", coded("zone-unknown", zone=converted)) from error
    after = settings_from({**values, name: converted})
    _check(after, after.currency or bound_to or DEFAULT)
    return converted


def zone_of(settings: HouseSettings) -> ZoneInfo:
    """The time zone of the house. Raises Defect where this machine no longer has the one that was set."""
    try:
        return ZoneInfo(settings.zone)
    except _NO_ZONE as error:
        raise Defect(coded("zone-missing-here", zone=settings.zone)) from error


def _check(settings: HouseSettings, currency: str) -> None:
    """Settings that must fit each other, or the world."""
    if settings.currency and settings.currency not in CURRENCIES:
        raise Invalid("data.value", coded("currency-unknown", currency=settings.currency))
    if len(settings.shift_begins) < settings.shifts.count(",") + 1:
        raise Invalid("data.value", coded("shift-names-repeated"))
    names = names_of_shifts(settings.shifts)
    for number, name in enumerate(names):
        require_distinct(name, names[:number], "shift", "data.value")
    if settings.reported_over_minor > settings.regulator_from_minor:
        raise Invalid("data.value", coded("regulator-limit-below-house"))
    posting_rules.check_rules(settings.journal_rules)
    alert_rules.check_setting(settings.alert_rules)
    cameras_by_table_setting.parse(settings.cameras)
    if settings.video_days > settings.video_event_days:
        raise Invalid("data.value", coded("video-days-reversed"))
    past_monthly_drop_win_file.months_from_setting(settings.hold_history, currency)
    if settings.cash_warning_minor > settings.cash_report_minor:
        raise Invalid("data.value", coded("warning-above-report"))


# --- for the reference ------------------------------------------------------------------------------------------------


def rows() -> list[tuple[str, str, str]]:
    """Name, meaning and default of every setting."""
    return [(name, _meaning(name), msgspec.json.encode(getattr(DEFAULTS, name)).decode()) for name in NAMES]


def _meaning(name: str) -> str:
    return str(HouseSettings.__annotations__[name].__metadata__[0].description)
