"""Words for the events and actions of the house."""

from events.text.translation_marker import translatable as _

WORDS = {
    "house": _("house"),
    "setting.changed": _("setting changed"),
    "chips.issued": _("chips issued or destroyed"),
    "setting.change": _("change setting"),
    "chips.issue": _("issue or destroy chips"),
    "brought in": _("issued"),
    "destroyed": _("destroyed"),
    # settings
    "currency": _("currency"),
    "zone": _("time zone"),
    "day_begins": _("start of the gaming day"),
    "shifts": _("shifts"),
    "reported_over_minor": _("discrepancy reporting limit"),
    "regulator_from_minor": _("discrepancy limit of the regulator"),
    "business_year_begins": _("start of the business year"),
    "cash_warning_minor": _("cash warning threshold"),
    "cash_report_minor": _("cash reporting threshold"),
    "tax_over_minor": _("payout tax threshold"),
    "tax_millionths": _("payout tax rate"),
    "hold_history": _("monthly drop and win history"),
    "alert_rules": _("alert rules"),
    "cameras": _("cameras of the tables"),
    "video_days": _("days that recordings are kept"),
    "video_event_days": _("days that recordings of events are kept"),
    "video_warning_hours": _("hours of warning before a recording expires"),
    "journal_rules": _("journal accounts"),
}
