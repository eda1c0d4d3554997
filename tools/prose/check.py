"""Check the English of docs, docstrings and marked words with Vale: `python -m tools.prose.check`, by `make lint`.

`covered.toml` names the checked files. `exceptions.tsv` has the faults that stay, with their reasons. Each sentence of
`examples.txt` must be found, so that a rule which no longer works is noticed.
"""

import csv
import json
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tools.prose import glossary_rule
from tools.prose.text_extraction import texts

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
VALE = ROOT / ".cache" / "vale" / "vale"
EXCEPTIONS_MAX = 10
KINDS = ("pages", "docstrings", "words")


class ValeAlert(NamedTuple):
    """One alert of Vale."""

    path: str
    line: int
    rule: str
    match: str
    message: str


def vale(paths: Iterable[Path]) -> dict[str, list[dict[str, Any]]]:
    """Return the alerts of Vale by file."""
    command = [str(VALE), "--config", str(HERE / "vale.ini"), "--output", "JSON", "--no-exit", *map(str, paths)]
    completed = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    alerts: dict[str, list[dict[str, Any]]] = json.loads(completed.stdout)
    return alerts


def missed_examples() -> list[str]:
    """Return the sentences of `examples.txt` in which no rule finds a fault."""
    lines = (HERE / "examples.txt").read_text(encoding="utf-8").splitlines()
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "examples.md"
        page.write_text("\n\n".join(lines), encoding="utf-8")
        flagged = {alert["Line"] for alerts in vale([page]).values() for alert in alerts}
    return [line for number, line in enumerate(lines) if 2 * number + 1 not in flagged]


def covered(patterns: Iterable[str]) -> list[Path]:
    """Return the files of a list of patterns; one with a leading "!" leaves files out."""
    chosen: dict[Path, None] = {}
    for pattern in patterns:
        paths = sorted(ROOT.glob(pattern.removeprefix("!")))
        if pattern.startswith("!"):
            chosen = {path: None for path in chosen if path not in paths}
        else:
            chosen |= dict.fromkeys(path for path in paths if "migrations" not in path.parts)
    return list(chosen)


def kind_faults(kind: str, paths: list[Path]) -> Iterator[ValeAlert]:
    """Yield the faults of pages, docstrings or words."""
    yield from page_faults(paths) if kind == "pages" else text_faults(paths, kind)


def page_faults(paths: list[Path]) -> Iterator[ValeAlert]:
    """Yield the faults of Markdown pages."""
    for name, alerts in vale(paths).items() if paths else ():
        for alert in alerts:
            path = Path(name).resolve().relative_to(ROOT).as_posix()
            yield ValeAlert(path, alert["Line"], alert["Check"], alert["Match"], alert["Message"])


def text_faults(paths: list[Path], kind: str) -> Iterator[ValeAlert]:
    """Yield the faults of texts in modules and templates."""
    with tempfile.TemporaryDirectory() as folder:
        places: dict[str, dict[int, tuple[str, int]]] = {}
        for number, path in enumerate(paths):
            page, lines = Path(folder) / f"{number}.md", list[str]()
            places[str(page)] = {}
            for text in texts(path, kind):
                for line in text.text.split("\n"):
                    places[str(page)][len(lines) + 1] = (path.relative_to(ROOT).as_posix(), text.line)
                    lines.append(line.strip())
                lines.append("")
            page.write_text("\n".join(lines), encoding="utf-8")
        for name, alerts in vale([Path(folder)]).items():
            for alert in alerts:
                place = places[name].get(alert["Line"], (name, 0))
                yield ValeAlert(place[0], place[1], alert["Check"], alert["Match"], alert["Message"])


def excepted() -> set[tuple[str, str, str]]:
    """Return path, rule and match of each exception."""
    with (HERE / "exceptions.tsv").open(encoding="utf-8", newline="") as file:
        return {(row["path"], row["rule"], row["match"]) for row in csv.DictReader(file, delimiter="\t")}


def complaints() -> Iterator[str]:
    """Yield a line for each fault in a covered file, for each missed example and each exception without a fault."""
    lists = tomllib.loads((HERE / "covered.toml").read_text(encoding="utf-8"))
    exceptions, unused = excepted(), excepted()
    for kind in KINDS:
        for fault in sorted(kind_faults(kind, covered(lists[kind]))):
            key = (fault.path, fault.rule, fault.match)
            unused.discard(key)
            if key not in exceptions:
                yield f"{fault.path}:{fault.line}: {fault.message} [{fault.rule}] {fault.match[:80]}"
    for sentence in missed_examples():
        yield f"tools/prose/examples.txt: no rule finds a fault in: {sentence}"
    for path, rule, match in sorted(unused):
        yield f"tools/prose/exceptions.tsv: not needed: {path} {rule} {match}"
    if glossary_rule.RULE.read_text(encoding="utf-8") != glossary_rule.rule():
        yield "docs/reference/glossary.tsv: run `python -m tools.prose.glossary_rule`"
    if len(exceptions) > EXCEPTIONS_MAX:
        yield f"tools/prose/exceptions.tsv: {len(exceptions)} exceptions; at most {EXCEPTIONS_MAX}"


def main() -> int:
    """Print every fault; return 1 if there is one."""
    if not VALE.exists():
        print(f"{VALE.relative_to(ROOT)} is missing. Run `make lint`, which builds it with Go.", file=sys.stderr)
        return 1
    lines = list(complaints())
    print("\n".join(lines) or "prose: no fault")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
