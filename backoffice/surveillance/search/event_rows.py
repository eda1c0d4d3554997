"""An event as a readable row: its place, its people, and its details - cards, dice, numbers, the result of a bet."""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias

import msgspec

from backoffice.surveillance.search.field_conditions import amount_paid, base
from backoffice.surveillance.search.paged_search_within_time_limit import FoundEvent
from backoffice.wording import stream_currencies
from backoffice.wording.code_to_word_translation import value, word
from backoffice.wording.error_code_sentences import stored_sentence
from backoffice.wording.stream_currencies import Places
from events.rules import cards
from events.tables.event_types.rounds import BetSettled, PaymentMade
from projections.eventlog.due_amounts import due_of_json

Data: TypeAlias = Mapping[str, Any]


class Part(msgspec.Struct, frozen=True):
    """A piece of an event's text: words, a card, a person by id, or an amount in minor units after its words."""

    text: str = ""
    card: str = ""
    person: str = ""
    minor: int | None = None


class EventRow(msgspec.Struct, frozen=True):
    """An event in a list. `counts_minor` is its amount in the requested total."""

    position: int
    stream: str = ""
    type: str = ""
    time: datetime = datetime.min.replace(tzinfo=UTC)
    table: str | None = None
    gaming_day: str | None = None
    round: int | None = None
    dealer: str | None = None
    seat: int | None = None
    box: int | None = None
    player: str | None = None
    amount_minor: int | None = None
    actor: str = ""
    actorrole: str = ""
    counts_minor: int | None = None
    currency: str = ""
    details: tuple[Part, ...] = ()
    is_queued: bool = False  # recorded by a device without signal
    recordedat: datetime | None = None  # by the house, of such an event


_OF_DATA = ("table", "gaming_day", "round", "dealer", "seat", "box", "player", "amount_minor")


def row(event_bytes: FoundEvent, places: Places, counts: int | None = None) -> EventRow:
    """Return an event's row. Unreadable, tampered bytes give a row with the position only."""
    try:
        event = msgspec.json.decode(event_bytes.raw)
        data, stream = event["data"], event["subject"]
        currency = stream_currencies.of_stream(places, stream)
        return EventRow(
            position=event_bytes.position,
            stream=stream,
            type=event["type"],
            time=datetime.fromisoformat(event["time"]),
            actor=event["actor"],
            actorrole=event["actorrole"],
            counts_minor=counts,
            currency=currency,
            details=tuple(details(event["type"], data, currency)),
            is_queued=event.get("queued") is True,
            recordedat=datetime.fromisoformat(event["recordedat"]) if event.get("queued") is True else None,
            **{name: data.get(name) for name in _OF_DATA},
        )
    except (msgspec.DecodeError, KeyError, TypeError, AttributeError, ValueError):
        return EventRow(event_bytes.position)


def details(type_: str, data: Data, currency: str) -> Iterator[Part]:
    """Yield the details of an event beyond person, place and amount."""
    tell = _PARTS_BY_TYPE.get(base(type_))
    if tell is not None:
        yield from tell(data)
    else:
        yield from _data_parts(data)
    if kind := data.get("kind"):
        yield Part(word(kind, "kind", data.get("ruleset", "")))
    for name in ("reason", "detail"):
        if text := data.get(name):
            yield Part(stored_sentence(value(name, text), data.get("code"), data.get("params"), currency))


_CODES = ("level", "wager", "outcome", "way", "item", "setting", "ruling", "post", "role", "tender", "to")
_NAMES = ("slip", "hit", "drop_box", "shoe", "document", "case", "request", "action")


def _data_parts(data: Data) -> Iterator[Part]:
    """The codes and names that it carries, in words."""
    for name in _CODES:
        if isinstance(text := data.get(name), str) and text:
            yield Part(_bet_of(data) if name == "wager" else value(name, text))
    for name in _NAMES:
        if (text := data.get(name)) not in (None, ""):
            yield Part(value(name, text) if isinstance(text, str) else str(text))
    for name in ("person", "witness"):
        if isinstance(text := data.get(name), str) and text:
            yield Part(person=text)


def _bet_of(data: Data) -> str:
    """Return a bet by its wager, with its numbers."""
    numbers = data.get("numbers") or ([data["number"]] if data.get("number") is not None else [])
    where = " ".join(map(str, numbers)) if isinstance(numbers, list) else str(numbers)
    return f"{word(data['wager'], 'wager', data.get('ruleset', ''))} {where}".rstrip()


def _card(data: Data) -> Iterator[Part]:
    if card := data.get("card"):
        yield Part(card=cards.card_text(card))
    if to := data.get("to"):
        yield Part(value("to", to))


def _number(data: Data) -> Iterator[Part]:
    yield Part(f"{data['number']} {value('colour', data.get('colour', ''))}".rstrip())


def _dice(data: Data) -> Iterator[Part]:
    yield Part(f"{' + '.join(map(str, data['dice']))} = {data['total']}")


def _coup(data: Data) -> Iterator[Part]:
    yield Part(f"{data['player_total']} : {data['banker_total']}")
    yield Part(value("winner", data["winner"]))


def _settlement_parts(data: Data) -> Iterator[Part]:
    yield Part(_bet_of(data))
    yield Part(value("outcome", data.get("outcome", "")), minor=due_of_json(BetSettled.TYPE, data))


def _payment(data: Data) -> Iterator[Part]:
    yield Part(_bet_of(data))
    due = due_of_json(PaymentMade.TYPE, data)
    if due is not None and due != amount_paid({"type": PaymentMade.TYPE, "data": data}):
        yield Part(word("due"), minor=due)


_PARTS_BY_TYPE: dict[str, Callable[[Data], Iterator[Part]]] = {
    "card.dealt": _card,
    "card.misdealt": _card,
    "card.kept": _card,
    "cards.burnt": _card,
    "ball.landed": _number,
    "dice.rolled": _dice,
    "coup.ended": _coup,
    "bet.settled": _settlement_parts,
    "payment.made": _payment,
}
