"""The cage's open slips and the progressive of a table, as its screen shows them.

A slip is to be received, to be sent, or on its way. The progressive is the fold that decides, read at its latest
position.
"""

from collections.abc import Iterator

from backoffice.days.caught_up_cage_and_count_books import books
from backoffice.installation.dependency_injection import installation
from events.people import authority
from events.progressives.fold import Fold
from events.progressives.progressive_state_following_store import live
from events.rules.chip_sums_by_denomination import worth
from events.tables.screen.progressive_view_types import EnvyView, HitView, MeterView, ProgressiveView
from events.tables.screen.screen import Screen, SlipState, SlipView

_ABOVE = "hit.authorise, above the limit"


def open_slips(screen: Screen) -> tuple[SlipView, ...]:
    """Return the open requests and slips of a table in the order in which they were made."""
    return tuple(_open_slips(screen)) if screen.version else ()


def _open_slips(screen: Screen) -> Iterator[SlipView]:
    slips = books().slips
    for request in slips.requests.values():
        if request.stream == screen.stream:
            yield SlipView(
                way=request.kind, slip=None, year="", chips=request.chips, amount_minor=worth(request.chips),
                state="requested",
            )  # fmt: skip
    for slip in slips.open.values():
        if slip.table == screen.table:
            state: SlipState = "to receive" if slip.kind == "fill" else "sent" if slip.sent is not None else "to send"
            yield SlipView(
                way=slip.kind, slip=slip.number, year=slip.year, chips=slip.chips, amount_minor=worth(slip.chips),
                state=state,
            )  # fmt: skip


def progressive_view(screen: Screen) -> ProgressiveView | None:
    """Return the present state of the linked progressive; None for a table without one, or before it is opened."""
    if screen.progressive is None:
        return None
    store = installation().store
    at = live(store, installation().settings.property_, screen.progressive)
    with at.guard:
        at.catch_up(store)
        return None if at.fold is None else _view(at.fold, screen)


def _view(fold: Fold, screen: Screen) -> ProgressiveView:
    of_table = f"{screen.table}-{screen.gaming_day}-"
    hits = [hit for hit in fold.state.hits if hit.startswith(of_table)]
    return ProgressiveView(
        name=str(screen.progressive),
        meters=tuple(MeterView(level=level, shown_minor=fold.shown_minor(level)) for level in fold.state.levels),
        hits=tuple(_hit(fold, hit) for hit in hits),
    )


def _hit(fold: Fold, name: str) -> HitView:
    hit, lock, state = fold.state.hits[name], fold.lock(name), fold.status(name)
    return HitView(
        hit=name,
        level=hit.level,
        box=hit.box,
        player=hit.player,
        state=state,
        share_minor=None if lock is None else lock.share,
        waits_for=_waits_for(state, is_over_limit=fold.is_over_limit(name)),
        envy=tuple(EnvyView(player=player, amount_minor=amount) for player, amount in fold.envy(name)),
    )


def _waits_for(state: str, *, is_over_limit: bool) -> tuple[tuple[str, ...], ...]:
    """The keys of the next decision about a hit."""
    if state == "locked":
        return authority.matrix()[_ABOVE if is_over_limit else "hit.authorise"].keys
    return authority.matrix()["jackpot.pay"].keys if state == "authorised" else ()
