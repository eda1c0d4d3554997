"""Words for the events and actions of a gaming day."""

from events.text.translation_marker import translatable as _

WORDS = {
    "days": _("gaming days"),
    "box not taken": _("counted but not removed"),
    "wrong counter": _("counted by the pit or Surveillance"),
    "count.entered": _("first box count entered"),
    "count.differed": _("box counters disagreed"),
    "count.settled": _("box counted"),
    "discrepancy.explained": _("discrepancy explained"),
    "day.overridden": _("checklist item overridden"),
    "day.closed": _("day closed"),
    "day.amended": _("day restated"),
    "count.enter": _("enter first box count"),
    "count.verify": _("enter verification box count"),
    "count.settle": _("enter box recount"),
    "discrepancy.explain": _("explain discrepancy"),
    "day.override": _("override checklist item"),
    "day.close": _("close day"),
    "day.amend": _("restate day"),
    # items of the checklist
    "sessions_closed": _("tables closed"),
    "boxes_counted": _("boxes counted"),
    "slips_settled": _("slips settled"),
    "discrepancies_explained": _("discrepancies explained"),
    "hits_locked": _("hits awarded"),
    "variances_closed": _("variances closed"),
    "no_rest": _("no difference without a known cause"),
    "cage_closed": _("cage closed"),
    "nothing_aside": _("no unprocessed events"),
    "journal_balanced": _("journal balanced"),
    "readers_beyond": _("reports up to date"),
    "heads_beyond": _("day sealed (signed)"),
}
