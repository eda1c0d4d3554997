"""The first page of a person whose work is at a table: where they are assigned today, and how they record it."""

from collections.abc import Collection

import msgspec
from django.utils.translation import gettext_lazy as _

from backoffice.kit.page_declaration import Page
from backoffice.kit.reader_and_read_rule_types import KNOWN
from backoffice.tables.floor_page_content import on_duty
from projections.tables.models import TableDay


class PostAssignment(msgspec.Struct, frozen=True):
    """An open table and the post that a person has there."""

    table: str
    pit: str
    gaming_day: str
    post: str


class OwnPosts(msgspec.Struct, frozen=True):
    """The posts of a person; `has_roles` is False for one who was granted none yet."""

    posts: tuple[PostAssignment, ...]
    has_roles: bool


def work_of(person: str, roles: Collection[str]) -> OwnPosts:
    """Return where a person works now. Two queries."""
    rows = list(TableDay.objects.filter(status="open").order_by("table"))
    present = on_duty(rows) if rows and person else {}
    posts = []
    for row in rows:
        duty = present.get(row.id)
        for post, person_there in (("dealer", duty.dealer), ("inspector", duty.inspector)) if duty else ():
            if person_there == person:
                posts.append(PostAssignment(row.table, row.pit, row.gaming_day, post))
    return OwnPosts(tuple(posts), has_roles=bool(roles))


WORK = Page(
    name="work",
    path="work",
    title=_("Your work"),
    open_to=KNOWN,
    template="pages/work.html",
    query=lambda request: work_of(request.reader.person or "", request.reader.roles),
    shown_as="work",
)
