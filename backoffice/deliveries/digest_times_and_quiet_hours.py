"""When a subscription sends: at once or as a digest, never in quiet hours."""

from collections.abc import Callable
from datetime import date, datetime, time, timedelta

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from backoffice.models import Subscription

PERIODS = {"at once": timedelta(0), "hour": timedelta(hours=1), "day": timedelta(days=1)}
CALENDAR: dict[str, Callable[[date], tuple[int, ...]]] = {
    "week": lambda day: day.isocalendar()[:2],
    "month": lambda day: (day.year, day.month),
}
PERIOD_WORDS = {
    "at once": _("at once"),
    "hour": _("once an hour"),
    "day": _("once a day"),
    "week": _("once a week, on Monday"),
    "month": _("once a month, on the first"),
}


def is_quiet(subscription: Subscription, moment: datetime) -> bool:
    """Return whether the moment lies in the quiet hours. The first minute is quiet, the last is not."""
    if not subscription.quiet_from or not subscription.quiet_to:
        return False
    first, last = time.fromisoformat(subscription.quiet_from), time.fromisoformat(subscription.quiet_to)
    now = moment.astimezone(timezone.get_default_timezone()).time()
    return first <= now < last if first <= last else now >= first or now < last


def is_due(subscription: Subscription, moment: datetime) -> bool:
    """Return whether a delivery may be made now.

    Weeks and months are those of the property's calendar: the news of one is due as soon as the next has begun.
    """
    return _is_over(subscription, moment) and not is_quiet(subscription, moment)


def _is_over(subscription: Subscription, moment: datetime) -> bool:
    if subscription.period in CALENDAR:
        number, zone = CALENDAR[subscription.period], timezone.get_default_timezone()
        last = subscription.looked_at or subscription.made_at
        return number(moment.astimezone(zone).date()) > number(last.astimezone(zone).date())
    last = subscription.last_at or subscription.made_at
    return subscription.period == "at once" or moment >= last + PERIODS[subscription.period]
