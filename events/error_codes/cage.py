"""The cage and its slips."""

from events.error_codes.entry import Entry, _, entry

ENTRIES: tuple[Entry, ...] = (
    entry(
        "chips-differ-from-marker",
        _("The chips are not worth the marker's amount."),
        _("Enter chips of the same value."),
    ),
    entry(
        "marker-redeemed-already",
        _("The marker %(marker)s went back to its player before."),
        _("Check the number on the marker."),
        marker="id",
    ),
    entry(
        "marker-differs",
        _("The marker %(marker)s is open with another player or amount."),
        _("Enter both as the marker shows them."),
        marker="id",
    ),
    entry("marker-known", _("The marker %(marker)s is known already."), _("Use its own number."), marker="id"),
    entry("chips-none", _("There are no chips in this."), _("Enter at least one chip.")),
    entry("cage-open", _("The cage is open for %(day)s."), _("Close it first."), day="day"),
    entry(
        "gaming-day-opened-already",
        _("The gaming day %(day)s has been opened already."),
        _("Enter the next gaming day."),
        day="day",
    ),
    entry(
        "gaming-day-not-near",
        _("The gaming day is %(today)s by the house's clock, not %(day)s."),
        _("Enter a gaming day within a day of it."),
        today="day",
        day="day",
    ),
    entry("witness-is-yourself", _("The witness must be another person."), _("Name the person who counted with you.")),
    entry(
        "not-an-action-of-the-cage",
        _("%(action)s is not an action of the cage."),
        _("Send it to the stream that it belongs to."),
        action="word",
    ),
    entry(
        "slip-not-requested",
        _("No table waits for a slip by the request %(request)s."),
        _("Check the key of the request."),
        request="id",
    ),
    entry(
        "runner-issues-slip",
        _("%(runner)s issues this slip."),
        _("Another person, of security, must carry it."),
        runner="id",
    ),
    entry(
        "runner-not-security",
        _("%(runner)s is not of security."),
        _("A person of security must carry the slip."),
        runner="id",
    ),
    entry(
        "credit-not-sent",
        _("%(table)s has not sent the credit %(number)s."),
        _("The table sends it first."),
        table="id",
        number="count",
    ),
    entry(
        "slip-not-issued",
        _("The cage has issued no %(paper)s %(number)s, or it was settled days ago."),
        _("Check the number of the slip."),
        paper="word",
        number="count",
    ),
    entry(
        "slip-settled",
        _("The %(paper)s %(number)s is %(status)s: this comes too late."),
        _("Check the number of the slip."),
        paper="word",
        number="count",
        status="word",
    ),
    entry(
        "cage-closed", _("The cage has closed %(day)s."), _("Open its next gaming day first (cage.open)."), day="day"
    ),
    entry("cage-never-opened", _("The cage has never been opened."), _("Open it first (cage.open).")),
    entry(
        "cage-on-another-day",
        _("The cage's gaming day is %(day)s, not %(asked)s."),
        _("Use the cage's gaming day."),
        day="day",
        asked="day",
    ),
)
