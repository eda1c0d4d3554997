"""The first steps of a house: done and missing ones, in the order in which a house begins."""

from collections.abc import Iterator

import msgspec
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from backoffice.house.opening.csv_columns import BY_NAME
from backoffice.house.opening.house_state_reader_for_import import HouseState, read
from backoffice.installation.dependency_injection import installation
from events.people.role_grant_decider import ADMINISTRATOR
from events.settings.settings_from_environment import settings

NEEDED_ROLES = (ADMINISTRATOR, "pit boss", "cage", "count", "accountant", "security", "surveillance")


class FirstStep(msgspec.Struct, frozen=True):
    """A step. `missing` describes the missing part of the present state; `sheet` is the file that brings it.

    `is_needed`: a house cannot play without it.
    """

    name: str
    title: str
    why: str
    present_state: str
    missing: str
    is_done: bool
    is_needed: bool
    sheet: str
    form: str = ""
    form_words: str = ""

    @property
    def file(self) -> str:
        """The file that brings it."""
        return BY_NAME[self.sheet].file if self.sheet else ""

    @property
    def columns(self) -> str:
        """The columns of that file."""
        return ", ".join(BY_NAME[self.sheet].names) if self.sheet else ""


class FirstSteps(msgspec.Struct, frozen=True):
    """The first steps of a house; `waiting` is the number of its requests that need an approval."""

    steps: tuple[FirstStep, ...]
    waiting: int

    @property
    def needed(self) -> int:
        """Return the number of steps that a house needs."""
        return sum(step.is_needed for step in self.steps)

    @property
    def done(self) -> int:
        """Return the number of needed steps that are done."""
        return sum(step.is_needed and step.is_done for step in self.steps)

    @property
    def is_finished(self) -> bool:
        """Return whether every needed step is done."""
        return self.done == self.needed

    @property
    def next(self) -> FirstStep | None:
        """The first needed step that is not done."""
        return next((step for step in self.steps if step.is_needed and not step.is_done), None)


def state() -> HouseState:
    """Return the present state of the house."""
    return read(installation().store, settings().property_)


def first_steps() -> FirstSteps:
    """Return the first steps as of now."""
    now = state()
    open_requests = [request for waiting in now.requests.values() for request in waiting.values() if not request.done]
    valid_requests = [request for request in open_requests if (request.event.until or now.now) >= now.now]
    return FirstSteps(tuple(_steps(now)), len(valid_requests))


def is_unfinished() -> bool:
    """Return whether the house still has first steps to take: empty pages then link to them."""
    now = state()
    return not now.books.cage.is_known and not now.opened


def _steps(now: HouseState) -> Iterator[FirstStep]:
    yield _property(now)
    yield _staff(now)
    yield _tables(now)
    yield _progressives(now)
    yield _history(now)
    yield _chips(now)
    yield _balances(now)
    yield _markers(now)


def _property(now: HouseState) -> FirstStep:
    set_ = len(now.values)
    return FirstStep(
        "property",
        _("Property"),
        _("Currency, time zone, start of the gaming day and shifts. The currency can never be changed."),
        _("%(currency)s, %(zone)s") % {"currency": now.currency, "zone": now.books.settings.zone} if set_ else "",
        "" if now.currency else _("Currency not set."),
        bool(now.currency),
        True,
        "property",
        reverse("house"),
        _("Open house settings"),
    )


def _staff(now: HouseState) -> FirstStep:
    held = {role for roles in now.roles.values() for role in roles}
    missing_roles = [role for role in NEEDED_ROLES if role not in held]
    count = len(now.roles)
    return FirstStep(
        "staff",
        _("Staff"),
        _("Staff and their roles. After the first Surveillance member, Surveillance must approve new roles."),
        ngettext("%d person", "%d people", count) % count,
        _("Roles without a person: %s.") % ", ".join(missing_roles) if missing_roles else "",
        not missing_roles,
        True,
        "staff",
        reverse("people"),
        _("Open people"),
    )


def _tables(now: HouseState) -> FirstStep:
    count = len(now.floor.tables)
    counted = sum(not table.recorded for table in now.floor.tables.values())
    numbers = {"tables": count, "counted": counted}
    text = ngettext("%(tables)d table, %(counted)d counted only", "%(tables)d tables, %(counted)d counted only", count)
    return FirstStep(
        "tables",
        _("Tables"),
        _("Start with counted-only tables: buy-ins, slips and counts, without bets and screens."),
        text % numbers if count else "",
        "" if count else _("No tables installed."),
        bool(count),
        True,
        "tables",
        reverse("floor"),
        _("Open floor"),
    )


def _progressives(now: HouseState) -> FirstStep:
    names = ", ".join(sorted(now.progressives))
    return FirstStep(
        "progressives",
        _("Progressives"),
        _("Progressives with their current meters. Open them before the tables linked to them."),
        names,
        "",
        bool(names),
        False,
        "progressives",
        reverse("progressives"),
        _("Open progressives"),
    )


def _history(now: HouseState) -> FirstStep:
    months = now.books.settings.hold_history.count(";") + 1 if now.books.settings.hold_history else 0
    return FirstStep(
        "history",
        _("Monthly history"),
        _("Drop and win by month. Needed for the regulatory limits of the hold."),
        ngettext("%d month", "%d months", months) % months if months else "",
        "",
        bool(months),
        False,
        "history",
        reverse("hold"),
        _("Open hold"),
    )


def _chips(now: HouseState) -> FirstStep:
    pieces = sum(now.books.house.chips.values())
    return FirstStep(
        "chips",
        _("Chips issued"),
        _("All chips of the house by denomination. Issue them before you count the cage."),
        _("issued") if pieces else "",
        "" if pieces else _("No chips issued."),
        pieces > 0,
        True,
        "chips",
        reverse("house"),
        _("Open house settings"),
    )


def _balances(now: HouseState) -> FirstStep:
    tray_count = len(now.opened)
    text = ngettext("%d tray", "%d trays", tray_count) % tray_count if tray_count else ""
    return FirstStep(
        "opening-balances",
        _("Opening balances"),
        _("Contents of trays and cage on the first gaming day. The count of the cage starts the books."),
        _("The books have started.") if now.books.cage.is_known else text,
        "" if now.books.cage.is_known else _("The cage has not been counted."),
        now.books.cage.is_known,
        True,
        "opening-balances",
        reverse("cage"),
        _("Open cage"),
    )


def _markers(now: HouseState) -> FirstStep:
    count = len(now.books.markers)
    return FirstStep(
        "markers",
        _("Open markers"),
        _("Earlier markers that players have not redeemed. They are part of the cage's first count."),
        ngettext("%d marker is open", "%d markers are open", count) % count if count else "",
        "",
        bool(count),
        False,
        "markers",
        reverse("cage"),
        _("Open cage"),
    )
