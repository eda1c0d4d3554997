"""The floor: every table of a gaming day. It follows by itself."""

from django.utils.translation import gettext_lazy as _

from backoffice.kit.page import Asked, Follows, Menu, Page, Read, everybody
from backoffice.queries.floor import Floor, floor

_DAY = {"type": "string", "format": "date"}


def _floor(asked: Asked) -> Floor:
    """`?gaming_day=` for an earlier day."""
    return floor(asked.text("gaming_day", 10))


FLOOR = Page(
    name="floor",
    path="",
    title=_("Floor"),
    readers=everybody,
    template="pages/floor.html",
    query=_floor,
    shown_as="floor",
    menu=Menu(_("Floor"), "f", _("go to the floor")),
    follows=Follows("pages/floor_live.html", path="floor/live"),
    read=Read(
        name="tables",
        path="tables",
        answer=Floor,
        meaning="The floor of `?gaming_day=`, or of the latest one.",
        parameters={"gaming_day": _DAY},
    ),
)
