"""Names of people in a search become ids, before an address or a log has them. Pure."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from backoffice.queries.search.grammar import Clause, Group, Mistake, Node, clauses, parse, quoted
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
    nodes = parse(text)
    called = {one: words(name) for one, name in names.items()}
    changes = [
        (clause, changed)
        for clause in clauses(nodes)
        if clause.field and (changed := _with_ids(clause, called)) != clause.source
    ]
    people, taken = _named(nodes, called)
    changes += [(clause, "") for clause in taken]
    if not changes:
        return Named(text)
    return Named(" ".join(_changed(text, changes).split()) if taken else _changed(text, changes), people, True)


def _changed(text: str, changes: Iterable[tuple[Clause, str]]) -> str:
    for clause, changed in sorted(changes, key=lambda change: -change[0].column):
        text = text[: clause.column - 1] + changed + text[clause.column - 1 + len(clause.source) :]
    return text.strip()


def _named(nodes: Sequence[Node], called: Mapping[str, Sequence[str]]) -> tuple[tuple[str, ...], list[Clause]]:
    """Those whom bare words name, and these words. Raises Mistake where they stand in parentheses or beside OR."""
    people: dict[str, None] = {}
    taken: list[Clause] = []
    for part in clauses(node for node in nodes if isinstance(node, Group)):
        if not part.field and _called(words(part.values[0].text), called):
            raise Mistake(part.column, "this is a person's name: write whose, such as dealer:NAME or player:NAME")
    at, parts = 0, [node for node in nodes if isinstance(node, Clause)]
    while at < len(parts):
        length, run = (1, []) if parts[at].field else _run(parts[at:], called)
        people |= dict.fromkeys(run)
        taken += parts[at : at + length] if run else []
        at += length
    return tuple(people), taken


def _with_ids(clause: Clause, called: Mapping[str, Sequence[str]]) -> str:
    """Those who are called so, where a field of people does not say an id."""
    if clause.field not in FIELDS:
        return clause.source
    if any(value.is_prefix for value in clause.values):
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
