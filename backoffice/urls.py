"""Addresses of the house. Without a reading rule for every address, no process starts."""

from collections.abc import Iterable, Iterator

from django.core.exceptions import ImproperlyConfigured
from django.urls import URLPattern, URLResolver, include, path, re_path

from backoffice.api.stream_kind_path_converters import no_such
from backoffice.api.urls import urlpatterns as actions
from backoffice.installation import add_on_addresses_and_startup
from backoffice.kit.reader_and_read_rule_types import public
from backoffice.openapi.action_interface_openapi_document import document
from backoffice.people.second_factor_enforcement import OWN
from backoffice.people.urls import urlpatterns as entrance
from backoffice.site.page_declarations_in_menu_order import SITE
from backoffice.table_screen.urls import urlpatterns as table_screen
from events.settings.settings_from_environment import settings


def addresses(patterns: Iterable[URLPattern | URLResolver], before: str = "/") -> Iterator[tuple[str, URLPattern]]:
    """Yield every address below these with its pattern."""
    for pattern in patterns:
        address = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern.url_patterns, address)
        else:
            yield address, pattern


def unruled(patterns: Iterable[URLPattern | URLResolver]) -> list[str]:
    """Return the addresses without a read rule, except those of the sign-in."""
    return [
        address
        for address, pattern in addresses(patterns)
        if not hasattr(pattern.callback, "open_to") and not (pattern.name or "").startswith(OWN)
    ]


urlpatterns: list[URLPattern | URLResolver] = [
    path("api/v1/openapi.json", public(document)),
    path("api/v1/", include([*actions, *SITE.api])),
    re_path(r"^api/", public(no_such)),
    path("", include(entrance)),
    *add_on_addresses_and_startup.addresses(settings().data_folder),
    path("", include(table_screen)),
    path("", include(SITE.urls)),
]
if without_rule := unruled(urlpatterns):
    raise ImproperlyConfigured(f"no read rule for {', '.join(without_rule)}")
