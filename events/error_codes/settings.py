"""Settings of the house: currency, zone, alert rules, posting rules, imported months."""

from events.error_codes.entry import Entry, _, entry

ENTRIES: tuple[Entry, ...] = (
    entry(
        "not-an-action-of-house", _("%(action)s is not an action of the house."), _("Check the action."), action="word"
    ),
    entry(
        "currency-is-fixed",
        _("The currency of the property is %(currency)s: its tables and progressives are in it."),
        _("It cannot change."),
        currency="id",
    ),
    entry("setting-is-so", _("%(setting)s has this value already."), _("Enter another value."), setting="word"),
    entry(
        "currency-not-set",
        _("The property has no currency yet."),
        _("Set it first (setting.change), or leave the currency out."),
    ),
    entry(
        "chips-never-issued",
        _("Of the chips of %(denomination)s only %(count)s were issued."),
        _("Enter at most so many."),
        denomination="money",
        count="count",
    ),
    entry(
        "setting-unknown", _("There is no setting %(name)s."), _("Use one of: %(names)s."), name="text", names="list"
    ),
    entry(
        "setting-value",
        _("%(setting)s is %(meaning)s: %(why)s."),
        _("Correct the value."),
        setting="id",
        meaning="text",
        why="text",
    ),
    entry(
        "zone-missing-here",
        _("The setting of the house 'zone' is %(zone)s, which this machine does not have."),
        _(
            "Change it by setting.change to a present name such as Europe/Athens, or install the missing time zones "
            "(Debian: tzdata-legacy)."
        ),
        zone="text",
    ),
    entry("zone-unknown", _("There is no time zone %(zone)s."), _("Write it as Europe/Athens."), zone="text"),
    entry(
        "currency-unknown",
        _("There is no currency %(currency)s."),
        _("Write its ISO 4217 code, as EUR."),
        currency="text",
    ),
    entry("shift-names-repeated", _("Every shift has a name of its own."), _("Give each shift another name.")),
    entry(
        "regulator-limit-below-house",
        _("A discrepancy for the regulator is reported within the house before."),
        _("Raise the limit for the regulator, or lower that of the house."),
    ),
    entry("warning-above-report", _("The warning comes before the report."), _("Lower the amount of the warning.")),
    entry(
        "currency-of-property",
        _("The currency of the property is %(currency)s, not %(named)s."),
        _("Use the currency of the property."),
        currency="id",
        named="id",
    ),
    entry("setting-part-wrong", _("%(setting)s: %(why)s"), setting="id", why="error"),
    entry("months-invalid", _("%(why)s"), why="error"),
    entry(
        "months-columns",
        _("The columns are table or game, month, drop, win, not %(columns)s."),
        _("Put commas between them."),
        columns="list",
    ),
    entry("months-empty", _("The file has no month."), _("Add a line for each month.")),
    entry(
        "not-a-table-of-values",
        _("This is not a table of values with commas: %(why)s."),
        _("Save it as CSV."),
        why="text",
    ),
    entry("columns-too-many", _("The line has too many columns."), _("Remove them.")),
    entry("month-twice", _("%(month)s appears twice."), _("Give each month once."), month="id"),
    entry("months-too-many", _("At most %(most)s months are taken at once."), _("Split the file."), most="count"),
    entry("table-or-game", _("The line names a table or a game, and not both."), _("Leave one of them out.")),
    entry("name-impossible", _("%(name)s is not a name."), _("Use letters, digits and dashes."), name="text"),
    entry("month-format", _("%(month)s is not a month."), _("Write it as 2025-11."), month="text"),
    entry("drop-negative", _("A drop is never below zero."), _("Correct the amount.")),
    entry("amount-format", _("%(text)s is not an amount."), _("Write it as %(example)s."), text="text", example="id"),
    entry(
        "amount-decimals",
        _("%(text)s has %(decimals)s decimals; %(currency)s has %(places)s."),
        _("Correct the amount."),
        text="text",
        decimals="count",
        currency="id",
        places="count",
    ),
    entry(
        "amount-too-high",
        _("%(text)s is more than %(most)s %(currency)s."),
        _("Correct the amount."),
        text="text",
        most="id",
        currency="id",
    ),
    entry(
        "months-format", _("Each month is written as: table R1 2025-11 123456.00 24001.50."), _("Correct the value.")
    ),
    entry("posting-amount-twice", _("The amount %(name)s is taken twice."), _("Name each amount once."), name="id"),
    entry("posting-amount-missing", _("The amount %(name)s is left out."), _("Name every amount."), name="id"),
    entry("posting-amount-unknown", _("There is no amount %(name)s."), _("Check its name."), name="text"),
    entry(
        "posting-rule-format",
        _("%(name)s is not a rule."),
        _("Write it as AMOUNT: DEBIT / CREDIT, with a bar between the accounts."),
        name="text",
    ),
    entry(
        "posting-account-format",
        _("%(name)s: %(account)s is not an account."),
        _("Write it as Income:4000:table, in Latin letters and digits, below one of: %(roots)s."),
        name="id",
        account="text",
        roots="list",
    ),
    entry(
        "posting-account-places",
        _("%(name)s: %(account)s says more than the amount has."),
        _("It may have: %(places)s."),
        name="id",
        account="text",
        places="list",
    ),
    entry(
        "accounts-alike-in-beancount",
        _("%(account)s and %(other)s would both be %(name)s in Beancount."),
        _("Rename one of them."),
        account="id",
        other="id",
        name="id",
    ),
    entry("alert-rule-twice", _("The rule %(rule)s is changed twice."), _("Change it once."), rule="id"),
    entry(
        "alert-rule-unknown",
        _("There is no rule %(rule)s."),
        _("Write NAME: on, off, low, medium, high or PARAMETER NUMBER."),
        rule="text",
    ),
    entry(
        "alert-rule-without-value",
        _("The rule %(rule)s has no value."),
        _("Write NAME: on, off, low, medium, high or PARAMETER NUMBER."),
        rule="id",
    ),
    entry(
        "alert-parameter-range",
        _("%(rule)s: %(parameter)s is from %(least)s to %(most)s, not %(number)s."),
        _("Correct the number."),
        rule="id",
        parameter="id",
        least="count",
        most="count",
        number="text",
    ),
    entry(
        "alert-rule-word",
        _("%(rule)s: %(word)s has no meaning here."),
        _("Its parameters are: %(parameters)s."),
        rule="id",
        word="text",
        parameters="list",
    ),
    entry(
        "alert-rule-without-parameters",
        _("%(rule)s: %(word)s has no meaning here."),
        _("This rule has no parameters. Write on, off, low, medium or high."),
        rule="id",
        word="text",
    ),
)
