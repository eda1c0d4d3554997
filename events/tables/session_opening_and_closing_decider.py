"""A table opens and closes its gaming day, posts limits and has staff, in every game (NJ 1.21: opener and closer)."""

from collections.abc import Mapping
from datetime import datetime
from typing import cast

from msgspec import UnsetType
from msgspec.structs import asdict, replace

from events.controls import refused_fact_reasons
from events.envelope import ActionData, EventData
from events.error_codes import coded
from events.errors import Refused, Unknown
from events.house.gaming_day_by_house_clock import shift_at
from events.rules import loading_and_pinning_rulesets
from events.rules.chip_sums_by_denomination import chips_minor
from events.rules.taken_ruleset_version_struct import TakenRuleset, taken_ruleset
from events.tables import buyin_and_drop_decider, count_differences, linked_progressive_terms
from events.tables.actions.session_action_structs import (
    AssignStaff,
    CloseSession,
    LeavePost,
    OpenSession,
    PostLimits,
    RollSession,
)
from events.tables.event_types.session import LimitsPosted, Post, SessionClosed, SessionOpened, StaffAssigned, StaffLeft
from events.tables.required_witness_checks import COUNT, require_witness
from events.tables.table_session_state_structs import Events, Evolver, Handler, Session, TableCase, tray_minor, without
from events.tables.valid_wager_and_limit_names import check_limits

_MEANS = {"croupier": "dealer", "boxman": "inspector"}  # two words for one post


def open_session(case: TableCase, data: OpenSession) -> Events:
    """The table opens, with the opener's float, at the stakes and the basis of its progressive as that was opened."""
    if case.session.status not in ("new", "void"):
        detail = coded("gaming-day-used", day=data.gaming_day, status=case.session.status)
        raise refused_fact_reasons.fact_refusal("day order", "house session", detail, field="data.gaming_day")
    session = replace(case.session, shift=shift_of(case, data))
    if data.witness is not None:
        require_witness(case, data.witness, COUNT)
    opened = opening(case, session, data.opener, session.chip or None, witness=data.witness)
    opener_events = count_differences.of_opener(case, data.opener, opened, session.shift)
    return [opened, *opener_events, *buyin_and_drop_decider.put_before(case, session)]


def shift_of(case: TableCase, data: OpenSession | RollSession) -> str:
    """The shift that is named, else the one of the house that runs when it happens."""
    if not isinstance(data.shift, UnsetType):
        return data.shift
    time = case.action.time
    return case.context.shift if time is None else shift_at(case.context.settings, datetime.fromisoformat(time))


def opening(
    case: TableCase,
    session: Session,
    opener: Mapping[int, int],
    chip_minor: int | None,
    follows: str | None = None,
    colours_minor: int = 0,
    witness: str | None = None,
) -> SessionOpened:
    """The first event of a gaming day, at the terms of its progressive as they are now."""
    session = replace(session, plays=_recorded(session.plays))
    link = None if session.progressive is None else _linked(case, session.progressive)
    bets = loading_and_pinning_rulesets.pinned(link.plays) if link and link.plays else None
    return SessionOpened(
        **session.where(),
        game=session.game,
        currency=session.currency,
        opener=dict(opener),
        amount_minor=tray_minor(opener, colours_minor, "data.opener"),
        progressive=session.progressive,
        chip_minor=chip_minor,
        stakes_minor=link.stakes_minor if link else None,
        basis=link.basis if link else "to",
        follows=follows,
        ruleset_digest=session.plays.digest,
        progressive_ruleset=bets.stamp if bets else None,
        progressive_ruleset_digest=bets.digest if bets else "",
        has_boxes=session.has_boxes,
        recorded=session.recorded,
        colours_minor=colours_minor,
        witness=witness,
    )


def _recorded(plays: TakenRuleset) -> TakenRuleset:
    """The numbers with their digest. A casino's own that were never recorded are those of no file of today."""
    try:
        return loading_and_pinning_rulesets.pinned(plays)
    except Unknown as error:
        reason = coded("ruleset-not-recorded", ruleset=plays.stamp)
        raise Refused("house ruleset", reason) from error


def _linked(case: TableCase, name: str) -> linked_progressive_terms.LinkedProgressive:
    return linked_progressive_terms.require(name, case.session.currency, case.context.linked)


