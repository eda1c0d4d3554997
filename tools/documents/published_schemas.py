"""The schemas as they were published: in git, or, where there is no history, on disk."""

import io
import subprocess
import tarfile
from pathlib import Path

from tools.documents.all_generated_documents import FOLDERS


def published(docs: Path, reference: str | None = None) -> dict[str, dict[str, str]]:
    """Return the generated files of earlier versions by reference, as path under `docs` and text.

    References are the commit `reference`, or else HEAD, the commit before it and the latest tag, where they exist.
    Without any commit they are the files on disk.
    """
    references = [reference] if reference else ["HEAD", "HEAD^", *_latest_tag(docs)]
    by_reference = {name: files for name in references if (files := _files(docs, name)) is not None}
    return by_reference or {"the files on disk": _on_disk(docs)}


def _files(docs: Path, reference: str) -> dict[str, str] | None:
    """The files of a commit; None where there is no such commit."""
    if _git(docs, "rev-parse", "--verify", "--quiet", f"{reference}^{{commit}}") is None:
        return None
    # Of the folders, those that the commit has: `git archive` refuses the others.
    there = (_git(docs, "ls-tree", "--name-only", reference, "--", *FOLDERS) or b"").decode().split()
    archive = _git(docs, "archive", "--format=tar", reference, "--", *there) if there else None
    if archive is None:
        return {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as archive_file:
        return {
            member.name: content.read().decode()
            for member in archive_file.getmembers()
            if (content := archive_file.extractfile(member)) is not None
        }


def _on_disk(docs: Path) -> dict[str, str]:
    return {
        path.relative_to(docs).as_posix(): path.read_text(encoding="utf-8")
        for folder in FOLDERS
        for path in (docs / folder).glob("*")
    }


def _latest_tag(docs: Path) -> list[str]:
    tag = _git(docs, "describe", "--tags", "--abbrev=0")
    return [tag.decode().strip()] if tag else []


def _git(docs: Path, *arguments: str) -> bytes | None:
    """Return the output of git; None where it fails, is not installed, or the folder is not in a repository."""
    try:
        completed = subprocess.run(["git", *arguments], cwd=docs, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return completed.stdout
