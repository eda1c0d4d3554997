"""The open matters of one progressive: what is due, by whom, and the action to send."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import msgspec
from django.utils.translation import gettext as _

from backoffice.queries.approvers import Agreeing, agreeing
from backoffice.queries.approvers import Hit as Asked
from backoffice.queries.open_matters import Counts, Due, Open, open_matters, times_of
from projections.matters.models import ApprovalRequest, HousePayment, LevelWait, Misfit, MissedHit, Reading, Variance
from projections.progressives.models import ArmedRound, Hit, Progressive

SHOWN = 50
DONE_SHOWN = 20
People = list[tuple[str, str]]


class Do(msgspec.Struct, frozen=True):
    """What is due: who sends it, and the action. `to` is the end of its address; capitals are to be filled in."""

    label: str
    who: str
    to: str
    key: str
    type: str
    data: dict[str, Any]
    query: str = ""

    @property
    def body(self) -> str:
        """The action as it is sent."""
        return msgspec.json.encode({"type": self.type, "key": self.key, "data": self.data}).decode()


class Asking(msgspec.Struct, frozen=True):
    """A request: waiting, done (`decided_at`), overtaken by something else (`why`), or `ended` by somebody (`why`)."""

    request: str
    action: str
    input: str
    content: str
    people: People
    position: int
    time: datetime | None
    who: Agreeing | None = None
    do: Do | None = None
    why: str = ""
    decided_at: int | None = None
    decided: datetime | None = None
    ended: str = ""
    until: datetime | None = None


class Off(msgspec.Struct, frozen=True):
    """A variance of a reading: read against what the events say at its position."""

    row: Variance
    opened: datetime | None
    closed: datetime | None
    people: People
    dos: tuple[Do, ...] = ()


class Waiting(msgspec.Struct, frozen=True):
    """A level that waits, or waited, for an undealt round."""

    row: LevelWait
    hit_time: datetime | None
    told: datetime | None
    cleared: datetime | None


class Unfit(msgspec.Struct, frozen=True):
    """A fact that did not fit, and what people do about it."""

    row: Misfit
    time: datetime | None
    todo: str


class Unpaid(msgspec.Struct, frozen=True):
    """A share that waits: since when, for what, and the action."""

    row: Hit
    since: datetime | None
    award_minor: int
    needs_surveillance: bool
    why_not: str
    do: Do | None


class Late(msgspec.Struct, frozen=True):
    """A hit that was declared after its deal; `paid_with` are hits of its round that were paid without it."""

    row: Hit
    time: datetime | None
    paid_with: tuple[str, ...]
    do: Do | None = None


class Missed(msgspec.Struct, frozen=True):
    """Cards that make a hit which nobody declared, and the action that declares it."""

    row: MissedHit
    time: datetime | None
    do: Do


class Paid(msgspec.Struct, frozen=True):
    """A payment of the house."""

    row: HousePayment
    time: datetime | None
    people: People


class Read(msgspec.Struct, frozen=True):
    """A reading or a test."""

    row: Reading
    time: datetime | None
    people: People


class Matters(msgspec.Struct, frozen=True):
    """Everything on the page of open matters."""

    progressive: str
    stream: str
    currency: str
    counts: Counts
    approvals: tuple[Asking, ...]
    asked_before: tuple[Asking, ...]
    variances: tuple[Off, ...]
    closed: tuple[Off, ...]
    levels: tuple[Waiting, ...]
    cleared: tuple[Waiting, ...]
    misfits: tuple[Unfit, ...]
    older_misfits: int
    unpaid: tuple[Unpaid, ...]
    missed: tuple[Missed, ...]
    late: tuple[Late, ...]
    house: tuple[Paid, ...]
    due: tuple[Due, ...]
    due_do: Do | None
    readings: tuple[Read, ...]


class _Rows(msgspec.Struct):
    """What is shown beside the open matters, and when everything was."""

    open: Open
    asked: list[ApprovalRequest]
    closed: list[Variance]
    cleared: list[LevelWait]
    late: list[Hit]
    beside_late: list[Hit]
    house: list[HousePayment]
    readings: list[Reading]
    rounds: dict[str, str]
    misfits_before: int
    times: dict[int, datetime]


def matters(name: str) -> Matters | None:
    """The open matters of a progressive; None where it was never opened. At most 30 queries."""
    row = Progressive.objects.filter(progressive=name).first()
    if row is None:
        return None
    rows = _rows(open_matters([row])[row.id])
    now = rows.open
    return Matters(
        progressive=row.progressive,
        stream=row.id,
        currency=row.currency,
        counts=now.counts(),
        approvals=tuple(_asking(rows, one) for one in now.waiting[:SHOWN]),
        asked_before=tuple(_asking(rows, one) for one in [*_overtaken(now), *rows.asked]),
        variances=tuple(_off(rows, one) for one in now.variances),
        closed=tuple(_off(rows, one) for one in rows.closed),
        levels=tuple(_waiting(rows, one) for one in now.waits),
        cleared=tuple(_waiting(rows, one) for one in rows.cleared),
        misfits=tuple(Unfit(one, rows.times.get(one.position), _todo(one)) for one in now.misfits[-SHOWN:][::-1]),
        older_misfits=rows.misfits_before,
        unpaid=tuple(_unpaid(rows, one) for one in now.unpaid[:SHOWN]),
        missed=tuple(_missed(rows, one) for one in now.missed[:SHOWN]),
        late=tuple(_late(rows, one) for one in rows.late),
        house=tuple(Paid(one, rows.times.get(one.position), pairs(one.people)) for one in rows.house),
        due=tuple(now.due),
        due_do=_reading_do(now),
        readings=tuple(Read(one, rows.times.get(one.position), pairs(one.people)) for one in rows.readings),
    )


def _overtaken(now: Open) -> list[ApprovalRequest]:
    return [row for row in now.requests if now.overtaken(row)][-DONE_SHOWN:][::-1]


def _rows(now: Open) -> _Rows:
    stream = now.progressive.id
    asked = list(
        ApprovalRequest.objects.filter(stream=stream, decided_at__isnull=False).order_by("-decided_at")[:DONE_SHOWN]
    )
    closed = list(Variance.objects.filter(stream=stream, closed_at__isnull=False).order_by("-closed_at")[:DONE_SHOWN])
    cleared = list(LevelWait.objects.filter(stream=stream, cleared_at__isnull=False).order_by("-cleared_at")[:10])
    late = list(Hit.objects.filter(stream=stream, is_late=True).exclude(status="refused").order_by("-position")[:SHOWN])
    readings = list(Reading.objects.filter(stream=stream).order_by("-position")[:DONE_SHOWN])
    house = list(HousePayment.objects.filter(stream=stream).order_by("-position")[:SHOWN])
    sessions = {hit.session for hit in late}
    beside = Hit.objects.filter(session__in=sessions, round__in={hit.round for hit in late}, status="paid")
    rounds = ArmedRound.objects.filter(id__in={f"{hit.session}#{hit.round}" for hit in now.unpaid})
    before = Misfit.objects.filter(stream=stream).count() - len(now.misfits)
    shown = (now.requests, asked, now.misfits, now.missed, readings, late, house)
    positions = [row.position for some in shown for row in some]
    for variance in (*now.variances, *closed):
        positions += [variance.position, variance.closed_at or 0]
    for wait in (*now.waits, *cleared):
        positions += [wait.position, wait.since, wait.cleared_at or 0]
    positions += [row.decided_at or 0 for row in asked] + [hit.since for hit in now.unpaid]
    return _Rows(
        open=now,
        asked=asked,
        closed=closed,
        cleared=cleared,
        late=late,
        beside_late=list(beside.filter(is_late=False)) if late else [],
        house=house,
        readings=readings,
        rounds=dict(rounds.values_list("id", "status")),
        misfits_before=before,
        times=times_of(positions),
    )


def pairs(people: str) -> People:
    """The people of a row, each name once with all roles."""
    roles: dict[str, list[str]] = {}
    for name, role in msgspec.json.decode(people, type=People):
        roles.setdefault(name, []).append(role)
    return [(name, ", ".join(of)) for name, of in roles.items()]


def _table_address(session: str) -> tuple[str, str]:
    """Where a table's day takes actions, also when it is closed."""
    _, _, table, day = session.split("/")
    return f"tables/{table}", f"gaming_day={day}"


