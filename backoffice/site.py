"""The pages of the house, in one list: the order of the menu and of the interface's document."""

from django.urls import path

from backoffice.api.position import POSITION
from backoffice.kit.site import Site, Source
from backoffice.pages.live import live_origin
from backoffice.pages.views.events import EVENT, EVENTS
from backoffice.pages.views.floor import FLOOR
from backoffice.pages.views.health import healthz
from backoffice.pages.views.hits import HIT
from backoffice.pages.views.notices import NOTICES
from backoffice.pages.views.progressives import MATTERS, PROGRESSIVE, PROGRESSIVES, SIGN
from backoffice.pages.views.tables import TABLE
from backoffice.queries import currencies
from backoffice.queries.freshness import freshness
from projections.engine.reading import watermarks
from projections.registry import PROJECTORS


def position() -> int:
    """Everything up to here is in every read model."""
    return min(watermarks(list(PROJECTORS)).values())


def currency() -> str:
    """The one currency of the house; "" where there are several."""
    return currencies.only(currencies.by_place())


SOURCE = Source(freshness, position, currency, live_origin)
PAGES = (FLOOR, TABLE, PROGRESSIVES, PROGRESSIVE, MATTERS, SIGN, HIT, NOTICES, EVENTS, EVENT)
SITE = Site(PAGES, SOURCE, reads=(POSITION,), plain=(path("healthz", healthz, name="healthz"),))
