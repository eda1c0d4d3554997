"""`./manage.py liability`: show liability against the funds, actual against expected hits, and open items."""

from contextlib import closing
from typing import Any

from django.core.management.base import CommandError, CommandParser

from backoffice.freshness.history_mismatch import warn
from backoffice.management.house_command import HouseCommand, exit_code
from backoffice.progressives.liability_funds_and_odds_report import FundReport, report
from backoffice.wording import formats
from events.progressives import history_reader
from events.settings.settings_from_environment import settings
from events.store import open_store


class Command(HouseCommand):
    """Reads only."""

    help = (
        "Show for each progressive: the liability by level against the fund, observed against expected hits with "
        "their 95 % range, and the open items. Open items are rounds that delay a lock, exceptions, payments of "
        "the house, open variances and overdue readings. Exit code 1: the fund is short."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--progressive", metavar="NAME", help="only this one")
        parser.add_argument("--json", action="store_true", help="print everything as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        warn(self.stderr.write)
        with closing(open_store(settings().store)) as store, exit_code(2):
            names = history_reader.names(store, settings().property_)
            chosen = [name for name in names if options["progressive"] in (None, name)]
            reports = [report(store, settings().property_, name) for name in chosen]
        if not reports:
            raise CommandError("This progressive does not exist.", returncode=2)
        if options["json"]:
            self.write_json(reports)
        else:
            self.stdout.write("\n\n".join("\n".join(_fund_lines(report)) for report in reports))
        if any(report.is_short for report in reports):
            raise CommandError("A fund does not cover its liability. Deposit the shortfall.", returncode=1)


def _fund_lines(report: FundReport) -> list[str]:
    def money(micro: int) -> str:
        return formats.ascii_signs(formats.micro(micro, report.currency))

    lines = [f"{report.progressive}, amounts in {report.currency}"]
    lines += [f"{'level':<8} {'locked, unpaid':>18} {'meter':>20} {'owed':>20} {'funded':>20} {'short':>18}"]
    lines += [
        f"{level.level:<8} {money(level.unpaid):>18} {money(level.meter):>20} {money(level.owed):>20} "
        f"{money(level.funded):>20} {money(level.short):>18}"
        for level in report.liability
    ]
    total = sum(level.owed for level in report.liability) - sum(level.funded for level in report.liability)
    lines += [f"SHORT by {money(total)}: deposit it, or stop (WA 455)" if total > 0 else "funded"]
    lines += [f"{'level':<8} {'bets':>12} {'hits':>6} {'expected':>10}   usual for {'':<14} probability"]
    lines += [
        f"{level.level:<8} {level.bets:>12,} {level.observed:>6} {level.expected:>10.3f}   "
        f"{level.low:.3f} to {level.high:<10.3f} {level.likelihood:>10.3f}{'' if level.is_usual else '  UNUSUAL'}"
        for level in report.odds
    ]
    lines += [f"waiting: {level} for {where}" for level, where in report.waiting.items()]
    lines += [
        f"exception: {exception.kind}, {exception.hit}: {exception.share_minor}, due {exception.due_minor}"
        for exception in report.exceptions
    ]
    lines += [f"does not fit: position {misfit.position}, {misfit.type}: {misfit.message}" for misfit in report.unfit]
    lines += [
        f"paid by the house: {money(payment.amount_minor * 1_000_000)} for {payment.level} at {payment.place}, "
        f"slip {payment.slip}{', void' if payment.is_void else ''}"
        for payment in report.house
    ]
    lines += [f"variance open: {case}" for case in report.variances]
    lines += [f"overdue: {reading.what} of {reading.level}, last {reading.last or 'never'}" for reading in report.due]
    return lines
