"""Alerts and the people who work on them."""

from events.error_codes.entry import Entry, _, entry

ENTRIES: tuple[Entry, ...] = (
    entry(
        "alert-not-raised",
        _("The alert %(alert)s is not raised."),
        _("Try again in a moment."),
        alert="id",
    ),
    entry("alert-about-assignee", _("The alert is about %(person)s."), _("Assign another person."), person="id"),
    entry("alert-open", _("The alert is open."), _("Leave it so.")),
    entry("alert-cleared", _("The alert was cleared already."), _("Open it again first.")),
    entry(
        "not-an-action-of-alert", _("%(action)s is not an action of an alert."), _("Check the action."), action="word"
    ),
    entry(
        "person-not-of-surveillance",
        _("%(person)s is not of surveillance."),
        _("Name a person of surveillance."),
        person="id",
    ),
    entry(
        "alert-acknowledged-already", _("%(person)s acknowledged this alert already."), _("Leave it so."), person="id"
    ),
    entry("alert-assigned-already", _("%(person)s has this alert already."), _("Leave it so."), person="id"),
    entry("stream-of-system", _("This stream accepts no actions from users."), _("Send the action to another stream.")),
    entry(
        "alert-unknown",
        _("There is no alert %(alert)s: an id has 64 hexadecimal digits."),
        _("Check the id."),
        alert="text",
    ),
)
