"""What happens in the cage, as people call it."""

from events.marked import marked as _

WORDS = {
    "cage.opened": _("cage opened"),
    "cage.counted": _("cage counted"),
    "cage.closed": _("cage closed"),
    "cage.cashed_out": _("chips changed for cash"),
    "cage.cashed_in": _("cash changed for chips"),
    "marker.redeemed": _("marker redeemed"),
    "credit.received": _("credit received"),
    "slip.issued": _("slip issued"),
    "slip.voided": _("slip declared void"),
    "irregularity.found": _("irregularity found"),
    "cage not open": _("the cage was not open"),
    "cage not closed": _("the cage's last day was not closed"),
    "credit not sent": _("credit that its table has not sent"),
    "marker twice": _("marker redeemed twice"),
    "wrong runner": _("carried by nobody of security"),
    "cage.open": _("open the cage"),
    "cage.count": _("count the cage"),
    "cage.close": _("close the cage"),
    "cage.cash_out": _("change chips for cash"),
    "cage.cash_in": _("change cash for chips"),
    "marker.redeem": _("redeem a marker"),
    "credit.receive": _("receive a credit"),
    "slip.issue": _("issue a slip"),
    "slip.void": _("declare a slip void"),
    "fill": _("fill"),
    "credit": _("credit"),
}
