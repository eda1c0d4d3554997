"""Actions of the pages, each with the title of its form. The deciders say which roles may send it."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from backoffice.kit.page import Act, Asked, Stage
from backoffice.kit.readers import Reader
from backoffice.people.directory import names_for
from backoffice.people.roles import now
from backoffice.queries import books as rooms
from backoffice.queries import currencies
from backoffice.queries.floor import TableOnFloor
from backoffice.queries.rooms import opening
from backoffice.queries.words import word
from events.alert_rules import RULES
from events.errors import PitledgerError, Unknown
from events.game import at_tables, game_of, rules_of_games
from events.house.settings import NAMES
from events.people import ROLES
from events.progressives.policies import POLICIES
from events.progressives.settings import REASONS
from events.roles import WATCH
from events.settings import settings
from events.tables.actions.common import VoidSession
from events.tables.actions.progressive import DeclareHitLate
from events.tables.names import names_of
from events.tables.session import LATE
from events.tables.witness import COUNTING
from projections.accounts.models import LateEvent
from projections.alerts.models import Alert
from projections.floor.models import InstalledTable
from projections.matters.models import ApprovalRequest
from projections.progressives.models import ProgressiveLevel


def _answers(kind: str) -> tuple[Act, ...]:
    """Return the answers to a request that waits for approval; buttons stand beside the request."""
    return (
        Act(kind, "approval.give", _("Agree"), is_offered=False),
        Act(kind, "approval.decline", _("Refuse"), is_offered=False),
        Act(kind, "approval.withdraw", _("Withdraw"), is_offered=False),
    )


OPEN_PROGRESSIVE = Act("progressives", "progressive.open", _("Open a progressive"), names="progressive")
OF_A_PROGRESSIVE = (
    Act("progressives", "parameters.change", _("Change parameters")),
    Act("progressives", "meter.adjust", _("Correct a meter"), choices={"reason": sorted(REASONS)}),
    Act("progressives", "meter.read", _("Read a sign")),
    Act("progressives", "increment.test", _("Test an increment")),
    Act("progressives", "fund.deposit", _("Record a deposit")),
    Act("progressives", "fund.withdraw", _("Record a withdrawal")),
    Act("progressives", "house.pay", _("Pay by the house")),
    Act("progressives", "house.void", _("Void a house payment")),
    Act("progressives", "hit.authorise", _("Authorise a share"), is_offered=False),
    Act("progressives", "jackpot.pay", _("Pay a jackpot"), is_offered=False),
    Act("progressives", "hit.void", _("Void a hit")),
    Act("progressives", "variance.close", _("Close a variance"), is_offered=False),
    Act("progressives", "notice.acknowledge", _("Say that a notice was read"), is_offered=False),
    *_answers("progressives"),
)
_FOUND = "discrepancy.found.v1"
AT_A_POST = ("dealer", "inspector", "pit boss")  # who may have a post at a table
Choices = Mapping[str, Sequence[str | tuple[str, str]]]
CARRYING = ("security",)  # who runs between the cage and a table
_TRAY_COUNTED = {_FOUND: _("Counted. It is something else than expected: the difference stands below.")}
_NOT_THE_SLIP = {_FOUND: _("Received. It is something else than the slip says: that is a discrepancy.")}
_NOT_THE_CLOSER = {_FOUND: _("Open. The opener is something else than the last closer: that is a discrepancy.")}
OF_A_TABLE = (
    Act("tables", "limits.post", _("Post limits")),
    Act("tables", "staff.assign", _("Assign staff")),
    Act("tables", "staff.leave", _("Say who left a post")),
    Act("tables", "limit.mark", _("Mark a personal limit")),
    Act("tables", "bet.correct", _("Correct a bet"), corrects=True),
    Act("tables", "settlement.correct", _("Correct what was settled")),
    Act("tables", "payment.report", _("Report a payment")),
    Act("tables", "hit.declare_late", _("Declare a hit late")),
    Act("tables", "round.void", _("Void the round")),
    Act("tables", "session.void", _("Void the gaming day")),
    Act("tables", "shoe.count", _("Count a shoe")),
    Act("tables", "shoe.rule", _("Rule how the shoe goes on")),
    Act("tables", "dice.put", _("Put dice on the table")),
    Act("tables", "dice.take_away", _("Take the dice from the shooter")),
    Act("tables", "fill.request", _("Ask for a fill"), is_offered=False),
    Act("tables", "credit.request", _("Ask for a credit"), is_offered=False),
    Act("tables", "fill.receive", _("Receive a fill"), is_offered=False, fixed=("slip", "year"), says=_NOT_THE_SLIP),
    Act("tables", "credit.send", _("Send a credit"), is_offered=False, fixed=("slip", "year")),
    Act("tables", "chips.exchange", _("Exchange chips"), is_offered=False),
    Act("tables", "table.count", _("Count in between"), is_offered=False, says=_TRAY_COUNTED),
    Act("tables", "shift.count", _("End the shift"), is_offered=False, says=_TRAY_COUNTED),
    Act("tables", "session.roll", _("Roll the day"), is_offered=False, says=_TRAY_COUNTED),
    Act("tables", "session.close", _("Close the table"), is_offered=False, says=_TRAY_COUNTED),
    Act("tables", "drop.put", _("Put a drop box"), is_offered=False),
    Act("tables", "drop.remove", _("Take the drop box away"), is_offered=False, fixed=("drop_box",)),
    Act("tables", "drop.count", _("Enter the content of a box"), is_offered=False),
    *_answers("tables"),
)
OPEN_TABLE = Act("tables", "session.open", _("Open the table"), is_offered=False, says=_NOT_THE_CLOSER)
_BOX = ("table", "drop_box")
_COUNTED = {
    "count.settled.v1": _("The box is counted."),
    "count.differed.v1": _("The counters differ: both counts are shown, and both enter a recount."),
}
OF_A_COUNT = (
    Act(
        *("days", "count.enter", _("Enter the first count")),
        is_offered=False,
        is_tried=False,
        fixed=_BOX,
        says={"count.entered.v1": _("Entered, and sealed until somebody else has counted the box.")},
    ),
    Act(
        *("days", "count.verify", _("Enter the second count")),
        is_offered=False,
        is_tried=False,
        fixed=_BOX,
        says=_COUNTED,
    ),
    Act("days", "count.settle", _("Enter the recount"), is_offered=False, fixed=_BOX, says=_COUNTED),
    *_answers("days"),
)
_CAGE_COUNTED = {_FOUND: _("Counted. It holds something else than its books say: see below.")}


def _slip_page(events: Sequence[Mapping[str, Any]]) -> str:
    """Return the address of the slip that was issued."""
    [slip] = [event["data"] for event in events if event["type"] == "slip.issued.v1"]
    return reverse("slip", kwargs={"kind": slip["kind"], "year": slip["year"], "number": slip["slip"]})


OF_THE_CAGE = (
    Act("cage", "cage.open", _("Open the cage"), is_tried=False, says=_CAGE_COUNTED),
    Act("cage", "cage.cash_out", _("Cash out")),
    Act("cage", "cage.cash_in", _("Cash in")),
    Act("cage", "marker.redeem", _("Redeem a marker")),
    Act("cage", "marker.carry", _("Carry over a marker")),
    Act("cage", "cage.count", _("Count the cage"), is_tried=False, says=_CAGE_COUNTED),
    Act("cage", "cage.close", _("Close the cage"), is_tried=False, says=_CAGE_COUNTED),
    Act("cage", "slip.issue", _("Issue a slip"), is_offered=False, fixed=("request",), leads=_slip_page),
    Act("cage", "credit.receive", _("Receive a credit"), is_offered=False, fixed=("slip", "year")),
    Act("cage", "slip.void", _("Declare a slip void"), is_offered=False, fixed=("slip", "year")),
)
OF_A_CAGE_S_DAY = _answers("cage")
OF_THE_HOUSE = (
    Act("house", "setting.change", _("Change a setting"), choices={"setting": NAMES}, is_offered=False),
    Act("house", "chips.issue", _("Issue or destroy chips")),
    *_answers("house"),
)
OF_THE_FLOOR = (Act("floor", "table.install", _("Install a table")), *_answers("floor"))

OF_A_DAY = (
    Act("days", "day.close", _("Close day")),
    Act("days", "day.override", _("Override an item"), is_offered=False),
    Act("days", "day.amend", _("Restate the day"), is_offered=False),
    Act("days", "discrepancy.explain", _("Explain a discrepancy"), is_offered=False),
)

OF_AN_ALERT = (
    Act("alerts", "alert.assign", _("Assign alert")),
    Act("alerts", "alert.note", _("Add note")),
    Act("alerts", "alert.clear", _("Clear alert")),
    Act("alerts", "alert.reopen", _("Reopen alert")),
)
OF_PEOPLE = (
    Act("people", "role.grant", _("Grant a role"), choices={"role": sorted(ROLES)}),
    Act("people", "role.revoke", _("Revoke a role"), choices={"role": sorted(ROLES)}),
    Act("people", "person.admit", _("Ask for a new link")),
    *_answers("people"),
)


def at_hand(acts: Sequence[Act], head: TableOnFloor) -> list[Act]:
    """Return the actions that fit the table: of its own game, and of its status. A day with rounds cannot be voided,
    and a late hit needs a progressive."""
    own = at_tables().get(game_of(head.ruleset))
    out = rules_of_games().keys() - (own.rules.keys() if own else set())
    out |= {VoidSession.TYPE} if head.rounds or head.status not in ("open", "closed") else set()
    out |= set() if head.progressive else {DeclareHitLate.TYPE}
    late = {VoidSession.TYPE, *(action.TYPE for action in LATE)} if head.status in ("closed", "counted") else set()
    return [act for act in acts if act.type not in out and (head.status == "open" or act.type in late)]


def at_the_floor(request: Asked) -> Stage:
    """Return the stage of the floor, for installing tables."""
    return Stage(currency=rooms.currency())


def at_progressives(request: Asked) -> Stage:
    """Return the stage for opening a progressive."""
    policies = tuple(dict.fromkeys(name for name, _version in POLICIES))
    return Stage(currency=rooms.currency(), choices={"policy": policies})


def at_progressive(request: Asked) -> Stage:
    """The progressive of this name."""
    name = request.places["name"]
    currency = _currency(f"progressives/{name}")
    levels = ProgressiveLevel.objects.filter(progressive=name).order_by("rank").values_list("level", flat=True)
    return Stage(name, currency=currency, choices={"level": tuple(levels)})


def at_a_count(request: Asked) -> Stage:
    """The count room's part of a gaming day."""
    books, currency = rooms.books(), rooms.currency()
    pieces = {"cash": rooms.notes_of(currency), "chips": rooms.chips_of(books)}
    return Stage("", request.places["gaming_day"], currency, pieces=pieces)


