"""Exports of cases and bookmarks of video."""

from events.error_codes.entry import Entry, _, entry

ENTRIES: tuple[Entry, ...] = (
    entry(
        "case-export-too-large",
        _("The export has more than %(megabytes)s MB."),
        _("Open a second case for some of the attachments."),
        megabytes="count",
    ),
)
