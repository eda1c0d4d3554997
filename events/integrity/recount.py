"""Every sum that a progressive's stream states, held against what the facts before it make.

The decision was made from a fold that a process had at hand, which may have been wrong: kept badly, or forged. Here
the fold is made once more, from the first event on, and asked at each event's own position what it should say.
"""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from events import catalogue
from events.errors import Poison
from events.house.settings import DEFAULTS, Settings
from events.progressives import tax, types
from events.progressives.decider import due_locks
from events.progressives.fold import Fold
from events.progressives.from_events import MICRO
from events.progressives.kept import Live
from events.progressives.payments import name_of
from events.progressives.state import House
from events.store import Stored

Sum = tuple[str, object, object]  # what, as the event says it, as the facts make it
Sums = Iterator[Sum]


class Recount:
    """One progressive's sums. `before` is asked before `live` takes the event, `after` behind it."""

    def __init__(self, live: Live, in_force: Callable[[int], Settings] = lambda _: DEFAULTS) -> None:
        """`in_force`: the house's settings at a position."""
        self.live = live
        self._in_force = in_force
        self._envy: list[types.EnvyPaid] = []  # due with the payment that was read last, and not read yet

    @property
    def waits(self) -> bool:
        """Whether something must follow what was read last."""
        return bool(self._envy)

    def before(self, stored: Stored) -> Iterator[str]:
        """What an event of the progressive's own stream says otherwise than the facts do."""
        try:
            said = catalogue.decode(stored.type, stored.raw).data
        except Poison:  # which is told where it is taken
            return
        try:
            sums = [*self._sums(said), *self._withheld(stored.position, said)]
        except (Poison, TypeError) as error:  # settings that are none: the audit goes on
            yield f"{stored.type}: what the house's settings make of it is not known: {error}"
            return
        for what, says, should in sums:
            if says != should:
                yield f"{stored.type}: {what} is {says}, the facts make {should}"

    def after(self, stored: Stored) -> Iterator[str]:
        """Whether the facts allow it at all."""
        last = self.live.misfits[-1:]
        if last and last[0].position == stored.position:
            yield f"{stored.type}: may not be by the facts: {last[0].message} ({last[0].clause})"

    def _withheld(self, at: int, said: Any) -> Sums:
        """By the settings of there. What was paid before the house withheld anything says nothing of it."""
        if isinstance(said, types.JackpotPaid | types.EnvyPaid) and said.withheld_minor:
            yield "withheld_minor", said.withheld_minor, tax.of(said.amount_minor, self._in_force(at))

    def _sums(self, said: Any) -> Sums:
        fold = self.live.fold
        if isinstance(said, types.EnvyPaid):
            due = self._envy.pop(0) if self._envy else None
            yield from _same(said, due, ("hit", "winner", "player", "amount_minor", "slip", "slip_year"))
            return
        if self._envy:
            yield "what follows the payment", said.TYPE, f"envy to {self._envy[0].player}"
            self._envy = []
        check = CHECKED.get(type(said))
        if check is None:
            return
        if fold is None:
            yield "the progressive", "open", "not open"
            return
        if said.level not in fold.state.levels:
            yield "level", said.level, "no level"
            return
        yield from check(fold, said)
        if isinstance(said, types.JackpotPaid) and fold.hit(said.hit) is not None and fold.round(said.hit) is not None:
            self._envy = list(_envy(fold, said))


def _same(said: msgspec.Struct, due: msgspec.Struct | None, names: tuple[str, ...]) -> Sums:
    """The fields of an event and of the one that is due; one sum where nothing is, or something else."""
    if type(due) is not type(said):
        yield "what is due", type(said).__name__, None if due is None else type(due).__name__
        return
    for name in names:
        yield name, getattr(said, name), getattr(due, name)


def _lock(fold: Fold, said: types.SharesLocked | types.LockWithdrawn) -> Sums:
    """The reconciler appends exactly what is due."""
    due = next((event for event in due_locks(fold) if event.group == said.group), None)
    names = ("level", "revision") if isinstance(said, types.LockWithdrawn) else _OF_LOCK
    yield from _same(said, due, names)


_OF_LOCK = (
    "level",
    "revision",
    "as_of",
    "meter_micro",
    "amount_minor",
    "house_minor",
    "seed_minor",
    "seed_from_reserve_micro",
    "shares",
    "cap_minor",
    "policy",
    "policy_version",
)


def _authorised(fold: Fold, said: types.HitAuthorised) -> Sums:
    yield from _share(fold, said)