def _address(now: Open) -> str:
    return f"progressives/{now.progressive.progressive}"


# --- requests ---------------------------------------------------------------------------------------------------


def _asking(rows: _Rows, row: ApprovalRequest) -> Asking:
    now, data = rows.open, msgspec.json.decode(row.input)
    why = _why_ended(row) if row.ended else "" if row.decided_at is not None else now.overtaken(row)
    is_open = row.decided_at is None and not why
    people = msgspec.json.decode(row.people, type=People)
    who = agreeing(row.action, data, people, _asked(now, row, data)) if is_open else None
    return Asking(
        request=row.request,
        action=row.action,
        input=msgspec.json.format(row.input, indent=2),
        content=row.content,
        people=pairs(row.people),
        position=row.position,
        time=rows.times.get(row.position),
        who=who,
        do=_agree(now, row, len(pairs(row.people))) if is_open else None,
        why=why,
        decided_at=row.decided_at,
        decided=rows.times.get(row.decided_at or 0),
        ended=_ENDED[row.ended]() if row.ended else "",
        until=datetime.fromisoformat(row.until) if row.until else None,
    )


_ENDED: dict[str, Callable[[], str]] = {
    "declined": lambda: _("declined"),
    "withdrawn": lambda: _("withdrawn"),
    "lapsed": lambda: _("lapsed"),
}
_LAPSED: dict[str, Callable[[], str]] = {
    "time": lambda: _("nobody agreed in time"),
    "role": lambda: _("who asked is in no role for it any more"),
}


