"""Actions on progressives: the forms of their pages."""

from django.utils.translation import gettext_lazy as _

from backoffice.days import decider_books as rooms
from backoffice.kit.approval_actions import _answers
from backoffice.kit.page import Act, PageRequest, Stage
from backoffice.wording.currencies import currency_at
from events.progressives.policies import POLICIES
from events.progressives.settings import REASONS
from projections.progressives.models import ProgressiveLevel

OPEN_PROGRESSIVE = Act("progressives", "progressive.open", _("Open progressive"), names="progressive")
OF_A_PROGRESSIVE = (
    Act("progressives", "parameters.change", _("Change parameters")),
    Act("progressives", "meter.adjust", _("Correct meter"), choices={"reason": sorted(REASONS)}),
    Act("progressives", "meter.read", _("Read sign")),
    Act("progressives", "increment.test", _("Test increment")),
    Act("progressives", "fund.deposit", _("Record deposit")),
    Act("progressives", "fund.withdraw", _("Record withdrawal")),
    Act("progressives", "house.pay", _("Pay from house funds")),
    Act("progressives", "house.void", _("Void house payment")),
    Act("progressives", "hit.authorise", _("Authorise share"), is_offered=False),
    Act("progressives", "jackpot.pay", _("Pay jackpot"), is_offered=False),
    Act("progressives", "hit.void", _("Void hit")),
    Act("progressives", "variance.close", _("Close variance"), is_offered=False),
    Act("progressives", "notice.acknowledge", _("Confirm notice"), is_offered=False),
    *_answers("progressives"),
)


def at_progressives(request: PageRequest) -> Stage:
    """Return the stage for opening a progressive."""
    policies = tuple(dict.fromkeys(name for name, _version in POLICIES))
    return Stage(currency=rooms.currency(), choices={"policy": policies})


def at_progressive(request: PageRequest) -> Stage:
    """The progressive of this name."""
    name = request.places["name"]
    currency = currency_at(f"progressives/{name}")
    levels = ProgressiveLevel.objects.filter(progressive=name).order_by("rank").values_list("level", flat=True)
    return Stage(name, currency=currency, choices={"level": tuple(levels)})