def opened(session: Session, event: SessionOpened) -> Session:
    return replace(
        session,
        status="open",
        shift=event.shift,
        chip=event.chip_minor
        or min((denomination for denomination, count in event.opener.items() if count), default=1),
        float_minor=event.amount_minor,
        opener_minor=event.amount_minor,
        progressive=event.progressive,
        plays=taken_ruleset(event.ruleset, event.ruleset_digest),
        progressive_plays=_plays_of_progressive(event),
        currency=event.currency,
        stakes=event.stakes_minor,
        basis=event.basis,
        has_boxes=event.has_boxes,
        recorded=event.recorded,
        waiting_box=None,
    )


def _plays_of_progressive(event: SessionOpened) -> TakenRuleset | None:
    if event.progressive_ruleset is None:
        return None
    return taken_ruleset(event.progressive_ruleset, event.progressive_ruleset_digest)


def close_session(case: TableCase, data: CloseSession) -> Events:
    """Close the table, between rounds, with the counted tray. Bets must not stay on the layout: they would be lost."""
    _must_be_over(case)
    amount = chips_minor(data.closer, "data.closer")
    if data.witness is not None:
        require_witness(case, data.witness, COUNT)
    closed = SessionClosed(
        **case.session.where(),
        closer=data.closer,
        amount_minor=amount,
        expected_minor=case.session.float_minor,
        witness=data.witness,
    )
    return [closed, *count_differences.of_count(case, "closer", amount, data.witness)]


def _must_be_over(case: TableCase) -> None:
    """Require that no round runs, and that no bet is on the layout. A person ends the round or voids it."""
    session = case.session
    try:
        case.phase("idle")
    except Refused as refused:
        case.forbid("round not ended", refused)
    if session.bets:
        lying = Refused("house session", coded("bets-on-layout", bets=len(session.bets)))
        case.forbid("bets on the layout", lying, amount_minor=sum(bet.stake for bet in session.bets.values()))


def closed(session: Session, event: SessionClosed) -> Session:
    return replace(session, status="closed", float_minor=event.amount_minor, closer=event.closer)


def post_limits(case: TableCase, data: PostLimits) -> Events:
    """Limits change between rounds."""
    case.phase("idle")
    check_limits(case.session.game, case.session.plays, data)
    return [LimitsPosted(**case.session.where(), **asdict(data))]


def limits_posted(session: Session, event: LimitsPosted) -> Session:
    return replace(session, minimum=event.minimum_minor, maxima=event.maxima_minor, minima=event.minima_minor)


def assign_staff(case: TableCase, data: AssignStaff) -> Events:
    """Assign staff at any moment. A person cannot have two posts of one table at once."""
    post = _MEANS.get(data.post, data.post)
    other = next((name for name, person in case.session.posts.items() if person == data.person and name != post), None)
    if other is not None:
        reason = coded("two-posts-at-once", person=data.person, other=other, post=data.post)
        case.forbid("two posts", Refused("house staff", reason, field="data.person"))
    return [StaffAssigned(**case.session.where(), post=data.post, person=data.person)]


def leave_post(case: TableCase, data: LeavePost) -> Events:
    """Record that the person at a post has left. A round needs a dealer and an inspector."""
    post = _MEANS.get(data.post, data.post)
    person = case.session.posts.get(post)
    if person is None:
        raise Refused("house staff", coded("post-empty", post=data.post), field="data.post")
    if case.session.phase != "idle" and post in ("dealer", "inspector"):
        case.forbid("staff", Refused("house staff", coded("post-needed-in-round", post=post)))
    return [StaffLeft(**case.session.where(), post=cast(Post, post), person=person)]


def staff_left(session: Session, event: StaffLeft) -> Session:
    session = replace(session, posts=without(session.posts, event.post))
    if event.post == "dealer":
        return replace(session, dealer=None)
    return replace(session, inspector=None) if event.post == "inspector" else session


def staff_assigned(session: Session, event: StaffAssigned) -> Session:
    post = _MEANS.get(event.post, event.post)
    session = replace(session, posts={**session.posts, post: event.person})
    if post == "dealer":
        return replace(session, dealer=event.person)
    return replace(session, inspector=event.person) if post == "inspector" else session


HANDLERS: dict[type[ActionData], Handler] = {
    OpenSession: open_session,
    CloseSession: close_session,
    PostLimits: post_limits,
    AssignStaff: assign_staff,
    LeavePost: leave_post,
}
EVOLVERS: dict[type[EventData], Evolver] = {
    SessionOpened: opened,
    SessionClosed: closed,
    LimitsPosted: limits_posted,
    StaffAssigned: staff_assigned,
    StaffLeft: staff_left,
}
