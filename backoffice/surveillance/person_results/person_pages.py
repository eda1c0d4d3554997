"""Pages of a dealer and of a player over time, and of the rounds behind their figures.

Sheets have amounts in minor units, and chances as they are.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from backoffice.access.personal_data_access_log import PERSON
from backoffice.days.luck.chart import chart
from backoffice.event_log.filters import BIGGEST
from backoffice.kit.access_log_rules import AccessLogRule
from backoffice.kit.page_declaration import CsvSheet, Endpoint, Page, PageRequest, Words
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.people.roles_allowed_per_page import TABLES
from backoffice.surveillance.person_results.hourly_chart import hour_chart
from backoffice.surveillance.person_results.period_totals import Role
from backoffice.surveillance.person_results.results_page_content import (
    DayLine,
    HourLine,
    PersonResults,
    ResultLine,
    check_day,
    person_results,
)
from backoffice.surveillance.person_results.rounds_behind_figures import (
    ONLY,
    PersonRounds,
    RoundQuestion,
    linked_rounds,
    person_rounds,
)

_COLUMNS = (
    *("part", "name", "game", "currency", "rounds", "handle_minor", "win_minor", "decisions", "result_minor"),
    *("theory_minor", "deviation_minor", "low", "high", "value", "against", "chance", "corrected", "comparisons"),
)
_ROUND_COLUMNS = (
    *("table", "gaming_day", "round", "began", "game", "currency", "dealer", "inspector", "player", "bets"),
    *("staked_minor", "handle_minor", "win_minor", "decisions", "result_minor", "theory_minor", "deviation_minor"),
    *("seconds", "voids", "mispays", "mispay_minor", "misdeals", "corrections", "irregularities"),
)
_CsvRow = tuple[object, ...]
DAYS_SHOWN = 31  # gaming days on a page, as many as in the usual period; its sums are of all
_PERIOD: Mapping[str, dict[str, Any]] = {
    "from": {"type": "string", "description": "First gaming day; by default 30 days before the last one"},
    "to": {"type": "string", "description": "Last gaming day; by default the last one with rounds of the person"},
    "game": {"type": "string", "description": "Only this game"},
}
_ROUNDS: Mapping[str, dict[str, Any]] = {
    **_PERIOD,
    "currency": {"type": "string", "description": "Only this currency"},
    "inspector": {"type": "string", "description": "Only rounds under this inspector"},
    "with": {
        "type": "string",
        "description": "Only rounds of a dealer with this player, or of a player with this dealer",
    },
    "only": {"type": "string", "enum": [*ONLY], "description": "Only rounds with at least one of these"},
    "hour": {
        "type": "integer",
        "minimum": 0,
        "maximum": 23,
        "description": "Only rounds of this hour of the property's clock",
    },
    "before": {
        "type": "integer",
        "minimum": 0,
        "maximum": BIGGEST,
        "description": "Continue with older rounds: `next` of the previous page",
    },
}


def _results(role: Role, request: PageRequest) -> PersonResults:
    days = request.text("from", 10), request.text("to", 10)
    return person_results(role, str(request.places["person"]), *days, request.text("game", 40))


def _rounds(role: Role, request: PageRequest) -> PersonRounds:
    question = RoundQuestion(
        first=request.text("from", 10),
        last=request.text("to", 10),
        game=request.text("game", 40),
        currency=request.text("currency", 3),
        inspector=request.text("inspector"),
        partner=request.text("with"),
        only=request.text("only", 20),
        hour=_number(request.text("hour", 2)),
        before=_number(request.text("before", 16)),
    )
    return person_rounds(role, str(request.places["person"]), question)


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() else None


def _page_context(visit: Visit, results: PersonResults) -> dict[str, Any]:
    currency, steps = results.course
    before = visit.page_request.text("before", 10)
    check_day(before)
    return {
        "days": _newest(results.days, before),
        "before": before,
        "course": chart(steps) if len(steps) > 1 else None,
        "currency": currency,
        "by_hour": hour_chart(results.hours),
    }


def _newest(days: Sequence[DayLine], before: str) -> Sequence[DayLine]:
    """Return the lines of the newest gaming days, or of those before a day. Their number is limited."""
    earlier = [line for line in days if not before or line.gaming_day < before]
    shown_days = sorted({line.gaming_day for line in earlier})[-DAYS_SHOWN:]
    return [line for line in earlier if line.gaming_day >= shown_days[0]]


def _sheet(request: PageRequest, results: PersonResults) -> CsvSheet:
    of = _("Gaming days"), f"{results.first} – {results.last}"
    title = _("Results of a dealer") if results.role == "dealer" else _("Results of a player")
    return CsvSheet(title, of, _COLUMNS, _csv_lines(results), name=f"{results.role}-{results.person}")


def _round_sheet(request: PageRequest, rounds: PersonRounds) -> CsvSheet:
    of = _("Gaming days"), f"{rounds.question.first} – {rounds.question.last}"
    return CsvSheet(_("Rounds"), of, _ROUND_COLUMNS, _round_csv_lines(rounds), name="rounds")


def _csv_lines(page: PersonResults) -> Iterator[_CsvRow]:
    """Yield games, their measures, colleagues, pairs, hours and days."""
    for game in page.games:
        where = game.game, game.currency
        yield "game", page.person, *where, *_csv_row(game.line), "", "", _rounded(game.line.chance), "", ""
        for person, measures in ((page.person, game.measures), *((c.person, c.measures) for c in game.colleagues)):
            for row in measures:
                values: _CsvRow = _rounded(row.low), _rounded(row.high), _rounded(row.value), _rounded(row.against)
                chances: _CsvRow = (_rounded(row.chance), _rounded(row.corrected), game.comparisons)
                yield f"measure {row.measure}", person, *where, row.count, "", "", "", "", "", "", *values, *chances
    for pair in page.pairs:
        amounts = pair.rounds, "", "", "", pair.result_minor, pair.theory_minor, ""
        ends = _cell(pair.low_minor), _cell(pair.high_minor), pair.errors, ""
        of_pair = _rounded(pair.chance), _rounded(pair.corrected), ""
        yield f"with {pair.kind}", pair.partner, pair.game, pair.currency, *amounts, *ends, *of_pair
    for hour in page.hours:
        yield "hour", f"{hour.hour:02}", "", hour.currency, *_csv_row(hour.line), *_pace(hour)
    for day in page.days:
        yield "day", day.gaming_day, "", day.currency, *_csv_row(day.line), *_pace(day)


def _round_csv_lines(page: PersonRounds) -> Iterator[_CsvRow]:
    """Yield the rounds of this part of the list."""
    for row in page.rounds:
        line = row.line
        yield (
            *(row.table, row.gaming_day, row.round, row.began, row.game, row.currency, row.dealer, row.inspector),
            *(row.player, line.bets, line.staked_minor, line.handle_minor, line.win_minor, line.decisions),
            *(line.result_minor, line.theory_minor, line.deviation_minor, _cell(row.seconds), row.voids, row.mispays),
            *(row.mispay_minor, row.misdeals, row.corrections, row.irregularities),
        )


def _csv_row(line: ResultLine) -> _CsvRow:
    amounts = line.rounds, line.handle_minor, line.win_minor, line.decisions, line.result_minor, line.theory_minor
    return *amounts, line.deviation_minor, _cell(line.low_minor), _cell(line.high_minor)


def _pace(part: HourLine | DayLine) -> _CsvRow:
    return _rounded(part.rounds_an_hour), "", _rounded(part.line.chance), "", ""


def _cell(value: int | None) -> object:
    return "" if value is None else value


def _rounded(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def _page(role: Role, title: Words, meaning: str) -> Page:
    return Page(
        name=f"{role}-results",
        path=f"{role}s/<str:person>",
        title=title,
        open_to=TABLES,
        template="pages/results.html",
        query=lambda request: _results(role, request),
        shown_as="results",
        add_context=_page_context,
        under="events",
        looks=AccessLogRule(PERSON, lambda results: sum(game.line.rounds for game in results.games)),
        sheet=_sheet,
        endpoint=Endpoint(
            name=f"{role}-results",
            path=f"{role}s/<str:person>",
            answer=PersonResults,
            meaning=meaning,
            parameters=_PERIOD,
        ),
    )


def _round_page(role: Role, title: Words) -> Page:
    path = f"{role}s/<str:person>/rounds"
    return Page(
        name=f"{role}-rounds",
        path=path,
        title=title,
        open_to=TABLES,
        template="pages/result_rounds.html",
        query=lambda request: _rounds(role, request),
        shown_as="list",
        add_context=lambda _visit, rounds: {"rounds": linked_rounds(rounds)},
        under="events",
        looks=AccessLogRule(PERSON, lambda rounds: rounds.total.rounds),
        sheet=_round_sheet,
        endpoint=Endpoint(
            name=f"{role}-rounds",
            path=path,
            answer=PersonRounds,
            meaning=f"Rounds behind the results of a {role}, the newest first, with the sums of all that match.",
            parameters=_ROUNDS,
        ),
    )


DEALER_RESULTS = _page(
    "dealer",
    gettext_lazy("Results of a dealer"),
    "Results of a dealer against theory, with intervals, by hour, day, inspector and player. Pace, errors and void "
    "rounds are compared with colleagues of the same game. Amounts are for the house.",
)
DEALER_ROUNDS = _round_page("dealer", gettext_lazy("Rounds of a dealer"))
PLAYER_RESULTS = _page(
    "player",
    gettext_lazy("Results of a player"),
    "Results of a player against theory with intervals, pace and mispays; by hour, day and dealer. Amounts are for "
    "the player.",
)
PLAYER_ROUNDS = _round_page("player", gettext_lazy("Rounds of a player"))
