"""Template tags for actual vs theoretical win: amounts in whole minor units, a chance with its side."""

from fractions import Fraction

from django import template
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from backoffice.wording import formats
from backoffice.wording.code_to_word_translation import word
from events.luck.tails import LuckTails
from events.luck.win_against_theory import Luck
from events.rules.bet_outcome_chance_structs import MICRO

register = template.Library()
_LEAST = 1e-6  # a smaller chance is shown as "below" this value


@register.filter
def in_minor(micro: int) -> int:
    """An amount in millionths, to the nearest minor unit."""
    return round(Fraction(micro, MICRO))


@register.filter
def to_minor(amount: float) -> int:
    """Round to the nearest minor unit."""
    return round(amount)


@register.filter
def chance(tail: LuckTails) -> str:
    """ "1.24 % of so much or more": of a result as far out, on its own side, in three digits."""
    pattern = _("%s for this win or more") if tail.at_least <= tail.at_most else _("%s for this win or less")
    return pattern % probability(tail.chance)


@register.filter
def probability(value: float | None) -> str:
    """Return a probability in three digits: "1.24 %", "under 0.0001 %"; a dash for an unknown one."""
    if value is None:
        return formats.NOTHING
    if value < _LEAST:
        return _("under %s") % formats.percent(round(_LEAST * MICRO))
    return formats.percent(round(float(f"{value:.3g}") * MICRO))


@register.filter
def decimal(value: float | None) -> str:
    """Return a number with one decimal, "12.3"; a dash for an unknown one."""
    return formats.NOTHING if value is None else formats.decimal(value, 1)


@register.filter
def row_name(name: str, by: str) -> str:
    """Return the name of a row in words: of a game by its code "craps", of a bet by its code "craps dont_pass"."""
    if by == "bet" and " " in name:
        game, _space, wager = name.partition(" ")
        return capfirst(f"{word(game)}: {word(wager, 'wager', game)}")
    return capfirst(word(name)) if by == "game" else name


@register.filter
def reckoned(line: Luck) -> str:
    """Return the method in words: exact, with the error of a saddle point; bets over several throws throw by throw,
    else an estimate."""
    words = {"exact": _("exact"), "throw by throw": _("round by round"), "estimate": _("estimate")}[line.basis]
    if not line.tail.error:
        return words
    off = formats.percent(max(1, round(float(f"{line.tail.error:.2g}") * MICRO)))  # off by less is not exact, though
    near = _("to %s") % off
    return near if line.basis == "exact" else f"{words}, {near}"
