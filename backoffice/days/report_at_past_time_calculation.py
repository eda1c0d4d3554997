"""The report of a gaming day at a position or a time, and the changes from one to another: from the events.

Balances of accounts and meters of progressives are in millionths of a minor unit.
"""

from collections.abc import Collection
from typing import Any

import msgspec
from django.db.models import Q

from backoffice.days.hour_exception_and_late_event_content import FigureChange, NamedEventEffect
from backoffice.days.journal import journal_and_trial_balance_rows
from backoffice.days.table_and_recorded_win_lines import DayWins, wins
from backoffice.event_log import figures_hidden_before_counts
from backoffice.jobs.job_progress_and_saved_steps import Progress, store_with_progress
from backoffice.jobs.job_state_and_lease_files import Basis
from backoffice.jobs.on_demand_jobs import Job, Jobs, Task, basis_at
from backoffice.wording import stream_currencies
from events.accounting.daily_meter_movements import LevelDay, MeteredProgressive
from events.accounting.journal import balances
from events.accounting.report import day_reports, folded_accounts_snapshot
from events.accounting.report.canonical_report_from_ledger import metered
from events.accounting.report.day_reports import MadeReport
from events.accounting.report.property_ledger_fold import Ledger, accounting_event
from events.accounting.win_report_lines import TableFigures
from events.money.single_currency_rule import DEFAULT
from events.store import EventReader as Past_
from events.store import EventStore, everything
from events.store.position_at_time import position_of
from projections.accounts.models import BoxAccount, LateEvent

STEPS_SHOWN = 200


class Account(msgspec.Struct, frozen=True):
    """Balances of an account at the ends of a day, and its debits and credits between. Debits count up."""

    account: str
    begin: int
    debits: int
    credits: int
    end: int


class LevelMovement(msgspec.Struct, frozen=True):
    """Movements of a meter on the day."""

    level: str
    begin: int
    fed: int
    seeds: int
    adjusted: int
    locked: int
    meter: int


class Pool(msgspec.Struct, frozen=True):
    """A progressive at the end of the day: its meters, its reserve, and the jackpots that are owed and not paid."""

    progressive: str
    currency: str
    reserve: int
    unpaid: int
    levels: tuple[LevelMovement, ...]


class ReportAsOf(msgspec.Struct, frozen=True, kw_only=True):
    """The report as of a position."""

    position: int
    status: str
    digest: str
    currency: str
    figures: dict[str, Any] = msgspec.field(name="said")
    accounts: tuple[Account, ...]
    pools: tuple[Pool, ...]


class ChangesBetween(msgspec.Struct, frozen=True, kw_only=True):
    """Changes between two positions: each figure once, then event by event."""

    first: int
    last: int
    currency: str
    summed: tuple[FigureChange, ...]
    steps: tuple[NamedEventEffect, ...]
    omitted: int = msgspec.field(name="more")


class PastPage(msgspec.Struct, frozen=True, kw_only=True):
    """Question (`at`, and `until` for changes since), with its answer or the progress of its calculation."""

    day: str
    at: str
    until: str
    job: Job | None = None
    as_of: ReportAsOf | None = None
    between: ChangesBetween | None = None
    wins: DayWins | None = None
    are_figures_sums: bool = True  # not where a restatement left out an event that came before it
    is_kept: bool = False  # content of the accounts, hidden from people who have boxes to count

    @property
    def currency(self) -> str:
        """Return the currency of the answer."""
        answer = self.as_of or self.between
        return answer.currency if answer is not None else stream_currencies.of_house()


class PastQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """Question about a day at positions or times; `roles` are the reader's."""

    day: str
    at: str
    until: str
    property_: str
    roles: Collection[str]
    retry: bool = False


def past_report(store: EventStore, jobs: Jobs, question: PastQuestion) -> PastPage:
    """Return the answer as far as calculated. Raises Invalid for text that is neither a position nor a time."""
    if not question.at:
        return PastPage(day=question.day, at="", until="")
    first = position_of(store, question.at)
    last = position_of(store, question.until) if question.until else 0
    task, basis = _task(store, question, first, last), basis_at(store, max(first, last))
    job = jobs.ask(task, basis, retry=question.retry)
    answer = job.answer if job is not None else None
    return PastPage(
        day=question.day,
        at=question.at,
        until=question.until,
        job=job,
        as_of=answer if isinstance(answer, ReportAsOf) else None,
        between=_without_sealed(answer, question) if isinstance(answer, ChangesBetween) else None,
        wins=_wins(answer, question) if isinstance(answer, ReportAsOf) else None,
        are_figures_sums=not isinstance(answer, ReportAsOf) or _are_sums(question.day, answer.figures),
        is_kept=figures_hidden_before_counts.hides_days_until(question.day, question.roles),
    )


def _are_sums(day: str, figures: dict[str, Any]) -> bool:
    """Return whether a report rests on every event of its day up to its last position."""
    late = LateEvent.objects.filter(gaming_day=day, position__lte=figures["as_of"])
    return not late.filter(Q(named=0) | Q(named__gt=figures["restatement"])).exists()


