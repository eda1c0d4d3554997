"""The hold as lines of a sheet: amounts in minor units, shares in millionths; empty where nothing is known."""

from collections.abc import Iterator

from backoffice.days.hold.hold_page_content import HeldPeriod, Hold

COLUMNS = (
    *("name", "period", "drop_minor", "win_minor", "hold_millionths", "handle_minor", "event_win_minor"),
    *("win_by_handle_millionths", "rule", "against_millionths", "low_millionths", "high_millionths", "says"),
)


def lines(page: Hold) -> Iterator[tuple[object, ...]]:
    """Yield the hold by day, month and year, then the results of the rules."""
    for held_line in (held_line for line in page.lines for held_line in line):
        of = held_line.of
        figures = (
            of.drop_minor,
            of.win_minor,
            held_line.hold,
            of.handle_minor,
            of.event_win_minor,
            held_line.win_by_handle,
        )
        yield held_line.name, period(held_line), *figures, "", "", "", "", ""
    for rule in page.rules:
        hold, *shares = rule.shares
        finding = rule.finding
        yield (
            finding.name,
            finding.period,
            "",
            "",
            hold,
            "",
            "",
            "",
            finding.rule,
            *shares,
            _says(finding.says, finding.lacks),
        )


def period(held_line: HeldPeriod) -> str:
    """Return the period's name in sheets and reports."""
    return f"{held_line.period}, of earlier days" if held_line.is_late else held_line.period


def _says(says: str, lacks: str) -> str:
    return f"{says}: {lacks}" if lacks else says
