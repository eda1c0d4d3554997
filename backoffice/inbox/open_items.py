"""Open items of people, over all streams: for each the roles and actions that resolve it.

Calculated once for the whole house; a reader sees the own ones.
"""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime

import msgspec
from django.utils.translation import gettext as _

from backoffice.days.open_work import DayWait, open_items_of_days
from backoffice.days.total_chip_surplus_alarm import Alarm, alarm
from backoffice.event_log import figures_hidden_before_counts
from backoffice.event_log.times_by_position import times_of
from backoffice.forms.approval_requests_and_approvers import Approvers, agreeing
from backoffice.forms.request_and_action_wording import ActionPlace, SummaryLine, action_lines, hit_lines
from backoffice.inbox.alerts import alert_matters
from backoffice.inbox.matter import Matter, place_of
from backoffice.kit.due_action_and_link_structs import DueAction, PageLink
from backoffice.progressives.matters import (
    request_approvers_and_outcome,
    sign_variance_and_misfit_rows,
    unpaid_and_late_hit_rows,
)
from backoffice.progressives.matters.rows_shown_with_open_items import MatterRows
from backoffice.progressives.open_item_rows_and_counts import OpenMatters, open_matters
from backoffice.wording import formats, stream_currencies
from backoffice.wording.amounts_in_legacy_sentences import in_currency
from backoffice.wording.code_to_word_translation import word
from backoffice.wording.stream_currencies import Places
from events.days.roles import COUNTERS
from events.people import authority
from events.roles import ACCOUNTING, SUPERVISORS, WATCH
from events.runtime import clock
from events.streams import stream_kind_declaration
from projections.matters.models import ApprovalRequest
from projections.progressives.models import ArmedRound, Progressive

LEADS = (*SUPERVISORS, *WATCH, "progressive manager")
SOON_S = 2 * 3600  # a request that lapses within that time


class HouseMatters(msgspec.Struct, frozen=True):
    """Open items of the whole house, the worst first."""

    matters: tuple[Matter, ...]


def house_matters(in_force: Mapping[str, frozenset[str]]) -> HouseMatters:
    """Return the open items of the whole house; `in_force` are the current roles of all people."""
    rows = list(Progressive.objects.order_by("progressive"))
    places = stream_currencies.by_place()
    of_others = _table_and_floor_matters(places, [row.id for row in rows])
    matters = [
        *_progressive_matters(rows),
        *of_others,
        *alert_matters(places, in_force),
        *_day_matters(places),
        *_chip_matters(places),
    ]
    return HouseMatters(
        tuple(sorted(matters, key=lambda matter: (matter.state != "red", matter.kind != "approvals", matter.position)))
    )


def hit_matters(progressive: str, hit: str) -> list[Matter]:
    """Return the open items of one hit: to be approved, authorised or paid."""
    rows = Progressive.objects.filter(progressive=progressive)
    return [
        matter
        for matter in _progressive_matters(list(rows))
        if hit in (matter.hit, matter.request and matter.request[1].get("hit"))
    ]


def _progressive_matters(rows: list[Progressive]) -> list[Matter]:
    open_by_stream = open_matters(rows)
    times, rounds = _event_times(open_by_stream.values()), _round_states(open_by_stream.values())
    rows_of = [MatterRows(now, rounds=rounds, times=times) for now in open_by_stream.values()]
    return [matter for rows in rows_of for matter in _matters_of_progressive(rows)]


def _event_times(all_open: Collection[OpenMatters]) -> dict[int, datetime]:
    row_groups = [
        (open_.requests, open_.variances, open_.waits, open_.missed, open_.misfits, open_.notices) for open_ in all_open
    ]
    positions = [row.position for groups in row_groups for rows in groups for row in rows]
    return times_of([*positions, *(hit.since for open_ in all_open for hit in open_.unpaid)])


def _round_states(all_open: Collection[OpenMatters]) -> dict[str, str]:
    ids = {f"{hit.session}#{hit.round}" for open_ in all_open for hit in open_.unpaid}
    return {row.id: row.status for row in ArmedRound.objects.filter(id__in=ids)} if ids else {}


# --- of one progressive -----------------------------------------------------------------------------------------------


def _matters_of_progressive(rows: MatterRows) -> Iterator[Matter]:
    now = rows.open
    place = ActionPlace("progressives", now.progressive.progressive, now.progressive.currency)
    yield from (_request_matter(rows, place, row) for row in now.waiting)
    yield from _missed_hit_matters(rows, place)
    yield from _variance_matters(rows, place)
    yield from _blocked_level_matters(rows, place)
    yield from _unpaid_hit_matters(rows, place)
    yield from _reading_and_notice_matters(rows, place)


