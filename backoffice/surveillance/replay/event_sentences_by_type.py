"""Sentences for the events of a table: "g-1002 bets 10.00 on even"."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from django.utils.translation import gettext as _

from backoffice.wording import formats
from backoffice.wording.code_to_word_translation import value, word
from backoffice.wording.error_code_sentences import stored_sentence
from events.envelope import EventData
from events.rules.cards import card_text

Event: TypeAlias = Any  # of the type that the phrase is for
Phrase: TypeAlias = Callable[[Event, str, str], str]  # of an event, its currency and its ruleset


def phrase(event: EventData, currency: str, ruleset: str) -> str:
    """The sentence; "" where none is made for such an event."""
    make = _PHRASES.get(event.TYPE.rpartition(".v")[0])
    return make(event, currency, ruleset) if make is not None else ""


def _bet(event: Event, ruleset: str) -> str:
    """Return a bet by its wager, with its numbers and its box."""
    numbers = getattr(event, "numbers", ()) or ([number] if (number := getattr(event, "number", None)) else [])
    where = "-".join(map(str, numbers))
    box = _(", box %d") % event.box if event.box else ""
    return f"{word(event.wager, 'wager', ruleset)} {where}".rstrip() + box


def _actor_words(event: Event) -> str:
    return event.player or _("the player")


def _placed(event: Event, currency: str, ruleset: str) -> str:
    bets = _("%(who)s bets %(amount)s on %(bet)s")
    if event.late:
        bets = _("%(who)s bets %(amount)s on %(bet)s, late")
    return bets % _of_bet(event, event.amount_minor, currency, ruleset)


def _withdrawn(event: Event, currency: str, ruleset: str) -> str:
    return _("%(who)s takes back %(amount)s from %(bet)s") % _of_bet(event, event.amount_minor, currency, ruleset)


def _restaked(event: Event, currency: str, ruleset: str) -> str:
    return _("%(who)s has %(amount)s on %(bet)s now") % _of_bet(event, event.stake_minor, currency, ruleset)


def _corrected(event: Event, currency: str, ruleset: str) -> str:
    values = _of_bet(event, event.stake_minor, currency, ruleset) | {"reason": event.reason}
    return _("The bet of %(who)s on %(bet)s is corrected to %(amount)s: %(reason)s") % values


def _settled_sentence(event: Event, currency: str, ruleset: str) -> str:
    values = _of_bet(event, max(event.profit_minor, 0), currency, ruleset)
    values["outcome"] = word(event.outcome, "outcome", ruleset)
    if event.profit_minor > 0:
        return _("%(bet)s of %(who)s: %(outcome)s, %(amount)s due") % values
    return _("%(bet)s of %(who)s: %(outcome)s") % values


def _paid_sentence(event: Event, currency: str, ruleset: str) -> str:
    values = _of_bet(event, event.amount_minor, currency, ruleset)
    if event.due_minor == event.amount_minor:
        return _("%(who)s is paid %(amount)s on %(bet)s") % values
    values["due"] = formats.money(event.due_minor, currency)
    return _("%(who)s is paid %(amount)s on %(bet)s; %(due)s was due") % values


def _of_bet(event: Event, amount_minor: int, currency: str, ruleset: str) -> dict[str, str]:
    return {"who": _actor_words(event), "amount": formats.money(amount_minor, currency), "bet": _bet(event, ruleset)}


def _bought_in(event: Event, currency: str, ruleset: str) -> str:
    values = {
        "who": _actor_words(event),
        "amount": formats.money(event.amount_minor, currency),
        "tender": word(event.tender),
    }
    return _("%(who)s buys in for %(amount)s, %(tender)s") % values


def _dealt_sentence(event: Event, currency: str, ruleset: str) -> str:
    to = _("box %d") % event.box if event.box else value("to", event.to)
    return _("%(card)s is dealt to %(to)s") % {"card": card_text(event.card), "to": to}


def _landed_sentence(event: Event, currency: str, ruleset: str) -> str:
    values = {"number": event.number, "colour": value("colour", event.colour)}
    return _("The ball lands on %(number)s, %(colour)s") % values


def _rolled_sentence(event: Event, currency: str, ruleset: str) -> str:
    return _("The dice show %(dice)s = %(total)s") % {"dice": " + ".join(map(str, event.dice)), "total": event.total}


def _posted_sentence(event: Event, currency: str, ruleset: str) -> str:
    return _("%(person)s starts as %(post)s") % {"person": event.person, "post": word(event.post)}


def _left_sentence(event: Event, currency: str, ruleset: str) -> str:
    return _("%(person)s is relieved as %(post)s") % {"person": event.person, "post": word(event.post)}


def _filled(event: Event, currency: str, ruleset: str) -> str:
    values = {"slip": event.slip, "amount": formats.money(event.amount_minor, currency)}
    return _("Fill %(slip)s brings %(amount)s in chips") % values


def _credited(event: Event, currency: str, ruleset: str) -> str:
    values = {"slip": event.slip, "amount": formats.money(event.amount_minor, currency)}
    return _("Credit %(slip)s takes %(amount)s in chips") % values


def _opened_sentence(event: Event, currency: str, ruleset: str) -> str:
    return _("Round %s opens") % formats.number(event.round)


def _closed(event: Event, currency: str, ruleset: str) -> str:
    return _("No more bets")


def _ended_sentence(event: Event, currency: str, ruleset: str) -> str:
    return _("Round %s ends") % formats.number(event.round)


def _voided_sentence(event: Event, currency: str, ruleset: str) -> str:
    return _("Round %(round)s is void: %(reason)s") % {"round": formats.number(event.round), "reason": event.reason}


def _shoe_loaded(event: Event, currency: str, ruleset: str) -> str:
    return _("Shoe %(shoe)s is loaded with %(packs)s packs") % {"shoe": event.shoe, "packs": event.packs}


def _irregular(event: Event, currency: str, ruleset: str) -> str:
    values = {
        "kind": word(event.kind, "kind", ruleset),
        "detail": stored_sentence(event.detail, event.code, event.params, currency),
    }
    return _("Irregularity, %(kind)s: %(detail)s") % values


_PHRASES: Mapping[str, Phrase] = {
    "round.opened": _opened_sentence,
    "bet.placed": _placed,
    "bet.withdrawn": _withdrawn,
    "bet.restaked": _restaked,
    "bet.corrected": _corrected,
    "bets.closed": _closed,
    "card.dealt": _dealt_sentence,
    "ball.landed": _landed_sentence,
    "dice.rolled": _rolled_sentence,
    "bet.settled": _settled_sentence,
    "payment.made": _paid_sentence,
    "round.ended": _ended_sentence,
    "round.voided": _voided_sentence,
    "buyin.made": _bought_in,
    "staff.assigned": _posted_sentence,
    "staff.left": _left_sentence,
    "fill.received": _filled,
    "credit.sent": _credited,
    "shoe.loaded": _shoe_loaded,
    "irregularity.recorded": _irregular,
}
