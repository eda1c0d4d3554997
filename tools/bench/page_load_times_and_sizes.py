"""Cost of every page of a house with a history: milliseconds to load, and kilobytes on the wire.

The same pages of a house of a tenth of its age are measured with it. The house has days with rounds, days without, and
a progressive with its hits. It is on PostgreSQL. Its pages are requested like by browsers: compressed, at the front
door, by an auditor who has signed in.
"""

import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping
from time import perf_counter
from typing import Any

import httpx
import msgspec
from django.conf import settings
from django.db import connections
from django.test import override_settings

from backoffice.days.reports.catalogue import BY_NAME
from backoffice.kit.page_declaration import Page
from backoffice.running import database_and_mail_settings
from backoffice.site.page_declarations_in_menu_order import PAGES
from events.signing import house_signing_key
from projections.engine.rebuild import Rebuild
from projections.eventlog.models import EventLog
from projections.people.people_results_row_posting import PeopleResultsPosting
from projections.registry import PROJECTORS
from tests.support.houses.progressive_house import NAME
from tests.support.pages.sign_in import session_of
from tools.bench import generated_roulette_actions, house_ageing_process
from tools.bench.benchmark_report_formats import Line
from tools.bench.measurement_servers import MeasuredHouse, MeasurementServers, child, next_line
from tools.bench.turns_medians_and_percentiles import Options

GOAL_MS, GOAL_KB = 100.0, 100.0
ROUNDS = 100  # of a table on a day that is played
OF_A_DAY = house_ageing_process.TABLES * ROUNDS * generated_roulette_actions.EVENTS_A_ROUND
OF_ANOTHER = house_ageing_process.TABLES * 7
REQUESTS = 9  # times, of which the median counts; the very first does not
YOUNG = 10  # a tenth of the events
NOT_THERE = ("slip", "alert", "case", "draw", "discrepancy", "days")  # it has none, and the last leads on


class PageCost(msgspec.Struct, frozen=True):
    """Cost of a page: in the median, on the wire."""

    ms: float
    kilobytes: float


