"""The arrays of `list_types_for_postgres_arrays.py` in the binary form of PostgreSQL.

`postgres_session_settings.py` registers them for every connection.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from struct import Struct
from typing import Any, ClassVar

import psycopg
from psycopg.abc import Buffer
from psycopg.adapt import Dumper
from psycopg.pq import Format

from events.store.list_types_for_postgres_arrays import Bigints, Byteas, TextArray, TimestampArray

_HEADER = Struct("!iiIii").pack  # dimensions, whether NULLs occur, type of the members, how many, from which index
_EMPTY = Struct("!iiI").pack
_LENGTH = Struct("!i").pack
_BIGINT = Struct("!iq").pack  # a length, always 8, and the number
_NULL = _LENGTH(-1)
_ZERO, _UNIT = datetime(2000, 1, 1, tzinfo=UTC), timedelta(microseconds=1)  # as PostgreSQL counts time
CACHED_TEXTS = 4_096  # texts that came last: streams, types and names come repeatedly

Value = Callable[[Any], bytes]  # a member as it is sent: its length, and its kind


class _ArrayDumper(Dumper):
    format = Format.BINARY
    member: ClassVar[int]

    def value(self) -> Value:
        """Return the form of a member for sending."""
        raise NotImplementedError

    def dump(self, obj: Any) -> Buffer:
        if not obj:
            return _EMPTY(0, 0, self.member)
        return _HEADER(1, 0, self.member, len(obj), 1) + b"".join(map(self.value(), obj))


class _ByteasDumper(_ArrayDumper):
    oid, member = 1001, 17

    def value(self) -> Value:
        return _bytea


class _TextsDumper(_ArrayDumper):
    oid, member = 1009, 25

    def value(self) -> Value:
        return _text_in(self.connection.info.encoding if self.connection else "utf-8")


class _BigintsDumper(_ArrayDumper):
    oid, member = 1016, 20

    def value(self) -> Value:
        return _bigint


class _MomentsDumper(_ArrayDumper):
    oid, member = 1185, 1184

    def value(self) -> Value:
        return _moment


def _bytea(value: bytes | None) -> bytes:
    return _NULL if value is None else _LENGTH(len(value)) + value


def _bigint(number: int | None) -> bytes:
    return _NULL if number is None else _BIGINT(8, number)


@lru_cache(maxsize=CACHED_TEXTS)
def _moment(moment: datetime | None) -> bytes:
    return _NULL if moment is None else _BIGINT(8, (moment - _ZERO) // _UNIT)


@cache
def _text_in(encoding: str) -> Value:
    @lru_cache(maxsize=CACHED_TEXTS)
    def text(value: str | None) -> bytes:
        return _NULL if value is None else _bytea(value.encode(encoding))

    return text


def register_dumpers() -> None:
    """Let the driver send the arrays on every connection that is made from now on."""
    psycopg.adapters.register_dumper(TextArray, _TextsDumper)
    psycopg.adapters.register_dumper(Byteas, _ByteasDumper)
    psycopg.adapters.register_dumper(Bigints, _BigintsDumper)
    psycopg.adapters.register_dumper(TimestampArray, _MomentsDumper)