def _why_ended(row: ApprovalRequest) -> str:
    if row.ended == "lapsed":
        return _LAPSED[row.reason]() if row.reason in _LAPSED else row.reason
    return f"{row.ended_by}: {row.reason}" if row.reason else row.ended_by


def _asked(now: Open, row: ApprovalRequest, data: dict[str, Any]) -> Asked | None:
    if row.session:
        return Asked(now.dealers.get((row.session, data.get("round", 0)), ""), is_over_limit=False)
    hit = now.asked_of.get(data.get("hit") or "")
    if (paid := _handed_out(now, row.action, data)) is not None:
        return Asked(hit.dealer if hit else "", paid > now.progressive.surveillance_over_minor)
    return None if hit is None else Asked(hit.dealer, _is_over(now, hit))


def _handed_out(now: Open, action: str, data: dict[str, Any]) -> int | None:
    """What the house would pay out of its own money; None where that is not what is asked."""
    if action == "house.pay":
        return int(data["amount_minor"])
    found = (abs(one.variance_minor) for one in now.variances if one.case == data.get("case"))
    return next(found, None) if action == "variance.close" else None


def _award(now: Open, hit: Hit) -> int:
    """What all winners of the hit's lock get together."""
    lock = now.locks.get(hit.hit)
    return lock.amount_minor + lock.house_minor if lock else hit.share_minor or 0


def _is_over(now: Open, hit: Hit) -> bool:
    return _award(now, hit) > now.progressive.surveillance_over_minor


def _agree(now: Open, row: ApprovalRequest, spoken: int) -> Do:
    to, query = _table_address(row.session) if row.session else (_address(now), "")
    return Do(
        label=_("To agree"),
        who="",
        to=to,
        query=query,
        key=f"agree:{row.content[:12]}:{spoken + 1}",
        type="approval.give",
        data={"request": row.request, "content": row.content},
    )


# --- readings, variances, levels, misfits -------------------------------------------------------------------------


def _reading_do(now: Open) -> Do | None:
    if not now.due:
        return None
    data = {"level": now.due[0].level, "read_minor": "WHAT THE SIGN SHOWS, IN MINOR UNITS"}
    return Do(_("To record a reading"), _("count or accountant"), _address(now), "A NEW KEY", "meter.read", data)


def _off(rows: _Rows, row: Variance) -> Off:
    now, key = rows.open, f"close:{row.case}"
    again = {"case": row.case, "way": "misread", "reason": "WHY", "read_minor": "WHAT THE SIGN SHOWS, IN MINOR UNITS"}
    add = {"case": row.case, "way": "added", "reason": "WHY"}
    pay = {"case": row.case, "way": "paid", "reason": "WHY", "player": "WHOM", "gaming_day": "THE CAGE'S GAMING DAY"}
    to, kind = _address(now), "variance.close"
    accounting = _("two people of two departments, accounting among them")
    dos = (
        Do(_("Misread: to read it again"), accounting, to, f"{key}:misread", kind, again),
        Do(_("To add it to the meter"), _("two people of two departments"), to, f"{key}:added", kind, add),
        Do(_("To pay it"), _("two people of two departments, the cage among them"), to, f"{key}:paid", kind, pay),
    )
    times = rows.times
    closed = times.get(row.closed_at or 0)
    return Off(row, times.get(row.position), closed, pairs(row.people), () if row.closed_at else dos)


