"""The kinds of fields that actions have, each bounded: so every field of an event is bounded.

One set serves every action of every stream. Events are not judged by them: accepted data stays readable. Terminals get
the patterns as JSON Schema, so they mean the same in Python and ECMA. Digits are ASCII, and no pattern accepts a line
feed at the end (Python's `$` alone would). Days are days of the calendar.
"""

import re
from typing import Annotated, Literal, get_args

from msgspec import Meta

from events.error_codes import coded
from events.errors import Invalid

END = r"$(?!\n)"

# --- text -----------------------------------------------------------------------------------------------------------

# C0, DEL and C1; marks of direction, line and paragraph separators; zero-width characters. A lone surrogate is no
# UTF-8.
_UNSEEN = r"\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
LINE_PATTERN = rf"^[^{_UNSEEN}\s](?:[^{_UNSEEN}]*[^{_UNSEEN}\s])?{END}"
NOTE_PATTERN = rf"^(?:[^{_UNSEEN}\s](?:[^{_UNSEEN}]*[^{_UNSEEN}\s])?)?{END}"
TABLE_PATTERN = rf"^[A-Za-z0-9][A-Za-z0-9-]*{END}"
SLUG_PATTERN = rf"^[A-Za-z0-9](?:[A-Za-z0-9._ -]*[A-Za-z0-9._-])?{END}"
HASH_PATTERN = rf"^[0-9a-f]{{64}}{END}"
_KEY = rf"^[A-Za-z0-9._:/@+-]{{1,120}}{END}"

Name = Annotated[str, Meta(min_length=1, max_length=64, pattern=LINE_PATTERN)]  # a person, player, bet, serial number
Id = Annotated[str, Meta(min_length=1, max_length=200, pattern=LINE_PATTERN)]  # of a hit, a request, a variance case
ShortName = Annotated[str, Meta(min_length=1, max_length=60, pattern=LINE_PATTERN)]  # room for "-NUMBER" behind it
Text = Annotated[str, Meta(min_length=1, max_length=500, pattern=LINE_PATTERN)]  # a reason that a person must give
LongText = Annotated[str, Meta(min_length=1, max_length=4_000, pattern=LINE_PATTERN)]  # an investigator's note
Note = Annotated[str, Meta(max_length=500, pattern=NOTE_PATTERN)]  # optional text
LONG_MAX = 8_000  # characters of a setting that is a list
HISTORY_MAX = 200_000  # characters: some 5,000 months of tables; a request holds 262,144 bytes
SettingText = Annotated[str, Meta(max_length=HISTORY_MAX, pattern=NOTE_PATTERN)]
TableName = Annotated[str, Meta(min_length=1, max_length=64, pattern=TABLE_PATTERN)]  # a part of streams and addresses
Slug = Annotated[str, Meta(min_length=1, max_length=64, pattern=SLUG_PATTERN)]  # a progressive, its level: the same
Hash = Annotated[str, Meta(pattern=HASH_PATTERN)]

# --- numbers --------------------------------------------------------------------------------------------------------

# Minor units. The weakest currencies set the bounds (rials, pounds of Lebanon, rupiahs): ten million dollars are 10**14
# of Lebanon. Each is exact in JSON everywhere, and sums of thousands of them fit into 64 bits.
MONEY_MAX = 10**15
STAKE_MAX = 10**13  # of one bet: it is paid up to 180 times, and a day has a hundred thousand of them
METER_MAX = 10**12  # of a progressive, which is kept in millionths of them
SAFE_MAX = 2**53  # integers that a JSON number holds exactly everywhere
ROUND_MAX = 10**6
EVENT_ID_MAX = 300

