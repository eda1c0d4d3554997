"""Draws of tables and times to inspect."""

from events.error_codes.entry import Entry, _, entry

ENTRIES: tuple[Entry, ...] = (
    entry("not-an-action-of-draws", _("%(action)s is not an action of draws."), _("Check the action."), action="word"),
    entry("draw-unknown", _("There is no draw %(draw)s."), _("Check its name."), draw="text"),
    entry("draw-name-used", _("The draw %(draw)s exists already."), _("Choose another name."), draw="id"),
    entry("draw-period-empty", _("The period ends before it begins."), _("Check both times.")),
    entry(
        "draw-number-too-large",
        _("The list has only %(count)s entries."),
        _("Draw at most as many."),
        count="count",
    ),
    entry("draw-table-twice", _("A table is in the list twice."), _("Enter each table once.")),
    entry(
        "draw-list-too-long",
        _("The list has more than %(most)s entries."),
        _("Choose longer times, or fewer tables."),
        most="count",
    ),
    entry(
        "draw-time-range",
        _("The time of the draw is not 10 minutes to 72 hours from now."),
        _("Choose another time."),
    ),
    entry(
        "draw-after-inspection",
        _("The time of the draw is not before the end of every inspection."),
        _("Choose an earlier time, or enter a later `inspect_by`."),
    ),
    entry(
        "inspector-without-role",
        _("%(person)s has no role that inspects."),
        _("Name people of surveillance or security."),
        person="id",
    ),
    entry("draw-revealed-already", _("The draw %(draw)s was revealed already."), draw="id"),
    entry(
        "draw-is-second",
        _("This is the second commitment for its period and is never drawn."),
        _("The draw %(draw)s counts."),
        draw="id",
    ),
    entry(
        "draw-head-not-signed",
        _("The head that decides is not signed yet."),
        _("Wait for the time of the draw, then try again."),
    ),
    entry(
        "draw-head-does-not-follow",
        _("No earlier head covers the commitment."),
        _("This draw cannot be proved. Commit a new one for another period."),
    ),
    entry(
        "draw-without-witness",
        _("The house has no witness."),
        _("Set PITLEDGER_WITNESS, and try again when it has the head."),
    ),
    entry(
        "draw-head-not-witnessed",
        _("The witness does not have the head that decides yet."),
        _("Try again in a minute."),
    ),
    entry(
        "draw-not-unsealed",
        _("The secret of the draw %(draw)s cannot be decrypted."),
        _("Put back the secret key of the house that made it."),
        draw="id",
    ),
    entry("not-an-inspector", _("You do not inspect for this draw."), _("Ask one of its inspectors.")),
    entry("draw-not-revealed", _("The draw is not revealed yet."), _("Reveal it first.")),
    entry("entry-not-drawn", _("Entry %(entry)s was not drawn."), _("Choose a drawn entry."), entry="count"),
    entry(
        "inspector-at-table",
        _("You worked at the table of entry %(entry)s in its time."),
        _("Another inspector must inspect it."),
        entry="count",
    ),
    entry(
        "inspection-recorded-already",
        _("The inspection of entry %(entry)s is recorded already."),
        entry="count",
    ),
    entry(
        "coverage-days",
        _("The report covers 1 to %(most)s days."),
        _("Choose a last day that follows the first."),
        most="count",
    ),
    entry("draw-not-published", _("The draw %(draw)s is not published yet."), _("Try again later."), draw="id"),
)
