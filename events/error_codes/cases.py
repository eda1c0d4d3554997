"""Errors of cases: access, evidence, files, keys."""

from events.error_codes.entry import Entry, _, entry

ENTRIES: tuple[Entry, ...] = (
    entry("case-unknown", _("There is no case %(case)s."), _("Check the id."), case="id"),
    entry("case-read-only", _("You may read this case, not change it."), _("Ask for access to work on it.")),
    entry("case-about-yourself", _("This would make you a subject of the case."), _("Ask another person to do it.")),
    entry("case-about-person", _("The case is about %(person)s."), _("Name another person."), person="id"),
    entry("case-closed", _("The case is closed."), _("Reopen it first.")),
    entry("case-open", _("The case is open."), _("Leave it so.")),
    entry("case-not-closed", _("The case is open."), _("Close it first.")),
    entry("case-times-reversed", _("The end is before the beginning."), _("Correct the times.")),
    entry("case-evidence-unknown", _("There is no %(evidence)s."), _("Check the id."), evidence="text"),
    entry("case-addition-empty", _("Nothing is added."), _("Name evidence, people, places or a note.")),
    entry("case-file-missing", _("The file was not uploaded for this case."), _("Upload it first.")),
    entry("case-file-attached", _("The file is attached already."), _("Leave it so.")),
    entry(
        "case-files-too-large",
        _("The files of a case have at most %(most)s MB together."),
        _("Attach a smaller file."),
        most="count",
    ),
    entry("case-file-empty", _("The file is empty."), _("Attach another file.")),
    entry("case-file-too-large", _("A file has at most %(most)s MB."), _("Attach a smaller file."), most="count"),
    entry(
        "case-file-type",
        _("The content of the file is of another type."),
        _("Attach a JPEG, PNG, PDF, MP3, MP4 or plain text."),
    ),
    entry("case-file-refused", _("The scanner refuses the file."), _("Check the file.")),
    entry("case-file-unknown", _("The case has no such file."), _("Check the link.")),
    entry("case-task-empty", _("A new task needs a text."), _("Enter the text.")),
    entry(
        "case-person-without-access",
        _("%(person)s cannot see the case."),
        _("Grant access first, or name another person."),
        person="id",
    ),
    entry("case-linked", _("The cases are linked already."), _("Leave it so.")),
    entry("case-grant-to-yourself", _("Your own access is changed by another person."), _("Ask one of them.")),
    entry(
        "case-role-missing",
        _("%(person)s has no role that reads cases."),
        _("Name another person."),
        person="id",
    ),
    entry(
        "case-retention-runs",
        _("The case is kept until %(until)s."),
        _("Destroy its key afterwards."),
        until="time",
    ),
    entry(
        "case-house-key-differs",
        _("The house case key is not the one that encrypted the keys of cases."),
        _("Set PITLEDGER_CASE_KEY_FILE to the right file."),
    ),
    entry("case-status-unknown", _("There is no status %(status)s of cases."), _("Use open or closed."), status="text"),
)
