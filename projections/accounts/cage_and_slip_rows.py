"""Slips, the cage by its gaming days, slips of progressives, and entries of no day."""

from typing import Any

import msgspec
from msgspec.structs import replace

from events.accounting import cage_inventory, fill_and_credit_slip_states
from events.accounting.cage_inventory import Cage
from events.accounting.event_types.cage import CageClosed, CageOpened, CreditReceived, SlipVoided
from events.accounting.event_with_position import AccountingEvent
from events.accounting.fill_and_credit_slip_states import Slip, SlipRequest, Slips
from events.accounting.report import cage_days_fold, paid_progressive_slips_fold
from events.accounting.report.cage_days_fold import CageDay, Cages
from events.accounting.report.paid_progressive_slips_fold import PaidSlip
from events.accounting.report.property_ledger_fold import currency_installed, kind_of
from events.controls.slip_issued_event import SlipIssued, name_of
from events.house.setting_and_chip_issue_decider import House
from events.house.setting_and_chip_issue_decider import evolve as evolve_house
from events.progressives.event_types import HouseVoided, ProgressiveOpened
from events.tables.event_types.money import CreditReturned, CreditSent, FillReceived
from events.tables.event_types.session import SessionOpened
from projections.accounts.models import AccountsNow, CageAccount, PaperAccount, SlipAccount
from projections.engine.bulk_writer import Changes, WriteTarget
from projections.engine.row_cache_for_batches import States

NOW = "now"
_OPENS = frozenset((SessionOpened, CageOpened))
_SETTLES_SLIPS = (SlipVoided, CreditReceived)
_OF_PAPERS, _OF_CAGE, _OF_SLIPS = (
    frozenset(paid_progressive_slips_fold.TYPES),
    frozenset(cage_inventory.TYPES),
    frozenset(fill_and_credit_slip_states.TYPES),
)


class CurrentState(msgspec.Struct, frozen=True, gc=False):
    """State of the house and its cage that belongs to no gaming day.

    `cage` is as last counted, `since` holds the day's movements, `latest` every table's last day. `installed_in`
    and `opened_in` are the currencies of the first table and of the first progressive.
    """

    house: House = House()
    cage: Cage = Cage()
    since: Cage = Cage()
    latest: dict[str, str] = {}
    current: str = ""
    installed_in: str = ""
    opened_in: str = ""