Money = Annotated[int, Meta(ge=1, le=MONEY_MAX)]
Amount = Annotated[int, Meta(ge=0, le=MONEY_MAX)]  # money that may be zero
Signed = Annotated[int, Meta(ge=-MONEY_MAX, le=MONEY_MAX)]
Stake = Annotated[int, Meta(ge=1, le=STAKE_MAX)]
PoolMoney = Annotated[int, Meta(ge=1, le=METER_MAX)]
PoolAmount = Annotated[int, Meta(ge=0, le=METER_MAX)]
PoolSigned = Annotated[int, Meta(ge=-METER_MAX, le=METER_MAX)]
Micro = Annotated[int, Meta(ge=0, le=METER_MAX * 10**6)]  # millionths of a minor unit
Rate = Annotated[int, Meta(ge=0, le=10**6)]  # millionths of a stake
Count = Annotated[int, Meta(ge=0, le=10**6)]
Seat = Annotated[int, Meta(ge=1, le=20)]  # or a box
Round = Annotated[int, Meta(ge=1, le=ROUND_MAX)]
Slip = Annotated[int, Meta(ge=1, le=10**9)]
Position = Annotated[int, Meta(ge=1, le=SAFE_MAX)]
RouletteNumber = Annotated[int, Meta(ge=0, le=36)]
RouletteNumbers = Annotated[tuple[RouletteNumber, ...], Meta(max_length=37)]
CrapsNumber = Annotated[int, Meta(ge=4, le=10)]

DENOMINATION_MAX = 10**12
Denomination = Annotated[int, Meta(ge=1, le=DENOMINATION_MAX)]
# The number of chips of each denomination; `events.rules.chip_sums_by_denomination.chips_minor` bounds their total
# value.
Chips = Annotated[dict[Denomination, Count], Meta(max_length=40)]
Limits = Annotated[dict[Name, Money], Meta(max_length=100)]  # by kind of bet
Maxima = Annotated[dict[Name, Amount], Meta(max_length=100)]  # a difference of 0 is one

# --- days and times -------------------------------------------------------------------------------------------------

_YEAR = r"[12][0-9]{3}"
_LEAP = r"(?:[12][0-9](?:0[48]|[2468][048]|[13579][26])|(?:12|16|20|24|28)00)"
_DAY = (
    rf"(?:{_YEAR}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    rf"|02-(?:0[1-9]|1[0-9]|2[0-8]))|{_LEAP}-02-29)"
)
_CLOCK = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,6})?Z"
TIME_PATTERN = rf"^{_DAY}T{_CLOCK}{END}"

Year = Annotated[str, Meta(pattern=rf"^{_YEAR}{END}")]  # of a series of slips
DAY_ALONE_PATTERN = rf"^{_DAY}{END}"
Day = Annotated[str, Meta(pattern=DAY_ALONE_PATTERN)]
Time = Annotated[str, Meta(pattern=TIME_PATTERN)]  # in UTC

# --- currencies -----------------------------------------------------------------------------------------------------

# ISO 4217, those that money is counted in (no metals, no units of account, none for tests).
Currency = Literal[
    "AED", "AFN", "ALL", "AMD", "ANG", "AOA", "ARS", "AUD", "AWG", "AZN", "BAM", "BBD", "BDT", "BGN", "BHD", "BIF",
    "BMD", "BND", "BOB", "BRL", "BSD", "BTN", "BWP", "BYN", "BZD", "CAD", "CDF", "CHF", "CLP", "CNY", "COP", "CRC",
    "CUP", "CVE", "CZK", "DJF", "DKK", "DOP", "DZD", "EGP", "ERN", "ETB", "EUR", "FJD", "FKP", "GBP", "GEL", "GHS",
    "GIP", "GMD", "GNF", "GTQ", "GYD", "HKD", "HNL", "HTG", "HUF", "IDR", "ILS", "INR", "IQD", "IRR", "ISK", "JMD",
    "JOD", "JPY", "KES", "KGS", "KHR", "KMF", "KPW", "KRW", "KWD", "KYD", "KZT", "LAK", "LBP", "LKR", "LRD", "LSL",
    "LYD", "MAD", "MDL", "MGA", "MKD", "MMK", "MNT", "MOP", "MRU", "MUR", "MVR", "MWK", "MXN", "MYR", "MZN", "NAD",
    "NGN", "NIO", "NOK", "NPR", "NZD", "OMR", "PAB", "PEN", "PGK", "PHP", "PKR", "PLN", "PYG", "QAR", "RON", "RSD",
    "RUB", "RWF", "SAR", "SBD", "SCR", "SDG", "SEK", "SGD", "SHP", "SLE", "SOS", "SRD", "SSP", "STN", "SVC", "SYP",
    "SZL", "THB", "TJS", "TMT", "TND", "TOP", "TRY", "TTD", "TWD", "TZS", "UAH", "UGX", "USD", "UYU", "UZS", "VED",
    "VES", "VND", "VUV", "WST", "XAF", "XCD", "XCG", "XOF", "XPF", "YER", "ZAR", "ZMW", "ZWG",
]  # fmt: skip
CURRENCIES: frozenset[str] = frozenset(get_args(Currency))

