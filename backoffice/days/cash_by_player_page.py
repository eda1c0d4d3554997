"""The page of cash by player of a gaming day, for the compliance officer (31 CFR 1021).

Players are shown by opaque id, pit and cage together. It uses the events of the log, and the bounds in force now.
Players' cash-in reveals the content of boxes. While that is sealed (`figures_hidden_before_counts.hides_day`), only
figures derived from it are shown.
"""

from collections.abc import Collection

import msgspec
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from backoffice.access.personal_data_access_log import PERSON
from backoffice.days import caught_up_cage_and_count_books
from backoffice.event_log import figures_hidden_before_counts
from backoffice.kit.access_log_rules import AccessLogRule
from backoffice.kit.page_declaration import CsvSheet, Endpoint, Page, PageRequest
from backoffice.people.roles_allowed_per_page import CASH
from backoffice.wording import stream_currencies
from events import catalogue
from events.accounting import player_cash_totals
from events.accounting.event_with_position import AccountingEvent
from events.accounting.player_cash_totals import CashLine, Level
from events.error_codes import coded
from events.errors import Unknown
from events.fields import is_day
from projections.accounts.models import DayAccount
from projections.eventlog.models import EventLog


class PlayerCash(msgspec.Struct, frozen=True):
    """Cash that a player gave (null: sealed) and got. `level` is "", "warning" or "report"."""

    player: str
    in_minor: int | None
    out_minor: int
    level: Level


class CashOfDay(msgspec.Struct, frozen=True):
    """Players of a gaming day whose cash, in or out, reaches a bound of the house.

    `others` is the number of players below both bounds. `sealed`: their cash-in is hidden before the boxes are counted,
    from a person who may count them.
    """

    day: str
    currency: str
    warning_minor: int
    report_minor: int
    sealed: bool
    players: tuple[PlayerCash, ...]
    others: int


def cash_of_day(day: str, roles: Collection[str], *, everybody: bool = False) -> CashOfDay:
    """Return the cash of a day as a person in these roles may see it. Raises Unknown.

    `everybody` includes players below the thresholds.
    """
    if not is_day(day):
        raise Unknown(coded("gaming-day-unknown", day=day))
    settings, sealed = (
        caught_up_cage_and_count_books.books().settings,
        figures_hidden_before_counts.hides_day(day, roles),
    )
    lines = player_cash_totals.cash_lines(player_cash_totals.fold(_facts(day), day), settings)
    shown_lines = [line for line in lines if line.level or everybody]
    return CashOfDay(
        day=day,
        currency=caught_up_cage_and_count_books.currency(),
        warning_minor=settings.cash_warning_minor,
        report_minor=settings.cash_report_minor,
        sealed=sealed,
        players=tuple(_player_cash(line, sealed=sealed) for line in shown_lines),
        others=len(lines) - len(shown_lines),
    )


def _player_cash(line: CashLine, *, sealed: bool) -> PlayerCash:
    return PlayerCash(line.player, None if sealed else line.in_minor, line.out_minor, line.level)


def _facts(day: str) -> list[AccountingEvent]:
    """Return the day's events in the property's currency, and all payments since it began. Three queries."""
    first = DayAccount.objects.filter(id=day).values_list("first", flat=True).first()
    if first is None:
        return []
    of_hits = [shape.TYPE for shape in player_cash_totals.OF_HITS]
    others = [shape.TYPE for shape in player_cash_totals.types() if shape.TYPE not in of_hits]
    of_day = Q(gaming_day=day, type__in=others) | Q(type__in=of_hits, position__gte=first)
    rows = EventLog.objects.filter(of_day).order_by("position").values_list("position", "stream", "type", "raw")
    places = stream_currencies.by_place()
    return [_fact(*row) for row in rows if stream_currencies.of_stream(places, row[1]) == places.house]


def _fact(position: int, stream: str, type_: str, raw: bytes | memoryview) -> AccountingEvent:
    event = catalogue.decode(type_, bytes(raw))
    return AccountingEvent(position, stream, event.actor, event.data, event.id)


def _cash(request: PageRequest) -> CashOfDay:
    """Return cash by player, by opaque id."""
    everybody = request.text("all", 5) in ("1", "true")
    return cash_of_day(request.places["gaming_day"], request.reader.roles, everybody=everybody)


def _sheet(_request: PageRequest, cash: CashOfDay) -> CsvSheet:
    lines = ((player.player, player.in_minor, player.out_minor, player.level) for player in cash.players)
    return CsvSheet(
        _("Cash by player"), (_("Gaming day"), cash.day), ("player", "in_minor", "out_minor", "level"), lines
    )


CASH_BY_PLAYER = Page(
    name="day-cash",
    path="days/<str:gaming_day>/cash",
    title=gettext_lazy("Cash by player"),
    open_to=CASH,
    template="pages/day_cash.html",
    query=_cash,
    shown_as="cash",
    under="days",
    sheet=_sheet,
    sheet_is_shared=True,
    looks=AccessLogRule(PERSON, lambda cash: len(cash.players)),
    endpoint=Endpoint(
        name="day-cash",
        path="days/<str:gaming_day>/cash",
        answer=CashOfDay,
        meaning="Players whose cash in or cash out reaches a threshold of the house on a gaming day, by opaque id.",
        parameters={
            "all": {"type": "boolean", "description": "Include players below the thresholds"},
        },
    ),
)
