"""The names of wagers and limits: which there are in a ruleset, for the tables, the schemas and the documentation."""

from collections.abc import Iterable

from events.error_codes import coded
from events.errors import Invalid, PitledgerError
from events.rules import loading_and_pinning_rulesets
from events.rules.game_declaration_and_registry import Names, at_tables
from events.rules.taken_ruleset_version_struct import Numbers
from events.tables.actions.session_action_structs import PostLimits


def names_of(game: str, ruleset: Numbers) -> Names:
    """The names of a ruleset. Raises Unknown, Invalid."""
    return at_tables()[game].names(ruleset)


def names_in(game: str) -> Names:
    """Return the names of all rulesets of a game, the casino's own included."""
    by_ruleset = [
        names_of(game, ruleset) for ruleset in loading_and_pinning_rulesets.of_game(game) if _is_readable(game, ruleset)
    ]
    return Names(*(united(getattr(names_, field) for names_ in by_ruleset) for field in Names.__struct_fields__))


def check_limits(game: str, ruleset: Numbers, data: PostLimits) -> None:
    """Raise Invalid for a limit of a bet that the game does not have.

    A bet's maximum is not below its minimum, its own or the table's.
    """
    ruleset_names = names_of(game, ruleset)
    _check("data.maxima_minor", data.maxima_minor, ruleset_names.maxima)
    _check("data.minima_minor", data.minima_minor, ruleset_names.minima)
    for wager, maximum in data.maxima_minor.items():
        least = data.minima_minor.get(wager, data.minimum_minor)
        if wager not in ruleset_names.of_no_bet and maximum < least:
            raise Invalid("data.maxima_minor", coded("maximum-below-minimum-of-bet", wager=wager, minimum=least))


def united(several: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """Each name once, in the order in which they come."""
    return tuple(dict.fromkeys(name for names in several for name in names))


def _is_readable(game: str, ruleset: str) -> bool:
    """A broken file of the casino's own has no names, and takes nothing else with it."""
    try:
        return bool(names_of(game, ruleset).wagers)
    except PitledgerError:
        return False


def _check(field: str, posted: Iterable[str], known_names: tuple[str, ...]) -> None:
    for name in posted:
        if name not in known_names:
            raise Invalid(field, coded("limit-unknown", name=name, known=known_names))
