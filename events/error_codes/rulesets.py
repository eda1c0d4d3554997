"""Rulesets, cards and chips as the rules define them."""

from events.error_codes.entry import Entry, _, entry

ENTRIES: tuple[Entry, ...] = (
    entry(
        "card-unknown",
        _("%(card)s is not a card."),
        _("Write a rank of %(ranks)s and a suit of %(suits)s."),
        card="text",
        ranks="id",
        suits="id",
    ),
    entry("cards-needed", _("This must be a list of cards."), _("Correct the value.")),
    entry(
        "chips-impossible",
        _("%(count)s chips of %(denomination)s are not possible."),
        _("Denominations are positive, numbers 0 to 1,000,000."),
        count="text",
        denomination="text",
    ),
    entry(
        "chips-worth-too-much",
        _("The chips are worth %(total)s, more than %(most)s."),
        _("Check the numbers."),
        total="money",
        most="money",
    ),
    entry("integer-or-fraction-needed", _('This must be an integer or a text "n/d".'), _("Correct the value.")),
    entry(
        "not-integer-or-fraction",
        _('%(value)s is not an integer and not a fraction "n/d".'),
        _("Correct the value."),
        value="text",
    ),
    entry(
        "game-not-installed", _("There is no game %(name)s."), _("Use one of: %(games)s."), name="text", games="list"
    ),
    entry(
        "ruleset-changed",
        _("%(ruleset)s has the digest %(before)s, and the file has %(digest)s."),
        _("Give a change another version."),
        ruleset="id",
        before="id",
        digest="id",
    ),
    entry(
        "ruleset-not-of-game",
        _("%(game)s has no ruleset %(ruleset)s."),
        _("Use one of: %(rulesets)s."),
        game="id",
        ruleset="text",
        rulesets="list",
    ),
    entry(
        "ruleset-version-format",
        _("The version %(version)s of %(ruleset)s is not possible."),
        _("Use letters, digits, - _ and a dot."),
        version="text",
        ruleset="id",
    ),
    entry("ruleset-name-differs", _("The `name` must be %(name)s, as the file."), _("Correct the file."), name="id"),
    entry(
        "ruleset-data-missing",
        _("The data of the ruleset %(ruleset)s with the digest %(digest)s is not known."),
        _("Restore it from a backup."),
        ruleset="id",
        digest="id",
    ),
    entry("ruleset-unknown", _("There is no ruleset %(ruleset)s."), _("Check the name."), ruleset="text"),
    entry(
        "ruleset-too-large",
        _("%(size)s bytes are too many."),
        _("A ruleset has at most %(most)s."),
        size="count",
        most="count",
    ),
    entry(
        "ruleset-unknown-use",
        _("There is no ruleset %(ruleset)s."),
        _("Use one of: %(rulesets)s."),
        ruleset="text",
        rulesets="list",
    ),
    entry("ruleset-invalid", _("The ruleset cannot be played. %(why)s"), _("Correct its file."), why="error"),
    entry(
        "ruleset-file-invalid",
        _("The file of the ruleset cannot be read: %(why)s."),
        _("Correct the file."),
        why="text",
    ),
)
