"""Descriptions of a table's events, for the steps of a round and for listeners."""

from collections.abc import Iterator
from typing import Any

import msgspec

from backoffice.forms.request_and_action_wording import SummaryLine, value_text
from backoffice.surveillance.replay.event_sentences_by_type import phrase
from backoffice.surveillance.search.field_conditions import base
from backoffice.wording.code_to_word_translation import word
from backoffice.wording.field_labels import label
from events import catalogue
from events.envelope import EventData
from events.errors import Poison
from events.rules.cards import card_text
from events.tables.event_types.session import TableEvent
from projections.eventlog.models import EventLog

_WHERE = frozenset(TableEvent.__struct_fields__)
_SELDOM = frozenset({"rounded_millionths", "kept_millionths", "progressive", "approvals", "source"})
_PEOPLE = frozenset({"person", "witness"})


def event_details(event: EventData, currency: str, ruleset: str) -> tuple[SummaryLine, ...]:
    """Return the event field by field, without the common fields of the table's events and without default values."""
    return tuple(_detail_lines(event, currency, ruleset))


def sentence(event: EventData, currency: str, ruleset: str) -> str:
    """The whole in one line: "g-1002 bets 10.00 on even"; where no such sentence is made, field by field."""
    if text := phrase(event, currency, ruleset):
        return text
    name = word(event.TYPE, "", ruleset)
    parts = ", ".join(f"{line.label} {line.after}" for line in event_details(event, currency, ruleset))
    return f"{name}: {parts}" if parts else name


def sentence_of(row: EventLog, currency: str) -> str:
    """Return the sentence of an event in the log; "" if it cannot be read."""
    try:
        return sentence(catalogue.decode(row.type, bytes(row.raw)).data, currency, row.ruleset or "")
    except Poison:
        return ""


def _detail_lines(event: EventData, currency: str, ruleset: str) -> Iterator[SummaryLine]:
    values: dict[str, Any] = msgspec.to_builtins(event, str_keys=True)
    for name, value in values.items():
        if name not in _WHERE and name not in _SELDOM and value not in (None, "", 0, [], {}, False):
            yield SummaryLine(
                label(name, base(event.TYPE)), _value(name, value, currency, ruleset), is_person=name in _PEOPLE
            )


def _value(name: str, value: Any, currency: str, ruleset: str) -> str:
    if name == "card":
        return card_text(value)
    if name == "wager":
        return word(value, name, ruleset)
    return value_text(name, value, currency)
