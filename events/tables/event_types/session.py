"""Place, time and staff of every event of a table, and the session itself."""

from typing import Any, ClassVar, Literal

import msgspec

from events.envelope import EventData

Chips = dict[int, int]  # denomination in minor units -> number of chips
Outcome = Literal["win", "lose", "push", "half", "prison", "released", "stands", "blackjack", "hit", "void"]
Basis = Literal["to", "for"]  # a fixed pay of N comes with the stake, or includes it
Post = Literal[
    "dealer",
    "second dealer",
    "inspector",
    "croupier",  # another word for the dealer
    "boxman",  # the inspector of a craps table
    "stickman",
    "assistant",
    "manager",
    "shuffler",
]


class TableEvent(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """Place and staff: the common part of all events of a table."""

    pit: str
    table: str
    gaming_day: str
    shift: str
    ruleset: str
    round: int | None = None
    dealer: str | None = None
    inspector: str | None = None


class Seated(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """An event that concerns one player: at a seat (roulette, craps, baccarat) or a box (blackjack)."""

    seat: int | None = None
    box: int | None = None
    player: str | None = None
    amount_minor: int = 0


class SessionOpened(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The table opens with the tray that the opener slip lists (NJ 1.21).

    `chip_minor` is the table's smallest chip if it was installed with one, else the opener's smallest. `stakes_minor`
    and `basis` are those of its linked progressive: the low and the high stake, and whether fixed pays are N "to" 1 or
    N "for"
    1. Sessions of earlier days do not have them, and use the ruleset's own. `ruleset_digest` is that of the recorded
    ruleset of the table (`ruleset.recorded.v1`). `progressive_ruleset` and its digest are those of its progressive
    bets, as the progressive was opened. `has_boxes`: at the table that was rolled into this day, drop boxes are put and
    removed by name. `colours_minor`, the value of the colour chips that its players held, is not in `amount_minor`. A
    day that is not `recorded` is counted only: no bet of it is an event. `witness`: the named second person at the
    count.
    """

    TYPE: ClassVar[str] = "session.opened.v1"
    game: str
    currency: str
    opener: Chips
    amount_minor: int
    progressive: str | None = None
    chip_minor: int | None = None
    stakes_minor: tuple[int, int] | None = None
    basis: Basis = "to"
    witness: str | None = None
    follows: str | None = None  # the stream of the gaming day that was rolled into this one
    ruleset_digest: str = ""
    progressive_ruleset: str | None = None
    progressive_ruleset_digest: str = ""
    has_boxes: bool = False
    colours_minor: int = 0
    recorded: bool = True


class SessionClosed(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The table closes with the counted tray; `expected_minor` is its amount by the events. `witness`: the named
    second person; without one it is the dealer."""

    TYPE: ClassVar[str] = "session.closed.v1"
    closer: Chips
    amount_minor: int
    expected_minor: int
    witness: str | None = None


class SessionRolled(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The gaming day ends at a table that plays on: `into` is the next one, and opens with the counted tray.

    `expected_minor` is the tray by the events; `carried_minor` is on the layout, and is decided on the next day.
    `colours_minor`, the value of the colour chips that players hold, is not in `amount_minor`.
    """

    TYPE: ClassVar[str] = "session.rolled.v1"
    into: str
    closer: Chips
    amount_minor: int
    expected_minor: int
    carried_minor: int = 0
    colours_minor: int = 0
    witness: str | None = None


class CarriedBet(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A bet on the layout when the gaming day was rolled.

    `number`: the present number of a come bet, or the number of the bet. `zeros`: the number of zeros that have fallen
    on it en prison. `promotional_minor` of it was laid with a voucher.
    """

    bet: str
    wager: str
    stake_minor: int
    player: str
    seat: int | None = None
    box: int | None = None
    numbers: tuple[int, ...] = ()
    which: int | None = None
    base: str | None = None
    on_zero: Literal["half", "prison"] | None = None
    after_win: Literal["stay", "down"] | None = None
    working: bool | None = None
    number: int | None = None
    zeros: int = 0
    commission_minor: int = 0
    promotional_minor: int = 0


class LayoutCarried(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The layout of the table when the gaming day before was rolled into this one.

    It has the bets on the layout (`amount_minor` in total), and the game's shoe, dice or wheel, in the game's own form
    (`play`).
    """

    TYPE: ClassVar[str] = "layout.carried.v1"
    play: dict[str, Any]
    bets: tuple[CarriedBet, ...] = ()
    amount_minor: int = 0


class SessionVoided(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A gaming day that was opened by mistake was none: opener and closer count for nothing, another may be opened."""

    TYPE: ClassVar[str] = "session.voided.v1"
    reason: str
    opener_minor: int
    closer_minor: int = 0
    variance_minor: int = 0  # of the closer, where it was closed
    approvals: tuple[tuple[str, str], ...] = ()  # (person, role)


class LimitsPosted(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """Minimum and maxima by kind of bet, from the next bet on."""

    TYPE: ClassVar[str] = "limits.posted.v1"
    minimum_minor: int
    maxima_minor: dict[str, int]
    minima_minor: dict[str, int] = msgspec.field(default_factory=dict)


class StaffAssigned(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A person takes a post at the table; the former holder leaves it."""

    TYPE: ClassVar[str] = "staff.assigned.v1"
    post: Post
    person: str


class StaffLeft(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A post at the table is empty: the person has left without a successor."""

    TYPE: ClassVar[str] = "staff.left.v1"
    post: Post
    person: str


class IrregularityRecorded(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """A rule forbids this event, or it does not fit: a person must clear it.

    `drop_box`: the box that it concerns. `code` and `params` give the sentence in `detail` (docs/reference/errors.md).
    Events of earlier versions have the sentence only.
    """

    TYPE: ClassVar[str] = "irregularity.recorded.v1"
    kind: str
    clause: str
    detail: str
    source: str = ""
    bet: str | None = None
    drop_box: str | None = None
    code: str | None = None
    params: dict[str, Any] | None = None


class PersonalLimitSet(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """A player has an approved personal limit; a marker shows it at the player's place (001 9).

    `wager`: its kind of bet (roulette: 002 §7b, by player and place); empty at baccarat.
    """

    TYPE: ClassVar[str] = "personal_limit.set.v1"
    minimum_minor: int
    maximum_minor: int
    wager: str | None = None
