"""Words for the codes of draws."""

from events.text.translation_marker import translatable as _

WORDS = {
    "draws": _("draws"),
    "draw.commit": _("commit a draw"),
    "draw.committed": _("draw committed"),
    "draw.reveal": _("reveal a draw"),
    "draw.revealed": _("draw revealed"),
    "draw.opened": _("draw published"),
    "inspection.record": _("record an inspection"),
    "inspection.recorded": _("inspection recorded"),
    "live": _("live"),
    "recording": _("recording"),
    "in order": _("in order"),
    "minor finding": _("minor finding"),
    "serious finding": _("serious finding"),
    "draw": _("draw"),
    # reasons of alerts
    "second commitment": _("second commitment for the same period"),
    "late commitment": _("committed after the period began"),
    "not revealed": _("not revealed in time"),
}
