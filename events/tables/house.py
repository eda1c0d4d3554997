"""The session's own business in every game: opening and closing, limits, staff, and the table's money.

Sources: NJ 1.21 (opener, closer), NJ 1.22/1.23 (fills, credits), NIGC 542.31 (drop and count).
"""

from collections.abc import Mapping

from msgspec.structs import replace

from events.envelope import ActionData, EventData
from events.errors import Invalid, Refused
from events.tables import linked
from events.tables.actions.common import AssignStaff, CloseSession, OpenSession, PostLimits
from events.tables.actions.money import CountDrop, MakeBuyin, ReceiveFill, RemoveDrop, SendCredit
from events.tables.names import check_limits
from events.tables.state import Case, Events, Evolver, Handler, Session, chips_minor, smallest_chip
from events.tables.types.common import LimitsPosted, SessionClosed, SessionOpened, StaffAssigned
from events.tables.types.money import BuyinMade, CreditSent, DropCounted, DropRemoved, FillReceived

MAX_SLIPS = 10_000  # fills and credits of one table's day
_MEANS = {"croupier": "dealer", "boxman": "inspector"}  # two words for one post


def open_session(case: Case, data: OpenSession) -> Events:
    """The table opens, with the opener's float, at the stakes and the basis of its progressive as that was opened."""
    if case.session.status not in ("new", "void"):
        raise Refused("house session", f"the gaming day {data.gaming_day} of this table is {case.session.status}")
    session = replace(case.session, shift=data.shift)
    link = None if session.progressive is None else _linked(case, session.progressive)
    return [
        SessionOpened(
            **session.where(),
            game=session.game,
            currency=session.currency,
            opener=data.opener,
            amount_minor=chips_minor(data.opener, "data.opener"),
            progressive=session.progressive,
            chip_minor=session.chip or None,
            stakes_minor=link.stakes_minor if link else None,
            basis=link.basis if link else "to",
        )
    ]


def _linked(case: Case, name: str) -> linked.Linked:
    return linked.require(name, case.session.currency, case.beside.linked)


def opened(session: Session, event: SessionOpened) -> Session:
    return replace(
        session,
        status="open",
        shift=event.shift,
        chip=event.chip_minor or smallest_chip(event.opener),
        float_minor=event.amount_minor,
        opener_minor=event.amount_minor,
        progressive=event.progressive,
        ruleset=event.ruleset,
        currency=event.currency,
        stakes=event.stakes_minor,
        basis=event.basis,
    )


def close_session(case: Case, data: CloseSession) -> Events:
    """The table closes, between rounds, with the float that was counted; what stays on the layout would be lost."""
    case.phase("idle")
    if case.session.bets:
        raise Refused("house session", f"{len(case.session.bets)} bets still lie on the layout")
    return [
        SessionClosed(
            **case.session.where(),
            closer=data.closer,
            amount_minor=chips_minor(data.closer, "data.closer"),
            expected_minor=case.session.float_minor,
        )
    ]


def closed(session: Session, event: SessionClosed) -> Session:
    return replace(session, status="closed", float_minor=event.amount_minor)


def post_limits(case: Case, data: PostLimits) -> Events:
    """Limits change between rounds."""
    case.phase("idle")
    check_limits(case.session.game, case.session.ruleset, data)
    return [
        LimitsPosted(
            **case.session.where(),
            minimum_minor=data.minimum_minor,
            maxima_minor=data.maxima_minor,
            minima_minor=data.minima_minor,
        )
    ]


def limits_posted(session: Session, event: LimitsPosted) -> Session:
    return replace(session, minimum=event.minimum_minor, maxima=event.maxima_minor, minima=event.minima_minor)


def assign_staff(case: Case, data: AssignStaff) -> Events:
    """Staff change at any moment; nobody has two posts of one table at once."""
    post = _MEANS.get(data.post, data.post)
    taken = next((name for name, person in case.session.posts.items() if person == data.person and name != post), None)
    if taken is not None:
        raise Refused("house staff", f"{data.person} cannot be {taken} and {data.post} of one table at once")
    return [StaffAssigned(**case.session.where(), post=data.post, person=data.person)]


def staff_assigned(session: Session, event: StaffAssigned) -> Session:
    post = _MEANS.get(event.post, event.post)
    session = replace(session, posts={**session.posts, post: event.person})
    if post == "dealer":
        return replace(session, dealer=event.person)
    return replace(session, inspector=event.person) if post == "inspector" else session


