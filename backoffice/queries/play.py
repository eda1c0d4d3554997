"""Play in some events: the players' net win, average bet and time played."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

import msgspec
from django.db.models import QuerySet

from backoffice.queries import currencies
from backoffice.queries.currencies import Places
from events.tables.types.rounds import BetPlaced, BetSettled, SettlementCorrected, SettlementVoided
from projections.eventlog.models import EventLog

PAUSE = timedelta(minutes=30)  # whoever does nothing for longer has not played meanwhile


class Play(msgspec.Struct, frozen=True):
    """The players' side: `net_win_minor` is what they were due beyond their stakes less what they lost and paid in
    commission, negative where they lost. `stakes_minor` over `bets` is the average bet; `played_s` the time between
    events that are no more than half an hour apart."""

    currency: str
    bets: int
    stakes_minor: int
    average_minor: int | None
    net_win_minor: int
    played_s: int

    @property
    def played(self) -> str:
        """The time as hours and minutes: "2:05"."""
        return f"{self.played_s // 3600}:{self.played_s % 3600 // 60:02d}"


def play_of(rows: "QuerySet[EventLog, EventLog]", known: Places) -> Play | None:
    """Return the play in these events; None without a bet, or with bets in several currencies. Two queries."""
    bets = (BetPlaced.TYPE, BetSettled.TYPE, SettlementVoided.TYPE, SettlementCorrected.TYPE)
    events = list(rows.filter(type__in=bets).order_by("position").values_list("type", "stream", "raw"))
    used = {currencies.of_stream(known, stream) for _type, stream, _raw in events}
    if len(used) != 1:
        return None
    data = [(type_, msgspec.json.decode(bytes(raw))["data"]) for type_, _stream, raw in events]
    stakes = [data_of_event.get("amount_minor", 0) for type_, data_of_event in data if type_ == BetPlaced.TYPE]
    average = round(sum(stakes) / len(stakes)) if stakes else None
    times = rows.order_by("time").values_list("time", flat=True)
    net = sum(_net(type_, data_of_event) for type_, data_of_event in data)
    return Play(used.pop(), len(stakes), sum(stakes), average, net, _played(times))


def _net(type_: str, data: Mapping[str, Any]) -> int:
    """Return the change that a settlement makes to the player's net win, in minor units."""
    if type_ == BetSettled.TYPE:
        return int(data["profit_minor"] - data.get("commission_minor", 0))
    if type_ == SettlementVoided.TYPE:
        return int(data.get("commission_minor", 0) - data["profit_minor"])
    if type_ == SettlementCorrected.TYPE:
        return int(data["profit_minor"] - data["profit_before_minor"] - data.get("commission_minor", 0))
    return 0


def _played(times: Iterable[datetime]) -> int:
    played, before = timedelta(), None
    for time in times:
        if before is not None and time - before <= PAUSE:
            played += time - before
        before = time
    return round(played.total_seconds())
