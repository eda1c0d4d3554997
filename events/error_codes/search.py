"""Search: a text that is not understood, with the column of the mistake."""

from events.error_codes.entry import Entry, Kind, _, entry


def _at(code: str, sentence: str, todo: str = "", **kinds: Kind) -> Entry:
    """Return an entry that names the column, counted from 1."""
    return entry(code, sentence, todo, column="count", **kinds)


ENTRIES: tuple[Entry, ...] = (
    entry("did-you-mean", _("Did you mean %(near)s?"), near="names"),
    entry("search-name-unreadable", _("This is a person's name."), _("Search by id instead.")),
    entry("saved-search-needs-sign-in", _("A terminal cannot save searches."), _("Sign in to save them.")),
    entry(
        "saved-search-name",
        _("The name of a saved search has 1 to %(most)s characters."),
        _("Correct the name."),
        most="count",
    ),
    entry("saved-search-role", _("This role cannot read the event log."), _("Choose another role.")),
    entry(
        "saved-searches-full",
        _("You have %(most)s saved searches."),
        _("Delete one first."),
        most="count",
    ),
    # the grammar
    _at("search-length", _("Column %(column)s: a search has at most %(most)s characters."), most="count"),
    _at(
        "search-character-impossible",
        _("Column %(column)s: no event has the character %(character)s."),
        _("Remove it."),
        character="text",
    ),
    _at("search-or-first", _("Column %(column)s: nothing stands before OR."), _("Write a part before it.")),
    _at("search-or-last", _("Column %(column)s: nothing stands after OR."), _("Write a part after it.")),
    _at("search-and", _("Column %(column)s: AND stands between two parts."), _("Leave it out.")),
    _at("search-not", _("Column %(column)s: NOT is written as a dash."), _("Write -table:BJ1.")),
    _at(
        "search-cases-too-many",
        _("Column %(column)s: these cases have more than %(most)s events. Search in one case."),
        most="count",
    ),
    _at("search-parts", _("Column %(column)s: a search has at most %(most)s parts."), most="count"),
    _at("search-depth", _("Column %(column)s: parentheses stand at most %(most)s deep."), most="count"),
    _at(
        "search-parenthesis-not-open",
        _("Column %(column)s: no parenthesis is open here."),
        _("Put a text with a parenthesis in quotes."),
    ),
    _at("search-parenthesis-not-closed", _("Column %(column)s: this parenthesis is not closed."), _("Close it.")),
    _at("search-parenthesis-empty", _("Column %(column)s: these parentheses are empty."), _("Write a part in them.")),
    _at(
        "search-parenthesis-in-value",
        _("Column %(column)s: a parenthesis stands in a value."),
        _("Put the value in quotes. Write several values with commas: table:BJ1,BJ2."),
    ),
    _at("search-blank-needed", _("Column %(column)s: a blank is missing here."), _("Add a blank.")),
    _at("search-quote-inside", _("Column %(column)s: a quote begins inside a word."), _("Put a blank before it.")),
    _at("search-quotes-not-closed", _("Column %(column)s: these quotes are not closed."), _("Close them.")),
    _at(
        "search-star-inside",
        _("Column %(column)s: a star stands only at the end of a value."),
        _("Put a text with a star in quotes."),
    ),
    _at(
        "search-star-alone",
        _("Column %(column)s: a star needs a beginning."),
        _("Write %(field)s:abc*, or has:%(field)s for any value."),
        field="text",
    ),
    _at(
        "search-star-not-allowed",
        _("Column %(column)s: %(field)s takes no star."),
        _("Write a value, or a range such as 5..9."),
        field="text",
    ),
    _at(
        "search-word-missing",
        _("Column %(column)s: a word is missing here."),
        _("Write a word, or a filter such as table:BJ1."),
    ),
    _at("search-value-missing", _("Column %(column)s: %(field)s needs a value."), _("Write one."), field="text"),
    _at(
        "search-colon-missing",
        _("Column %(column)s: a filter has a colon."),
        _("Write %(filter)s."),
        filter="text",
    ),
    _at(
        "search-colon-without-field",
        _("Column %(column)s: no field stands before this colon."),
        _("Put a text with a colon in quotes."),
    ),
    _at(
        "search-character-without-meaning",
        _("Column %(column)s: %(character)s has no meaning here."),
        _("Put a text with it in quotes."),
        character="text",
    ),
    # fields and their values
    _at(
        "search-field-unknown",
        _('Column %(column)s: there is no field "%(field)s". %(hint)s'),
        field="text",
        hint="error",
    ),
    _at(
        "search-word-ambiguous",
        _('Column %(column)s: "%(text)s" has several meanings.'),
        _("Use one of: %(meanings)s."),
        text="text",
        meanings="names",
    ),
    _at("search-has-unknown", _('Column %(column)s: has: knows no "%(text)s". %(hint)s'), text="text", hint="error"),
    _at(
        "search-value-unknown",
        _('Column %(column)s: %(field)s has no value "%(text)s". %(hint)s'),
        field="text",
        text="text",
        hint="error",
    ),
    _at(
        "search-beginning-unknown",
        _('Column %(column)s: no value of %(field)s begins with "%(text)s". %(hint)s'),
        field="text",
        text="text",
        hint="error",
    ),
    _at("search-alerts-reserved", _("Column %(column)s: alerts are for surveillance and auditors.")),
    _at(
        "search-alerts-too-many",
        _("Column %(column)s: too many alerts match."),
        _("Look for them on the page of alerts."),
    ),
    _at(
        "search-shoes-too-many",
        _("Column %(column)s: these shoes have too many cards."),
        _("Search for one shoe."),
    ),
    _at(
        "search-slip-number",
        _('Column %(column)s: "%(text)s" is not the number of a slip.'),
        _("Write a whole number, or a slip such as fill-2026-1."),
        text="text",
    ),
    _at(
        "search-name-without-field",
        _("Column %(column)s: this is a person's name."),
        _("Write a field before it, such as dealer:NAME or player:NAME."),
    ),
    _at(
        "search-name-shared",
        _("Column %(column)s: %(count)s people have this name."),
        _("Write more of it."),
        count="count",
    ),
    _at(
        "search-event-unknown",
        _('Column %(column)s: there is no event "%(text)s".'),
        _("Write an id such as athens/tables/BJ1/2026-11-20@17."),
        text="text",
    ),
    _at(
        "search-round-format",
        _("Column %(column)s: a round has a table, a gaming day and a number."),
        _("Write it as BJ1/2026-11-20/17."),
    ),
    _at("search-rounds-from-one", _("Column %(column)s: rounds are numbered from 1.")),
    _at("search-number", _('Column %(column)s: "%(text)s" is not a whole number.'), text="text"),
    _at(
        "search-amount",
        _('Column %(column)s: "%(text)s" is not an amount.'),
        _("Write it as %(example)s."),
        text="text",
        example="id",
    ),
    _at(
        "search-day",
        _('Column %(column)s: "%(text)s" is not a gaming day.'),
        _("Write it as 2026-11-20."),
        text="text",
    ),
    _at(
        "search-day-beginning",
        _('Column %(column)s: no gaming day begins with "%(text)s".'),
        _("Write it as day:2026-11*."),
        text="text",
    ),
    # ranges and times
    _at(
        "search-range-without-end", _("Column %(column)s: a range has at least one end."), _("Write 5.., ..9 or 5..9.")
    ),
    _at(
        "search-range-backwards",
        _("Column %(column)s: this range ends before it begins."),
        _("Write the smaller end first."),
    ),
    _at(
        "search-range-empty",
        _("Column %(column)s: this range has no time: its end is excluded."),
        _("Write a later end."),
    ),
    _at("search-before-midnight", _("Column %(column)s: no time of a day is before 00:00.")),
    _at(
        "search-time",
        _('Column %(column)s: "%(text)s" is not a time.'),
        _("Write it as 22:00, 22:00:30 or 2026-11-20T22:00."),
        text="text",
    ),
    _at(
        "search-clock-skipped",
        _("Column %(column)s: clocks in %(zone)s skipped %(text)s."),
        _("Write another time."),
        zone="id",
        text="text",
    ),
    _at(
        "search-duration",
        _('Column %(column)s: "%(text)s" is not a length of time.'),
        _("Write it as 30s, 2m or 1h."),
        text="text",
    ),
)
