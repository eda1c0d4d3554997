"""Words of baccarat's bets and actions, as people call them."""

from events.text.translation_marker import translatable as _

WORDS = {
    # bets
    "player": _("player"),
    "banker": _("banker"),
    "tie": _("tie"),
    "player_pair": _("player pair"),
    "banker_pair": _("banker pair"),
    "difference": _("difference between sides"),
    # actions and events
    "shoe.burn": _("burn cards"),
    "shoe.rule": _("rule on shoe"),
    "hand.give": _("give hand to player"),
    "bets.reduce": _("reduce bets"),
    "cards.burnt": _("cards burnt"),
    "shoe.ruled": _("shoe ruled on"),
    "card.kept": _("card kept for next round"),
    "hand.given": _("hand given to a player"),
    "coup.ended": _("coup ended"),
    "reduction.asked": _("reduction asked"),
    "new_cards": _("new cards"),
    "free_round": _("free round"),
    "go_on": _("continue"),
    # irregularities
    "burn": _("cards burnt incorrectly"),
    "maximum difference": _("over the maximum difference"),
    "shoe": _("shoe"),
    "shoe not changed": _("shoe not changed"),
    "shoe not opened": _("shoe not opened"),
}
