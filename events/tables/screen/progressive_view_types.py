"""A table's progressive on its screen: the meters, and the hits of the gaming day with their missing steps."""

import msgspec


class MeterView(msgspec.Struct, frozen=True, kw_only=True):
    """The displayed amount of a level, in minor units."""

    level: str
    shown_minor: int


class EnvyView(msgspec.Struct, frozen=True, kw_only=True):
    """The envy bonus of a player, due once the hit is paid."""

    player: str
    amount_minor: int


class HitView(msgspec.Struct, frozen=True, kw_only=True):
    """A hit that was declared at the table: its state (pending, locked, authorised, paid, void).

    It has its share once it is locked, the envy bonuses, and for each missing key the roles that can turn it.
    """

    hit: str
    level: str
    box: int | str
    player: str
    state: str
    share_minor: int | None
    waits_for: tuple[tuple[str, ...], ...]
    envy: tuple[EnvyView, ...]


class ProgressiveView(msgspec.Struct, frozen=True, kw_only=True):
    """The linked progressive."""

    name: str
    meters: tuple[MeterView, ...]
    hits: tuple[HitView, ...]
