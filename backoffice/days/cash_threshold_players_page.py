"""Cash by player and gaming day: players who reach the house's bounds."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from backoffice.access.personal_data_access_log import PERSON
from backoffice.days.cash_totals_by_player import CashOfDay, cash_of_day
from backoffice.kit.access_log_rules import AccessLogRule
from backoffice.kit.page_declaration import CsvSheet, Endpoint, Page, PageRequest
from backoffice.people.roles_allowed_per_page import CASH


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
