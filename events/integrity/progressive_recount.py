"""Every sum in a progressive's stream, compared with the result of the facts before it.

The decision was made from a process's fold, which may have been wrong: badly kept, or forged. Here the fold is made
once more, from the first event on, and compared with each event at its own position.
"""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from events import catalogue
from events.errors import Poison
from events.house.settings import DEFAULTS, HouseSettings
from events.progressives import event_types, payout_tax_withholding
from events.progressives.decider import due_locks
from events.progressives.event_to_fact_mapping import MICRO
from events.progressives.fold import Fold
from events.progressives.house_error_payments import name_of
from events.progressives.levels_rounds_and_hits_state import HousePayout
from events.progressives.progressive_state_following_store import ProgressiveFollower
from events.store import Stored

Sum = tuple[str, object, object]  # subject, value in the event, value by the facts
Sums = Iterator[Sum]


class Recount:
    """The sums of one progressive. `before` is called before `live` takes the event, `after` after it."""

    def __init__(
        self, live: ProgressiveFollower, in_force: Callable[[int], HouseSettings] = lambda _: DEFAULTS
    ) -> None:
        """`in_force`: the house's settings at a position."""
        self.live = live
        self._in_force = in_force
        self._envy: list[event_types.EnvyPaid] = []  # due with the payment that was read last, and not read yet

    @property
    def is_within_append(self) -> bool:
        """Return whether the last event must be followed by another one."""
        return bool(self._envy)

    def before(self, stored_event: Stored) -> Iterator[str]:
        """Return the differences between an event of the progressive's own stream and the facts."""
        try:
            data = catalogue.decode(stored_event.type, stored_event.raw).data
        except Poison:  # which is reported where it is taken
            return
        try:
            sums = [*self._sums(data), *self._withheld(stored_event.position, data)]
        except (Poison, TypeError) as error:  # invalid settings: the audit continues
            yield f"{stored_event.type}: what the house's settings make of it is not known: {error}"
            return
        for name, says, should in sums:
            if says != should:
                yield f"{stored_event.type}: {name} is {says}, the facts make {should}"

    def after(self, stored: Stored) -> Iterator[str]:
        """Yield a difference where the facts do not allow the event."""
        last = self.live.misfits[-1:]
        if last and last[0].position == stored.position:
            yield f"{stored.type}: may not be by the facts: {last[0].message} ({last[0].clause})"

    def _withheld(self, at: int, data: Any) -> Sums:
        """Compare the withheld tax with the settings in force there. Payments before the house withheld tax are not
        compared."""
        if isinstance(data, event_types.JackpotPaid | event_types.EnvyPaid) and data.withheld_minor:
            yield (
                "withheld_minor",
                data.withheld_minor,
                payout_tax_withholding.tax_withheld(data.amount_minor, self._in_force(at)),
            )

    def _sums(self, data: Any) -> Sums:
        fold = self.live.fold
        if isinstance(data, event_types.EnvyPaid):
            due = self._envy.pop(0) if self._envy else None
            yield from _compared_fields(data, due, ("hit", "winner", "player", "amount_minor", "slip", "slip_year"))
            return
        if self._envy:
            yield "what follows the payment", data.TYPE, f"envy to {self._envy[0].player}"
            self._envy = []
        check = CHECKED.get(type(data))
        if check is None:
            return
        if fold is None:
            yield "the progressive", "open", "not open"
            return
        if data.level not in fold.state.levels:
            yield "level", data.level, "no level"
            return
        yield from check(fold, data)
        if (
            isinstance(data, event_types.JackpotPaid)
            and fold.hit(data.hit) is not None
            and fold.round(data.hit) is not None
        ):
            self._envy = list(_envy(fold, data))


def _compared_fields(event: msgspec.Struct, due: msgspec.Struct | None, names: tuple[str, ...]) -> Sums:
    """The fields of an event and of the one that is due; one sum where nothing is, or something else."""
    if type(due) is not type(event):
        yield "what is due", type(event).__name__, None if due is None else type(due).__name__
        return
    for name in names:
        yield name, getattr(event, name), getattr(due, name)


def _lock(fold: Fold, data: event_types.SharesLocked | event_types.LockWithdrawn) -> Sums:
    """Compare with the due lock: the reconciler appends exactly that."""
    due = next((event for event in due_locks(fold) if event.group == data.group), None)
    names = ("level", "revision") if isinstance(data, event_types.LockWithdrawn) else _OF_LOCK
    yield from _compared_fields(data, due, names)


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


