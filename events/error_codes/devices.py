"""Devices of the tables and the floor."""

from events.error_codes.entry import Entry, _, entry

ENTRIES: tuple[Entry, ...] = (
    entry("device-never-paired", _("This device was never paired."), _("Check its id.")),
    entry("device-revoked-already", _("%(device)s is revoked already."), _("Leave it so."), device="id"),
    entry(
        "not-an-action-of-devices", _("%(action)s is not an action of devices."), _("Check the action."), action="word"
    ),
    entry(
        "device-paired-before",
        _("%(device)s was paired before."),
        _("Pair the tablet again: it gets a new id."),
        device="id",
    ),
    entry("device-key-taken", _("Another device has this key."), _("Pair the tablet again.")),
    entry(
        "entry-rejected-already",
        _("Entry %(entry)s of %(device)s is rejected already."),
        _("Leave it so."),
        entry="count",
        device="id",
    ),
    entry(
        "entry-accepted-already",
        _("Entry %(entry)s of %(device)s is accepted already."),
        _("Leave it so."),
        entry="count",
        device="id",
    ),
    entry(
        "device-reports-itself", _("A device reports only its own time without signal."), _("Send it from that device.")
    ),
    entry(
        "not-an-action-of-floor", _("%(action)s is not an action of the floor."), _("Check the action."), action="word"
    ),
    entry("game-unknown", _("There is no game %(game)s."), _("Use one of: %(games)s."), game="text", games="list"),
)
