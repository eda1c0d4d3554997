"""`./manage.py whatif`: recalculate a gaming day with other parameters or another tie rule."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
from django.core.management.base import CommandError, CommandParser

from backoffice.management.gaming_day_argument import gaming_day
from backoffice.management.house_command import HouseCommand
from backoffice.progressives.what_if_day_comparison import (
    FIELDS,
    FIGURES,
    NAMES,
    OPTIONS,
    ChangeLine,
    as_money,
    changes,
    day,
    of_fold,
)
from events.errors import Invalid, PitledgerError, Unknown
from events.progressives import history_reader, whatif
from events.progressives.json_facts_to_settled_meters import play
from events.rules.exact_amount_parsing import Amount, render, simple
from events.settings.settings_from_environment import settings
from events.store import EventReader, open_store
from events.text.repeated_json_name_refusal import require_unique_names

Json = dict[str, Any]
ComparisonOutcome = whatif.Comparison | PitledgerError

ComparedLevel = tuple[str, str, list[ChangeLine], ComparisonOutcome]  # subject, currency, change, comparison


class Command(HouseCommand):
    """Reads only."""

    help = (
        "Repeat the facts of a gaming day, of the whole store or of a case file with other rates, seeds, caps or "
        "another tie rule. Show the difference in money by level, by hit and in total. Rates are shares of the "
        "stake (0.12, 3/25, 12%). Seeds and caps are minor units (2500000 is 25,000.00); the cap `none` removes "
        "it. Meters start at their true values. Players are assumed to play the same. Exit code 1: nothing could "
        "be compared. Exit code 2: something cannot be read."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_mutually_exclusive_group()
        what.add_argument(
            "--day", type=gaming_day, metavar="GAMING-DAY", help="this gaming day, as 2026-11-20 (default: everything)"
        )
        what.add_argument("--cases", type=Path, metavar="FILE", help="a file of timelines, one case per line")
        parser.add_argument("--case", metavar="ID", help="only this case of the file")
        parser.add_argument("--progressive", metavar="NAME", help="the progressive, if there are several")
        parser.add_argument("--level", metavar="NAME", help="the level of --feed, --reserve, --seed and --cap")
        parser.add_argument("--feed", metavar="RATE", help="share of a stake that goes to the meter")
        parser.add_argument("--reserve", metavar="RATE", help="share of a stake that goes to the reserve")
        parser.add_argument("--seed", metavar="AMOUNT", help="amount with which the meter starts again")
        parser.add_argument("--cap", metavar="AMOUNT", help="limit of the display and the shares")
        parser.add_argument(
            "--set",
            action="append",
            default=[],
            metavar="LEVEL.FIELD=VALUE",
            help="the same for any level: mega.feed=0.12, minor.cap=none (may be repeated)",
        )
        parser.add_argument("--policy", metavar="NAME", help="split, full-each or sequential")
        parser.add_argument("--all", action="store_true", help="every figure, also the unchanged ones")
        parser.add_argument("--json", action="store_true", help="print everything as JSON, amounts in minor units")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            change = read_change(options)
            answers = list(self._compare(options, change))
        except PitledgerError as error:
            raise CommandError(str(error), returncode=2 if isinstance(error, Invalid) else 1) from error
        except (OSError, msgspec.DecodeError) as error:
            raise CommandError(str(error), returncode=2) from error
        for title, currency, change_lines, outcome in answers:
            self._write(title, currency, change_lines, outcome, options)
        if all(isinstance(outcome, PitledgerError) for *_, outcome in answers):
            raise CommandError("Nothing could be compared. Choose a day with rounds.", returncode=1)

    def _compare(self, options: Json, change: whatif.WhatIfChange) -> Iterator[ComparedLevel]:
        if options["cases"]:
            yield from timelines(options["cases"], options["case"], change)
            return
        with closing(open_store(settings().store)) as store:
            name, property_ = _name(store, options["progressive"]), settings().property_
            start, facts = day(store, property_, name, options["day"])
            currency = history_reader.opening(store, property_, name)[1].currency
            title = f"{name} {options['day'] or ''}".strip()
            yield title, currency, of_fold(start, change, currency), whatif.whatif(start, facts, change)

    def _write(
        self, title: str, currency: str, change_lines: list[ChangeLine], outcome: ComparisonOutcome, options: Json
    ) -> None:
        if isinstance(outcome, PitledgerError):
            error = {"of": title, "error": str(outcome)}
            self.stdout.write(msgspec.json.encode(error).decode() if options["json"] else f"{title}: {outcome}")
        elif options["json"]:
            changed = {change.what: {"is": change.is_, "would": change.would} for change in change_lines}
            self.stdout.write(
                msgspec.json.encode({"of": title, "change": changed, **comparison_as_json(outcome)}).decode()
            )
        else:
            self.stdout.write(
                "\n".join(comparison_lines(title, change_lines, outcome, whole=options["all"], currency=currency))
            )


def read_change(options: Mapping[str, Any]) -> whatif.WhatIfChange:
    """Return the change that the options describe. Raises Invalid for an unreadable or empty change."""
    changed_fields = [
        (options["level"], field, options[option]) for option, field in OPTIONS.items() if options[option] is not None
    ]
    if any(level is None for level, _, _ in changed_fields):
        raise Invalid("--level", "name the level")
    for text in options["set"]:
        where, _, value = text.partition("=")
        level, _, field = where.rpartition(".")
        if not level or not value:
            raise Invalid("--set", f"{text!r:.60} is not LEVEL.FIELD=VALUE, as mega.feed=0.12")
        changed_fields.append((level, FIELDS.get(field, field), value))
    levels: dict[str, dict[str, Any]] = {}
    for level, field, value in changed_fields:
        levels.setdefault(level, {})[field] = _value(field, value)
    if not levels and options["policy"] is None:
        raise Invalid("--set", "say what is to be different: --policy, --level with --feed, --seed ..., or --set")
    changes = {level: whatif.LevelChange(**fields) for level, fields in levels.items()}
    return whatif.WhatIfChange(levels=changes, policy=options["policy"])


def _value(field: str, text: str) -> Amount | None:
    if field not in whatif.FIELDS:
        raise Invalid("--set", f"there is no parameter {field!r:.40}: {', '.join(OPTIONS)}")
    if field == "cap" and text == "none":
        return None
    is_amount = field in ("seed", "cap")
    if is_amount and not text.isdecimal():
        raise Invalid(field, f"{text!r:.40}: whole minor units are wanted, 2500000 for 25,000.00")
    try:
        return simple(Fraction(text[:-1]) / 100 if text.endswith("%") else Fraction(text))
    except (ValueError, ZeroDivisionError) as error:
        raise Invalid(NAMES[field], f"{text!r:.40} is no rate: write 0.12, 3/25 or 12%") from error


def _name(history: EventReader, name: str | None) -> str:
    names = history_reader.names(history, settings().property_)
    if name is None and len(names) == 1:
        return names[0]
    if name not in names:
        raise Unknown(f"name a progressive by --progressive: {', '.join(names) or 'there is none'}")
    assert name is not None
    return name


def timelines(path: Path, only: str | None, change: whatif.WhatIfChange) -> Iterator[ComparedLevel]:
    """Every timeline of a case file, or the one asked for; the error of one that may not be. Raises Unknown."""
    count = 0
    for line in path.read_bytes().splitlines():
        case = msgspec.json.decode(line)
        require_unique_names(line, path.name)
        timeline = case.get("given", case)
        if timeline.get("kind") != "timeline" or (only is not None and case.get("id") != only):
            continue
        count += 1
        yield str(case.get("id", count)), "", of_timeline(timeline, change), _timeline(timeline, change)
    if not count:
        raise Unknown(f"no such timeline in {path.name}")


def _timeline(timeline: Json, change: whatif.WhatIfChange) -> ComparisonOutcome:
    try:
        as_is, would = play(timeline), play(whatif.changed_timeline(timeline, change))
    except PitledgerError as error:
        return error
    return whatif.compare(whatif.FoldOutcome(*as_is), whatif.FoldOutcome(*would))


def comparison_as_json(comparison: whatif.Comparison) -> Json:
    """Return the comparison as JSON: amounts exact, whole or "n/d"."""

    def pair(values: whatif.FigureUnderChange) -> Json:
        figures = {"is": values.is_, "would": values.would, "difference": values.difference}
        return {name: render(value) for name, value in figures.items()}

    return {
        "levels": {
            name: {figure: pair(values) for figure, values in level.items()}
            for name, level in comparison.levels.items()
        },
        "hits": {
            hit.hit: {
                "level": hit.level,
                "status": hit.status,
                "would_status": hit.would_status,
                "share": pair(hit.share),
            }
            for hit in comparison.hits
        },
        "total": {figure: pair(values) for figure, values in comparison.total.items()},
        "refused": {str(at): why for at, why in comparison.refused.items()},
        "would_refused": {str(at): why for at, why in comparison.would_refused.items()},
    }


def of_timeline(timeline: Json, change: whatif.WhatIfChange) -> list[ChangeLine]:
    """The same for a timeline."""
    in_force = {
        name: {field: level[field] if level.get(field) is None else simple(Fraction(level[field]))
               for field in whatif.FIELDS if field in level}
        for name, level in timeline.get("levels", {}).items()
    }  # fmt: skip
    return changes(change, in_force, str(timeline.get("policy", "")), "")


def comparison_lines(
    title: str, change_lines: list[ChangeLine], comparison: whatif.Comparison, *, whole: bool, currency: str = ""
) -> Iterator[str]:
    """Yield the comparison for a person: the change, and the differences; `whole`: every figure."""
    yield f"{title}: as it is, as it would be, difference"
    yield from (f"  {line.what:<34} {line.is_:>20} {line.would:>20}" for line in change_lines)
    for name, level in [*comparison.levels.items(), ("in all", comparison.total)]:
        rows = [
            _row(str(FIGURES[figure]), pair, currency) for figure, pair in level.items() if whole or pair.difference
        ]
        yield name if rows else f"{name}: nothing differs"
        yield from rows
    hits = [hit for hit in comparison.hits if whole or hit.share.difference or hit.status != hit.would_status]
    if hits:
        yield "shares"
    for hit in hits:
        same = "" if hit.status == hit.would_status else f" ({hit.status}, would be {hit.would_status})"
        yield _row(f"{hit.hit} {hit.level}{same}", hit.share, currency)
    for at in sorted(comparison.would_refused.keys() - comparison.refused.keys()):
        yield f"  position {at} would be refused: {comparison.would_refused[at]}"


def _row(what: str, pair: whatif.FigureUnderChange, currency: str) -> str:
    sign = "+" if Fraction(pair.difference) > 0 else ""
    difference_text = f"{sign}{as_money(pair.difference, currency)}" if pair.difference else "="
    return f"  {what:<34} {as_money(pair.is_, currency):>20} {as_money(pair.would, currency):>20} {difference_text:>20}"