def _request_matter(rows: MatterRows, place: ActionPlace, row: ApprovalRequest) -> Matter:
    asking = request_approvers_and_outcome.shown_request(rows, row)
    assert asking.who is not None
    stake = rows.open.shown.get(msgspec.json.decode(row.input).get("level", "")) if row.session else None
    at = _place_of(row, place)
    return _approval_matter(row, at, asking.who, asking.time, stake)


def _place_of(row: ApprovalRequest, place: ActionPlace) -> ActionPlace:
    if not row.session:
        return place
    _property, kind, table, day = row.session.split("/")
    return ActionPlace(kind, table, place.currency, day)


def _approval_matter(
    row: ApprovalRequest, place: ActionPlace, approvers: Approvers, time: datetime | None, stake: int | None = None
) -> Matter:
    until = datetime.fromisoformat(row.until) if row.until else None
    return Matter(
        kind="approvals",
        state="red" if row.session else "amber",
        title=word(row.action),
        place=place,
        position=row.position,
        time=time,
        roles=frozenset(approvers.roles),
        barred_people=frozenset(name for name, _why in approvers.barred_people),
        requester=row.person,
        request=(row.action, msgspec.json.decode(row.input)),
        stake_minor=stake,
        until=until,
        is_lapsing=until is not None and (until - clock.moment()).total_seconds() < SOON_S,
        actions=(
            _answer_action(row, _("Approve request"), "give", content=row.content),
            _answer_action(row, _("Decline request"), "decline"),
        ),
        requester_actions=(_answer_action(row, _("Withdraw request"), "withdraw"),),
    )


def _answer_action(row: ApprovalRequest, label: str, answer: str, **fields: str) -> DueAction:
    to, query = _action_address(row.id.removesuffix(f"/{row.request}"))
    data = {"request": row.request, **fields}
    return DueAction(label, "", to, f"{answer}:{row.content[:12]}", f"approval.{answer}", data, query)


def _action_address(stream: str) -> tuple[str, str]:
    """Return the address at which a stream takes actions."""
    place = stream.partition("/")[2]
    if stream_kind_declaration.of_stream(stream).has_days:
        head, _, day = place.rpartition("/")
        return head, f"gaming_day={day}"
    return place, ""


def _missed_hit_matters(rows: MatterRows, place: ActionPlace) -> Iterator[Matter]:
    for row in rows.open.missed:
        do = unpaid_and_late_hit_rows.missed_hit_row(rows, row).do
        yield Matter(
            kind="missed",
            state="red",
            title=_("Undeclared hit: %(level)s at %(table)s, round %(round)d, box %(box)d")
            % {"level": word(row.level), "table": row.table, "round": row.round, "box": row.box},
            place=place,
            position=row.position,
            time=rows.times.get(row.position),
            roles=frozenset((*SUPERVISORS, *WATCH)),
            stake_minor=row.shown_minor,
            actions=(do,),
        )


def _variance_matters(rows: MatterRows, place: ActionPlace) -> Iterator[Matter]:
    for row in rows.open.variances:
        yield Matter(
            kind="variances",
            state="red",
            title=_("Reading variance: %s") % word(row.level),
            place=place,
            position=row.position,
            time=rows.times.get(row.position),
            roles=frozenset(authority.may("progressives", "variance.close")),
            request=("variance.close", {"case": row.case}),
            stake_minor=abs(row.variance_minor),
            actions=sign_variance_and_misfit_rows.variance_row(rows, row).dos,
        )


def _blocked_level_matters(rows: MatterRows, place: ActionPlace) -> Iterator[Matter]:
    def matter(kind: str, title: str, position: int) -> Matter:
        return Matter(kind, "red", title, place, position, rows.times.get(position), frozenset(LEADS))

    for wait in rows.open.waits:
        words = {"level": word(wait.level), "table": wait.table, "round": wait.round}
        title = _("%(level)s waits for the end of the deal at %(table)s, round %(round)d") % words
        yield matter("levels", title, wait.position)
    for misfit in rows.open.misfits:
        message = in_currency(misfit.message, place.currency)
        yield matter("misfits", _("Rejected contribution: %s") % message, misfit.position)


def _unpaid_hit_matters(rows: MatterRows, place: ActionPlace) -> Iterator[Matter]:
    for hit in rows.open.unpaid:
        due = unpaid_and_late_hit_rows.unpaid_hit_row(rows, hit)
        if due.do is None:
            continue
        yield Matter(
            kind="locks",
            state="amber",
            title=_("%(deed)s: %(hit)s") % {"deed": word(due.do.type), "hit": hit.hit},
            place=place,
            position=hit.position,
            time=due.since,
            roles=frozenset(authority.may("progressives", due.do.type)),
            barred_people=frozenset({hit.dealer}),
            hit=hit.hit,
            further_lines=(
                *action_lines(due.do.type, {"hit": hit.hit}, place.currency),
                *hit_lines(hit, place.currency),
            ),
            stake_minor=hit.share_minor,
            actions=(due.do,),
        )