# --- an action's own fields -----------------------------------------------------------------------------------------

# In the schema, and checked by the desk for each action alone: one bad action of a queue stops no other.
_is_key = re.compile(_KEY).search
is_time = re.compile(TIME_PATTERN).search
_is_line = re.compile(LINE_PATTERN).search
is_table_name = re.compile(TABLE_PATTERN).search
is_day = re.compile(DAY_ALONE_PATTERN).search

ActionType = Annotated[str, Meta(extra_json_schema={"maxLength": 64})]
ActionKey = Annotated[str, Meta(extra_json_schema={"pattern": _KEY})]
ActionTime = Annotated[str, Meta(extra_json_schema={"pattern": TIME_PATTERN})]
DeviceSeq = Annotated[int, Meta(extra_json_schema={"minimum": 0, "maximum": SAFE_MAX})]
ActionRound = Annotated[int, Meta(extra_json_schema={"minimum": 0, "maximum": ROUND_MAX})]
EventId = Annotated[str, Meta(extra_json_schema={"minLength": 1, "maxLength": EVENT_ID_MAX, "pattern": LINE_PATTERN})]


def check(key: str, time: str | None, device_seq: int | None, round_: int | None, corrects: str | None) -> None:
    """The fields around an action's data. Raises Invalid, with the field."""
    if not _is_key(key):
        raise Invalid("key", coded("key-format"))
    if time is not None and not is_time(time):
        raise Invalid("time", coded("time-format"))
    if device_seq is not None and not 0 <= device_seq <= SAFE_MAX:
        raise Invalid("device_seq", coded("device-seq-range", most=SAFE_MAX))
    if round_ is not None and not 0 <= round_ <= ROUND_MAX:
        raise Invalid("round", coded("round-range", most=ROUND_MAX))
    if corrects is not None and (len(corrects) > EVENT_ID_MAX or not _is_line(corrects)):
        raise Invalid("corrects", coded("event-id-format"))


# Meaning of a pattern, for the person whose input does not match it.
MEANS = {
    LINE_PATTERN: "text without control characters or blanks at its ends",
    NOTE_PATTERN: "text without control characters or blanks at its ends",
    TABLE_PATTERN: "ASCII letters, digits and dashes",
    SLUG_PATTERN: "ASCII letters, digits, blanks and . _ -",
    HASH_PATTERN: "a SHA-256, 64 hexadecimal digits",
    DAY_ALONE_PATTERN: "a day of the calendar, as 2026-11-21",
    TIME_PATTERN: "a time in UTC, as 2026-11-21T20:15:00.000Z",
}
_WHERE = re.compile(r" - at (?:`key` in )?`\$\.?(?P<path>[^`]*)`$")
_NAMED = re.compile(r"(?:required|unknown) field `(?P<field>[^`]*)`")
_REGEX = re.compile(r"Expected `str` matching regex '(?P<pattern>.*?)'(?= - at |$)", re.DOTALL)


def wrong_field(message: str) -> tuple[str, str]:
    """Return the field of msgspec's message about an action's data ("data.opener"), and the error in words."""
    location = _WHERE.search(message)
    path = location["path"] if location else ""
    text = message[: location.start()] if location else message
    if (named := _NAMED.search(text)) is not None:
        path = f"{path}.{named['field']}" if path else named["field"]
    if (regex := _REGEX.search(text)) is not None:
        text = f"want {MEANS.get(_unescaped(regex['pattern']), 'another form')}"
    return (f"data.{path}" if path else "data")[:120], text[:300]


def _unescaped(pattern: str) -> str:
    """The pattern that a message shows as a string of Python's."""
    return pattern.replace("\\\\", "\\")
