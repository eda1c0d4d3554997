"""Exports of cases and bookmarks of video."""

from events.error_codes.entry import Entry, _, entry

ENTRIES: tuple[Entry, ...] = (
    entry(
        "case-export-too-large",
        _("The export has more than %(megabytes)s MB."),
        _("Open a second case for some of the attachments."),
        megabytes="count",
    ),
    entry(
        "case-attachment-unreadable",
        _("The attachment %(attachment)s cannot be read."),
        _("Ask an administrator to check the System page."),
        attachment="id",
    ),
    entry(
        "case-export-unknown",
        _("The case has no such export."),
        _("Choose one of its exports."),
    ),
    entry(
        "case-export-expired",
        _("The archive of this export is no longer stored."),
        _("Export the case again."),
    ),
    entry(
        "cameras-part",
        _("%(part)s is not a table with its cameras."),
        _("Write TABLE: CAMERA, CAMERA; and so on."),
        part="text",
    ),
    entry("cameras-table-twice", _("The table %(table)s occurs twice."), _("Name it once."), table="id"),
    entry("cameras-too-many-tables", _("More than %(most)s tables have cameras."), _("Name fewer."), most="count"),
    entry(
        "cameras-too-many",
        _("The table %(table)s has more than %(most)s cameras."),
        _("Name fewer."),
        table="id",
        most="count",
    ),
    entry(
        "camera-name",
        _("%(camera)s is not the name of a camera."),
        _("Use at most 40 letters, digits, spaces, dots and hyphens."),
        camera="text",
    ),
    entry(
        "camera-twice",
        _("The camera %(camera)s occurs twice at the table %(table)s."),
        _("Name it once."),
        table="id",
        camera="text",
    ),
    entry("cameras-columns", _("The columns of the file are not table and camera."), _("Use these two columns.")),
    entry(
        "cameras-line",
        _("Line %(line)s does not have a table and a camera."),
        _("Write both in each line."),
        line="count",
    ),
    entry(
        "bookmark-camera-missing",
        _("No camera is chosen, or more than %(most)s."),
        _("Choose a camera, or enter its name."),
        most="count",
    ),
    entry("bookmark-case-missing", _("No case is chosen."), _("Choose a case, or open a new one.")),
    entry("bookmark-time-missing", _("A time is missing or wrong."), _("Enter the day and the time.")),
    entry(
        "video-days-reversed",
        _("Bookmarked recordings are kept for fewer days than others."),
        _("Raise video_event_days, or lower video_days."),
    ),
)
