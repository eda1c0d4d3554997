"""Words for the events and actions of the house."""

from events.text.translatable import marked as _

WORDS = {
    "house": _("house"),
    "setting.changed": _("setting changed"),
    "chips.issued": _("chips brought in or destroyed"),
    "setting.change": _("change a setting"),
    "chips.issue": _("bring in or destroy chips"),
    "brought in": _("brought in"),
    "destroyed": _("destroyed"),
    # settings
    "currency": _("currency"),
    "zone": _("time zone"),
    "day_begins": _("gaming day begins"),
    "shifts": _("shifts"),
    "reported_over_minor": _("discrepancies reported over"),
    "regulator_from_minor": _("discrepancies reported to the regulator from"),
    "business_year_begins": _("business year begins"),
    "cash_warning_minor": _("cash of a player warned of from"),
    "cash_report_minor": _("cash of a player reported over"),
    "tax_over_minor": _("payouts taxed over"),
    "tax_millionths": _("tax withheld"),
    "hold_history": _("drop and win of earlier months"),
    "alert_rules": _("rules of the alerts"),
    "journal_rules": _("accounts of the journal"),
}
