"""The end of the demo: the books, a comparison with published days, the invariants, and the next commands."""

import os
from collections.abc import Callable, Sequence
from typing import Any

from django.core.management import call_command

from events.settings.settings_from_environment import settings
from projections.figures_of_all_read_models_with_digest import books
from projections.invariants import findings
from tools.demo import addresses_to_visit, demo_house_setup, logins, planted_mistakes, tablet_pairing_link_and_badges
from tools.demo.invented_players import PUBLISHED
from tools.demo.planted_mistakes import PlantedMistake, Reports


def report(
    line: Callable[[str], None], stored_count: int, on_topic: int, mistakes: Sequence[PlantedMistake], reports: Reports
) -> int:
    """Print everything; 0 if every invariant holds, the topic has every event, and the reports every mistake."""
    call_command("books")
    day_books = books()
    compare(line, day_books)
    line("")
    line(f"Events in the store {stored_count:,}; distinct ids that another client counts on the topic {on_topic:,}.")
    broken = [str(finding) for finding in findings()]
    if stored_count != on_topic:
        broken.append(f"the topic has {on_topic} events, the store {stored_count}")
    broken += [
        f"no report shows: {mistake.table}, {mistake.what}"
        for mistake in mistakes
        if not planted_mistakes.report_places(mistake, reports)
    ]
    broken += planted_mistakes.unexplained(mistakes, reports)
    for finding in broken:
        line(f"BROKEN: {finding}")
    if not broken:
        line("Every invariant holds.")
    line("")
    line(f"What went wrong on purpose, and where the report of {demo_house_setup.GAMING_DAY} shows it:")
    for text in planted_mistakes.mistake_lines(mistakes, reports):
        line(text)
    line("")
    for text in addresses_to_visit.explained(settings().web_port):
        line(text)
    line("")
    _how_to_go_on(line, os.environ.get("PITLEDGER_DEMO", ""))
    return 1 if broken else 0


def _how_to_go_on(line: Callable[[str], None], before: str) -> None:
    """Print commands that show this very day; `before` sets its data folder where they would use another one."""
    pages = f"http://localhost:{settings().web_port}/"
    commands = {
        f"{before}./manage.py up": f"serves this day at {pages} until Ctrl-C (make demo ARGS=--serve: at once)",
        f"{before}./manage.py report {demo_house_setup.GAMING_DAY}": "the day as it was closed, and restated",
        f"{before}./manage.py books --digest": "the hash of these books; the same seed gives the same",
        f"{before}./manage.py events --type shares.locked.v1": "the locked shares of its jackpots",
        "./manage.py demo --seed 8": "another day",
    }
    if demo_logins := logins.saved_logins(settings().data_folder):
        data, port = settings().data_folder, settings().web_port
        for login_line in (*logins.lines(demo_logins, port), *tablet_pairing_link_and_badges.lines(data, port)):
            line(login_line)
        line("")
    width = max(map(len, commands))
    line("How to go on:")
    for command, why in commands.items():
        line(f"  {command:<{width}}  {why}")


def compare(line: Callable[[str], None], day_books: dict[str, Any]) -> None:
    """Print each game's drop and hold next to a regulator's published ones."""
    line("")
    line("Beside the Indiana Gaming Commission's casino-months of 2022 (5th to 95th percentile, per table and day):")
    line("(roulette there has two zeros as a rule, here one: about half the hold)")
    for game, published in PUBLISHED.items():
        tables = [table for table in day_books["tables"] if table["game"] == game]
        drop = sum(table["net_drop_minor"] or 0 for table in tables)
        win = sum(table["inventory_win_minor"] for table in tables)
        if not tables or not drop:
            continue
        low, middle, high = published["drop"]
        hold_low, hold_middle, hold_high = published["hold"]
        each = drop // len(tables) // 100
        line(
            f"  {game}: drop {each:,} (published {low:,} - {middle:,} - {high:,}), "
            f"hold {100 * win / drop:.1f} % (published {hold_low} - {hold_middle} - {hold_high} %)"
        )
