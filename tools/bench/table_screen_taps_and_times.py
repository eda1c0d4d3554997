"""Taps and times of the table screen: one in Chromium and 19 without a browser, on a whole house; and its weight.

The tablets without a browser pair, sign and queue as the page does. Beside them five terminals send bare actions, with
which their times are compared. `--seconds 600` is the long form: ten minutes, with the memory of tab and house.
"""

import contextlib
import gzip
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import msgspec
from django.conf import settings
from django.contrib.staticfiles import finders

from backoffice.running import database_and_mail_settings
from backoffice.table_screen import page as screen_page
from events.store import open_store
from tests.servers import chromium
from tests.support.tables import table_rounds
from tests.support.tables.robot_dealer import RobotDealer
from tests.support.tables.robot_played_rounds import RobotRounds
from tests.support.tables.table_screens import TABLET, Fingers
from tools.bench import memory_of_house_and_tab, simulated_tablets, table_screen_bench_house
from tools.bench.benchmark_report_formats import Line
from tools.bench.measurement_servers import (
    MeasuredHouse,
    MeasurementServers,
    MissingPart,
    child,
    house_environment,
    next_line,
)
from tools.bench.turns_medians_and_percentiles import Options, percentile

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SCREENS = 20  # one of them in Chromium
PAUSE_S = 1.5  # between two taps of a table; a spin every 45 seconds
TAP_S = 0.3  # between two taps in Chromium
SECONDS_MIN = 60.0  # the rounds of all games in Chromium take so long
ACKNOWLEDGED_MS, SHOWN_MS, WEIGHT_KB, TIMES_BARE = 150, 50, 120, 2
GAMES = {
    "FR1": ("roulette", "roulette-french"),
    "BJ1": ("blackjack", "blackjack-trilux"),
    "PB1": ("baccarat", "baccarat"),
    "CR1": ("craps", "craps-gr"),
}
LONG_S = 180.0  # from then on the memory must be flat
GROWTH_MAX = 1.15  # of memory, from a third of the time to its end
Round = Callable[[Fingers], None]


def a_point(fingers: Fingers) -> None:
    """Play a round of craps, from the come-out to its decision."""
    robot = RobotDealer(fingers.page)
    RobotRounds(robot, seed=7).throws()
    fingers.taps += robot.taps


AGAIN = ("FR1", "CR1")  # the same cards cannot come from a shoe again and again
ROUNDS: tuple[tuple[str, str, Round, int | None], ...] = (
    ("FR1", "", table_rounds.twenty_stakes, None),
    ("FR1", "spin of roulette, 30 stakes of which 20 are repeated", table_rounds.thirty_stakes, 25),
    ("BJ1", "round of blackjack, 7 boxes, 14 side stakes, 22 cards", table_rounds.seven_boxes, 70),
    ("PB1", "coup of baccarat, 8 stakes", table_rounds.eight_stakes, 20),
    ("CR1", "round of craps, four stakes and three rolls", a_point, None),
)
# Milliseconds from a click to the next drawn frame, to the answer of the house on the screen, and to the new state.
WATCH = """() => {
  window.clicks = [];
  let last = null;
  document.addEventListener("click", (event) => {
    last = { at: event.timeStamp, shown: null, sent: false, answered: null, renewed: null };
    window.clicks.push(last);
  }, true);
  new MutationObserver(() => {
    const now = performance.now();
    const bar = document.querySelector(".bar")?.dataset;
    const pending = Number(bar?.pending ?? 0);
    const unanswered = Number(bar?.unanswered ?? 0);
    for (const click of window.clicks) {
      if (click === last && click.shown === null) requestAnimationFrame((at) => (click.shown ??= Math.max(now, at)));
      if (click === last && pending > 0) click.sent = true;
      if (click.sent && click.answered === null && unanswered === 0) click.answered = now;
      if (click.sent && click.renewed === null && pending === 0) click.renewed = now;
    }
  }).observe(document.getElementById("screen"),
    { subtree: true, childList: true, attributes: true, characterData: true });
}"""
TIMES = """() => window.clicks.map(({ at, shown, answered, renewed }) =>
  [shown, answered, renewed].map((moment) => (moment === null ? null : moment - at)))"""


class Taps(msgspec.Struct):
    """Taps by round, and milliseconds from a tap to the screen, to the house's answer there, and to the new state."""

    counts: dict[str, int]
    shown: list[float]
    answered: list[float]
    renewed: list[float]
    sent: dict[str, int]
    memory: list[tuple[float, float]]  # of house and tab in MB, after a third of the time and at its end


