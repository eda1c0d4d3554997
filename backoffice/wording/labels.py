"""Labels of actions' fields on forms and pages, and their help.

Declared by the field's name, or as "ACTION FIELD" where that action means something else by it. A field that only
terminals send is called by its name.
"""

from collections.abc import Mapping

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

UNITS = ("_minor", "_micro", "_millionths")

LABELS: Mapping[str, str] = {
    "shoe.count detail": _("note"),
    "shoe.count missing": _("missing cards"),
    "shoe.count packs": _("packs that belong in the shoe"),
    "shoe.count shoe": _("shoe"),
    "shoe.count surplus": _("surplus cards"),
    "shoe.count unshuffled_packs": _("packs in the order of a new one"),
    "device.pair key": _("fingerprint of its key"),
    "device.pair use": _("kind of device"),
    "device.reject_entry digest": _("digest of the entry"),
    "after_minor": _("sign after the stake"),
    "amount_minor": _("amount"),
    "basis": _("fixed pays are"),
    "bet": _("bet"),
    "box": _("box"),
    "cap_minor": _("cap"),
    "case": _("variance case"),
    "cash": _("notes"),
    "cash_minor": _("cash"),
    "change": _("event of the change"),
    "chip_minor": _("smallest chip"),
    "chips": _("chips"),
    "closer": _("chips in the tray"),
    "colours_minor": _("colour chips with players"),
    "commission_minor": _("commission beside it"),
    "content": _("digest of what was shown"),
    "currency": _("currency"),
    "device": _("device"),
    "dice": _("dice"),
    "discrepancy": _("discrepancy"),
    "entry": _("entry"),
    "disposition": _("what it was"),
    "document": _("bank document"),
    "drop_box": _("drop box"),
    "envy_forms": _("tax forms of the others"),
    "envy_minor": _("envy bonus"),
    "envy_to_winner": _("envy bonus for the winner, too"),
    "events": _("events"),
    "feed_millionths": _("feed rate"),
    "form": _("winner's tax form"),
    "game": _("game"),
    "gaming_day": _("gaming day"),
    "hit": _("hit"),
    "increment.test before_minor": _("sign before the stake"),
    "before_minor": _("before"),
    "issued": _("signed on"),
    "item": _("item of the checklist"),
    "kind": _("kind of slip"),
    "level": _("level"),
    "levels": _("level"),
    "marker": _("marker"),
    "marker_minor": _("markers"),
    "maxima_minor": _("maxima"),
    "maximum_minor": _("maximum"),
    "meter_micro": _("meter"),
    "minima_minor": _("minima of their own"),
    "minimum_minor": _("minimum"),
    "next_shift": _("next shift"),
    "number": _("number"),
    "numbers": _("numbers"),
    "on_zero": _("after a zero"),
    "opener": _("chips of the opener"),
    "note": _("note"),
    "person": _("person"),
    "pit": _("pit"),
    "player": _("player"),
    "policy": _("how winners share"),
    "policy_version": _("version of that policy"),
    "post": _("post"),
    "progressive": _("progressive"),
    "promotional_minor": _("promotional chips"),
    "read_minor": _("what the sign shows"),
    "reason": _("reason"),
    "recorded": _("every bet is recorded"),
    "request": _("request"),
    "reserve_millionths": _("reserve rate"),
    "role": _("role"),
    "round": _("round"),
    "ruleset": _("rules"),
    "ruling": _("ruling"),
    "runner": _("runner"),
    "seat": _("seat"),
    "seed_minor": _("seed"),
    "session.roll drop_box": _("new drop box"),
    "setting": _("setting"),
    "shift": _("shift"),
    "shift.count drop_box": _("new drop box"),
    "slip": _("number of the slip"),
    "slip_year": _("business year of the slip"),
    "stake_minor": _("stake"),
    "stakes_minor": _("stakes"),
    "surveillance_over_minor": _("surveillance agrees from"),
    "table": _("table"),
    "table_day": _("gaming day at the table"),
    "tender": _("paid in"),
    "value": _("value"),
    "variance.close read_minor": _("what the sign shows when read again"),
    "wager": _("kind of bet"),
    "way": _("how"),
    "which": _("which one"),
    "withheld_minor": _("tax withheld"),
    "withhold_millionths": _("house withholds"),
    "witness": _("witness"),
    "won_in": _("won in round"),
    "settled_in": _("settled in round"),
    "profit_minor": _("what the player won"),
    "year": _("business year of the slip"),
}

