"""The note of a stored file of a case: its type and size, and the time of its upload until it is attached."""

import secrets
from datetime import timedelta

import msgspec

from events.runtime import clock

_ATTACHED = "attached"


class UploadNote(msgspec.Struct, frozen=True):
    """`type` follows from the content, `size` is in bytes. `mark` is "attached", or the second of the upload with a
    token, which makes each upload another one; "" in a note of an earlier version."""

    type: str
    size: int
    mark: str = ""

    @classmethod
    def new(cls, type_: str, size: int) -> "UploadNote":
        """Return the note of a file that is uploaded now."""
        return cls(type_, size, f"{int(clock.moment().timestamp())}-{secrets.token_hex(4)}")

    @classmethod
    def read(cls, note: bytes) -> "UploadNote":
        """Return a stored note."""
        size, type_, *mark = note.decode().split(" ")
        return cls(type_, int(size), *mark)

    def written(self) -> bytes:
        """Return it as it is stored."""
        return f"{self.size} {self.type} {self.mark}".rstrip().encode()

    @property
    def is_attached(self) -> bool:
        """Return whether the file was seen to be attached."""
        return self.mark == _ATTACHED

    def attached(self) -> "UploadNote":
        """Return the note of the attached file."""
        return msgspec.structs.replace(self, mark=_ATTACHED)

    def age(self) -> timedelta | None:
        """Return the time since the upload; None where it is attached, or the time is unknown."""
        second = self.mark.partition("-")[0]
        if not second.isdecimal():
            return None
        return timedelta(seconds=clock.moment().timestamp() - int(second))
