"""PostgreSQL arrays of a fixed type, in binary: the parameters of the append function.

psycopg finds the type of a list by looking at its members: an empty one is text, small integers are int2. Each
mixture would be a prepared statement of its own; these are always text[], bytea[] and bigint[], and cheaper.
"""

from struct import Struct
from typing import Any, ClassVar

import psycopg
from psycopg.abc import Buffer
from psycopg.adapt import Dumper
from psycopg.pq import Format

_HEADER = Struct("!iiIii").pack  # dimensions, whether NULLs occur, type of the members, how many, from which index
_EMPTY = Struct("!iiI").pack
_LENGTH = Struct("!i").pack
_BIGINT = Struct("!iq").pack  # a length, always 8, and the number


class Texts(list[str]):
    """To be sent as text[]."""


class Byteas(list[bytes]):
    """To be sent as bytea[]."""


class Bigints(list[int]):
    """To be sent as bigint[]."""


class _ArrayDumper(Dumper):
    format = Format.BINARY
    member: ClassVar[int]

    def members(self, obj: Any) -> list[bytes]:
        """The members' lengths and values in turn."""
        raise NotImplementedError

    def dump(self, obj: Any) -> Buffer:
        if not obj:
            return _EMPTY(0, 0, self.member)
        return _HEADER(1, 0, self.member, len(obj), 1) + b"".join(self.members(obj))


class _ByteasDumper(_ArrayDumper):
    oid, member = 1001, 17

    def members(self, obj: Byteas) -> list[bytes]:
        return [part for value in obj for part in (_LENGTH(len(value)), value)]


class _TextsDumper(_ArrayDumper):
    oid, member = 1009, 25

    def members(self, obj: Texts) -> list[bytes]:
        encoding = self.connection.info.encoding if self.connection else "utf-8"
        values = [text.encode(encoding) for text in obj]
        return [part for value in values for part in (_LENGTH(len(value)), value)]


class _BigintsDumper(_ArrayDumper):
    oid, member = 1016, 20

    def members(self, obj: Bigints) -> list[bytes]:
        return [_BIGINT(8, number) for number in obj]


psycopg.adapters.register_dumper(Texts, _TextsDumper)
psycopg.adapters.register_dumper(Byteas, _ByteasDumper)
psycopg.adapters.register_dumper(Bigints, _BigintsDumper)