def in_the_cage(request: Asked) -> Stage:
    """The cage, on the day that is open; or on the one that the address names."""
    books = rooms.books()
    people = {"witness": _in_roles(COUNTING, request.reader), "runner": _in_roles(CARRYING, request.reader)}
    pieces = {"chips": rooms.chips_of(books)}
    return Stage("", request.places.get("gaming_day"), rooms.currency(), people, pieces)


def of_the_house(request: Asked) -> Stage:
    """Its chips."""
    return Stage("", currency=rooms.currency(), pieces={"chips": rooms.chips_of(rooms.books())})


def at_table(request: Asked) -> Stage:
    """The table of this name, on this gaming day."""
    name, day = request.places["name"], request.places["gaming_day"]
    choices = {**_choices_at_a_table(request.reader), **_wagers(name)}
    proposals = {"session.roll": opening.rolled(day)}
    return Stage(name, day, _currency(f"tables/{name}"), choices, _tray(name), proposals=proposals)


def _wagers(name: str) -> dict[str, Sequence[str]]:
    """The kinds of bets of what is played there, where that is at hand."""
    row = InstalledTable.objects.filter(table=name).first()
    try:
        return {"wager": names_of(row.game, row.ruleset).wagers} if row else {}
    except (PitledgerError, KeyError):
        return {}


