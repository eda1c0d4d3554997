"""`./manage.py liability`: what is owed against what is funded, odds against reality, and what people have to do."""

from typing import Any

import msgspec
from django.core.management.base import BaseCommand, CommandError, CommandParser

from backoffice import writing
from backoffice.queries.continuity import warn
from backoffice.queries.funds import FundReport, report
from events.errors import PitledgerError
from events.progressives import history
from events.settings import settings
from events.store import open_store


class Command(BaseCommand):
    """Reads only."""

    help = (
        "For each progressive: what is owed per level (locked shares unpaid, meters) against what is funded, hits "
        "observed against expected with their 95 % interval, and what waits for people: levels held up by an undealt "
        "round, exceptions, payments of the house, open variances, overdue readings. Exit code 1 when funds are short "
        "of what is owed."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--progressive", metavar="NAME", help="only this one")
        parser.add_argument("--json", action="store_true", help="everything as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        warn(self.stderr.write)
        store = open_store(settings().store)
        try:
            names = history.names(store, settings().property_)
            wanted = [name for name in names if options["progressive"] in (None, name)]
            found = [report(store, settings().property_, name) for name in wanted]
        except PitledgerError as error:
            raise CommandError(str(error), returncode=2) from error
        finally:
            store.close()
        if not found:
            raise CommandError("there is no such progressive", returncode=2)
        if options["json"]:
            self.stdout.write(msgspec.json.format(msgspec.json.encode(found)).decode())
        else:
            self.stdout.write("\n\n".join("\n".join(_lines(one)) for one in found))
        if any(one.is_short for one in found):
            raise CommandError("the funds are short of what is owed", returncode=1)


def _lines(found: FundReport) -> list[str]:
    def money(micro: int) -> str:
        return writing.plain(writing.micro(micro, found.currency))

    said = [f"{found.progressive}, amounts in {found.currency}"]
    said += [f"{'level':<8} {'locked, unpaid':>18} {'meter':>20} {'owed':>20} {'funded':>20} {'short':>18}"]
    said += [
        f"{one.level:<8} {money(one.unpaid):>18} {money(one.meter):>20} {money(one.owed):>20} "
        f"{money(one.funded):>20} {money(one.short):>18}"
        for one in found.liability
    ]
    total = sum(one.owed for one in found.liability) - sum(one.funded for one in found.liability)
    said += [f"SHORT by {money(total)}: deposit it, or stop (WA 455)" if total > 0 else "funded"]
    said += [f"{'level':<8} {'bets':>12} {'hits':>6} {'expected':>10}   usual for {'':<14} probability"]
    said += [
        f"{one.level:<8} {one.bets:>12,} {one.observed:>6} {one.expected:>10.3f}   {one.low:.3f} to {one.high:<10.3f} "
        f"{one.likelihood:>10.3f}{'' if one.is_usual else '  UNUSUAL'}"
        for one in found.odds
    ]
    said += [f"waiting: {level} for {where}" for level, where in found.waiting.items()]
    said += [f"exception: {one.kind}, {one.hit}: {one.share_minor}, due {one.due_minor}" for one in found.exceptions]
    said += [f"does not fit: position {one.position}, {one.type}: {one.message}" for one in found.unfit]
    said += [
        f"paid by the house: {money(one.amount_minor * 1_000_000)} for {one.level} at {one.place}, slip {one.slip}"
        f"{', void' if one.is_void else ''}"
        for one in found.house
    ]
    said += [f"variance open: {case}" for case in found.variances]
    said += [f"overdue: {one.what} of {one.level}, last {one.last or 'never'}" for one in found.due]
    return said
