"""Check names and docstrings: `python -m tools.check_names`, by `make lint`.

A module is named by a noun of the trade or of engineering. A class name is a noun, and rare. A function is named by a
verb or by its result. A variable, an argument and a field are named by their content, also in the scripts and in the
templates of the pages. A docstring says what the function returns or does, and names only modules, classes and
exceptions that exist.
Each fault is a line, and the exit code is then 1.
"""

import ast
import builtins
import pydoc
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from tools import script_names

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = ("events", "projections", "workers", "backoffice")
FOLDERS = (*PRODUCT, "tools", "tests")
_BANNED = """
about again ahead around asked asking at_desk away became beginnings beside between caused compared deeds doing end
ends fed firsts fitting folded found given going happened in_force kept known lately lean lines listed loaded
looking looks made marked named near news of_day offers open_to orphans ours out past pulse remembered rests said
shape standing supposing tailored tame telling tell things together too_late touching trial voice waits watched
watches watching watchman ways
"""
BANNED_MODULES = frozenset(_BANNED.split())
VAGUE_NAMES = frozenset({"one", "said", "found", "told", "kept", "kept_back", "asked", "more", "beside", "around"})
# In functions of the product; fields of these names are read by templates, snapshots or the API.
VAGUE_IN_FUNCTIONS = frozenset(
    {
        "again",
        "apart",
        "away",
        "given",
        "gone",
        "known",
        "mine",
        "ours",
        "past",
        "rests",
        "standing",
        "theirs",
        "together",
    }
)
_VAGUE_IN_SCRIPTS = """
again apart away begun chosen far given going gone heard known lasting linked lost named opened saying seen sent
standing taken under wanted went worth written
"""
VAGUE_IN_SCRIPTS = VAGUE_NAMES | frozenset(_VAGUE_IN_SCRIPTS.split())
_VAGUE_FUNCTIONS = """
again away became ends fed firsts fitting given going happened known lately lean made marked near of orphans ours past
rests standing supposing tailored tame telling theirs together touching waits ways
"""
VAGUE_FUNCTIONS = VAGUE_NAMES | frozenset(_VAGUE_FUNCTIONS.split())
_VAGUE_FUNCTIONS_OF_PRODUCT = """
along anywhere are between bury drive everybody heard hull looked misfits less reckon strays supposed tend
undivided outrun watched
"""
VAGUE_FUNCTIONS_OF_PRODUCT = VAGUE_FUNCTIONS | frozenset(_VAGUE_FUNCTIONS_OF_PRODUCT.split())
_VAGUE_IN_TEMPLATES = "again away fed given gone known mine ours past rests standing theirs together"
VAGUE_IN_TEMPLATES = VAGUE_NAMES | frozenset(_VAGUE_IN_TEMPLATES.split())
VAGUE_TEMPLATES = BANNED_MODULES | frozenset({"asked", "because", "laid", "lies", "told", "would"})
_TAG = re.compile(r"\{%\s*(.*?)\s*%\}", re.DOTALL)
_STRING = re.compile(r"\"[^\"]*\"|'[^']*'")
_LOOP = re.compile(r"for\s+(.*?)\s+in\s", re.DOTALL)
_AS = re.compile(r"\sas\s+(\w+)$")
_TRANSLATED = re.compile(r"\{%\s*blocktrans.*?%\}(.*?)\{%\s*endblocktrans", re.DOTALL)
_SHOWN = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_VAGUE_CLASSES = """
acting aged answered armed attached away being beside bookmarked checked counted decided drawn edited explained fetched
followed forged judged killed known live locked logged looked lying made malformed meddled measured nothing outdated
printed recorded remembered reported saved searched seen shaken shown standing taking tampered tapped timed unmeasured
unpaid unwritten valued waiting watched weighed written wrong
"""
VAGUE_CLASSES = VAGUE_FUNCTIONS.union(_VAGUE_CLASSES.split())
_API = "a schema of the API: clients are generated from it"
_API_CLASSES = """
Away Checked Drawn Given Judged Logged Looked Lying Recorded Saved Searched Seen Standing Unpaid Unwritten Waiting
"""
VAGUE_CLASSES_ALLOWED = {
    **dict.fromkeys(_API_CLASSES.split(), _API),
    **dict.fromkeys(("Remembered", "Told"), "a table of the database"),
}
FIRST_WORDS = frozenset({"what", "who", "whoever", "whatever", "whose", "that"})
CLASSES_ALLOWED = {
    **dict.fromkeys(("Meta", "Command", "Migration"), "Django's"),
    **dict.fromkeys(("Alert", "Irregularity"), "a table of the database, and its schema in the API"),
    "CaseEvent": "a table of the database, and its events",
    **dict.fromkeys(("Die", "Looked", "Problem", "Refusal", "Seen", "Spot"), _API),
    "Kind": "a schema of the API, and a kind of stream",
    "Reader": "a table of the database, and the reader of a page",
}
_REFERENCE = re.compile(r"`([\w/]+\.py)`")
_QUALIFIED = re.compile(r"`((?:events|projections|workers|backoffice|tools|tests)(?:\.\w+)+)\.([A-Z]\w*)`")
_CLASS = re.compile(r"^[ \t]*class (\w+)", re.MULTILINE)
# A bare name of two capitalized parts, a capitalized word in backquotes, and the exceptions of a "Raises" sentence.
_CAMEL = re.compile(r"(?<![\w.])[A-Z][a-z]+(?:[A-Z][a-z]+)+\b")
_QUOTED = re.compile(r"`([A-Z]\w*[a-z]\w*)`")
_RAISES = re.compile(r"\b[Rr]aises? (?=[`\w.]*[A-Z])(.*?)(?:[.:;] |[.:;]?$)")
_RAISED = re.compile(r"(?:^|, |,? ?\b(?:and|or) )`?((?:[a-z_]\w*\.)*[A-Z]\w*[a-z]\w*)")
NO_CLASSES = {
    "Forwarded": "a header of HTTP",
    **dict.fromkeys(("CloudEvents", "OpenTelemetry", "TypeScript", "WebCrypto"), "standards and languages"),
    **dict.fromkeys(("NotifyAccess", "OneDrive", "StatefulSet", "WatchdogSec"), "of systemd, Windows and Kubernetes"),
    **dict.fromkeys(("BetPlace", "ReadFloor"), "of the generated client"),
    "ProjectionRunner": "of the library eventsourcing, which is only measured",
}
SAME_NAME = 2  # so many classes of one name, and modules of one first word in a folder