def measure(options: Options, parts: MeasurementServers) -> list[Line]:
    """Return taps, times and weight. On SQLite with the embedded broker, as a new house begins."""
    if chromium.find() is None:
        raise MissingPart("Chromium is not installed")
    seconds = max(SECONDS_MIN, options.seconds)
    tables = [f"FR{number}" for number in range(2, SCREENS + 1)]
    floor = dict.fromkeys([*tables, *table_screen_bench_house.BARE], ("roulette", "roulette-french")) | GAMES
    with _house(parts) as house:
        with child("tools.bench.table_screen_bench_house", table_screen_bench_house.ScreenHouseJob(floor)) as opening:
            badges = msgspec.json.decode(next_line(opening), type=table_screen_bench_house.Badges)
        with house.running() as port:
            job = simulated_tablets.TabletsJob(
                port, badges, [*tables, *table_screen_bench_house.BARE], seconds, PAUSE_S
            )
            with child("tools.bench.simulated_tablets", job) as playing, chromium.Chromium() as browser:
                next_line(playing)  # all of them wait for their confirmation
                taps = _played(browser, (port, house.data), badges, seconds, lambda: _go(playing))
                others = msgspec.json.decode(next_line(playing), type=simulated_tablets.TabletFigures)
        lost, doubled = memory_of_house_and_tab.faults(house.store, others.sent | taps.sent)
    counts = [
        Line(work=f"{name} actions of {SCREENS} screens", ours=count, unit="actions", goal=0, of="amount")
        for name, count in (("lost", lost), ("doubled", doubled))
    ]
    return [*_lines(taps, others), *counts, *_memory(taps, is_long=seconds >= LONG_S)]


def _memory(taps: "Taps", *, is_long: bool) -> list[Line]:
    """Return the memory at the end, against that after a third of the time."""
    before, after = taps.memory
    return [
        Line(work=f"memory of the {name} at the end", ours=after[place], unit="MB", peer=before[place],
             against="after a third of the time", goal=GROWTH_MAX if is_long else None)
        for place, name in enumerate(("house", "tab"))
    ]  # fmt: skip


@contextlib.contextmanager
def _house(parts: MeasurementServers) -> Iterator[MeasuredHouse]:
    """Make a new house on SQLite with the embedded broker."""
    with parts.folder() as data, contextlib.ExitStack() as stack:
        store, read = (f"sqlite:///{data}/{name}.sqlite3" for name in ("events", "read"))
        stack.enter_context(house_environment(data, store, read, "embedded", "filesystem"))
        os.environ["PITLEDGER_SECRET_KEY"] = settings.SECRET_KEY
        migrate = [sys.executable, str(database_and_mail_settings.ROOT / "manage.py"), "migrate", "--verbosity", "0"]
        subprocess.run(migrate, check=True)
        with contextlib.closing(open_store(store)) as event_store:
            yield MeasuredHouse(data, store, read, "embedded", "default", event_store)


def _go(playing: "subprocess.Popen[bytes]") -> None:
    """Confirm all devices that wait, and let the tablets play."""
    with child("tools.bench.table_screen_bench_house", table_screen_bench_house.ScreenHouseJob({})) as confirming:
        next_line(confirming)
    assert playing.stdin is not None
    playing.stdin.write(b"\n")
    playing.stdin.flush()


def _played(
    browser: "Browser",
    house: tuple[int, Path],
    badges: table_screen_bench_house.Badges,
    seconds: float,
    go: Callable[[], None],
) -> Taps:
    """Play every round in Chromium, and again until the time is over; `go` confirms the devices. `house`: its port and
    data folder."""
    port, data = house
    taps = Taps({}, [], [], [], {}, [])
    address = f"http://localhost:{port}"
    pages = {table: _paired(browser, f"{address}/table/{table}#{badges.secrets[table]}") for table in GAMES}
    go()
    began = perf_counter()
    for page in pages.values():
        _come(page, badges)
        page.evaluate(WATCH)
    while not taps.counts or perf_counter() - began < seconds:
        for table, name, play, _most in ROUNDS:
            if name in taps.counts and table not in AGAIN:
                continue
            fingers = SlowFingers(pages[table])
            play(fingers)
            taps.counts.setdefault(name, fingers.taps)
            if not taps.memory and perf_counter() - began > seconds / 3:
                taps.memory.append(
                    (memory_of_house_and_tab.house_mb(data), memory_of_house_and_tab.tab_mb(pages["FR1"]))
                )
    taps.memory.append((memory_of_house_and_tab.house_mb(data), memory_of_house_and_tab.tab_mb(pages["FR1"])))
    taps.memory[:] = [taps.memory[0], taps.memory[-1]]
    for page in pages.values():
        times: list[Any] = page.evaluate(TIMES)
        for place, times_to in enumerate((taps.shown, taps.answered, taps.renewed)):
            times_to += [moments[place] for moments in times if moments[place] is not None]
        taps.sent |= _sent(page)
    return taps


