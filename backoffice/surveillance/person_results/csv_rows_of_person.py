"""Results of a person, and their rounds, as lines of sheets: amounts in minor units, chances as they are."""

from collections.abc import Iterator

from backoffice.surveillance.person_results.results_page_content import DayLine, HourLine, PersonResults, ResultLine
from backoffice.surveillance.person_results.rounds_behind_figures import PersonRounds

COLUMNS = (
    *("part", "name", "game", "currency", "rounds", "handle_minor", "win_minor", "decisions", "result_minor"),
    *("theory_minor", "deviation_minor", "low", "high", "value", "against", "chance", "corrected", "comparisons"),
)
ROUND_COLUMNS = (
    *("table", "gaming_day", "round", "began", "game", "currency", "dealer", "inspector", "player", "bets"),
    *("staked_minor", "handle_minor", "win_minor", "decisions", "result_minor", "theory_minor", "deviation_minor"),
    *("seconds", "voids", "mispays", "mispay_minor", "misdeals", "corrections", "irregularities"),
)
Row = tuple[object, ...]


def lines(page: PersonResults) -> Iterator[Row]:
    """Yield games, their measures, colleagues, pairs, hours and days."""
    for game in page.games:
        where = game.game, game.currency
        yield "game", page.person, *where, *_amounts(game.line), "", "", _number(game.line.chance), "", ""
        for person, measures in ((page.person, game.measures), *((c.person, c.measures) for c in game.colleagues)):
            for row in measures:
                values: Row = _number(row.low), _number(row.high), _number(row.value), _number(row.against)
                chances: Row = (_number(row.chance), _number(row.corrected), game.comparisons)
                yield f"measure {row.measure}", person, *where, row.count, "", "", "", "", "", "", *values, *chances
    for pair in page.pairs:
        amounts = pair.rounds, "", "", "", pair.result_minor, pair.theory_minor, ""
        ends = _cell(pair.low_minor), _cell(pair.high_minor), pair.errors, ""
        of_pair = _number(pair.chance), _number(pair.corrected), ""
        yield f"with {pair.kind}", pair.partner, pair.game, pair.currency, *amounts, *ends, *of_pair
    for hour in page.hours:
        yield "hour", f"{hour.hour:02}", "", hour.currency, *_amounts(hour.line), *_pace(hour)
    for day in page.days:
        yield "day", day.gaming_day, "", day.currency, *_amounts(day.line), *_pace(day)


def round_lines(page: PersonRounds) -> Iterator[Row]:
    """Yield the rounds of this part of the list."""
    for row in page.rounds:
        line = row.line
        yield (
            *(row.table, row.gaming_day, row.round, row.began, row.game, row.currency, row.dealer, row.inspector),
            *(row.player, line.bets, line.staked_minor, line.handle_minor, line.win_minor, line.decisions),
            *(line.result_minor, line.theory_minor, line.deviation_minor, _cell(row.seconds), row.voids, row.mispays),
            *(row.mispay_minor, row.misdeals, row.corrections, row.irregularities),
        )


def _amounts(line: ResultLine) -> Row:
    amounts = line.rounds, line.handle_minor, line.win_minor, line.decisions, line.result_minor, line.theory_minor
    return *amounts, line.deviation_minor, _cell(line.low_minor), _cell(line.high_minor)


def _pace(part: HourLine | DayLine) -> Row:
    return _number(part.rounds_an_hour), "", _number(part.line.chance), "", ""


def _cell(value: int | None) -> object:
    return "" if value is None else value


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