def modules(folder: str) -> Iterator[Path]:
    """Yield the Python files of a folder, without migrations."""
    yield from (path for path in sorted((ROOT / folder).rglob("*.py")) if "migrations" not in path.parts)


def module_faults(path: Path) -> Iterator[str]:
    """Yield a fault where a module has a banned name."""
    if path.stem.removeprefix("test_") in BANNED_MODULES:
        yield f"{path.relative_to(ROOT)}: the name of a module is a noun that a stranger can guess"


def docstring_faults(path: Path, tree: ast.Module) -> Iterator[str]:
    """Yield the docstrings that begin with a clause."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        words = (ast.get_docstring(node) or "").split(None, 1)
        if words and words[0].rstrip(",:'").lower() in FIRST_WORDS:
            line = node.body[0].lineno
            yield f"{path.relative_to(ROOT)}:{line}: say what it returns or does, not {words[0]!r}"


def reference_faults(path: Path, source: str) -> Iterator[str]:
    """Yield the modules named in backquotes that are neither beside the module nor under the repository, and classes
    that their module does not have.
    """
    for number, line in enumerate(source.splitlines(), 1):
        for module, name in _QUALIFIED.findall(line):
            place = ROOT.joinpath(*module.split(".")).with_suffix(".py")
            if not place.exists() or not re.search(
                rf"^(?:class )?{name}\b", place.read_text(encoding="utf-8"), re.MULTILINE
            ):
                yield f"{path.relative_to(ROOT)}:{number}: there is no {module}.{name}"
        for name in _REFERENCE.findall(line):
            if not any((folder / name).exists() for folder in (path.parent, ROOT)):
                yield f"{path.relative_to(ROOT)}:{number}: there is no {name}"


def class_reference_faults(path: Path, source: str, tree: ast.Module, classes: Collection[str]) -> Iterator[str]:
    """Yield the classes and exceptions named in docstrings, and in backquotes in comments, that do not exist.

    A name may be a class of the project, a builtin, or a name in the module's code. The class of a library that the
    module does not name has its module in front of it.
    """
    own_names = {
        getattr(node, field).rpartition(".")[2]
        for node in ast.walk(tree)
        for kind, field in ((ast.Name, "id"), (ast.Attribute, "attr"), (ast.alias, "name"))
        if isinstance(node, kind)
    }
    known_names = {*classes, *vars(builtins), *own_names, *NO_CLASSES}
    comments = ((number, line.partition("#")[2]) for number, line in enumerate(source.splitlines(), 1))
    named = [(number, name) for number, comment in comments for name in _QUOTED.findall(comment)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = " ".join((ast.get_docstring(node) or "").split())
            raised = [name for sentence in _RAISES.findall(text) for name in _RAISED.findall(sentence)]
            named += [(node.body[0].lineno, name) for name in (*_CAMEL.findall(text), *_QUOTED.findall(text), *raised)]
    for number, name in sorted(set(named)):
        if not (pydoc.locate(name) if "." in name else name in known_names):
            yield f"{path.relative_to(ROOT)}:{number}: there is no class {name}"


def variable_faults(path: Path, tree: ast.Module) -> Iterator[str]:
    """Yield the variables, arguments, fields and import aliases whose names do not describe their content."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            name = node.arg
        elif isinstance(node, ast.alias):
            name = node.asname or ""
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name = node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            name = node.attr
        else:
            continue
        if name.strip("_").lower() in VAGUE_NAMES:
            yield f"{path.relative_to(ROOT)}:{node.lineno}: name the content, not {name!r}"


