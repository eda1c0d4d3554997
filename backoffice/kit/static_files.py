"""Static files, under names with the hash of their content: browsers keep them permanently, and get them compressed.

No build step makes those names; each process computes them at its start, from the files as they are.
"""

import hashlib
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar

from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from whitenoise.middleware import WhiteNoiseMiddleware

DIGITS = 12
PARTIAL = 206


@cache
def name_with_digest(name: str) -> str:
    """ "a/b.css" as "a/b.0123456789ab.css". Raises ValueError for a file that is not there."""
    source = finders.find(name)
    if not isinstance(source, str):
        raise ValueError(f"there is no file {name}")
    digest = hashlib.sha256(Path(source).read_bytes()).hexdigest()[:DIGITS]
    path = PurePosixPath(name)
    return str(path.with_name(f"{path.stem}.{digest}{path.suffix}"))


class HashedStorage(StaticFilesStorage):
    """Storage behind `{% static %}`."""

    def url(self, name: str | None) -> str:
        """The address of a file, with its hash."""
        return str(super().url(name_with_digest(name or "")))


class Files(WhiteNoiseMiddleware):
    """The files under both names: as they are called, for a minute; with their hash, permanently."""

    _read: ClassVar[dict[str, Any]] = {}

    def add_files_from_finders(self) -> None:
        """Read once in a process, at the start, however many handlers it has: a test has one for each client."""
        if not self._read:
            super().add_files_from_finders()
            for url in list(self.files):
                name = url.removeprefix(self.static_prefix)
                self.add_file_to_dictionary(f"{self.static_prefix}{name_with_digest(name)}", finders.find(name))
            self._read.update(self.files)
        self.files.update(self._read)


class CompressedResponses(GZipMiddleware):
    """Pages, figures and files for clients that accept gzip.

    Django varies the length of each answer by chance, so that the length reveals no other content of it (BREACH). Part
    of a file stays as requested.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """The answer, shorter."""
        if response.status_code == PARTIAL:
            return response
        return super().process_response(request, response)
