"""Facts that are refused."""

from events.error_codes.entry import Entry, _, entry

ENTRIES: tuple[Entry, ...] = (
    entry(
        "fact-of-a-decision",
        _("%(why)s This needs a request and an approval; it cannot be reported as a fact."),
        _("Ask for it, and let a second person approve."),
        why="error",
    ),
    entry(
        "fact-of-arming",
        _("%(why)s Arming is asked and answered before the deal; it cannot be reported as a fact."),
        _("Ask for it before the deal."),
        why="error",
    ),
    entry(
        "fact-of-a-house-decision",
        _("%(why)s This is decided in the system; it cannot be reported as a fact."),
        _('Send it with the intent "ask".'),
        why="error",
    ),
    entry(
        "fact-at-a-closed-table",
        _("%(why)s A closed table plays no round."),
        _("Report a payment with payment.report, a correction with settlement.correct."),
        why="error",
    ),
    entry(
        "fact-without-a-session",
        _("%(why)s The table has no open session."),
        _("Report the opening first (session.open)."),
        why="error",
    ),
    entry(
        "fact-in-an-open-session",
        _("%(why)s A table has one gaming day at a time."),
        _("Report its close first (session.close)."),
        why="error",
    ),
    entry(
        "fact-of-another-day",
        _("%(why)s An event belongs to the gaming day that is open."),
        _("Leave the day out, or name that one."),
        why="error",
    ),
    entry(
        "fact-out-of-day-order",
        _("%(why)s A gaming day begins once, and in the order of the calendar."),
        _("Check the gaming day."),
        why="error",
    ),
    entry(
        "fact-of-an-impossible-opening",
        _("%(why)s No gaming day can begin so."),
        _("Correct that, then report the opening again."),
        why="error",
    ),
    entry(
        "fact-of-rolling-a-closed-table",
        _("%(why)s A closed table is opened, not rolled."),
        _("Report the opening (session.open)."),
        why="error",
    ),
    entry(
        "fact-of-another-game",
        _("%(why)s This table does not play that game."),
        _("Check the table and the action."),
        why="error",
    ),
    entry(
        "fact-of-an-unknown-bet",
        _("%(why)s No player can have placed this bet."),
        _("Report the bet that was placed."),
        why="error",
    ),
    entry(
        "fact-at-a-counted-only-table",
        _("%(why)s No bet is recorded at a table that is counted only."),
        _("Report the table's counts, fills and credits."),
        why="error",
    ),
    entry(
        "fact-of-the-count-room",
        _("%(why)s A house with a cage or named boxes counts them blind, in the count room."),
        _("Report the count with count.enter."),
        why="error",
    ),
    entry(
        "fact-before-the-first-count",
        _("%(why)s The first count of a cage is its opening."),
        _("Report that first (cage.open)."),
        why="error",
    ),
    entry(
        "fact-of-a-distant-day",
        _("%(why)s No other gaming day is near by the house's clock."),
        _("Check the gaming day."),
        why="error",
    ),
    entry(
        "fact-without-a-request",
        _("%(why)s The chips of a slip are those of the table's request."),
        _("Report the request first (fill.request, credit.request)."),
        why="error",
    ),
    entry(
        "fact-out-of-count-procedure",
        _("%(why)s A count is entered once, verified by another person, and then only counted again."),
        _("Use count.enter, count.verify or count.settle."),
        why="error",
    ),
    entry("reason-needed", _("A reason is needed."), _("Enter the reason.")),
    entry(
        "fact-of-the-current-round",
        _("%(why)s The round is still at the table."),
        _("Record the payment with payment.make."),
        why="error",
    ),
    entry(
        "fact-of-a-future-round",
        _("%(why)s That round has not been played."),
        _("Check the number of the round."),
        why="error",
    ),
    entry(
        "bound-reached",
        _("%(why)s A bound of the system is reached."),
        _("Settle or close the open items first."),
        why="error",
    ),
)
