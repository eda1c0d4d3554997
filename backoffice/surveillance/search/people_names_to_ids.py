"""Names of people in a search become ids, before an address or a log has them. Pure."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from backoffice.surveillance.search.grammar import Clause, ClauseGroup, Mistake, Node, clauses, parse, quoted
from projections.eventlog.text_folding import folded_words, in_a_row

FIELDS = ("actor", "dealer", "inspector", "player")
CALLED_SO_MAX = 20


class NamedSearch(msgspec.Struct, frozen=True):
    """A search without names, and the ids of the people named by its bare words."""

    text: str
    people: tuple[str, ...] = ()
    is_changed: bool = False


def without_names(text: str, names: Mapping[str, str]) -> NamedSearch:
    """Return the search with ids. `names`: by id, as the reader may know them. Raises Mistake."""
    nodes = parse(text)
    called = {person: folded_words(name) for person, name in names.items()}
    changes = [
        (clause, changed)
        for clause in clauses(nodes)
        if clause.field and (changed := _with_ids(clause, called)) != clause.source
    ]
    people, taken = _people_and_words(nodes, called)
    changes += [(clause, "") for clause in taken]
    if not changes:
        return NamedSearch(text)
    return NamedSearch(
        " ".join(_replace_clauses(text, changes).split()) if taken else _replace_clauses(text, changes), people, True
    )


def _replace_clauses(text: str, changes: Iterable[tuple[Clause, str]]) -> str:
    for clause, changed in sorted(changes, key=lambda change: -change[0].column):
        text = text[: clause.column - 1] + changed + text[clause.column - 1 + len(clause.source) :]
    return text.strip()


def _people_and_words(
    nodes: Sequence[Node], called: Mapping[str, Sequence[str]]
) -> tuple[tuple[str, ...], list[Clause]]:
    """Return the people named by bare words, and these words. Raises Mistake inside parentheses or next to OR."""
    people: dict[str, None] = {}
    taken_clauses: list[Clause] = []
    for part in clauses(node for node in nodes if isinstance(node, ClauseGroup)):
        if not part.field and _ids_of_names(folded_words(part.values[0].text), called):
            raise Mistake(part.column, "search-name-without-field")
    at, parts = 0, [node for node in nodes if isinstance(node, Clause)]
    while at < len(parts):
        length, run = (1, []) if parts[at].field else _run(parts[at:], called)
        people |= dict.fromkeys(run)
        taken_clauses += parts[at : at + length] if run else []
        at += length
    return tuple(people), taken_clauses


def _with_ids(clause: Clause, called: Mapping[str, Sequence[str]]) -> str:
    """Return the clause with ids for names, where a field of people has no id."""
    if clause.field not in FIELDS:
        return clause.source
    if any(value.is_prefix for value in clause.values):
        return clause.source
    ids = [id_ for value in clause.values for id_ in _ids(value.text, value.column, called)]
    if ids == [value.text for value in clause.values]:
        return clause.source
    return f"{'-' * clause.negated}{clause.field}:{','.join(quoted(id_) for id_ in dict.fromkeys(ids))}"


def _ids(name: str, column: int, called: Mapping[str, Sequence[str]]) -> list[str]:
    if name in called:
        return [name]
    ids = _ids_of_names(folded_words(name), called)
    if len(ids) > CALLED_SO_MAX:
        raise Mistake(column, "search-name-shared", count=len(ids))
    return ids or [name]


def _ids_of_names(wanted: Sequence[str], called: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the ids of people with these words in their name, in a row."""
    return sorted(person for person, name in called.items() if wanted and in_a_row(wanted, name))


def _run(clauses: Sequence[Clause], called: Mapping[str, Sequence[str]]) -> tuple[int, list[str]]:
    """Return the number of clauses that form a name from the first on, and its people; (1, []) for no name."""
    bare = 0
    while bare < len(clauses) and not clauses[bare].field and (bare == 0 or not clauses[bare].negated):
        bare += 1
    for length in range(bare, 0, -1):
        wanted = [word for clause in clauses[:length] for word in folded_words(clause.values[0].text)]
        if ids := _ids_of_names(wanted, called):
            return length, ids[:CALLED_SO_MAX]
    return 1, []
