"""The progressive of a table for its screen: the fold that decides, read at its latest position."""

from backoffice.installation.dependency_injection import installation
from events.people import authority
from events.progressives.fold import Fold
from events.progressives.state_cache import live
from events.tables.screen.progressive_view_types import EnvyView, HitView, MeterView, ProgressiveView
from events.tables.screen.screen import Screen

ABOVE = "hit.authorise, above the limit"


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
        return authority.matrix()[ABOVE if is_over_limit else "hit.authorise"].keys
    return authority.matrix()["jackpot.pay"].keys if state == "authorised" else ()