def template_faults(path: Path, template: str) -> Iterator[str]:
    """Yield a fault where a template has a banned name, and its loop, `with` and `as` variables with vague names.

    A variable in a translated sentence has the name that the translations have.
    """
    if path.stem in VAGUE_TEMPLATES:
        yield f"{path.relative_to(ROOT)}: name a template by what it shows"
    translated = {name for text in _TRANSLATED.findall(template) for name in _SHOWN.findall(text)}
    for tag in _TAG.finditer(template):
        text = _STRING.sub("", tag[1])
        if loop := _LOOP.match(text):
            names = re.split(r"[\s,]+", loop[1])
        else:
            names = re.findall(r"(\w+)=", text) if re.match(r"with\s|include\s|blocktrans", text) else []
            names += _AS.findall(text)
        for name in names:
            if name in VAGUE_IN_TEMPLATES and name not in translated:
                line = template.count("\n", 0, tag.start()) + 1
                yield f"{path.relative_to(ROOT)}:{line}: name the content, not {name!r}"


def script_faults(path: Path, script: str) -> Iterator[str]:
    """Yield the names of a script that do not describe their content."""
    for name, line in script_names.names(script):
        if name.strip("_").lower() in VAGUE_IN_SCRIPTS:
            yield f"{path.relative_to(ROOT)}:{line}: name the content, not {name!r}"


def local_faults(path: Path, tree: ast.Module) -> Iterator[str]:
    """Yield the variables and arguments of functions whose names only hint at their content."""
    functions = [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    ]
    nodes = {node for function in functions for node in ast.walk(function)}
    arguments = {(node.lineno, node.arg) for node in nodes if isinstance(node, ast.arg)}
    stored = {
        (node.lineno, node.id) for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    for line, name in sorted(arguments | stored):
        if name.strip("_") in VAGUE_IN_FUNCTIONS:
            yield f"{path.relative_to(ROOT)}:{line}: name the content, not {name!r}"


def definition_faults(path: Path, tree: ast.Module) -> Iterator[str]:
    """Yield the functions and classes whose names do not describe their result or content."""
    is_product = path.relative_to(ROOT).parts[0] in PRODUCT
    vague_functions = VAGUE_FUNCTIONS_OF_PRODUCT if is_product else VAGUE_FUNCTIONS
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            is_vague = node.name.strip("_").lower() in VAGUE_CLASSES and node.name not in VAGUE_CLASSES_ALLOWED
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            is_vague = node.name.strip("_") in vague_functions
        else:
            continue
        if is_vague:
            yield f"{path.relative_to(ROOT)}:{node.lineno}: name the result or the content, not {node.name!r}"


def class_faults(places: dict[str, list[str]]) -> Iterator[str]:
    """Yield the class names that two classes of the product, of the tools or of the tests have, or too many overall."""
    for name, paths in sorted(places.items()):
        if name in CLASSES_ALLOWED:
            continue
        parts = Counter("product" if path.startswith(PRODUCT) else path.partition("/")[0] for path in paths)
        if len(paths) > SAME_NAME or max(parts.values()) > 1:
            yield f"{len(paths)} classes are called {name}: {', '.join(paths)}"


def family_faults(paths: Iterable[Path]) -> Iterator[str]:
    """Yield the first words that too many modules of one folder share."""
    families: dict[tuple[Path, str], list[str]] = defaultdict(list)
    for path in paths:
        word, underscore, _rest = path.stem.partition("_")
        if word and underscore:
            families[path.parent, word].append(path.name)
    for (folder, word), names in families.items():
        if len(names) > SAME_NAME:
            yield f"{folder.relative_to(ROOT)}: make a package of {', '.join(names)}, or let fewer begin with {word}"


def faults() -> Iterator[str]:
    """Yield every fault; first words of modules are compared in the product only."""
    classes: dict[str, list[str]] = defaultdict(list)
    sources = {path: path.read_text(encoding="utf-8") for folder in FOLDERS for path in modules(folder)}
    known_classes = {name for source in sources.values() for name in _CLASS.findall(source)}
    for path, source in sources.items():
        tree = ast.parse(source)
        yield from module_faults(path)
        yield from variable_faults(path, tree)
        yield from definition_faults(path, tree)
        yield from docstring_faults(path, tree)
        yield from reference_faults(path, source)
        yield from class_reference_faults(path, source, tree, known_classes)
        if path.relative_to(ROOT).parts[0] in PRODUCT:
            yield from local_faults(path, tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                classes[node.name].append(path.relative_to(ROOT).as_posix())
    for path in sorted((ROOT / "backoffice").rglob("static/**/*.js")):
        if "vendor" not in path.parts:
            yield from script_faults(path, path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "backoffice").rglob("templates/**/*.html")):
        yield from template_faults(path, path.read_text(encoding="utf-8"))
    yield from class_faults(classes)
    yield from family_faults(path for folder in PRODUCT for path in modules(folder))


if __name__ == "__main__":
    lines = list(faults())
    print("\n".join(lines) or "names: no fault")
    sys.exit(1 if lines else 0)