def at_the_pit(request: Asked) -> Stage:
    """A table that stands on the floor, whether it was ever opened or not."""
    name = request.places["name"]
    row = InstalledTable.objects.filter(table=name).first()
    if row is None:
        raise Unknown(f"there is no table {name!r:.60} on the floor")
    proposals = {"session.open": opening.proposed(name)}
    return Stage(name, None, row.currency, _choices_at_a_table(request.reader), _tray(name), proposals=proposals)


def _choices_at_a_table(reader: Reader) -> Choices:
    """The shifts of the house, who may have a post, and who may be the second person."""
    shifts = tuple(rooms.books().settings.shift_begins)
    return {"shift": shifts, "witness": _in_roles(COUNTING, reader), "person": _in_roles(AT_A_POST, reader)}


def _in_roles(allowed: Collection[str], reader: Reader) -> tuple[tuple[str, str], ...]:
    """Return the people in one of these roles now, with the name for readers who may know names."""
    names, roles = names_for(reader), now().roles
    fit = sorted(person for person, theirs in roles.items() if theirs.intersection(allowed))
    return tuple((person, _called(person, names.get(person, ""), sorted(roles[person]))) for person in fit)


def _called(person: str, name: str, roles: Sequence[str]) -> str:
    who = f"{name} ({person})" if name else person
    return f"{who}, {', '.join(word(role) for role in roles)}"


