"""The documentation is true: links lead somewhere, commands and settings exist, tables are what the code says."""

import argparse
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from backoffice.installation.own_command_listing_and_parsers import commands, parser_of
from events import catalogue
from events.settings.setting_declarations import IN_FILES, NAMES, OF_CHILDREN, OF_COMPOSE
from tools.documents import reference_pages
from tools.documents.event_and_action_pages import stream_of

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("[CS]*.md")), *sorted(DOCS.rglob("*.md"))]
WRITTEN = [page for page in PAGES if page.parent.name not in ("events", "actions", "par")]
PACKAGES = ("events", "projections", "workers", "backoffice")

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
VARIABLE = re.compile(r"PITLEDGER_[A-Z_]+[A-Z]")
COMMAND = re.compile(r"\./manage\.py ([a-z]+(?:-[a-z]+)*)((?: +[^\n`|#;]*)?)")
MAKE = re.compile(r"(?:^|`)make((?: [a-z-]+)+)", re.MULTILINE)
TABLE_ROW = re.compile(r"^\| (.*) \|$", re.MULTILINE)


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def code(page: Path) -> str:
    """Return the code of a page, in fences and in lines."""
    whole = text(page)
    fenced = re.findall(r"^ *```[a-z]*\n(.*?)^ *```", whole, re.DOTALL | re.MULTILINE)
    rest = re.sub(r"^ *```.*?^ *```", "", whole, flags=re.DOTALL | re.MULTILINE)
    return "\n".join([*fenced, *(f"`{line}`" for line in re.findall(r"`([^`\n]+)`", rest))])


