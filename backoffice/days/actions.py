"""Actions on a gaming day: the forms of its pages."""

from django.utils.translation import gettext_lazy as _

from backoffice.kit.page import Act, PageRequest, Stage
from backoffice.wording import currencies
from backoffice.wording.vocabulary import word
from projections.accounts.models import LateEvent

OF_A_DAY = (
    Act("days", "day.close", _("Close day")),
    Act("days", "day.override", _("Override checklist item"), is_offered=False),
    Act("days", "day.amend", _("Restate day"), is_offered=False),
    Act("days", "discrepancy.explain", _("Explain discrepancy"), is_offered=False),
)


def at_day(request: PageRequest) -> Stage:
    """Return the stage of the gaming day; its late events can be named for a restatement."""
    day = request.places["gaming_day"]
    unnamed = LateEvent.objects.filter(gaming_day=day, named=0).order_by("position")
    events = [(row.event, f"{word(row.type)}, {row.event}") for row in unnamed]
    return Stage("", day, currencies.of_house(), {"events": events})
