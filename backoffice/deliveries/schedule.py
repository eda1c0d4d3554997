"""When a subscription sends: at once or as a digest, never in quiet hours."""

from datetime import datetime, time, timedelta

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from backoffice.models import Subscription

PERIODS = {"at once": timedelta(0), "hour": timedelta(hours=1), "day": timedelta(days=1)}
PERIOD_WORDS = {"at once": _("at once"), "hour": _("once an hour"), "day": _("once a day")}


def is_quiet(subscription: Subscription, moment: datetime) -> bool:
    """Return whether the moment lies in the quiet hours. The first minute is quiet, the last is not."""
    if not subscription.quiet_from or not subscription.quiet_to:
        return False
    first, last = time.fromisoformat(subscription.quiet_from), time.fromisoformat(subscription.quiet_to)
    now = moment.astimezone(timezone.get_default_timezone()).time()
    return first <= now < last if first <= last else now >= first or now < last


def is_due(subscription: Subscription, moment: datetime) -> bool:
    """Return whether a delivery may be made now."""
    last = subscription.last_at or subscription.made_at
    is_over = subscription.period == "at once" or moment >= last + PERIODS[subscription.period]
    return is_over and not is_quiet(subscription, moment)