class CageRows:
    """Rows of the cage, its slips and house payments, and the single row `AccountsNow`."""

    def __init__(self, target: WriteTarget) -> None:
        self._now: States[AccountsNow, CurrentState] = States(target, AccountsNow, CurrentState)
        self._slips: States[SlipAccount, Slip] = States(target, SlipAccount, Slip)
        self._requests: States[SlipAccount, SlipRequest] = States(target, SlipAccount, SlipRequest)
        self._days: States[CageAccount, CageDay] = States(target, CageAccount, CageDay)
        self._papers: States[PaperAccount, PaidSlip] = States(target, PaperAccount, PaidSlip)

    @property
    def now(self) -> CurrentState:
        """Return the current state."""
        return self._now.get(NOW) or CurrentState()

    def put_now(self, now: CurrentState) -> None:
        """Store the current state."""
        self._now.put(NOW, now, lambda: AccountsNow(id=NOW))

    def take(self, fact: AccountingEvent, day: str) -> None:
        """Apply the next event; `day` is the gaming day that it belongs to."""
        data: Any = fact.data
        shape = type(data)
        if kind_of(fact.stream) == "house":
            self.put_now(replace(self.now, house=evolve_house(self.now.house, data)))
        if shape in _OF_PAPERS:
            self._paper(fact)
        slips = self._slip_before(fact) if shape in _OF_CAGE or shape in _OF_SLIPS else Slips()
        if shape in _OF_CAGE:
            self._cage(fact, slips)
        if shape in _OF_SLIPS:
            self._slip(fact, slips, day)
        if isinstance(data, ProgressiveOpened) and not self.now.opened_in:
            self.put_now(replace(self.now, opened_in=data.currency))
        if shape in _OPENS:
            self.put_now(replace(self.now, current=max(self.now.current, data.gaming_day)))

    def note_table(self, fact: AccountingEvent) -> None:
        """Note the property's currency, which the first installed table sets."""
        currency = currency_installed(fact.data)
        if currency and not self.now.installed_in:
            self.put_now(replace(self.now, installed_in=currency))

    def settled_by(self, fact: AccountingEvent) -> Slip | None:
        """Return the slip that an event of the cage voids or receives; None for any other event."""
        if not isinstance(fact.data, _SETTLES_SLIPS):
            return None
        return fill_and_credit_slip_states.settled_by(self._slip_before(fact), fact.data)

    def changes(self) -> list[Changes]:
        """Return the changed rows. Requests and issued slips are rows of one model."""
        requests, issued = self._requests.changes(), self._slips.changes()
        return [
            self._now.changes(),
            (SlipAccount, [*requests[1], *issued[1]]),
            self._days.changes(),
            self._papers.changes(),
        ]

    def forget(self) -> None:
        """Drop every remembered row."""
        for states in (self._now, self._slips, self._requests, self._days, self._papers):
            states.forget()

    # --- the cage -----------------------------------------------------------------------------------------------------

    def _cage(self, fact: AccountingEvent, slips: Slips) -> None:
        now, data = self.now, fact.data
        days = cage_days_fold.evolve(Cages(now=now.since), fact, slips)
        self.put_now(replace(now, cage=cage_inventory.evolve(now.cage, fact, slips), since=days.now))
        if isinstance(data, CageOpened):
            self._day(data.gaming_day, self._days.get(data.gaming_day)).opened_at = fact.position
        if isinstance(data, CageClosed):
            self._day(data.gaming_day, days.over[data.gaming_day]).closed_at = fact.position

    def _day(self, day: str, state: CageDay | None) -> CageAccount:
        return self._days.put(day, state, lambda: CageAccount(id=day))

    # --- slips --------------------------------------------------------------------------------------------------------

    def _slip_before(self, fact: AccountingEvent) -> Slips:
        """Return the slip that an event is about, as a fold of all events has it."""
        data: Any = fact.data
        if isinstance(data, SlipIssued):
            request = self._requests.get(_asked_key(data.request, data.kind))
            return Slips(requests={data.request: request} if request is not None else {})
        name = _slip_of(data)
        slip = self._slips.get(name) if name else None
        return Slips({name: slip}) if slip is not None else Slips()

    def _slip(self, fact: AccountingEvent, slips: Slips, day: str) -> None:
        after, data = fill_and_credit_slip_states.evolve(slips, fact), fact.data
        for request, wanted in after.requests.items():
            self._ask(fact, request, wanted, day)
        if isinstance(data, SlipIssued):
            self._gone(data)
        for name, slip in after.slips.items():
            if slips.slips.get(name) is not slip:
                self._put(name, slip, fact)

    def _put(self, name: str, slip: Slip, fact: AccountingEvent) -> None:
        row = self._slips.put(name, slip, lambda: _new_slip_row(name, slip))
        row.settled_at = slip.settled_at
        if isinstance(fact.data, SlipIssued):
            row.issued_at = fact.position
        if isinstance(fact.data, CreditSent):
            row.sent_at = fact.position

    def _ask(self, fact: AccountingEvent, request: str, slip_request: SlipRequest, day: str) -> None:
        key = _asked_key(request, slip_request.kind)
        self._requests.put(
            key,
            slip_request,
            lambda: SlipAccount(
                id=key,
                kind=slip_request.kind,
                table=slip_request.table,
                gaming_day=day,
                request=request,
                asked_at=fact.position,
            ),
        )

    def _gone(self, data: SlipIssued) -> None:
        """Remove the request of a slip that was issued."""
        key = _asked_key(data.request, data.kind)
        if self._requests.get(key) is not None:
            self._requests.put(key, None, SlipAccount)

    # --- papers -------------------------------------------------------------------------------------------------------

    def _paper(self, fact: AccountingEvent) -> None:
        data: Any = fact.data
        key = data.progressive, getattr(data, "slip_year", ""), getattr(data, "slip", 0)
        before = self._papers.get(_paper_key(key)) if isinstance(data, HouseVoided) else None
        for name, paper in paid_progressive_slips_fold.evolve({} if before is None else {key: before}, data).items():
            self._put_paper(_paper_key(name), paper, fact.position)

    def _put_paper(self, key: str, paper: PaidSlip, position: int) -> None:
        self._papers.put(key, paper, lambda: PaperAccount(id=key, gaming_day=paper.gaming_day, position=position))


def _slip_of(data: Any) -> str:
    """Return the name of the slip that an event is about; "" for none."""
    if isinstance(data, SlipVoided):
        return name_of(data.kind, data.year, data.slip)
    if isinstance(data, FillReceived) and data.year:
        return name_of("fill", data.year, data.slip)
    if isinstance(data, CreditSent | CreditReceived | CreditReturned) and data.year:
        return name_of("credit", data.year, data.slip)
    return ""


def _asked_key(request: str, kind: str) -> str:
    return f"{request}?{kind}"


def _paper_key(name: tuple[str, str, int]) -> str:
    return "/".join(map(str, name))


def _new_slip_row(name: str, slip: Slip) -> SlipAccount:
    return SlipAccount(
        id=name,
        kind=slip.kind,
        number=slip.number,
        year=slip.year,
        table=slip.table,
        gaming_day=slip.gaming_day,
        request=slip.request,
    )
