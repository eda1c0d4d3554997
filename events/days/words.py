"""Words for the events and actions of a gaming day."""

from events.text.translatable import marked as _

WORDS = {
    "days": _("gaming days"),
    "box not taken": _("counted and not taken away"),
    "wrong counter": _("counted by the pit or surveillance"),
    "count.entered": _("first count of a box entered"),
    "count.differed": _("two counts of a box differed"),
    "count.settled": _("box counted"),
    "discrepancy.explained": _("discrepancy explained"),
    "day.overridden": _("item of the checklist overridden"),
    "day.closed": _("day closed"),
    "day.amended": _("day restated"),
    "count.enter": _("enter the first count of a box"),
    "count.verify": _("enter the second count of a box"),
    "count.settle": _("settle the count of a box"),
    "discrepancy.explain": _("explain a discrepancy"),
    "day.override": _("override an item of the checklist"),
    "day.close": _("close the day"),
    "day.amend": _("restate the day"),
    # items of the checklist
    "sessions_closed": _("tables closed"),
    "boxes_counted": _("boxes counted"),
    "slips_settled": _("slips settled"),
    "discrepancies_explained": _("discrepancies explained"),
    "hits_locked": _("hits locked"),
    "variances_closed": _("variances closed"),
    "no_rest": _("no rest without an explanation"),
    "cage_closed": _("cage closed"),
    "nothing_aside": _("nothing set aside"),
    "journal_balanced": _("journal balanced"),
    "readers_beyond": _("read models beyond the day"),
    "heads_beyond": _("heads signed beyond the day"),
}
