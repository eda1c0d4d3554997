"""Checklist of a gaming day: why an item does not hold."""

from events.error_codes.entry import Entry, _, entry

ENTRIES: tuple[Entry, ...] = (
    entry("checklist-tables-open", _("%(tables)s: still open."), _("Close the table."), tables="names"),
    entry("checklist-boxes-not-counted", _("%(boxes)s: not counted yet, waiting for the count room."), boxes="names"),
    entry("checklist-slips-open", _("%(slips)s: still open."), _("Receive the slip or void it."), slips="names"),
    entry(
        "checklist-discrepancies-open",
        _("%(discrepancies)s: not explained, waiting for Accounting."),
        discrepancies="names",
    ),
    entry(
        "checklist-hits-pending",
        _("%(hits)s: still pending."),
        _("Complete the deal, or void the hit."),
        hits="names",
    ),
    entry(
        "checklist-variances-open",
        _("%(variances)s: still open."),
        _("Close the reading variance."),
        variances="names",
    ),
    entry(
        "checklist-no-known-cause",
        _("%(shifts)s: difference without a known cause."),
        _("Check the table's events."),
        shifts="names",
    ),
    entry(
        "checklist-not-compared",
        _("%(shifts)s: not compared yet."),
        _("Close the table and count its boxes."),
        shifts="names",
    ),
    entry("checklist-cage-open", _("The cage: open for %(day)s."), _("Close the cage."), day="day"),
    entry(
        "checklist-cage-not-opened",
        _("Not opened on %(day)s."),
        _("Open, count and close the cage."),
        day="day",
    ),
    entry("checklist-unknown", _("Not known: the read models cannot be read.")),
    entry(
        "checklist-events-unprocessed",
        _("%(readers)s: not processed."),
        _("Ask an administrator to check the System page."),
        readers="names",
    ),
    entry("checklist-at-close", _("Checked at close.")),
    entry(
        "checklist-journal-off",
        _("%(identities)s: millionths of a minor unit out of balance."),
        _("Tell the operator."),
        identities="names",
    ),
    entry(
        "checklist-journal-differs",
        _("%(first)s Difference: %(off)s millionths of a minor unit. Accounts that do not balance: %(count)s."),
        _("Tell the operator."),
        first="error",
        off="count",
        count="count",
    ),
    entry("identity-all-accounts", _("The journal of %(day)s does not balance."), day="day"),
    entry("identity-tray", _("The tray of %(table)s does not balance."), table="id"),
    entry(
        "identity-recorded-win", _("The recorded win of %(table)s on %(day)s does not balance."), table="id", day="day"
    ),
    entry("identity-table-win", _("The table win of %(table)s on %(day)s does not balance."), table="id", day="day"),
    entry(
        "identity-meter",
        _("The meter %(level)s of %(progressive)s does not balance."),
        progressive="id",
        level="id",
    ),
    entry("identity-reserve", _("The reserve of %(progressive)s does not balance."), progressive="id"),
    entry("identity-jackpots", _("The awarded and unpaid jackpots do not balance.")),
    entry("identity-drop-boxes", _("The drop boxes do not balance.")),
    entry("identity-cage-chips", _("The chips of the cage do not balance.")),
    entry("identity-chips-in-transit", _("The chips in transit do not balance.")),
    entry("identity-chips-issued", _("The chips issued do not balance.")),
    entry(
        "checklist-readers-behind",
        _("%(readers)s: behind the last event of the day, %(last)s."),
        _("Wait, or ask an administrator to check the System page."),
        readers="names",
        last="count",
    ),
    entry("checklist-no-head", _("No event is signed yet."), _("Ask an administrator to check the System page.")),
    entry(
        "checklist-head-behind",
        _("Signed up to event %(head)s. The last event of the day is %(last)s."),
        _("Wait, or ask an administrator to check the System page."),
        head="count",
        last="count",
    ),
    entry("checklist-overridden", _("Overridden: %(reason)s. %(why)s"), reason="text", why="error"),
    entry("checklist-item", "%(item)s: %(why)s", item="word", why="error"),
    entry("two-reasons", "%(first)s %(second)s", first="error", second="error"),
)
