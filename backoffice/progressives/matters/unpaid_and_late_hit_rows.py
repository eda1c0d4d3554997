"""Shares that wait for a person, missed or late hits, and the house's payments for them."""

from collections.abc import Sequence
from datetime import datetime

import msgspec
from django.utils.translation import gettext as _

from backoffice.kit.due_action_and_link_structs import DueAction, People, pairs
from backoffice.progressives.matters.blank_fields import CAGE_DAY, DIFFERENCE, WHY, blanks
from backoffice.progressives.matters.rows_shown_with_open_items import MatterRows
from backoffice.progressives.open_item_rows_and_counts import OpenMatters, address
from backoffice.tables.action_address_of_table_day import table_address
from projections.matters.models import HousePayment, MissedHit
from projections.progressives.models import Hit


class UnpaidHit(msgspec.Struct, frozen=True):
    """An unpaid share: its age, its missing step, and the action."""

    row: Hit
    since: datetime | None
    award_minor: int
    why_not: str
    do: DueAction | None


class LateHit(msgspec.Struct, frozen=True):
    """A hit that was declared after its deal; `paid_with` are hits of its round that were paid without it."""

    row: Hit
    time: datetime | None
    paid_with: tuple[str, ...]
    do: DueAction | None = None


class UndeclaredHit(msgspec.Struct, frozen=True):
    """Cards that make a hit which no one declared, and the action that declares it."""

    row: MissedHit
    time: datetime | None
    do: DueAction


class PaymentShown(msgspec.Struct, frozen=True):
    """A payment of the house."""

    row: HousePayment
    time: datetime | None
    people: People
    do: DueAction | None = None


def _award(now: OpenMatters, hit: Hit) -> int:
    """Return the amount of all winners of the hit's lock together."""
    lock = now.locks.get(hit.hit)
    return lock.amount_minor + lock.house_minor if lock else hit.share_minor or 0


def is_over(now: OpenMatters, hit: Hit) -> bool:
    return _award(now, hit) > now.progressive.surveillance_over_minor


def unpaid_hit_row(rows: MatterRows, row: Hit) -> UnpaidHit:
    now = rows.open
    why_not = _why_not(rows, row)
    do = None if why_not else _authorise(now, row) if row.status == "locked" else _pay(now, row)
    return UnpaidHit(row, rows.times.get(row.since), _award(now, row), why_not, do)


def _why_not(rows: MatterRows, row: Hit) -> str:
    """Return the reason why it cannot be paid now; "" where it can."""
    now = rows.open
    requests = [request.request for request in now.waiting if msgspec.json.decode(request.input).get("hit") == row.hit]
    if row.status == "locked":
        return _("request %s is waiting above") % requests[0] if requests else ""
    if rows.rounds.get(f"{row.session}#{row.round}") not in ("over", "void"):
        return _("payable when the round ends")
    own_lock = now.locks.get(row.hit)
    for other in now.unpaid:
        lock = now.locks.get(other.hit)
        if own_lock and lock and other.level == row.level and other.status == "locked" and lock.as_of < own_lock.as_of:
            return _("payable after the earlier winner %s is authorised") % other.hit
    return ""


def _authorise(now: OpenMatters, row: Hit) -> DueAction:
    people = _("an inspector or pit boss, but not %s, the dealer of the round")
    if is_over(now, row):
        people = _(
            "an inspector or pit boss, but not %s, the dealer of the round; "
            "then Surveillance, because the award is above the limit"
        )
    data = {"hit": row.hit, "amount_minor": row.share_minor}
    return DueAction(
        _("Authorise share"), people % row.dealer, address(now), f"authorise:{row.hit}"[:120], "hit.authorise", data
    )


def _pay(now: OpenMatters, row: Hit) -> DueAction:
    data = {"hit": row.hit, "gaming_day": CAGE_DAY, "tender": "cash"}
    key = f"pay:{row.hit}"[:120]
    return DueAction(_("Pay jackpot"), _("the cage"), address(now), key, "jackpot.pay", data, blanks=blanks(data))


def missed_hit_row(rows: MatterRows, row: MissedHit) -> UndeclaredHit:
    people = _("an inspector, a pit boss or Surveillance, but not the dealer of the round; then a second of them")
    data = {"round": row.round, "box": row.box, "level": row.level}
    (to, query), key = table_address(row.session), f"late:{row.table}-{row.gaming_day}-{row.round}-{row.box}"[:120]
    do = DueAction(_("Declare late hit"), people, to, key, "hit.declare_late", data, query)
    return UndeclaredHit(row, rows.times.get(row.position), do)


def payment_row(rows: MatterRows, row: HousePayment) -> PaymentShown:
    do = taking_back(row) if row.void_at is None else None
    return PaymentShown(row, rows.times.get(row.position), pairs(row.people), do)


def taking_back(row: HousePayment) -> DueAction:
    """Return the action that voids a payment of the house."""
    (year, slip), to = row.slip.split("-"), row.stream.partition("/")[2]
    label = _("Void house payment %s") % row.slip
    return DueAction(label, "", to, f"void:{row.slip}", "house.void", {"slip_year": year, "slip": int(slip)})


def _house_do(rows: MatterRows, row: Hit) -> DueAction:
    people = _("the cage and one other department")
    data = {
        "hit": row.hit,
        "level": row.level,
        "player": row.player,
        "amount_minor": DIFFERENCE,
        "reason": WHY,
        "gaming_day": CAGE_DAY,
    }
    label, key = _("Pay difference from house funds"), f"house:{row.hit}"[:120]
    return DueAction(label, people, address(rows.open), key, "house.pay", data, blanks=blanks(data))


def late_hit_row(rows: MatterRows, row: Hit) -> LateHit:
    paid: Sequence[str] = [
        hit.hit
        for hit in rows.competing_hits
        if (hit.session, hit.round, hit.level) == (row.session, row.round, row.level)
    ]
    settled = any(payment.hit == row.hit and payment.void_at is None for payment in rows.house_payments)
    do = _house_do(rows, row) if paid and not settled and row.status != "void" else None
    return LateHit(row, rows.times.get(row.position), tuple(paid), do)