def anchors(page: Path) -> set[str]:
    """The names that headings have as targets of links."""
    heads = re.findall(r"^#+ (.+)$", text(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


@cache
def links(page: Path) -> list[tuple[Path, str]]:
    """The files that a page links to, and the heading there."""
    links_ = []
    for target in LINK.findall(text(page)):
        if "://" not in target:
            path, _, anchor = target.partition("#")
            links_.append(((page.parent / path).resolve() if path else page, anchor))
    return links_


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in links(page):
        assert target.exists(), f"{target} of {name(page)}"
        assert not anchor or anchor in anchors(target), f"{target}#{anchor}"


def test_every_page_is_reached_from_the_readme() -> None:
    reached, ahead = set(), [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        if page not in reached and page.suffix == ".md":
            reached.add(page)
            ahead += [target for target, _ in links(page)]
    assert {name(page) for page in PAGES} == {name(page) for page in reached}


def options(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Every option of a command, those of its subcommands included."""
    for action in parser._actions:
        yield from action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            for sub in action.choices.values():
                yield from options(sub)


@pytest.mark.parametrize("page", WRITTEN, ids=name)
def test_commands_and_their_options_exist(page: Path) -> None:
    for command, rest in COMMAND.findall(code(page)):
        if command == "help":
            continue
        assert command in commands(), f"./manage.py {command}"
        known = set(options(parser_of(command)))
        for word in rest.split():
            if word.startswith("--"):
                assert word.partition("=")[0] in known, f"./manage.py {command} {word}"


@pytest.mark.parametrize("page", WRITTEN, ids=name)
def test_make_targets_exist(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", text(ROOT / "Makefile"), re.MULTILINE))
    for words in MAKE.findall(code(page)):
        assert set(words.split()) <= targets, f"make{words}"


def test_examples_of_commands_can_be_read_by_their_parsers() -> None:
    """Those in fences that need nothing but the parser: no shell, no variable, no ellipsis."""
    tried = 0
    for page in WRITTEN:
        for line in re.findall(r"^ *\./manage\.py (.+)$", code(page), re.MULTILINE):
            command, *words = shlex.split(line, comments=True)
            if re.search(r"[$|<>`]|\.\.\.", " ".join(words)) or command == "help":
                continue
            parser_of(command).parse_args([word.replace("POSITION-1", "1") for word in words])
            tried += 1
    assert tried > 20


# --- settings -----------------------------------------------------------------------------------------------------


def settings_table() -> dict[str, str]:
    """Variable and default, as settings.md lists them."""
    rows = [row.split(" | ") for row in TABLE_ROW.findall(text(DOCS / "reference" / "settings.md"))]
    return {row[0].strip("`"): row[2] for row in rows if row[0].startswith("`PITLEDGER_")}


def test_settings_are_those_of_the_parser() -> None:
    assert list(settings_table()) == list(NAMES)


def test_nobody_but_the_parser_reads_the_environment_for_a_setting() -> None:
    pattern = re.compile(r"(?:environ(?:\.get\(|\[)|getenv\()[\"'](PITLEDGER_[A-Z_]+)")
    sources = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    reads = {(name(path), variable) for path in sources for variable in pattern.findall(text(path))}
    assert reads <= {(name(path), "PITLEDGER_DEMO") for path in sources}


def test_settings_named_elsewhere_exist() -> None:
    places = [*WRITTEN, ROOT / "docker-compose.yml", ROOT / "Dockerfile", ROOT / "Makefile"]
    setting_names = {variable for page in places for variable in VARIABLE.findall(text(page))}
    assert setting_names <= {
        *NAMES,
        *IN_FILES,
        *OF_CHILDREN,
        *OF_COMPOSE,
        "PITLEDGER_COMPOSE",
    }  # the last is of tests/compose


# --- reference ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["commands", "roles", "errors", "settings"])
def test_reference_pages_are_fresh(page: str) -> None:
    path = f"reference/{page}.md"
    assert text(DOCS / path) == reference_pages.pages()[path], "make docs"


def test_roles_says_who_may_do_every_action() -> None:
    page = text(DOCS / "reference" / "roles.md")
    missing = [action for action in catalogue.action_types() if f"`{action}`" not in page]
    assert not missing, "tools/documents/reference_pages.py: _ELSEWHERE"
    assert stream_of(catalogue.action_types()["hit.authorise"]) == "PROPERTY/progressives/NAME"


def test_log_lines_are_said_by_the_code() -> None:
    sources = (path for package in PACKAGES for ending in ("*.py", "*.tsv") for path in (ROOT / package).rglob(ending))
    code = "\n".join(map(text, sources))
    lines = [row.split(" | ")[1] for row in TABLE_ROW.findall(text(DOCS / "reference" / "logs.md"))]
    quoted = [quote for line in lines for quote in re.findall(r"`([^`]+)`", line)]
    assert quoted
    assert [quote for quote in quoted if quote not in code] == []


def test_every_decision_is_in_the_index() -> None:
    index = {target.name for target, _ in links(DOCS / "adr" / "README.md")}
    assert {path.name for path in (DOCS / "adr").glob("0*.md")} == index


def test_decisions_are_listed_in_order_under_their_own_titles() -> None:
    rows = re.findall(r"^- \[(\d{4}) (.+?)\]\((.+?)\)$", text(DOCS / "adr" / "README.md"), re.MULTILINE)
    assert rows == sorted(rows, key=lambda row: row[2])
    headings = {name: text(DOCS / "adr" / name).partition("\n")[0] for _number, _title, name in rows}
    assert headings == {name: f"# {int(number)}. {title}" for number, title, name in rows}


def test_the_file_of_a_decision_is_named_by_its_title() -> None:
    for path in (DOCS / "adr").glob("0*.md"):
        number, _, title = text(path).partition("\n")[0].removeprefix("# ").partition(". ")
        words = re.findall(r"[a-z0-9]+", re.sub(r"['’`]", "", title.lower()))
        assert path.name == f"{int(number):04d}-{'-'.join(words)}.md"


def test_the_index_names_every_number_without_a_decision() -> None:
    numbers = {int(path.name[:4]) for path in (DOCS / "adr").glob("0*.md")}
    listed = text(DOCS / "adr" / "README.md").partition("no file in any version: ")[2].partition(".\n")[0]
    assert [int(number) for number in re.findall(r"\d+", listed)] == sorted(set(range(1, max(numbers))) - numbers)
