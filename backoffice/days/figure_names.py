"""Names of a report's figures for people, by their place in the report."""

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from backoffice.wording import code_to_word_translation

_LISTS = {
    "shifts": gettext_lazy("shift %s"),
    "discrepancies": gettext_lazy("discrepancy %s"),
    "slips": gettext_lazy("slip %s"),
}
_FIGURES: dict[str, "str | Promise"] = {
    "day": gettext_lazy("day"),
    "begin": gettext_lazy("opening inventory"),
    "end": gettext_lazy("closing inventory"),
    "expected": gettext_lazy("expected"),
    "counted": gettext_lazy("counted"),
    "found": gettext_lazy("found"),
    "fills": gettext_lazy("fills"),
    "credits": gettext_lazy("credits"),
    "buyins": gettext_lazy("buy-ins"),
    "drop": gettext_lazy("drop"),
    "lost": gettext_lazy("stakes lost"),
    "due": gettext_lazy("winnings due"),
    "paid": gettext_lazy("winnings paid"),
    "commission": gettext_lazy("commissions"),
    "promotional_stakes": gettext_lazy("stakes with vouchers"),
    "undecided": gettext_lazy("unsettled bets"),
    "inventory_win": gettext_lazy("table win"),
    "event_win": gettext_lazy("recorded win"),
    "cage": gettext_lazy("cage"),
    "chips": gettext_lazy("chips"),
    "cash": gettext_lazy("cash"),
    "marker": gettext_lazy("markers"),
    "promotional": gettext_lazy("vouchers"),
}
_PARTS: dict[str, "str | Promise"] = {
    "mispay": gettext_lazy("mispay"),
    "promotional": gettext_lazy("vouchers"),
    "drop": gettext_lazy("box difference"),
    "inventory": gettext_lazy("tray difference"),
    "rest": gettext_lazy("no known cause"),
}


def figure_name(place: str) -> str:
    """ "tables/FR1/shifts/night/end_minor": "FR1, shift night, closing inventory"."""
    steps = [step.removesuffix("_minor") for step in place.split("/") if step != "tables"]
    names = []
    while steps:
        step = steps.pop(0)
        if step == "parts" and steps:
            part = steps.pop(0)
            names.append(str(_PARTS.get(part, part)))
        elif step in _LISTS and steps:
            names.append(str(_LISTS[step]) % steps.pop(0))
        else:
            names.append(_name(step))
    return ", ".join(names)


def _name(step: str) -> str:
    if step in _FIGURES:
        return str(_FIGURES[step])
    words = code_to_word_translation.word(step)
    return words if words != step else _(step.replace("_", " "))
