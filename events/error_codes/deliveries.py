"""Errors of subscriptions and their destinations."""

from events.error_codes.entry import Entry, _, entry

ENTRIES: tuple[Entry, ...] = (
    entry(
        "destinations-unreadable",
        _("The file of destinations cannot be used: %(reason)s."),
        _("Correct the file."),
        reason="text",
    ),
    entry("subscription-source", _("This news is not offered to you."), _("Choose news from the list.")),
    entry("subscription-webhook", _("There is no such destination."), _("Choose a destination from the list.")),
    entry("subscription-folder", _("A folder takes reports only."), _("Choose a report, or another destination.")),
    entry("subscription-period", _("There is no such period."), _("Choose how often to send.")),
    entry("subscription-quiet-hours", _("One of the two times is missing."), _("Enter both times, or none.")),
    entry("subscription-time", _("This is not a time of day."), _("Enter a time such as 22:30.")),
    entry("subscriptions-full", _("You have %(most)s subscriptions."), _("End one first."), most="count"),
)
