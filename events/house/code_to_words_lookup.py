"""Words for codes: types of events and actions, wagers, roles, tenders, ways, kinds of irregularities.

Each word is declared together with its code - by the kind of stream, by the game, with the roles - and looked up here.
A code of a game belongs to that game: `pass` is one bet at craps, and another at a game of another author. A code whose
meaning depends on the field is declared as "FIELD CODE".
"""

import re
from collections.abc import Mapping

from events import roles
from events.people import approval_request_lifecycle
from events.rules import game_declaration_and_registry
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.streams import stream_kind_declaration

_CODE = re.compile(r"[a-z0-9_]+(?:\.[a-z0-9_]+)?")
_VERSION = re.compile(r"\.v[0-9]+$")


@cached_until_forgotten
def of_the_house() -> Mapping[str, str]:
    """Every word that is no game's own."""
    words = {**roles.WORDS, **approval_request_lifecycle.WORDS}
    for kind in stream_kind_declaration.declared().values():
        words |= kind.words
    return words


@cached_until_forgotten
def of_games() -> Mapping[str, str]:
    """The games' own words, where it is not known which game is played."""
    return {
        code: word for table in game_declaration_and_registry.at_tables().values() for code, word in table.words.items()
    }


def word(code: str, field: str = "", ruleset: str = "") -> str:
    """Return people's word for a code, in `field`, at a table of this ruleset. An undeclared code is returned in
    plain."""
    for words_by_code in (_words_of_ruleset(ruleset), of_the_house(), of_games()):
        for key in _keys(code, field):
            if key in words_by_code:
                return words_by_code[key]
    return code_as_words(_VERSION.sub("", code))


def is_known(code: str, field: str = "") -> bool:
    """Return whether a word is declared for a code, in that field."""
    words_by_code = {**of_games(), **of_the_house()}
    return any(key in words_by_code for key in _keys(code, field))


def code_as_words(code: str) -> str:
    """Return a code as words; a sentence is unchanged."""
    return re.sub(r"[._]", " ", code) if _CODE.fullmatch(code) else code


def _keys(code: str, field: str) -> tuple[str, ...]:
    """Under which it is declared; an event by its version only where an action is called the same."""
    return f"{field} {code}", code, _VERSION.sub("", code)


def _words_of_ruleset(ruleset: str) -> Mapping[str, str]:
    table = game_declaration_and_registry.at_tables().get(game_declaration_and_registry.game_of(ruleset))
    return table.words if table is not None else {}
