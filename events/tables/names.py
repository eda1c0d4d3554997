"""The names of wagers and limits: which there are in a ruleset, for the tables, the schemas and the documentation."""

from collections.abc import Callable, Iterable, Mapping

import msgspec

from events import rulesets
from events.errors import Invalid, PitledgerError
from events.games.baccarat import rules as baccarat
from events.games.baccarat.checks import DIFFERENCE
from events.games.blackjack.boxes import BLAZING, MAIN, TRILUX
from events.games.craps.layout import MAXIMUM
from events.games.craps.rules import rules
from events.games.roulette.layout import TYPES
from events.tables.actions.common import PostLimits


class Names(msgspec.Struct, frozen=True):
    """What `bet.place` takes as `wager`; the keys of `limits.post`; what `combination.place` takes as `name`."""

    wagers: tuple[str, ...]
    maxima: tuple[str, ...]
    minima: tuple[str, ...]
    combinations: tuple[str, ...] = ()


def names_of(game: str, ruleset: str) -> Names:
    """The names of a ruleset. Raises Unknown, Invalid."""
    return _BY_GAME[game](ruleset)


def names_in(game: str) -> Names:
    """Those of all rulesets of a game, the casino's own included."""
    found = [names_of(game, ruleset) for ruleset in rulesets.of_game(game) if _is_readable(game, ruleset)]
    return Names(*(_united(getattr(one, field) for one in found) for field in Names.__struct_fields__))


def check_limits(game: str, ruleset: str, data: PostLimits) -> None:
    """Raises Invalid for a limit of something that the game does not have: nobody would ever be held to it."""
    known = names_of(game, ruleset)
    _check("data.maxima_minor", data.maxima_minor, known.maxima)
    _check("data.minima_minor", data.minima_minor, known.minima)


def _is_readable(game: str, ruleset: str) -> bool:
    """A broken file of the casino's own has no names, and takes nothing else with it."""
    try:
        return bool(names_of(game, ruleset).wagers)
    except PitledgerError:
        return False


def _check(field: str, posted: Iterable[str], known: tuple[str, ...]) -> None:
    for name in posted:
        if name not in known:
            raise Invalid(field, f"there is no limit {name!r:.40} here; there are: {', '.join(known)}")


def _craps(ruleset: str) -> Names:
    data = rules(ruleset).data
    bets, groups = tuple(data.bets), tuple(data.limits.groups) if data.limits else ()
    return Names(bets, (MAXIMUM, *_united([bets, groups])), bets, tuple(data.press.combinations) if data.press else ())


def _roulette(ruleset: str) -> Names:
    return Names(TYPES, TYPES, TYPES)


def _baccarat(ruleset: str) -> Names:
    return Names(baccarat.BETS, (*baccarat.BETS, DIFFERENCE), baccarat.BETS)


def _blackjack(ruleset: str) -> Names:
    """The progressive's stakes are its own, and no limit of the table's."""
    return Names((MAIN, TRILUX, BLAZING), (MAIN, TRILUX), (MAIN, TRILUX))


def _united(several: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """Each name once, in the order in which they come."""
    return tuple(dict.fromkeys(name for names in several for name in names))


_BY_GAME: Mapping[str, Callable[[str], Names]] = {
    "baccarat": _baccarat,
    "blackjack": _blackjack,
    "craps": _craps,
    "roulette": _roulette,
}