def measure(options: Options, parts: MeasurementServers) -> list[Line]:
    """Every page of the site, and every part that follows by itself; beside the same in a house that is younger."""
    young, then = _weighed(parts, options, options.events // YOUNG)
    old, now = _weighed(parts, options, options.events)
    against = f"in a house of {then:,} events"
    return [line for name in old for line in _lines(f"{name}, {now:,} events", old[name], young[name], against)]


def _weighed(parts: MeasurementServers, options: Options, events: int) -> tuple[dict[str, PageCost], int]:
    with parts.house(with_topic=False) as house:
        aged = _lived(house, events)
        options.tell(f"  {aged.events:,} events in {aged.days:,} days; building the read models")
        Rebuild(list(PROJECTORS.values()), house.store, generated_roulette_actions.PROPERTY, using=house.using).run()
        PeopleResultsPosting(house.store, generated_roulette_actions.PROPERTY, house.using).catch_up()
        with connections[house.using].cursor() as cursor:
            cursor.execute("ANALYZE")
        os.environ["PITLEDGER_SECRET_KEY"] = settings.SECRET_KEY
        with override_settings(PITLEDGER_LOGIN_KEY=settings.SECRET_KEY):  # as the processes of the house have it
            session = session_of(generated_roulette_actions.AUDITOR.person, house.using)
        migrate = [sys.executable, str(database_and_mail_settings.ROOT / "manage.py"), "migrate", "--verbosity", "0"]
        subprocess.run(migrate, check=True)  # the access log, which has the list of issued documents
        with house.running("pages", "web") as port, _browser(port, session) as browser:
            addresses = list(_addresses(house, aged))
            for url, _name in addresses:  # a process that has just begun reads the accounts beside its pages
                _weigh(browser, url)
            return {name: _weigh(browser, url) for url, name in addresses}, aged.events


def _lived(house: MeasuredHouse, events: int) -> house_ageing_process.StageFigures:
    """About so many events: half of the days' are rounds of one day in a hundred."""
    house_signing_key.signer(house.data)
    hundred = OF_A_DAY + house_ageing_process.PLAYED_EVERY * OF_ANOTHER
    sessions = max(
        2 * house_ageing_process.TABLES * house_ageing_process.HIT_EVERY,
        events * house_ageing_process.PLAYED_EVERY * house_ageing_process.TABLES // hundred,
    )
    job = house_ageing_process.AgeingJob(house.store_url, str(house.data), [sessions], ROUNDS)
    with child("tools.bench.house_ageing_process", job) as growing:
        return msgspec.json.decode(next_line(growing), type=house_ageing_process.StageFigures)


def _browser(port: int, session: str) -> httpx.Client:
    cookies = {settings.SESSION_COOKIE_NAME: session}
    headers = {"Accept-Encoding": "gzip", "Host": "localhost"}
    return httpx.Client(base_url=f"http://127.0.0.1:{port}", cookies=cookies, headers=headers, timeout=120.0)


def _addresses(house: MeasuredHouse, aged: house_ageing_process.StageFigures) -> Iterator[tuple[str, str]]:
    """Of every page and of what follows on it: its address with something in every place, and its name."""
    log = EventLog.objects.using(house.using)
    played_day = house_ageing_process.day(
        (aged.days - 1) // house_ageing_process.PLAYED_EVERY * house_ageing_process.PLAYED_EVERY
    )
    places = {
        "gaming_day": played_day,
        "position": aged.events // 2,
        "hit": aged.hits[len(aged.hits) // 2] if aged.hits else "",
        "number": ROUNDS // 2,
        "table": generated_roulette_actions.names("R", 1)[0],
        "report": BY_NAME["hold"].name,
        "thing": "player",
    }
    assert log.filter(gaming_day=played_day).exists()
    for page in (candidate for candidate in PAGES if candidate.name not in NOT_THERE):
        name = NAME if page.path.startswith("progressives") else generated_roulette_actions.names("R", 1)[0]
        name = "g-1" if page.name == "timeline" else name
        person = generated_roulette_actions.DEALER.person if page.path.startswith("dealers") else "g-1"
        for path, kind in _forms(page):
            yield _filled(path, {**places, "name": name, "person": person}), kind
    yield f"/?gaming_day={played_day}", "floor of a day that was played"
    yield (
        f"/events?table={generated_roulette_actions.names('R', 1)[0]}&gaming_day={played_day}&sum=event-win",
        "events, with their sum",
    )
    yield f"/progressives/{NAME}/what-if?day={played_day}&minor-feed=5", "what-if, an answer asked for"


def _forms(page: Page) -> Iterator[tuple[str, str]]:
    yield page.path, page.name
    if page.follows:
        yield page.follows.path or f"{page.path}/live", f"{page.name}, the part that follows"


def _filled(path: str, places: Mapping[str, Any]) -> str:
    for name, value in places.items():
        path = path.replace(f"<str:{name}>", str(value)).replace(f"<int:{name}>", str(value))
    return f"/{path}"


def _weigh(browser: httpx.Client, url: str) -> PageCost:
    times, weight = [], 0
    for _ in range(REQUESTS + 1):
        began = perf_counter()
        with browser.stream("GET", url) as response:
            weight = sum(len(part) for part in response.iter_raw())
        times.append(1000 * (perf_counter() - began))
        assert response.status_code == 200, f"{url}: {response.status_code} {response.headers.get('Location', '')}"
    return PageCost(statistics.median(times[1:]), weight / 1000)


def _lines(name: str, old: PageCost, young: PageCost, against: str) -> list[Line]:
    return [
        Line(work=name, ours=old.ms, unit="ms", peer=young.ms, against=against, goal=GOAL_MS, of="amount"),
        Line(work=f"{name}, on the wire", ours=old.kilobytes, unit="kB", goal=GOAL_KB, of="amount"),
    ]
