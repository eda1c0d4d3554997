"""`./manage.py whatif`: a day again under other parameters or another policy."""

import os
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
from django.core.management.base import BaseCommand, CommandError, CommandParser

from backoffice import environment
from events.errors import Invalid, PitledgerError, Unknown
from events.games.cases.timeline import play
from events.games.exact import Amount, render, simple
from events.progressives import history, whatif
from events.progressives.facts import AnyFact, Arm
from events.progressives.fold import Fold
from events.store import Reader, open_store

Json = dict[str, Any]
Found = whatif.Comparison | PitledgerError


class Command(BaseCommand):
    """Reads only."""

    help = (
        "Let the facts of a past gaming day (or of everything that is stored, or of timelines in a case file) happen "
        "again under other rates, seeds, caps or another policy, and show the difference by level, by hit and in all. "
        "Rates are shares of the stake (0.12, 3/25), seeds and caps minor units; a cap of none takes it away."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--day", metavar="GAMING-DAY", help="this gaming day, as 2026-11-20 (default: everything)")
        what.add_argument("--cases", type=Path, metavar="FILE", help="timelines, a case a line")
        parser.add_argument("--case", metavar="ID", help="of the file only this case")
        parser.add_argument("--progressive", metavar="NAME", help="which, where there are several")
        parser.add_argument("--level", metavar="NAME", help="the level of --feed, --reserve, --seed and --cap")
        parser.add_argument("--feed", metavar="RATE")
        parser.add_argument("--reserve", metavar="RATE")
        parser.add_argument("--seed", metavar="AMOUNT")
        parser.add_argument("--cap", metavar="AMOUNT")
        parser.add_argument(
            "--set",
            action="append",
            default=[],
            metavar="LEVEL.FIELD=VALUE",
            help="the same for any level: mega.feed=0.12, minor.cap=none (may be repeated)",
        )
        parser.add_argument("--policy", metavar="NAME", help="split, full-each or sequential")
        parser.add_argument("--json", action="store_true", help="everything as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            change = read_change(options)
            answers = list(self._compare(options, change))
        except PitledgerError as error:
            raise CommandError(str(error), returncode=1) from error
        except (OSError, msgspec.DecodeError) as error:
            raise CommandError(str(error), returncode=2) from error
        for title, found in answers:
            self._write(title, found, options["json"])
        if all(isinstance(found, PitledgerError) for _, found in answers):
            raise CommandError("nothing could be compared", returncode=1)

    def _compare(self, options: Json, change: whatif.Change) -> Iterator[tuple[str, Found]]:
        if options["cases"]:
            yield from timelines(options["cases"], options["case"], change)
            return
        os.environ["PITLEDGER_DATA"] = str(environment.data_folder())
        store = open_store(environment.store_url())
        try:
            name = _name(store, options["progressive"])
            start, facts = day(store, environment.property_name(), name, options["day"])
            yield f"{name} {options['day'] or ''}".strip(), whatif.whatif(start, facts, change)
        finally:
            store.close()

    def _write(self, title: str, found: Found, as_json: bool) -> None:
        if isinstance(found, PitledgerError):
            error = {"of": title, "error": str(found)}
            self.stdout.write(msgspec.json.encode(error).decode() if as_json else f"{title}: {found}")
        elif as_json:
            self.stdout.write(msgspec.json.encode({"of": title, **plain(found)}).decode())
        else:
            self.stdout.write("\n".join(lines(title, found)))


def read_change(options: Mapping[str, Any]) -> whatif.Change:
    """What the options say. Raises Invalid for what cannot be read, or says nothing at all."""
    named = [
        (options["level"], field, options[option]) for option, field in OPTIONS.items() if options[option] is not None
    ]
    if any(level is None for level, _, _ in named):
        raise Invalid("--level", "name the level")
    for text in options["set"]:
        where, _, value = text.partition("=")
        level, _, field = where.rpartition(".")
        named.append((level, FIELDS.get(field, field), value))
    levels: dict[str, dict[str, Any]] = {}
    for level, field, value in named:
        levels.setdefault(level, {})[field] = _value(field, value)
    if not levels and options["policy"] is None:
        raise Invalid("--set", "say what is to be different: --policy, --level with --feed, --seed ..., or --set")
    changes = {level: whatif.LevelChange(**fields) for level, fields in levels.items()}
    return whatif.Change(levels=changes, policy=options["policy"])


OPTIONS = {"feed": "feed", "reserve": "reserve_rate", "seed": "seed", "cap": "cap"}
FIELDS = {"reserve": "reserve_rate"}


def _value(field: str, text: str) -> Amount | None:
    if field not in whatif.FIELDS:
        raise Invalid("--set", f"there is no parameter {field!r:.40}: {', '.join(whatif.FIELDS)}")
    if field == "cap" and text == "none":
        return None
    try:
        value = simple(Fraction(text))
    except (ValueError, ZeroDivisionError) as error:
        raise Invalid(field, f"{text!r:.40} is no number") from error
    if field in ("seed", "cap") and not isinstance(value, int):
        raise Invalid(field, "whole minor units")
    return value


def _name(reader: Reader, given: str | None) -> str:
    names = history.names(reader, environment.property_name())
    if given is None and len(names) == 1:
        return names[0]
    if given not in names:
        raise Unknown(f"name a progressive by --progressive: {', '.join(names) or 'there is none'}")
    assert given is not None
    return given


def day(reader: Reader, property_: str, name: str, gaming_day: str | None) -> tuple[Fold, list[AnyFact]]:
    """The fold before the first round of the gaming day, and every fact from there to the last of its tables.

    Without a day: the fold at the opening, and everything. Raises Unknown for a day without a round.
    """
    fold = history.start(reader, property_, name)
    found = list(history.facts(reader, property_, name))
    if gaming_day is None:
        return fold, [fact for _, fact in found]
    of_day = [fact.at for stored, fact in found if stored.stream.endswith(f"/{gaming_day}")]
    armed = [fact.at for stored, fact in found if isinstance(fact, Arm) and stored.stream.endswith(f"/{gaming_day}")]
    if not armed:
        raise Unknown(f"no round of {name} was armed on {gaming_day}")
    fold.take(fact for _, fact in found if fact.at < armed[0])
    last = max(of_day)
    later = next((fact.at for _, fact in found if isinstance(fact, Arm) and fact.at > last), None)
    return fold, [fact for _, fact in found if armed[0] <= fact.at and (later is None or fact.at < later)]


def timelines(path: Path, only: str | None, change: whatif.Change) -> Iterator[tuple[str, Found]]:
    """Every timeline of a case file, or the one asked for; the error of one that may not be. Raises Unknown."""
    count = 0
    for line in path.read_bytes().splitlines():
        case = msgspec.json.decode(line)
        given = case.get("given", case)
        if given.get("kind") != "timeline" or (only is not None and case.get("id") != only):
            continue
        count += 1
        yield str(case.get("id", count)), _timeline(given, change)
    if not count:
        raise Unknown(f"no such timeline in {path.name}")


def _timeline(given: Json, change: whatif.Change) -> Found:
    try:
        as_is, would = play(given), play(whatif.changed_timeline(given, change))
    except PitledgerError as error:
        return error
    return whatif.compare(whatif.Outcome(*as_is), whatif.Outcome(*would))


def plain(found: whatif.Comparison) -> Json:
    """As JSON: amounts exact, whole or "n/d"."""

    def pair(one: whatif.Pair) -> Json:
        figures = {"is": one.is_, "would": one.would, "difference": one.difference}
        return {name: render(value) for name, value in figures.items()}

    return {
        "levels": {name: {figure: pair(one) for figure, one in level.items()} for name, level in found.levels.items()},
        "hits": {
            hit.hit: {
                "level": hit.level,
                "status": hit.status,
                "would_status": hit.would_status,
                "share": pair(hit.share),
            }
            for hit in found.hits
        },
        "total": {figure: pair(one) for figure, one in found.total.items()},
        "refused": {str(at): why for at, why in found.refused.items()},
        "would_refused": {str(at): why for at, why in found.would_refused.items()},
    }


def lines(title: str, found: whatif.Comparison) -> Iterator[str]:
    """For a person: what is different, in minor units."""
    yield f"{title}: as it is, as it would be, difference (minor units)"
    for name, level in [*found.levels.items(), ("in all", found.total)]:
        yield name
        yield from (_row(figure, pair) for figure, pair in level.items())
    for hit in found.hits:
        same = "" if hit.status == hit.would_status else f" ({hit.status}, would be {hit.would_status})"
        yield _row(f"{hit.hit} {hit.level}{same}", hit.share)
    for at in sorted(found.would_refused.keys() - found.refused.keys()):
        yield f"  position {at} would be refused: {found.would_refused[at]}"


def _row(what: str, pair: whatif.Pair) -> str:
    sign = "+" if Fraction(pair.difference) > 0 else ""
    shown = f"{sign}{_shown(pair.difference)}" if pair.difference else "="
    return f"  {what:<34} {_shown(pair.is_):>20} {_shown(pair.would):>20} {shown:>20}"


def _shown(value: Amount) -> str:
    """Whole minor units with separators; a fraction to the millionth, exact where it is one of the live system's."""
    if isinstance(value, int):
        return f"{value:,}"
    sign, millionths = ("-" if value < 0 else ""), round(abs(value) * 1_000_000)
    whole, rest = divmod(millionths, 1_000_000)
    return f"{sign}{whole:,}.{f'{rest:06d}'.rstrip('0') or '0'}"
