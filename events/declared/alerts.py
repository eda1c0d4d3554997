"""Alerts, declared: what people of surveillance do with them, each alert in a stream of its own.

The log does not say which alerts there are: the read models do, by the rules in force. So an id is taken as it is
written, and what is said of one that nobody raised is shown nowhere.
"""

import re
from collections.abc import Sequence
from typing import Any

from events.alerts import desk
from events.errors import Unknown
from events.kinds import Kind, Look

_ID = re.compile(r"[0-9a-f]{64}")


def _begin(_look: Look, stream: str) -> desk.Case:
    return desk.Case(stream.rpartition("/")[2])


def _confirm(_look: Look, stream: str, _case: desk.Case, _said: Sequence[Any]) -> None:
    """Raises Unknown for what is no id of an alert."""
    if _ID.fullmatch(key := stream.rpartition("/")[2]) is None:
        raise Unknown(f"there is no alert {key!r:.70}: an id has 64 hexadecimal digits")


def kind() -> Kind:
    """The declaration."""
    return Kind(
        streams="PROPERTY/alerts/NAME",
        title="Of alerts",
        summary="Look into an alert: give it to somebody, note, clear it",
        types=("events.alerts.desk",),
        rules=desk.RULES,
        words=desk.WORDS,
        begin=_begin,
        decide=desk.decide,
        evolve=desk.evolve,
        confirm=_confirm,
        belongs_to=lambda event, _stream: getattr(event, "alert", None),
    )
