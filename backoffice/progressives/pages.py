"""Progressives: all of them, and one."""

from typing import Any, TypeVar
from urllib.parse import quote

import msgspec
from django.utils.translation import gettext_lazy as _

from backoffice.access.personal_data_access_log import PERSON
from backoffice.days import caught_up_cage_and_count_books as rooms
from backoffice.http import live_stream_addresses
from backoffice.kit.access_log_rules import AccessLogRule
from backoffice.kit.page_declaration import (
    Act,
    Endpoint,
    LiveUpdate,
    MenuEntry,
    Page,
    PageRequest,
    Stage,
    approval_acts,
)
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.people.roles_allowed_per_page import FUNDS, SIGNS
from backoffice.people.roles_allowed_per_page import PROGRESSIVES as OF_PROGRESSIVES
from backoffice.progressives.live_stream_message_content import LiveContent, read
from backoffice.progressives.matters.open_items_page_content import matters
from backoffice.progressives.progressive_details import Detail, Summary, misdirected_events, progressive, progressives
from backoffice.wording.stream_currencies import currency_at
from events.error_codes import coded
from events.errors import Unknown
from events.progressives.level_changes_and_notices import REASONS
from events.progressives.sharing_policies import POLICIES
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
    *approval_acts("progressives"),
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


Result = TypeVar("Result")
SIGN_HOLD_S = 90  # so long after its lock the sign shows a winning value


class Progressives(msgspec.Struct, frozen=True):
    """All progressives."""

    progressives: tuple[Summary, ...]


def _required_result(result: Result | None, request: PageRequest) -> Result:
    if result is None:
        raise Unknown(coded("progressive-unknown", progressive=request.places["name"]))
    return result


def _sign_figures(request: PageRequest) -> LiveContent:
    """Return the figures of the progressive's signs."""
    name = request.places["name"]
    return _required_result((read([name])[1] or {}).get(name), request)


def _with_stream(visit: Visit, progressive: Any) -> dict[str, Any]:
    return {
        "stream_url": f"{live_stream_addresses.PROGRESSIVES}{quote(visit.place('name'), safe='')}",
        "funds": FUNDS.admits(visit.reader),
    }


PROGRESSIVES = Page(
    name="progressives",
    path="progressives/",
    title=_("Progressives"),
    open_to=OF_PROGRESSIVES,
    template="pages/progressives.html",
    query=lambda _request: Progressives(progressives()),
    shown_as="all",
    add_context=lambda _visit, _progressives: {"strays": misdirected_events()},
    menu=MenuEntry(_("Progressives"), "p", _("go to progressives")),
    endpoint=Endpoint(
        name="all-progressives",
        path="progressives",
        answer=Progressives,
        meaning="The meters of all progressives.",
    ),
    acts=(OPEN_PROGRESSIVE,),
    stage=at_progressives,
)
PROGRESSIVE = Page(
    name="progressive",
    path="progressives/<str:name>",
    title=_("Progressive"),
    open_to=OF_PROGRESSIVES,
    template="pages/progressive.html",
    query=lambda request: _required_result(progressive(request.places["name"], drawn=request.drawn), request),
    shown_as="progressive",
    add_context=_with_stream,
    under="progressives",
    follows=LiveUpdate("pages/progressive_live.html"),
    listens=True,
    endpoint=Endpoint(
        name="one-progressive",
        path="progressives/<str:name>",
        answer=Detail,
        meaning="One progressive with all its figures.",
    ),
    acts=OF_A_PROGRESSIVE,
    stage=at_progressive,
    looks=AccessLogRule(PERSON),
)
MATTERS = Page(
    name="progressive-matters",
    path="progressives/<str:name>/matters",
    title=_("Open items"),
    open_to=OF_PROGRESSIVES,
    template="pages/matters.html",
    query=lambda request: _required_result(matters(request.places["name"]), request),
    shown_as="matters",
    under="progressives",
    follows=LiveUpdate("pages/matters_live.html"),
    looks=AccessLogRule(PERSON),
)
# The meters alone, as large as they will go: for a screen on the casino floor.
SIGN = Page(
    name="progressive-sign",
    path="progressives/<str:name>/sign",
    title=_("Sign"),
    open_to=SIGNS,
    template="pages/sign.html",
    query=_sign_figures,
    shown_as="live",
    add_context=lambda visit, live: {**_with_stream(visit, live), "hold_s": SIGN_HOLD_S},
    under="progressives",
    listens=True,
)