def _tray(name: str) -> Mapping[str, Sequence[int]]:
    """The denominations of a table: those of its last opener, or of the house."""
    chips = rooms.chips_of(rooms.books(), rooms.opener_of(name))
    return dict.fromkeys(("chips", "opener", "closer", "chips_in", "chips_out"), chips)


def people_who_watch(reader: Reader) -> tuple[tuple[str, str], ...]:
    """Return the people of surveillance, who can investigate alerts, by id and with the name for readers who may know
    names."""
    return tuple(_in_roles(WATCH, reader))


def at_alert(request: Asked) -> Stage:
    """The alert of this id; somebody of surveillance looks into it."""
    key = request.places["alert"]
    names = Alert.objects.filter(id=key).values_list("name", flat=True)
    title = "".join(gettext(RULES[name].title) for name in names if name in RULES)
    return Stage(key, choices={"person": _in_roles(WATCH, request.reader)}, title=title)


def at_day(request: Asked) -> Stage:
    """The gaming day; what came to it after its close can be named for it."""
    day = request.places["gaming_day"]
    unnamed = LateEvent.objects.filter(gaming_day=day, named=0).order_by("position")
    events = [(row.event, f"{word(row.type)}, {row.event}") for row in unnamed]
    return Stage("", day, currencies.of_house(), {"events": events})


def _currency(place: str) -> str:
    """Raises Unknown where nothing is there."""
    stream = f"{settings().property_}/{place}"
    currency = currencies.by_place().get(stream) or _asked_for(stream)
    if currency is None:
        raise Unknown(f"there is nothing at {place!r:.60}")
    return currency


def _asked_for(stream: str) -> str | None:
    """The currency of a progressive that waits for others to agree to its opening."""
    row = ApprovalRequest.objects.filter(stream=stream, action="progressive.open", decided_at=None).first()
    return None if row is None else str(msgspec.json.decode(row.input).get("currency") or rooms.currency())
