"""The hold of a gaming day as text for a terminal."""

from collections.abc import Iterator
from fractions import Fraction

from backoffice.days.hold.figures_from_event_store import HoldOutput, periods
from backoffice.wording import formats
from backoffice.wording.terminal_tables import grid, money
from events.hold.drop_win_hold_handle_sums import Amounts, HoldLine
from events.hold.regulatory_hold_limit_findings import HoldFinding
from events.luck.win_against_theory import Luck


def hold_text(result: HoldOutput) -> Iterator[str]:
    """Yield the hold by period, the regulatory findings, and the win against the theoretical win."""
    if result.lines:
        heads = [result.by, "period", "drop", "win", "hold", "handle", "event win", "win by handle"]
        yield f"Hold as of {result.day}; amounts in {result.currency}"
        yield from grid(heads, [row for line in result.lines for row in _rows(line, result.currency)])
    if result.left_out:
        yield f"Left out, in another currency: {', '.join(result.left_out)}"
    if result.rules:
        yield ""
        heads = ["rule", result.by, "period", "hold", "against", "from", "to", "says"]
        yield from grid(heads, [_rule(item) for item in result.rules])
    if result.luck:
        yield ""
        heads = [result.by, "decisions", "bets", "win", "theory", "deviation", "chance", "how", "basis"]
        yield from grid(heads, [_luck(item, result.currency) for item in result.luck])


def _rows(line: HoldLine, currency: str) -> Iterator[list[str]]:
    return ([line.name, period, *_amount_cells(of, currency)] for period, of in periods(line))


def _amount_cells(of: Amounts, currency: str) -> list[str]:
    estimated = " est." if of.is_estimated else ""
    return [
        f"{money(of.drop_minor, currency)}{estimated}",
        f"{money(of.win_minor, currency)}{estimated}",
        _percent(of.hold),
        money(of.handle_minor, currency),
        money(of.event_win_minor, currency),
        _percent(of.win_by_handle),
    ]


def _rule(finding: HoldFinding) -> list[str]:
    shares = [_percent(share) for share in (finding.hold, finding.against, finding.low, finding.high)]
    return [
        finding.rule,
        finding.name,
        finding.period,
        *shares,
        f"{finding.says}{': ' * bool(finding.lacks)}{finding.lacks}",
    ]


def _luck(luck: Luck, currency: str) -> list[str]:
    side = "more" if luck.tail.at_least <= luck.tail.at_most else "less"
    error = f" (to {luck.tail.error:.1g})" if luck.tail.error else ""
    return [
        luck.name,
        str(luck.decisions),
        str(luck.bets),
        money(luck.win_minor, currency),
        money(round(Fraction(luck.theory_micro, 10**6)), currency),
        money(round(luck.deviation_minor), currency),
        f"{luck.tail.chance:.3g} of so much or {side}",
        f"{luck.tail.how}{error}",
        luck.basis,
    ]


def _percent(share: Fraction | None) -> str:
    return formats.ascii_signs(formats.hold(None if share is None else round(share * formats.MICRO)))
