"""A named folder outside the house: whole files under their names, and no other file is ever replaced."""

import errno
import hashlib
import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PART = ".pitledger-"  # how the name of a file begins while it is written
OLD_S = 3_600  # an unfinished file is deleted after this time
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


class Folder:
    """An open folder. Files are reached through it, so that a folder that is exchanged meanwhile gets nothing."""

    def __init__(self, number: int) -> None:
        self._number = number

    def digest(self, name: str) -> str | None:
        """Return the SHA-256 of the file of this name; None without one. Raises OSError, also for a link."""
        try:
            file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=self._number)
        except FileNotFoundError:
            return None
        with os.fdopen(file, "rb") as opened:
            if not stat.S_ISREG(os.fstat(file).st_mode):
                raise OSError(errno.EINVAL, "it is no file", name)  # the bytes of a pipe would never end
            return hashlib.file_digest(opened, "sha256").hexdigest()

    def write(self, name: str, content: bytes) -> None:
        """Write a file that is on the disk before it has its name.

        Raises FileExistsError where the name is taken, and OSError where the folder is full or not writable.
        """
        part = f"{PART}{secrets.token_hex(8)}.part"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        try:
            with os.fdopen(os.open(part, flags, 0o640, dir_fd=self._number), "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            self._name(part, name)
        finally:
            with suppress(OSError):
                os.unlink(part, dir_fd=self._number)
        os.fsync(self._number)

    def _name(self, part: str, name: str) -> None:
        """Give the file its name. A link fails where the name is taken; some file systems have no links."""
        try:
            os.link(part, name, src_dir_fd=self._number, dst_dir_fd=self._number, follow_symlinks=False)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            if self.digest(name) is not None:
                raise FileExistsError(errno.EEXIST, "the name is taken", name) from error
            os.rename(part, name, src_dir_fd=self._number, dst_dir_fd=self._number)

    def delete_unfinished(self) -> None:
        """Delete the temporary files of killed senders."""
        long_ago = time.time() - OLD_S
        for name in os.listdir(self._number):
            if name.startswith(PART) and name.endswith(".part"):
                with suppress(OSError):
                    if os.stat(name, dir_fd=self._number, follow_symlinks=False).st_mtime < long_ago:
                        os.unlink(name, dir_fd=self._number)


@contextmanager
def open_folder(path: Path) -> Iterator[Folder]:
    """Open a folder, which must exist: a disk that is not mounted gets no folder of the same name. Raises OSError."""
    number = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield Folder(number)
    finally:
        os.close(number)


def problem_of(error: OSError) -> str:
    """Return why a folder took no file, as a short code."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return "folder full"
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ESTALE, errno.EIO):
        return "folder gone"
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "folder not writable"
    return "name taken" if error.errno in (errno.EEXIST, errno.ELOOP, errno.EISDIR) else type(error).__name__