def _task(store: EventStore, asking: PastQuestion, first: int, last: int) -> Task:
    def work(progress: Progress, basis: Basis) -> ReportAsOf | ChangesBetween:
        seen = store_with_progress(store, progress, basis.position)

        def accounts_at(history: Past_, property_: str, until: int, layout: int) -> Ledger:
            return _accounts(progress, history, property_, until, layout)

        if not last:
            return _as_of(seen, asking, first, accounts_at)
        return _changes_between(seen, asking, min(first, last), max(first, last), accounts_at)

    question = ("past", asking.property_, asking.day, str(first), str(last))
    return Task(question=question, shape=ChangesBetween if last else ReportAsOf, work=work)


def _accounts(progress: Progress, history: Past_, property_: str, until: int, layout: int) -> Ledger:
    """Fold the accounts up to a position by the rules of a layout, from the last checkpoint on."""
    name = f"accounts-{until}-{layout}-{folded_accounts_snapshot.EVOLVE}"
    checkpoint = progress.saved(name)
    position, raw = msgspec.msgpack.decode(checkpoint, type=tuple[int, bytes]) if checkpoint else (0, b"")
    ledger = folded_accounts_snapshot.load(raw) if raw else Ledger(layout)
    for stored in everything(history, position, until=until):
        if (fact := accounting_event(stored, property_)) is not None:
            ledger.take(fact)
        if progress.is_save_due:
            progress.save(name, msgspec.msgpack.encode((stored.position, folded_accounts_snapshot.dump(ledger))))
    return ledger


def _as_of(store: EventStore, question: PastQuestion, position: int, accounts_at: day_reports.AccountsAt) -> ReportAsOf:
    report = day_reports.make(store, question.property_, question.day, position, accounts_at)
    figures = report.figures
    return ReportAsOf(
        position=position,
        status=report.basis.status,
        digest=report.digest,
        currency=figures["currency"] or DEFAULT,
        figures=msgspec.to_builtins(figures),
        accounts=accounts(report),
        pools=pools(report),
    )


def _changes_between(
    store: EventStore, question: PastQuestion, first: int, last: int, accounts_at: day_reports.AccountsAt
) -> ChangesBetween:
    steps = list(day_reports.report_steps(store, question.property_, question.day, first, last, accounts_at))
    shown_changes = [
        NamedEventEffect(step.event, step.type, step.position, _figure_changes(step.changed))
        for step in steps[:STEPS_SHOWN]
    ]
    currency = (
        day_reports.make(store, question.property_, question.day, last, accounts_at).figures["currency"] or DEFAULT
    )
    return ChangesBetween(
        first=first,
        last=last,
        currency=currency,
        summed=_figure_changes(day_reports.summed(steps)),
        steps=tuple(shown_changes),
        omitted=len(steps) - len(shown_changes),
    )


def _figure_changes(changes: Collection[Any]) -> tuple[FigureChange, ...]:
    return tuple(FigureChange(change.place, change.before, change.after) for change in changes)


def _without_sealed(answer: ChangesBetween, question: PastQuestion) -> ChangesBetween:
    """Return the answer without figures that reveal the contents of boxes hidden from this reader.

    These are tables with a hidden box, and the accounts and places of chips that include its buy-ins.
    """
    shut = {
        f"tables/{box.table}/"
        for box in _boxes(question)
        if figures_hidden_before_counts.is_sealed(box, counts=figures_hidden_before_counts.may_count(question.roles))
    }
    shut |= {"journal/"} if figures_hidden_before_counts.hides_day(question.day, question.roles) else set()
    shut |= {"chips/"} if figures_hidden_before_counts.hides_any_box(question.roles) else set()

    def open_ones(changes: Collection[FigureChange]) -> tuple[FigureChange, ...]:
        return tuple(change for change in changes if not change.place.startswith(tuple(shut)))

    steps = [msgspec.structs.replace(step, changed=open_ones(step.changed)) for step in answer.steps]
    return msgspec.structs.replace(
        answer, summed=open_ones(answer.summed), steps=tuple(step for step in steps if step.changed)
    )


def _boxes(question: PastQuestion) -> list[BoxAccount]:
    return list(BoxAccount.objects.filter(gaming_day=question.day))


def _wins(answer: ReportAsOf, question: PastQuestion) -> DayWins | None:
    """Return the wins, with the seals of now: a box sealed now was sealed then."""
    tables = msgspec.convert(answer.figures["tables"], list[TableFigures])
    return wins(tables, figures_hidden_before_counts.sealed(_boxes(question), question.roles))


def accounts(report: MadeReport) -> tuple[Account, ...]:
    """Return the trial balance."""
    day, _currency = journal_and_trial_balance_rows.day_journal(report)
    debits, credits_ = balances.turnover(day.posted)
    return tuple(
        Account(name, day.begin.get(name, 0), debits.get(name, 0), credits_.get(name, 0), end)
        for name, end in day.end.items()
    )


def pools(report: MadeReport) -> tuple[Pool, ...]:
    """Return the pools opened by the end of the day."""
    day: str = report.figures["day"]
    return tuple(_pool(metered_, metered_.on(day)) for metered_ in metered(report.ledger, day))


def _pool(metered_: MeteredProgressive, levels: list[LevelDay]) -> Pool:
    owed = sum(level.until.unpaid for level in levels)
    reserve = sum(level.until.reserve for level in levels)
    return Pool(metered_.name, metered_.currency, reserve, owed, tuple(map(_level, levels)))


def _level(level: LevelDay) -> LevelMovement:
    moved = level.moved
    meter = level.begin + moved.meter
    return LevelMovement(level.level, level.begin, moved.fed, moved.seeds, moved.adjusted, moved.locked, meter)