HELPS: Mapping[str, str] = {
    "basis": _("of the progressive's tables: N to 1, or N for 1"),
    "case": _("by the id under which it was opened"),
    "change": _("the position of its event"),
    "chip_minor": _("for the odds and place bets of craps; else the smallest denomination of each opener"),
    "colours_minor": _("their value, at roulette"),
    "cap_minor": _("the meter grows no further"),
    "commission_minor": _("taken and not recorded; below zero: recorded and not taken"),
    "discrepancy": _("the id of the event by which it was found"),
    "drop.remove witness": _("the second person; one of the two is of security"),
    "envy_forms": _("one for each of those who get an envy bonus that is taxed"),
    "events": _("their ids"),
    "feed_millionths": _("the part of each stake that the meter grows by"),
    "hit.authorise amount_minor": _("the share as it stands"),
    "limit.mark wager": _("baccarat: both sides; roulette: the kind of bet, on each place"),
    "marker.redeem chips": _("instead of cash, of the same value"),
    "meter.adjust amount_minor": _("below zero it is taken off the meter"),
    "minima_minor": _("of the kinds of bet that have one"),
    "house.pay box": _("of that round, where no hit is named"),
    "house.pay hit": _("for which it is paid; where it is not at hand any more, name table, day, round and box"),
    "recorded": _("else the table is counted only: buy-ins, slips and counts, no bets"),
    "reserve_millionths": _("the part of each stake that is put aside for the next seed"),
    "ruleset": _("by its name as it is now, or by a version that was recorded before: name@version"),
    "runner": _("who carries the chips"),
    "session.roll drop_box": _("the empty box in place of the one under the table"),
    "session.roll witness": _("the second person, who counts with you; for a new box one of the two is of security"),
    "shift.count drop_box": _("the empty box in place of the one under the table; then the witness is of security"),
    "shift.count witness": _("the second person, who counts with you"),
    "slip_year": _("in which the slip was written"),
    "surveillance_over_minor": _("shares of that size and more"),
    "variance.close gaming_day": _("of the cage that pays"),
    "variance.close player": _("whom the cage pays"),
    "variance.close read_minor": _("where the sign was read wrongly"),
    "withheld_minor": _("empty: what the house's settings make of the share"),
    "withhold_millionths": _("the part of each stake that is the house's"),
    "witness": _("the second person, who counts with you"),
    "won_in": _("where the name is another bet's by now"),
    "settlement.correct amount_minor": _("the stake that lay there in truth; 0 where none did"),
    "profit_minor": _("without the stake, below zero what he lost; left out: in proportion to what was settled"),
    "year": _("empty: the last one that has this number"),
}


def label(name: str, action: str = "") -> str:
    """Return the label of a field, without its unit: that shows in its figures."""
    declared = LABELS.get(f"{action} {name}") or LABELS.get(name)
    return gettext(declared or _plain(name))


def is_known(name: str, action: str = "") -> bool:
    """Return whether a label is declared."""
    return bool(LABELS.keys() & {f"{action} {name}", name})


def help_of(name: str, action: str) -> str:
    """Return the help for filling in a field; "" where its label suffices."""
    help_text = HELPS.get(f"{action} {name}") or HELPS.get(name)
    return gettext(help_text) if help_text else ""


def _plain(name: str) -> str:
    for unit in UNITS:
        name = name.removesuffix(unit)
    return name.replace("_", " ")
