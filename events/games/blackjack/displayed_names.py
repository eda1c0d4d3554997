"""Words of blackjack's bets and actions, as people call them."""

from events.text.translation_marker import translatable as _

WORDS = {
    # bets and outcomes
    "main": _("main bet"),
    "trilux": _("Trilux"),
    "blazing7s": _("Blazing 7's"),
    "blackjack": _("blackjack"),
    # actions and events
    "hand.stand": _("stand"),
    "hand.double": _("double"),
    "hand.split": _("split hand"),
    "insurance.take": _("take insurance"),
    "right.decline": _("decline option"),
    "hand.stood": _("hand stood"),
    "hand.doubled": _("hand doubled"),
    "hand.split.v1": _("hand split"),
    "insurance.taken": _("insurance taken"),
    "right.declined": _("option declined"),
    # irregularities
    "change during a hand": _("bet changed during a hand"),
    "double": _("doubled against the rules"),
    "hit against the cards": _("hit declared against the cards"),
    "insurance": _("insurance against the rules"),
}
