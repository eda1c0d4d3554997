"""A page of our own, as docs/howto/add-a-page.md makes it: who was on duty, and how many events each of them sent."""

import msgspec
from django.db.models import Count

from backoffice.kit.page_declaration import CsvSheet, Endpoint, MenuEntry, Page, PageRequest
from backoffice.kit.reader_and_read_rule_types import roles
from backoffice.kit.site_from_page_declarations import Site
from backoffice.site.page_declarations_in_menu_order import PAGES, PLAIN, SOURCE
from events.errors import Unknown
from projections.eventlog.models import EventLog


class EventSender(msgspec.Struct, frozen=True):
    """A person, and the number of events that the person's actions made."""

    person: str
    role: str
    events: int


class Duty(msgspec.Struct, frozen=True):
    """The senders of the events of a table."""

    table: str
    senders: tuple[EventSender, ...]


def duty(request: PageRequest) -> Duty:
    """Return all people who sent events at the table, the most active first, with one query."""
    table = request.places["table"]
    rows = EventLog.objects.filter(table=table).values_list("actor", "actorrole").annotate(n=Count("position"))
    senders = tuple(EventSender(*row) for row in rows.order_by("-n", "actor"))
    if not senders:
        raise Unknown(f"nothing happened at the table {table!r:.40}")
    return Duty(table, senders)


def sheet(request: PageRequest, duty_: Duty) -> CsvSheet:
    """A line a person."""
    lines = [msgspec.structs.astuple(sender) for sender in duty_.senders]
    return CsvSheet(title="Who sent what", of=("table", duty_.table), columns=("person", "role", "events"), lines=lines)


DUTY = Page(
    name="duty",
    path="duty/<str:table>",
    title="Duty",
    open_to=roles("pit boss"),
    template="toys/duty.html",
    query=duty,
    shown_as="duty",
    under="roll",
    endpoint=Endpoint(name="duty", path="duty/<str:table>", answer=Duty, meaning="Who sent what at a table."),
    sheet=sheet,
)


class Roll(msgspec.Struct, frozen=True):
    """The tables at which anything happened."""

    tables: tuple[str, ...]


def roll(request: PageRequest) -> Roll:
    """One query."""
    names = EventLog.objects.exclude(table=None).exclude(table="").values_list("table", flat=True).distinct()
    return Roll(tuple(sorted(name for name in names if name)))


ROLL = Page(
    name="roll",
    path="roll",
    title="Roll",
    open_to=roles("pit boss"),
    template="toys/roll.html",
    query=roll,
    shown_as="roll",
    menu=MenuEntry("Roll", "r", "go to the roll"),
    endpoint=Endpoint(name="roll", path="roll", answer=Roll, meaning="The tables at which anything happened."),
    sheet=lambda request, roll: CsvSheet("Roll", ("tables", "all"), ("table",), [(name,) for name in roll.tables]),
)

SITE = Site((*PAGES, ROLL, DUTY), SOURCE, plain=PLAIN)