def _reading_and_notice_matters(rows: MatterRows, place: ActionPlace) -> Iterator[Matter]:
    now, accounting = rows.open, frozenset(ACCOUNTING)
    to = f"progressives/{place.name}"
    for due in now.due:
        kind = {"reading": "meter.read", "test": "increment.test"}[due.kind]
        title = _("Reading due: %s") if due.kind == "reading" else _("Increment test due: %s")
        do = DueAction(_("Record result"), "", to, "", kind, {"level": due.level})
        yield Matter("readings", "amber", title % word(due.level), place, 0, due.last, accounting, actions=(do,))
    for row in now.notices:
        do = DueAction(_("Confirm notice"), "", to, "", "notice.acknowledge", {"change": row.position})
        title = _("Notice: %(kind)s, %(level)s") % {"kind": word(row.kind), "level": word(row.level)}
        at = rows.times.get(row.position)
        yield Matter("notices", "amber", title, place, row.position, at, accounting, actions=(do,))


# --- of tables and of the floor ---------------------------------------------------------------------------------------


def _table_and_floor_matters(places: Places, progressives: list[str]) -> Iterator[Matter]:
    """Yield the open requests at tables and on the floor."""
    rows = list(ApprovalRequest.objects.filter(decided_at=None).exclude(stream__in=progressives).order_by("position"))
    when = times_of([row.position for row in rows]) if rows else {}
    for row in rows:
        if row.until and datetime.fromisoformat(row.until) <= clock.moment():
            continue
        place = place_of(places, row.stream)
        people = msgspec.json.decode(row.people, type=list[tuple[str, str]])
        approvers = agreeing(row.action, msgspec.json.decode(row.input), people, None)
        yield _approval_matter(row, place, approvers, when.get(row.position))


def _day_matters(places: Places) -> list[Matter]:
    """Return the matters that block the close of gaming days, and the close itself."""
    day_waits = open_items_of_days()
    when = times_of([wait.position for wait in day_waits]) if day_waits else {}
    return [
        Matter(
            kind=wait.kind,
            state=wait.state,
            title=wait.title,
            place=ActionPlace("days", wait.day, places.house, wait.day),
            position=wait.position,
            time=when.get(wait.position),
            roles=wait.roles,
            barred_people=wait.barred_people,
            stake_minor=wait.stake_minor,
            actions=_explaining(wait),
            links=wait.links,
        )
        for wait in day_waits
    ]


def _chip_matters(places: Places) -> Iterator[Matter]:
    """Yield the open item for players' chips below zero, for people who may search for chips.

    The number reveals the expected trays and so the boxes: it is hidden until every box is counted.
    """
    chip_alarm = alarm()
    if chip_alarm is None:
        return
    is_open = not figures_hidden_before_counts.hides_any_box(COUNTERS)
    hidden_line = SummaryLine(_("amount"), _("Hidden until every box is counted."))
    place = ActionPlace("days", chip_alarm.day, places.house, chip_alarm.day)
    yield Matter(
        kind="chips",
        state="red",
        title=_("More chips are in the house than were issued"),
        place=place,
        position=0,
        time=None,
        roles=frozenset((*ACCOUNTING, *WATCH, "security")),
        further_lines=tuple(_chip_place_lines(place, chip_alarm)) if is_open else (hidden_line,),
        stake_minor=chip_alarm.too_many_minor if is_open else None,
        links=(PageLink(_("Open chips by place"), "day-cage", {"gaming_day": chip_alarm.day}, "#chips"),),
    )


def _chip_place_lines(place: ActionPlace, chip_alarm: Alarm) -> Iterator[SummaryLine]:
    labels = {
        "tables_minor": _("at the tables"),
        "cage_minor": _("in the cage"),
        "transit_minor": _("in transit"),
        "issued_minor": _("total chips issued"),
        "players_minor": _("with players"),
    }
    for name, label in labels.items():
        yield SummaryLine(label, formats.amount(chip_alarm.places[name], place.currency))


def _explaining(wait: DayWait) -> tuple[DueAction, ...]:
    data, day = {"discrepancy": wait.explains}, f"gaming_day={wait.day}"
    return (
        (DueAction(_("Explain discrepancy"), "", "days", "", "discrepancy.explain", data, day),)
        if wait.explains
        else ()
    )