def _paid_sums(fold: Fold, data: event_types.JackpotPaid) -> Sums:
    yield from _share(fold, data)
    yield from _slip(fold, data)


def _share(fold: Fold, data: event_types.HitAuthorised | event_types.JackpotPaid) -> Sums:
    hit_state = fold.hit(data.hit)
    lock = fold.lock(data.hit) if hit_state is not None else None
    yield "amount_minor", data.amount_minor, lock.share if lock is not None else "no share"
    yield "player", data.player, hit_state.player if hit_state is not None else "nobody"


def _house_paid(fold: Fold, data: event_types.HousePaid) -> Sums:
    """People decide the amount; once a place, by the next slip."""
    yield "paid already", _house(fold, data) is not None, False
    yield from _slip(fold, data)


def _house_voided(fold: Fold, data: event_types.HouseVoided) -> Sums:
    paid = _house(fold, data)
    yield "amount_minor", data.amount_minor, paid.amount if paid is not None else "no payment"
    yield "slip", data.slip, paid.slip if paid is not None else "no payment"
    if data.tender is not None:
        yield "tender", data.tender, paid.tender if paid is not None else "no payment"


def _house(fold: Fold, data: event_types.HousePlace) -> HousePayout | None:
    """Return the house's valid payment for this place."""
    payment = fold.state.house.get(name_of(data.table, data.gaming_day, data.round, data.box))
    return payment if payment is not None and not payment.is_void else None


def _slip(fold: Fold, data: event_types.JackpotPaid | event_types.VarianceClosed | event_types.HousePaid) -> Sums:
    yield "slip", data.slip, fold.state.slips.get(data.slip_year, 0) + 1


def _envy(fold: Fold, paid: event_types.JackpotPaid) -> Iterator[event_types.EnvyPaid]:
    """Return the bonuses that must follow the payment in its transaction."""
    place = {name: getattr(paid, name) for name in event_types.HitEvent.__struct_fields__}
    same = {name: getattr(paid, name) for name in ("slip_year", "paid_gaming_day", "tender")}
    for number, (player, amount) in enumerate(fold.envy(paid.hit), 1):
        own_fields = {"player": player, "winner": paid.player, "amount_minor": amount, "slip": paid.slip + number}
        yield event_types.EnvyPaid(**{**place, **same, **own_fields})


def _adjusted(fold: Fold, data: event_types.MeterAdjusted) -> Sums:
    yield "meter_micro", data.meter_micro, fold.level(data.level).meter + data.amount_minor * MICRO


def _read(fold: Fold, data: event_types.MeterRead) -> Sums:
    display_minor = fold.shown_minor(data.level)
    yield "shown_minor", data.shown_minor, display_minor
    yield "variance_minor", data.variance_minor, data.read_minor - display_minor
    yield "meter_micro", data.meter_micro, fold.level(data.level).meter


def _variance_opened(fold: Fold, data: event_types.VarianceOpened) -> Sums:
    display_minor = fold.shown_minor(data.level)
    yield "shown_minor", data.shown_minor, display_minor
    yield "variance_minor", data.variance_minor, data.read_minor - display_minor


def _variance_closed(fold: Fold, data: event_types.VarianceClosed) -> Sums:
    case = fold.state.variances.get(data.case)
    due = 0 if case is not None and data.way == "misread" else abs(case.variance) if case is not None else "no case"
    yield "amount_minor", data.amount_minor, due
    if data.way == "paid":
        yield from _slip(fold, data)


def _tested(fold: Fold, data: event_types.IncrementTested) -> Sums:
    feed = fold.level(data.level).settings.feed
    yield "feed_millionths", data.feed_millionths, feed
    yield "expected_micro", data.expected_micro, data.stake_minor * feed


def _parameters(fold: Fold, data: event_types.ParametersChanged) -> Sums:
    yield "parameters_version", data.parameters_version, fold.level(data.level).version + 1


# Every event that has an amount or a count; envy belongs to its payment.
CHECKED: dict[type[event_types.ProgressiveEvent], Callable[[Fold, Any], Sums]] = {
    event_types.SharesLocked: _lock,
    event_types.LockWithdrawn: _lock,
    event_types.HitAuthorised: _share,
    event_types.JackpotPaid: _paid_sums,
    event_types.HousePaid: _house_paid,
    event_types.HouseVoided: _house_voided,
    event_types.MeterAdjusted: _adjusted,
    event_types.MeterRead: _read,
    event_types.VarianceOpened: _variance_opened,
    event_types.VarianceClosed: _variance_closed,
    event_types.IncrementTested: _tested,
    event_types.ParametersChanged: _parameters,
}
