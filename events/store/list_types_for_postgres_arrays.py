"""PostgreSQL arrays of a fixed type: in one, a column of many rows is handed over (`array_dumpers.py` sends them).

psycopg finds the type of a list by looking at its members: an empty one is text, small integers are int2. Each mixture
would be a prepared statement of its own; these always have the types of their names, and are cheaper. A member that is
None is NULL.
"""

from datetime import datetime


class TextArray(list[str | None]):
    """Values for text[]."""


class Byteas(list[bytes | None]):
    """Values for bytea[]."""


class Bigints(list[int | None]):
    """Values for bigint[]."""


class TimestampArray(list[datetime | None]):
    """Values for timestamptz[]; each with a time zone."""