def _waiting(rows: _Rows, row: LevelWait) -> Waiting:
    times = rows.times
    return Waiting(row, times.get(row.since), times.get(row.position), times.get(row.cleared_at or 0))


def _todo(row: Misfit) -> str:
    """What people do about it: the fact stays as it is, its consequence is put right."""
    if row.type.startswith("progressive.armed"):
        return _(
            "This round fed nothing, and no hit in it counts. While it runs, declare it void at the table; afterwards "
            "correct the meter (meter.adjust) for what the stakes should have fed."
        )
    if row.type.startswith("hit.declared"):
        return _(
            "No share is locked for this. If the hand was a winner, declare it late at the table (hit.declare_late); "
            "if it was none, there is nothing to do."
        )
    return _("It moved nothing. Look at the table's record of this round, and correct what was entered there.")


# --- shares -----------------------------------------------------------------------------------------------------


def _unpaid(rows: _Rows, row: Hit) -> Unpaid:
    now = rows.open
    over = _is_over(now, row)
    why_not = _why_not(rows, row)
    do = None if why_not else _authorise(now, row, over=over) if row.status == "locked" else _pay(now, row)
    return Unpaid(row, rows.times.get(row.since), _award(now, row), over, why_not, do)


def _why_not(rows: _Rows, row: Hit) -> str:
    """Why nothing can be done just now; "" where it can."""
    now = rows.open
    asked = [one.request for one in now.waiting if msgspec.json.decode(one.input).get("hit") == row.hit]
    if row.status == "locked":
        return _("asked for by the request %s, above") % asked[0] if asked else ""
    if rows.rounds.get(f"{row.session}#{row.round}") not in ("over", "void"):
        return _("paid when the round is over")
    mine = now.locks.get(row.hit)
    for other in now.unpaid:
        lock = now.locks.get(other.hit)
        if mine and lock and other.level == row.level and other.status == "locked" and lock.as_of < mine.as_of:
            return _("paid after the winner before, %s, is authorised") % other.hit
    return ""


def _authorise(now: Open, row: Hit, *, over: bool) -> Do:
    who = _("an inspector or pit boss, not %s, the round's dealer") % row.dealer
    if over:
        who += _("; then surveillance, since all shares together are above the limit")
    data = {"hit": row.hit, "amount_minor": row.share_minor}
    return Do(_("To authorise"), who, _address(now), f"authorise:{row.hit}"[:120], "hit.authorise", data)


def _pay(now: Open, row: Hit) -> Do:
    data = {"hit": row.hit, "gaming_day": "THE CAGE'S GAMING DAY", "tender": "cash"}
    return Do(_("To pay"), _("the cage"), _address(now), f"pay:{row.hit}"[:120], "jackpot.pay", data)


def _missed(rows: _Rows, row: MissedHit) -> Missed:
    who = _("an inspector, a pit boss or surveillance, not the round's dealer; then another of them")
    data = {"round": row.round, "box": row.box, "level": row.level}
    (to, query), key = _table_address(row.session), f"late:{row.table}-{row.gaming_day}-{row.round}-{row.box}"[:120]
    do = Do(_("To declare it late"), who, to, key, "hit.declare_late", data, query)
    return Missed(row, rows.times.get(row.position), do)


def _house_do(rows: _Rows, row: Hit) -> Do:
    who = _("the cage and another department")
    data = {
        "hit": row.hit,
        "level": row.level,
        "player": row.player,
        "amount_minor": "THE DIFFERENCE, IN MINOR UNITS",
        "reason": "WHY",
        "gaming_day": "THE CAGE'S GAMING DAY",
    }
    label, key = _("To pay the difference by the house"), f"house:{row.hit}"[:120]
    return Do(label, who, _address(rows.open), key, "house.pay", data)


def _late(rows: _Rows, row: Hit) -> Late:
    paid: Sequence[str] = [
        hit.hit
        for hit in rows.beside_late
        if (hit.session, hit.round, hit.level) == (row.session, row.round, row.level)
    ]
    settled = any(one.hit == row.hit and one.void_at is None for one in rows.house)
    do = _house_do(rows, row) if paid and not settled and row.status != "void" else None
    return Late(row, rows.times.get(row.position), tuple(paid), do)
