"""Names of people in a search become ids, before an address or a log has them. Pure."""

from collections.abc import Mapping, Sequence

import msgspec

from backoffice.queries.search.grammar import Clause, Mistake, parse, quoted, written
from projections.eventlog.folded import in_a_row, words

FIELDS = ("actor", "dealer", "inspector", "player")
CALLED_SO_MAX = 20


class Named(msgspec.Struct, frozen=True):
    """A search without names, and the ids of those whom its bare words named."""

    text: str
    people: tuple[str, ...] = ()
    is_changed: bool = False


def without_names(text: str, names: Mapping[str, str]) -> Named:
    """The search with ids. `names`: by id, as the reader may know them. Raises Mistake."""
    clauses = parse(text)
    called = {one: words(name) for one, name in names.items()}
    kept: list[str] = []
    people: dict[str, None] = {}
    at = 0
    while at < len(clauses):
        if clauses[at].field:
            kept.append(_with_ids(clauses[at], called))
            at += 1
            continue
        length, found = _run(clauses[at:], called)
        people |= dict.fromkeys(found)
        kept += [] if found else [clauses[at].source]
        at += length
    text = " ".join(kept)
    return Named(text, tuple(people), is_changed=bool(people) or text != written(clauses))


def _with_ids(clause: Clause, called: Mapping[str, Sequence[str]]) -> str:
    """Those who are called so, where a field of people does not say an id."""
    if clause.field not in FIELDS:
        return clause.source
    said = [one for value in clause.values for one in _ids(value.text, value.column, called)]
    if said == [value.text for value in clause.values]:
        return clause.source
    return f"{'-' * clause.negated}{clause.field}:{','.join(quoted(one) for one in dict.fromkeys(said))}"


def _ids(said: str, column: int, called: Mapping[str, Sequence[str]]) -> list[str]:
    if said in called:
        return [said]
    found = _called(words(said), called)
    if len(found) > CALLED_SO_MAX:
        raise Mistake(column, f"{len(found)} people are called so: write more of the name")
    return found or [said]


def _called(said: Sequence[str], called: Mapping[str, Sequence[str]]) -> list[str]:
    """Whose name has these words, one behind the other."""
    return sorted(one for one, name in called.items() if said and in_a_row(said, name))


def _run(clauses: Sequence[Clause], called: Mapping[str, Sequence[str]]) -> tuple[int, list[str]]:
    """How many clauses from the first on are somebody's name together, and whose; (1, []) where they are nobody's."""
    bare = 0
    while bare < len(clauses) and not clauses[bare].field and (bare == 0 or not clauses[bare].negated):
        bare += 1
    for length in range(bare, 0, -1):
        said = [word for clause in clauses[:length] for word in words(clause.values[0].text)]
        if found := _called(said, called):
            return length, found[:CALLED_SO_MAX]
    return 1, []
