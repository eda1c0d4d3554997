"""The first page of a person whose work is at a table: where they are assigned today, and how they record it."""

from django.utils.translation import gettext_lazy as _

from backoffice.kit.page import Page, PageRequest
from backoffice.kit.readers import KNOWN
from backoffice.tables.assignments import Work, work_of


def _work(request: PageRequest) -> Work:
    return work_of(request.reader.person or "", request.reader.roles)


WORK = Page(
    name="work",
    path="work",
    title=_("Your work"),
    open_to=KNOWN,
    template="pages/work.html",
    query=_work,
    shown_as="work",
)
