"""Words of roulette's bets and actions, as people call them."""

from events.text.translation_marker import translatable as _

WORDS = {
    # bets
    "straight": _("straight up"),
    "split": _("split"),
    "street": _("street"),
    "corner": _("corner"),
    "line": _("six line"),
    "column": _("column"),
    "dozen": _("dozen"),
    "red": _("red"),
    "black": _("black"),
    "odd": _("odd"),
    "even": _("even"),
    "low": _("1 to 18"),
    "high": _("19 to 36"),
    "wheel": _("wheel"),
    "ball": _("ball"),
    # actions and events
    "ball.launch": _("spin ball"),
    "ball.land": _("record result"),
    "spin.call_off": _("call off spin"),
    "colour.set": _("give colour chips"),
    "colour.set.v1": _("colour chips given"),
    "colour.return": _("take colour chips back"),
    "colour.returned": _("colour chips taken back"),
    "ball.launched": _("ball spun"),
    "ball.landed": _("result recorded"),
    "spin.called_off": _("no spin"),
    "ccw": _("counter-clockwise"),
    "cw": _("clockwise"),
    "green": _("green"),
    # irregularities
    "late or bad bet": _("late or bad bet"),
    "colour chips": _("colour chips"),
    "no spin": _("no spin"),
    "over maximum": _("over the maximum"),
    "wheel direction": _("direction of the wheel"),
}
