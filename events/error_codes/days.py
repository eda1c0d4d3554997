"""Gaming days: boxes, recounts, discrepancies, closing, figures at a position."""

from events.error_codes.entry import Entry, _, entry

ENTRIES: tuple[Entry, ...] = (
    entry(
        "day-without-events",
        _("Nothing of the gaming day %(day)s was recorded."),
        _("Check the gaming day."),
        day="day",
    ),
    entry("day-closed", _("%(day)s is closed."), _("Name later events for it (day.amend)."), day="day"),
    entry(
        "day-not-closable",
        _("These checks fail: %(checks)s. %(why)s"),
        _("Correct them, or override one with a reason (day.override)."),
        checks="list",
        why="error",
    ),
    entry(
        "event-not-late",
        _("%(event)s did not come to %(day)s after its close."),
        _("Check the id of the event."),
        event="id",
        day="day",
    ),
    entry(
        "amendment-incomplete",
        _("%(event)s came after the close as well, and a named event rests on it."),
        _("Name both."),
        event="id",
    ),
    entry("check-never-overridden", _("%(item)s is never overridden."), _("Correct its cause."), item="word"),
    entry(
        "check-overridden-already",
        _("%(item)s is overridden already: %(reason)s"),
        _("Leave it so."),
        item="word",
        reason="text",
    ),
    entry("check-holds", _("%(item)s is done."), _("Leave it as it is."), item="word"),
    entry(
        "discrepancy-found-meanwhile", _("Another discrepancy was found in the meantime."), _("Reload and try again.")
    ),
    entry("day-not-closed", _("%(day)s is not closed, so it cannot be restated."), _("Close it first."), day="day"),
    entry("event-counted-already", _("%(event)s counts for the day already."), _("Leave it out."), event="id"),
    entry("day-restated-meanwhile", _("The day was restated in the meantime."), _("Reload and try again.")),
    entry(
        "not-an-action-of-day", _("%(action)s is not an action of a gaming day."), _("Check the action."), action="word"
    ),
    entry(
        "own-recount-waits",
        _("Your recount of %(box)s waits for the other counter."),
        _("Withdraw it first."),
        box="id",
    ),
    entry(
        "recount-differs",
        _("%(person)s has entered another recount of %(box)s."),
        _("Count again together, or decline it."),
        person="id",
        box="id",
    ),
    entry(
        "counter-of-pit-or-surveillance",
        _("%(person)s is of the pit or of surveillance, and may not count."),
        _("Let a person of the count room count."),
        person="id",
    ),
    entry("box-counted", _("The box %(box)s is counted."), _("Enter a recount (count.settle)."), box="id"),
    entry(
        "count-waits-for-second",
        _("A count of %(box)s was entered."),
        _("A second person must enter the verification count (count.verify)."),
        box="id",
    ),
    entry(
        "no-count-to-verify",
        _("No count of the box %(box)s waits to be verified."),
        _("Enter the count first (count.enter)."),
        box="id",
    ),
    entry(
        "counter-verifies-own", _("%(person)s has counted this box."), _("A second person must verify it."), person="id"
    ),
    entry("count-key-lost", _("The key of the first count is lost."), _("Count the box again (count.enter).")),
    entry("no-count-differs", _("No count of the box %(box)s differs."), _("Enter and verify it first."), box="id"),
    entry(
        "both-count-again", _("%(counters)s have counted this box."), _("Both must count it again."), counters="list"
    ),
    entry(
        "box-not-of-table",
        _("No box %(box)s was taken from %(table)s on %(day)s, or it was counted days ago."),
        _("Check table, day and box."),
        box="id",
        table="id",
        day="day",
    ),
    entry(
        "discrepancy-unknown",
        _("No discrepancy %(discrepancy)s was found on %(day)s."),
        _("Check its id."),
        discrepancy="text",
        day="day",
    ),
    entry(
        "discrepancy-explained", _("The discrepancy is explained already: %(reason)s"), _("Leave it so."), reason="text"
    ),
    entry("count-not-checked-before", _("Counts cannot be checked in advance."), _("Enter the count.")),
    entry("gaming-day-missing", _("The gaming day is missing."), _("Name it.")),
    entry(
        "day-without-events-by",
        _("Nothing of the gaming day %(day)s was recorded by position %(position)s."),
        _("Check day and position."),
        day="day",
        position="count",
    ),
    entry("event-unknown", _("There is no event %(event)s."), _("Check the id."), event="text"),
    entry("position-range", _("A position is 1 to %(last)s."), _("Enter one of these."), last="count"),
    entry("position-or-time", _("This is neither a position nor a time."), _("Write a time as 2026-11-20T23:00:00Z.")),
)
