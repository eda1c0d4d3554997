"""Games in common: bets and limits of several games, cases and par sheets."""

from events.error_codes.entry import Entry, _, entry

ENTRIES: tuple[Entry, ...] = (
    entry("bet-ids-repeated", _("Two bets have the same id."), _("Give each bet its own id.")),
    entry("stake-negative", _("A stake is negative."), _("Enter zero or more.")),
    entry("stake-not-positive", _("A stake is a positive whole number."), _("Correct the stake.")),
    entry("shoe-not-loaded", _("There is no shuffled shoe."), _("Load a shuffled shoe first.")),
    entry(
        "card-not-in-shoe",
        _("%(card)s came %(times)s times already. The shoe has no further one."),
        _("Check the card."),
        card="card",
        times="count",
    ),
    entry("card-due", _("A card is due."), _("Deal it first.")),
    entry("maximum-below-minimum", _("The maximum is below the minimum."), _("Correct one of the two.")),
    entry("no-more-bets", _('"No more bets" was called: the bets on the layout play.'), _("Wait for the next round.")),
    entry(
        "ruleset-unknown-prefix",
        _("There is no ruleset %(ruleset)s."),
        _("Its name begins with one of: %(games)s."),
        ruleset="text",
        games="list",
    ),
    entry("object-needed", _("This must be an object."), _("Send a JSON object.")),
    entry("ruleset-needed", _("The name of a ruleset is missing."), _("Name the ruleset.")),
    entry(
        "case-kind-unknown",
        _("There is no kind %(case)s for the ruleset %(ruleset)s."),
        _("Check the kind."),
        case="text",
        ruleset="text",
    ),
    entry(
        "par-sheet-unknown",
        _("There is no par sheet for %(ruleset)s."),
        _("Use a ruleset of: %(games)s."),
        ruleset="text",
        games="list",
    ),
    entry(
        "par-figure-unknown",
        _("The sheet of %(ruleset)s has no %(figure)s of %(names)s."),
        _("Check the figure."),
        ruleset="id",
        figure="text",
        names="list",
    ),
    entry(
        "par-without-progressive",
        _("Rates, seeds and stakes belong to a progressive. %(ruleset)s does not have a progressive."),
        _("Leave them out."),
        ruleset="id",
    ),
    entry(
        "par-packs-unknown",
        _("%(ruleset)s has no odds for %(packs)s packs."),
        _("Use another number of packs."),
        ruleset="id",
        packs="count",
    ),
    entry("case-field-wrong", _("%(why)s"), _("Correct the field."), why="text"),
)