def make_buyin(case: Case, data: MakeBuyin) -> Events:
    """Cash into the box, chips from the float: never more than the float holds (MD 36.05.03.02)."""
    if data.amount_minor > case.session.float_minor:
        raise Refused("house float", f"the float holds {case.session.float_minor} only: a fill is needed")
    return [
        BuyinMade(
            **case.session.where(),
            seat=data.seat,
            player=data.player,
            amount_minor=data.amount_minor,
            tender=data.tender,
        )
    ]


def bought_in(session: Session, event: BuyinMade) -> Session:
    return replace(session, float_minor=session.float_minor - event.amount_minor, is_moved=True)


def receive_fill(case: Case, data: ReceiveFill) -> Events:
    """Chips from the cage."""
    amount = _slip(case, data.slip, data.chips)
    return [FillReceived(**case.session.where(), slip=data.slip, chips=data.chips, amount_minor=amount)]


def fill_received(session: Session, event: FillReceived) -> Session:
    return replace(
        session, float_minor=session.float_minor + event.amount_minor, slips=session.slips | {event.slip}, is_moved=True
    )


def send_credit(case: Case, data: SendCredit) -> Events:
    """Chips to the cage, never more than the float holds."""
    amount = _slip(case, data.slip, data.chips)
    if amount > case.session.float_minor:
        raise Refused("house float", f"the float holds {case.session.float_minor} only")
    return [CreditSent(**case.session.where(), slip=data.slip, chips=data.chips, amount_minor=amount)]


def credit_sent(session: Session, event: CreditSent) -> Session:
    return replace(
        session, float_minor=session.float_minor - event.amount_minor, slips=session.slips | {event.slip}, is_moved=True
    )


def _slip(case: Case, slip: int, chips: Mapping[int, int]) -> int:
    amount = chips_minor(chips, "data.chips")
    if amount == 0:
        raise Invalid("data.chips", "the slip is over nothing")
    if slip in case.session.slips:
        raise Refused("house slip (NJ 1.22)", f"slip {slip} was used at this table already")
    if len(case.session.slips) >= MAX_SLIPS:
        raise Refused("house slip (NJ 1.22)", f"more than {MAX_SLIPS} slips in a day")
    return amount


def remove_drop(case: Case, data: RemoveDrop) -> Events:
    """The box leaves a closed table, unopened."""
    if case.session.status != "closed" or case.session.drop_box is not None:
        raise Refused("house drop (NIGC 542.31)", "the box is taken once, when the table is closed")
    return [DropRemoved(**case.session.where(), drop_box=data.drop_box)]


def drop_removed(session: Session, event: DropRemoved) -> Session:
    return replace(session, drop_box=event.drop_box, is_moved=True)


def count_drop(case: Case, data: CountDrop) -> Events:
    """What the count found in the box that was taken."""
    if case.session.status != "closed" or case.session.drop_box != data.drop_box:
        raise Refused("house count (NIGC 542.31)", f"box {data.drop_box} was not taken from this table, or is counted")
    if data.promotional_minor > data.amount_minor:
        raise Invalid("data.promotional_minor", "more than the whole drop")
    return [
        DropCounted(
            **case.session.where(),
            drop_box=data.drop_box,
            amount_minor=data.amount_minor,
            promotional_minor=data.promotional_minor,
        )
    ]


def drop_counted(session: Session, event: DropCounted) -> Session:
    return replace(session, status="counted")


HANDLERS: dict[type[ActionData], Handler] = {
    OpenSession: open_session,
    CloseSession: close_session,
    PostLimits: post_limits,
    AssignStaff: assign_staff,
    MakeBuyin: make_buyin,
    ReceiveFill: receive_fill,
    SendCredit: send_credit,
    RemoveDrop: remove_drop,
    CountDrop: count_drop,
}
EVOLVERS: dict[type[EventData], Evolver] = {
    SessionOpened: opened,
    SessionClosed: closed,
    LimitsPosted: limits_posted,
    StaffAssigned: staff_assigned,
    BuyinMade: bought_in,
    FillReceived: fill_received,
    CreditSent: credit_sent,
    DropRemoved: drop_removed,
    DropCounted: drop_counted,
}
