"""The codes of errors as a page of the reference: sentence, what to do, parameters and clauses."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache

from backoffice.running.database_and_mail_settings import ROOT
from events.error_codes.catalogue import CODES, KINDS, MEANINGS, SUBJECTS, CatalogueEntry
from events.error_codes.coded_error_text import sentence

FOLDERS = ("events", "projections", "backoffice")
_HEAD = """
## Codes

A code is stable: it is never given to another error, and no code is withdrawn. Show the person `message`, or a sentence
of your own by `code` and `params`. An irregularity has the same `code` and `params`. Kinds of parameters:

"""
_TABLE = "\n| code | problem | remedy | parameters | clause |\n|---|---|---|---|---|\n"


def section() -> str:
    """Return the section of the page of errors that lists the codes, by subject."""
    kinds = "".join(f"- **{kind}**: {MEANINGS[kind]}\n" for kind in KINDS)
    return _HEAD + kinds + "".join(_subjects())


def _subjects() -> Iterator[str]:
    by_code = clauses()
    for subject, title in SUBJECTS.items():
        rows = (_row(entry, by_code.get(entry.code, ())) for entry in CODES.values() if entry.subject == subject)
        yield f"\n### {title}\n{_TABLE}" + "".join(rows)


def _row(entry: CatalogueEntry, clauses_of_code: tuple[str, ...]) -> str:
    placeholders = {name: f"<{name}>" for name in entry.kinds}
    params = ", ".join(f"`{name}` {kind}" for name, kind in entry.kinds.items())
    cells = (
        f"`{entry.code}`",
        sentence(entry.sentence, "", placeholders),
        sentence("", entry.todo, placeholders),
        params,
        ", ".join(clauses_of_code),
    )
    return f"| {' | '.join(cell.replace('|', '/').replace('<', '&lt;') for cell in cells)} |\n"


@cache
def clauses() -> Mapping[str, tuple[str, ...]]:
    """Return the clauses under which the code of an error is raised, as the source has them."""
    by_code: dict[str, set[str]] = defaultdict(set)
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            source = path.read_text(encoding="utf-8")
            if "coded(" in source:
                _collect(ast.parse(source), by_code)
    return {code: tuple(sorted(clauses)) for code, clauses in by_code.items()}


def _collect(tree: ast.Module, by_code: dict[str, set[str]]) -> None:
    """Add the clauses of the errors that a module raises with a literal code."""
    names = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and len(node.args) > 1 and _is_refusal(node.func):
            clause = _text(node.args[0], names)
            for code in filter(None, map(_code, ast.walk(node.args[1]))):
                by_code[code].update({clause} - {""})


def _is_refusal(called: ast.expr) -> bool:
    return isinstance(called, ast.Name) and called.id in ("Refused", "NotApproved", "NoSuchBet", "OwnMatter", "Full")


def _code(node: ast.AST) -> str:
    """Return the code of a call of `coded`; "" for another node."""
    is_coded = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "coded"
    first = node.args[0] if is_coded and isinstance(node, ast.Call) and node.args else None
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""


def _text(node: ast.expr, names: Mapping[str, ast.expr]) -> str:
    """Return a clause as a text; a part that is known only when it is raised is written RULESET."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.Name) and node.id in names:
        return _text(names[node.id], {})
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "RULESET" for part in node.values)
    return ""