def _sent(page: "Page") -> dict[str, int]:
    """Return the number of entries of the page's device."""
    device, number = page.evaluate(
        """() => new Promise((resolve) => {
          const opened = indexedDB.open("pitledger-table");
          opened.onsuccess = () => {
            const read = opened.result.transaction("device").objectStore("device").getAll();
            read.onsuccess = () => {
              const device = read.result.find((record) => record.name === "device");
              opened.result.close();
              resolve([device.id, device.seq]);
            };
          };
        })"""
    )
    return {str(device): int(number)}


class SlowFingers(Fingers):
    """Fingers that tap no faster than people do."""

    def tap(self, **attributes: Any) -> None:
        """Wait as a person does, then tap."""
        self.page.wait_for_timeout(1_000 * TAP_S)
        super().tap(**attributes)


def _paired(browser: "Browser", link: str) -> "Page":
    context = browser.new_context(viewport={"width": TABLET[0], "height": TABLET[1]}, has_touch=True, locale="en-GB")
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(link)
    page.locator("[data-digits]").wait_for()
    return page


def _come(page: "Page", badges: table_screen_bench_house.Badges) -> None:
    """Sign dealer and inspector in at the screen."""
    page.locator("[name=badge]").wait_for()
    for role, badge in (("dealer", badges.dealer), ("inspector", badges.inspector)):
        if not page.locator("[name=badge]").count():
            page.locator("[data-do=badge]").tap()
        page.locator(f".badge [data-role='{role}']").tap()
        page.locator("[name=badge]").press_sequentially(badge)
        page.keyboard.press("Enter")
        page.locator(f".people [data-role='{role}']").wait_for()


def _lines(taps: Taps, others: simulated_tablets.TabletFigures) -> list[Line]:
    lines = [
        Line(work=name, ours=taps.counts[name], unit="taps", goal=most, of="amount")
        for _table, name, _round, most in ROUNDS
        if name
    ]
    at_work = f"{SCREENS} screens play"
    for percent, shown_goal, goal in ((50, None, None), (99, SHOWN_MS, ACKNOWLEDGED_MS)):
        bare = percentile(others.bare, percent)
        lines += [
            Line(work=f"tap to screen in Chromium, {at_work}, p{percent}", ours=percentile(taps.shown, percent),
                 unit="ms", goal=shown_goal, of="amount"),
            Line(work=f"tap to answer in Chromium, {at_work}, p{percent}", ours=percentile(taps.answered, percent),
                 unit="ms", goal=goal, of="amount"),
            Line(work=f"tap to new state in Chromium, {at_work}, p{percent}", ours=percentile(taps.renewed, percent),
                 unit="ms", of="amount"),
            Line(work=f"entry to answer without a browser, {at_work}, p{percent}",
                 ours=percentile(others.entries, percent), unit="ms", peer=bare, against="a bare action",
                 goal=goal, of="amount"),
            Line(work=f"entry to the screen's state without a browser, {at_work}, p{percent}",
                 ours=percentile(others.states, percent), unit="ms", of="amount"),
        ]  # fmt: skip
    p99 = percentile(others.entries, 99)
    return [
        *lines,
        Line(work=f"the same at p99, in times of a bare action, {at_work}", ours=p99, unit="ms",
             peer=percentile(others.bare, 99), against="a bare action", goal=TIMES_BARE),
        Line(work="all files of the page, compressed", ours=_weight_kb(), unit="kB", goal=WEIGHT_KB, of="amount"),
    ]  # fmt: skip


def _weight_kb() -> float:
    names = [*screen_page.names(), f"{screen_page.FOLDER}/{screen_page.WORKER}"]
    paths = (Path(str(finders.find(name))) for name in names)
    return sum(len(gzip.compress(path.read_bytes())) for path in paths) / 1_000
