"""Actual vs theoretical win as lines of a sheet: amounts in minor units, chances as they are."""

from collections.abc import Iterable, Iterator
from fractions import Fraction

from events.luck.theory import Luck
from events.rules.chances import MICRO

COLUMNS = (
    *("name", "decisions", "bets", "handle_minor", "win_minor", "theory_minor", "deviation_minor"),
    *("chance_of_so_much_or_more", "chance_of_so_little_or_less", "how", "error", "basis"),
)


def lines(lucks: Iterable[Luck]) -> Iterator[tuple[object, ...]]:
    """Yield the rows of the sheet, the rarest first."""
    for luck in lucks:
        theory = round(Fraction(luck.theory_micro, MICRO))
        amounts = (luck.handle_minor, luck.win_minor, theory, round(luck.deviation_minor))
        tails = (f"{luck.tail.at_least:.6g}", f"{luck.tail.at_most:.6g}", luck.tail.how, f"{luck.tail.error:.2g}")
        yield luck.name, luck.decisions, luck.bets, *amounts, *tails, luck.basis
