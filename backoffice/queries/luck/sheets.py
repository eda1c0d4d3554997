"""Luck as lines of a sheet: amounts in minor units, chances as they are."""

from collections.abc import Iterable, Iterator
from fractions import Fraction

from events.chances import MICRO
from events.luck.theory import Luck

COLUMNS = (
    *("name", "decisions", "bets", "handle_minor", "win_minor", "theory_minor", "deviation_minor"),
    *("chance_of_so_much_or_more", "chance_of_so_little_or_less", "how", "error", "basis"),
)


def lines(found: Iterable[Luck]) -> Iterator[tuple[object, ...]]:
    """The rarest first."""
    for one in found:
        theory = round(Fraction(one.theory_micro, MICRO))
        amounts = (one.handle_minor, one.win_minor, theory, round(one.deviation_minor))
        tails = (f"{one.tail.at_least:.6g}", f"{one.tail.at_most:.6g}", one.tail.how, f"{one.tail.error:.2g}")
        yield one.name, one.decisions, one.bets, *amounts, *tails, one.basis