def _paid(fold: Fold, said: types.JackpotPaid) -> Sums:
    yield from _share(fold, said)
    yield from _slip(fold, said)


def _share(fold: Fold, said: types.HitAuthorised | types.JackpotPaid) -> Sums:
    found = fold.hit(said.hit)
    lock = fold.lock(said.hit) if found is not None else None
    yield "amount_minor", said.amount_minor, lock.share if lock is not None else "no share"
    yield "player", said.player, found.player if found is not None else "nobody"


def _house_paid(fold: Fold, said: types.HousePaid) -> Sums:
    """The amount is people's to say; once a place, by the next slip."""
    yield "paid already", _house(fold, said) is not None, False
    yield from _slip(fold, said)


def _house_voided(fold: Fold, said: types.HouseVoided) -> Sums:
    paid = _house(fold, said)
    yield "amount_minor", said.amount_minor, paid.amount if paid is not None else "no payment"
    yield "slip", said.slip, paid.slip if paid is not None else "no payment"
    if said.tender is not None:
        yield "tender", said.tender, paid.tender if paid is not None else "no payment"


def _house(fold: Fold, said: types.HousePlace) -> House | None:
    """The payment of the house that stands for this place."""
    found = fold.state.house.get(name_of(said.table, said.gaming_day, said.round, said.box))
    return found if found is not None and not found.is_void else None


def _slip(fold: Fold, said: types.JackpotPaid | types.VarianceClosed | types.HousePaid) -> Sums:
    yield "slip", said.slip, fold.state.slips.get(said.slip_year, 0) + 1


def _envy(fold: Fold, paid: types.JackpotPaid) -> Iterator[types.EnvyPaid]:
    """What must follow the payment in its transaction."""
    where = {name: getattr(paid, name) for name in types.HitEvent.__struct_fields__}
    same = {name: getattr(paid, name) for name in ("slip_year", "paid_gaming_day", "tender")}
    for number, (player, amount) in enumerate(fold.envy(paid.hit), 1):
        mine = {"player": player, "winner": paid.player, "amount_minor": amount, "slip": paid.slip + number}
        yield types.EnvyPaid(**{**where, **same, **mine})


def _adjusted(fold: Fold, said: types.MeterAdjusted) -> Sums:
    yield "meter_micro", said.meter_micro, fold.level(said.level).meter + said.amount_minor * MICRO


def _read(fold: Fold, said: types.MeterRead) -> Sums:
    shown = fold.shown_minor(said.level)
    yield "shown_minor", said.shown_minor, shown
    yield "variance_minor", said.variance_minor, said.read_minor - shown
    yield "meter_micro", said.meter_micro, fold.level(said.level).meter


def _variance_opened(fold: Fold, said: types.VarianceOpened) -> Sums:
    shown = fold.shown_minor(said.level)
    yield "shown_minor", said.shown_minor, shown
    yield "variance_minor", said.variance_minor, said.read_minor - shown


def _variance_closed(fold: Fold, said: types.VarianceClosed) -> Sums:
    case = fold.state.variances.get(said.case)
    due = 0 if case is not None and said.way == "misread" else abs(case.variance) if case is not None else "no case"
    yield "amount_minor", said.amount_minor, due
    if said.way == "paid":
        yield from _slip(fold, said)


def _tested(fold: Fold, said: types.IncrementTested) -> Sums:
    feed = fold.level(said.level).settings.feed
    yield "feed_millionths", said.feed_millionths, feed
    yield "expected_micro", said.expected_micro, said.stake_minor * feed


def _parameters(fold: Fold, said: types.ParametersChanged) -> Sums:
    yield "parameters_version", said.parameters_version, fold.level(said.level).version + 1


# Every event that states a sum or a count; envy goes with its payment.
CHECKED: dict[type[types.Progressive], Callable[[Fold, Any], Sums]] = {
    types.SharesLocked: _lock,
    types.LockWithdrawn: _lock,
    types.HitAuthorised: _authorised,
    types.JackpotPaid: _paid,
    types.HousePaid: _house_paid,
    types.HouseVoided: _house_voided,
    types.MeterAdjusted: _adjusted,
    types.MeterRead: _read,
    types.VarianceOpened: _variance_opened,
    types.VarianceClosed: _variance_closed,
    types.IncrementTested: _tested,
    types.ParametersChanged: _parameters,
}
# What states none: what people decided, and who.
STATES_NO_SUM: frozenset[type[types.Progressive]] = frozenset(
    {types.ProgressiveOpened, types.HitVoided, types.FundDeposited, types.NoticeAcknowledged, types.LevelWaiting}
)
