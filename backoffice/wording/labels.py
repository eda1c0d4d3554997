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
    "shoe.count packs": _("packs in the shoe"),
    "shoe.count shoe": _("shoe"),
    "shoe.count surplus": _("surplus cards"),
    "shoe.count unshuffled_packs": _("packs in new-deck order"),
    "case.add people": _("people"),
    "case.attach attachment": _("digest of the uploaded file"),
    "case.close amount_minor": _("amount lost or recovered"),
    "case.grant level": _("access"),
    "case.open title": _("title"),
    "case.task state": _("state"),
    "case.task task": _("number of the task"),
    "alert": _("alert"),
    "alerts": _("alerts"),
    "camera": _("camera"),
    "category": _("category"),
    "concerns": _("concerns"),
    "due": _("due day"),
    "event": _("event"),
    "expires": _("recording is kept until"),
    "from": _("from"),
    "how": _("reason of the link"),
    "occurred": _("occurred (UTC)"),
    "occurred_until": _("occurred until (UTC)"),
    "other": _("other case"),
    "people": _("people"),
    "places": _("places"),
    "reported": _("reported (UTC)"),
    "roles": _("roles with access"),
    "rounds": _("rounds"),
    "severity": _("severity"),
    "subject_roles": _("roles that are subjects"),
    "subjects": _("subjects"),
    "to": _("to"),
    "what": _("task"),
    "device.pair key": _("fingerprint of its key"),
    "device.pair use": _("kind of device"),
    "device.reject_entry digest": _("digest of the entry"),
    "after_minor": _("display after the stake"),
    "amount_minor": _("amount"),
    "basis": _("fixed pays"),
    "bet": _("bet"),
    "box": _("box"),
    "cap_minor": _("cap"),
    "case": _("variance case"),
    "cash": _("notes"),
    "cash_minor": _("cash"),
    "change": _("change"),
    "chip_minor": _("smallest chip"),
    "chips": _("chips"),
    "closer": _("chips in the tray"),
    "colours_minor": _("colour chips with players"),
    "commission_minor": _("commission"),
    "content": _("digest of the shown request"),
    "currency": _("currency"),
    "device": _("device"),
    "dice": _("dice"),
    "discrepancy": _("discrepancy"),
    "entry": _("entry"),
    "disposition": _("disposition"),
    "document": _("bank document"),
    "drop_box": _("drop box"),
    "envy_forms": _("tax forms of other winners"),
    "envy_minor": _("envy bonus"),
    "envy_to_winner": _("envy bonus also for the winner"),
    "events": _("events"),
    "feed_millionths": _("contribution rate"),
    "form": _("winner's tax form"),
    "game": _("game"),
    "gaming_day": _("gaming day"),
    "hit": _("hit"),
    "increment.test before_minor": _("display before the stake"),
    "before_minor": _("before"),
    "issued": _("signed on"),
    "item": _("checklist item"),
    "kind": _("kind of slip"),
    "level": _("level"),
    "levels": _("level"),
    "marker": _("marker"),
    "marker_minor": _("markers"),
    "maxima_minor": _("maxima"),
    "maximum_minor": _("maximum"),
    "meter_micro": _("meter"),
    "minima_minor": _("minima by bet"),
    "minimum_minor": _("minimum"),
    "next_shift": _("next shift"),
    "number": _("number"),
    "numbers": _("numbers"),
    "on_zero": _("after a zero"),
    "opener": _("chips in the opener"),
    "note": _("note"),
    "person": _("person"),
    "pit": _("pit"),
    "player": _("player"),
    "policy": _("tie rule"),
    "policy_version": _("version of the tie rule"),
    "post": _("post"),
    "progressive": _("progressive"),
    "promotional_minor": _("promotional chips"),
    "read_minor": _("amount on the sign"),
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
    "surveillance_over_minor": _("Surveillance approval from"),
    "table": _("table"),
    "table_day": _("gaming day of the table"),
    "tender": _("paid in"),
    "value": _("value"),
    "variance.close read_minor": _("amount on the sign, second reading"),
    "wager": _("kind of bet"),
    "way": _("method"),
    "which": _("selection"),
    "withheld_minor": _("tax withheld"),
    "withhold_millionths": _("house fee"),
    "witness": _("witness"),
    "won_in": _("won in round"),
    "settled_in": _("settled in round"),
    "profit_minor": _("profit of the player"),
    "year": _("business year of the slip"),
}

HELPS: Mapping[str, str] = {
    "basis": _("For the progressive's tables: N to 1 or N for 1."),
    "case": _("Id of the variance case."),
    "change": _("Position of the event."),
    "chip_minor": _("For odds and place bets at craps. Default: the smallest denomination of each opener."),
    "colours_minor": _("Value at roulette."),
    "cap_minor": _("The meter stops at this amount."),
    "commission_minor": _(
        "Commission taken but not recorded. Enter a negative amount for commission recorded but not taken."
    ),
    "discrepancy": _("Id of the event that recorded the discrepancy."),
    "drop.remove witness": _("Second person. One of the two must be from Security."),
    "envy_forms": _("One for each person with a taxed envy bonus."),
    "events": _("Ids of the events."),
    "feed_millionths": _("Share of each stake that goes to the meter."),
    "hit.authorise amount_minor": _("Current share."),
    "limit.mark wager": _("Baccarat: both sides. Roulette: the kind of bet, on each place."),
    "marker.redeem chips": _("Instead of cash of the same value."),
    "meter.adjust amount_minor": _("Enter a negative amount to reduce the meter."),
    "minima_minor": _("Only for bets with their own minimum."),
    "house.pay box": _("Box in that round, if no hit is named."),
    "house.pay hit": _("Hit that the payment is for. If it is no longer listed, enter table, day, round and box."),
    "recorded": _("If not, the table is counted only: buy-ins, slips and counts, without bets."),
    "reserve_millionths": _("Share of each stake that goes to the reserve for the next seed."),
    "ruleset": _("Current rules by name, or an earlier recorded version as name@version."),
    "runner": _("Person who carries the chips."),
    "session.roll drop_box": _("Empty box that replaces the box at the table."),
    "session.roll witness": _(
        "Second person, who counts with you. For a new box, one of the two must be from Security."
    ),
    "shift.count drop_box": _("Empty box that replaces the box at the table. The witness must then be from Security."),
    "shift.count witness": _("Second person, who counts with you."),
    "slip_year": _("Year in which the slip was issued."),
    "surveillance_over_minor": _("Shares of this amount or more."),
    "variance.close gaming_day": _("Gaming day of the cage that pays."),
    "variance.close player": _("Player paid by the cage."),
    "variance.close read_minor": _("If the sign was misread."),
    "withheld_minor": _("Leave empty to use the house settings."),
    "withhold_millionths": _("Share of each stake that the house keeps."),
    "witness": _("Second person, who counts with you."),
    "won_in": _("If another bet has this name now."),
    "settlement.correct amount_minor": _("Actual stake. Enter 0 if there was none."),
    "profit_minor": _("Profit without the stake, negative for a loss. Leave empty to keep the settled proportion."),
    "year": _("Leave empty for the latest slip with this number."),
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
