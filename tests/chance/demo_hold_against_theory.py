"""Days of `demo --days` beside the theoretical win of their bets: `python -m tests.chance.demo_hold_against_theory`.

Print for each game the drop of a table's day and its theoretical hold, beside the published figures. The demo is
calibrated by these: 5th percentile, median and 95th. Roulette's figures are adjusted to one zero (`at_edge`). Print
also the distance of the win from theory, in standard deviations. The exit code is 1 if that distance is beyond chance,
or if the drop is outside the published range. People read the holds themselves. The command plays in memory.
"""

import argparse
import os
import sys
import tempfile
from itertools import islice

import django

FAR = 4.5  # deviations: once in a hundred thousand times by chance
PROPERTY = "athens"


def main() -> int:
    """Exit code 1 where a game's win is none that its bets can bring."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.chance.demo_hold_against_theory", description="hold a history against theory"
    )
    parser.add_argument("--days", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hours", type=float, default=2.0)
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    with tempfile.TemporaryDirectory(prefix="history-") as folder:
        os.environ["PITLEDGER_DATA"] = folder
        django.setup()
        return _print_figures(options.days, options.seed, options.hours)


def _print_figures(days: int, seed: int, hours: float) -> int:
    """Play the days, print the figures of each game, and return the exit code. Imports wait for Django's settings."""
    from events.accounting.report.property_ledger_fold import accounting_event
    from events.hold import hold_entries_fold
    from events.hold.drop_win_hold_handle_sums import to_date
    from events.luck.played_decisions_with_bet_results import played_decisions
    from events.luck.win_against_theory import luck
    from events.rules.bet_outcome_chance_structs import MICRO
    from events.store import everything, open_store
    from tools.demo import demo_house_setup
    from tools.demo.history.consecutive_gaming_days import NEW, nights, set_up
    from tools.demo.history.state_between_gaming_days import HistoryPlan
    from tools.demo.history.terminal_without_network import SetClock
    from tools.demo.invented_players import PUBLISHED, at_edge

    plan = HistoryPlan(seed=seed, hours=hours)
    store = open_store("memory://", SetClock(set_up(plan)))
    store.create()
    last = [*islice(nights(store, PROPERTY, plan, NEW), days)][-1].gaming_day
    facts = [
        fact
        for fact in (accounting_event(stored_event, PROPERTY) for stored_event in everything(store))
        if fact is not None
    ]
    held = {row.name: row.year for row in to_date(hold_entries_fold.fold(facts, "EUR").entries(), "game", last)}
    lines = luck(played_decisions(PROPERTY, ((fact.stream, fact.data) for fact in facts), {}), "game")
    store.close()
    is_off = False
    for row in lines:
        year, published = held[row.name], PUBLISHED[row.name]
        each = (year.drop_minor or 0) / 100 / days / sum(table.game == row.name for table in demo_house_setup.TABLES)
        off = (row.win_minor - row.theory_micro / MICRO) / row.deviation_minor
        expected = 100 * row.theory_micro / MICRO / (year.drop_minor or 1)
        hold = published["hold"]
        if row.name == "roulette":
            hold = at_edge(hold, 100 * row.theory_micro / MICRO / row.handle_minor)
        is_off |= abs(off) > FAR or not _is_in(each, published["drop"])
        summary = f"drop {each:,.0f} of {published['drop']}, expected hold {expected:.1f} % of {hold}"
        print(
            f"{row.name:10} {row.bets:,} bets: {summary}; held {float(year.hold or 0):.1%}, {off:+.2f} deviations off",
            flush=True,
        )
    return int(is_off)


def _is_in(value: float, published: tuple[float, float, float]) -> bool:
    return published[0] <= value <= published[-1]


if __name__ == "__main__":
    sys.exit(main())
