"""Faults in the CSV files of a house that opens."""

from events.error_codes.entry import Entry, _, entry

FILES: tuple[Entry, ...] = (
    entry("import-file-missing", _("No file is chosen."), _("Choose a file.")),
    entry("import-page-size", _("The file is too large for this page."), _("Use `./manage.py move-in`.")),
    entry("import-file-size", _("The file has more than %(megabytes)s MB."), _("Split the file."), megabytes="count"),
    entry("import-file-unknown", _("This file is not imported."), _("The files are: %(files)s."), files="codes"),
    entry("import-folder-empty", _("The folder has none of the files."), _("Add `--template` to write examples.")),
    entry(
        "import-person-unknown",
        _("No person has the id %(person)s."),
        _("Name people of staff.csv or of the house."),
        person="text",
    ),
    entry("import-people-count", _("This house has closed a gaming day."), _("Name one person only.")),
    entry(
        "import-encoding-unknown",
        _("There is no encoding %(encoding)s."),
        _("Name one such as cp1253 or iso8859-9."),
        encoding="text",
    ),
    entry(
        "import-not-utf-8",
        _("This line is not UTF-8."),
        _("Save the file as CSV UTF-8, or name its encoding, such as `--encoding cp1253`."),
    ),
    entry(
        "import-not-in-encoding",
        _("This line is not in the encoding %(encoding)s."),
        _("Name the encoding of the spreadsheet."),
        encoding="text",
    ),
    entry("import-line-unreadable", _("The line cannot be read."), _("Check its quotation marks.")),
    entry("import-columns-missing", _("The first line must name the columns: %(columns)s."), columns="codes"),
    entry("import-column-twice", _("The column %(column)s appears twice."), _("Keep one."), column="text"),
    entry(
        "import-column-unknown",
        _("There is no column %(column)s."),
        _("The columns are: %(columns)s."),
        column="text",
        columns="codes",
    ),
    entry("import-column-unnamed", _("A column has no name."), _("The columns are: %(columns)s."), columns="codes"),
    entry(
        "import-column-missing",
        _("The column %(column)s is missing."),
        _("Add it to the first line."),
        column="id",
    ),
    entry(
        "import-cells-count",
        _("The line has more than %(most)s cells."),
        _("Put a cell that contains a separator in quotation marks."),
        most="count",
    ),
    entry("import-lines-count", _("The file has more than %(most)s lines."), _("Remove the others."), most="count"),
    entry("import-cell-empty", _("The cell is empty."), _("Fill it in.")),
    entry("import-line-twice", _("This is in line %(line)s already."), _("Keep one of the two."), line="count"),
)

CELLS: tuple[Entry, ...] = (
    entry("import-text-length", _("The text has more than %(most)s characters."), _("Make it shorter."), most="count"),
    entry("import-amount-not-positive", _("%(text)s is not over zero."), _("Enter a positive amount."), text="text"),
    entry("import-amount-negative", _("%(text)s is below zero."), _("Enter zero or more."), text="text"),
    entry(
        "import-amount-ambiguous",
        _("%(text)s can be read in two ways."),
        _("Write it as %(plain)s."),
        text="text",
        plain="id",
    ),
    entry(
        "import-pieces-most",
        _("%(text)s is more than %(most)s chips of one denomination."),
        _("Correct the number."),
        text="text",
        most="count",
    ),
    entry(
        "import-rate",
        _("%(text)s is not a rate."),
        _("Write per cent with at most four decimals, such as 2.5."),
        text="text",
    ),
    entry("import-rate-most", _("%(text)s is over 100 per cent."), _("Correct the rate."), text="text"),
    entry("import-day", _("%(text)s is not a day."), _("Write it as 2026-12-01."), text="text"),
    entry("import-day-ambiguous", _("%(text)s can be read in two ways."), _("Write it as 2026-12-01."), text="text"),
    entry("import-two-amounts", _("%(text)s is not two amounts."), _("Write them as 5.00/10.00."), text="text"),
)

LINES: tuple[Entry, ...] = (
    entry(
        "import-setting-unknown",
        _("There is no setting %(setting)s."),
        _("Use one of: %(settings)s."),
        setting="text",
        settings="codes",
    ),
    entry("import-setting-in-file", _("The months are in another file."), _("Write them in history.csv.")),
    entry(
        "import-currency-missing",
        _("The currency is missing."),
        _("Add a line `currency` with its ISO 4217 code, as EUR."),
    ),
    entry(
        "import-role-unknown",
        _("There is no role %(role)s."),
        _("Use one of: %(roles)s."),
        role="text",
        roles="codes",
    ),
    entry("import-no-administrator", _("No one is an administrator."), _("Give one person this role.")),
    entry(
        "import-only-administrator",
        _("The only administrator cannot have another role."),
        _("Add a second administrator, who grants it."),
    ),
    entry(
        "import-table-kind",
        _("%(kind)s is not a kind of table."),
        _("Use one of: %(kinds)s."),
        kind="text",
        kinds="codes",
    ),
    entry(
        "import-table-name",
        _("%(table)s is not a name of a table."),
        _("Use letters, digits and hyphens, such as BJ1."),
        table="text",
    ),
    entry("import-table-is-cage", _("A table cannot be called cage."), _("Choose another name.")),
    entry(
        "import-table-unknown",
        _("There is no table %(table)s."),
        _("Add it to tables.csv, or correct the line."),
        table="text",
    ),
    entry(
        "import-game-unknown",
        _("There is no game %(game)s."),
        _("Use one of: %(games)s."),
        game="text",
        games="codes",
    ),
    entry("import-ruleset", _("%(why)s"), _("The folder PITLEDGER_RULESETS has your own files."), why="error"),
    entry(
        "import-progressive-unknown",
        _("There is no progressive %(progressive)s."),
        _("Add its levels to progressives.csv."),
        progressive="text",
    ),
    entry("import-month-future", _("%(month)s is in the future."), _("Remove the line."), month="id"),
    entry("import-months-count", _("The file has too many months."), _("Leave out the oldest.")),
    entry("import-table-or-game", _("The line has a table and a game, or neither."), _("Name one of the two.")),
    entry(
        "import-tender",
        _("The place %(place)s has no %(tender)s."),
        _("Write chips, or in the cage cash or markers."),
        place="text",
        tender="text",
    ),
    entry(
        "import-amount-product",
        _("The amount is not the denomination times the pieces."),
        _("Correct one of the three."),
    ),
    entry("import-cage-missing", _("The cage has no line."), _("Add its contents: its count starts the books.")),
    entry("import-markers-differ", _("The total of markers.csv differs."), _("Correct one of the two.")),
    entry(
        "import-markers-over",
        _("The open markers are worth more than the first count of the cage."),
        _("Correct the amounts."),
    ),
    entry(
        "import-chips-over",
        _("The files have %(pieces)s chips of %(denomination)s, and only %(issued)s are issued."),
        _("Correct the pieces, or chips.csv."),
        pieces="count",
        denomination="text",
        issued="count",
    ),
    entry(
        "import-chips-late",
        _("The books of the cage have started already."),
        _("Issue the chips on the page House."),
    ),
    entry(
        "import-first-day-over",
        _("The first day %(day)s is over. Today is %(today)s."),
        _("Write the day on which the house opens."),
        day="day",
        today="day",
    ),
)

ENTRIES = (*FILES, *CELLS, *LINES)
