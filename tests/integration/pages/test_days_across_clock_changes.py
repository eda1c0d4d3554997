"""Gaming days are opened, played, rolled and closed in the nights of a clock change, on both databases."""

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

import pytest
from django.test import Client

from backoffice.surveillance.search.paged_search_within_time_limit import all_matches
from backoffice.surveillance.search.search_to_log_conditions import search
from backoffice.tables import action_forms
from events.accounting.report import checklist_system_state_source, day_reports
from events.accounting.report.checklist_system_state_source import SystemState
from events.runtime import clock as clocks
from events.store import open_store
from events.store.position_at_time import position_of
from events.store.stream_chain_verification import verify
from projections.accounts.models import TableHour
from tests.support.houses.evening_with_everything import project
from tests.support.houses.small_house import PROPERTY, House, serving
from tests.support.houses.worked_day import chips
from tests.support.pages.page_text_and_queries import words
from tests.support.pages.sign_in import signed_in

pytestmark = pytest.mark.django_db
Played: TypeAlias = "tuple[ClockChangeHouse, str, str, list[datetime]]"
HALF_HOUR = timedelta(minutes=30)
# Zone, the gaming day that the change falls into, and the day after it.
CHANGES = {
    "Athens, spring": ("Europe/Athens", "2026-03-28", "2026-03-29"),
    "Athens, autumn": ("Europe/Athens", "2026-10-24", "2026-10-25"),
    "Sydney, spring": ("Australia/Sydney", "2026-10-03", "2026-10-04"),
    "Sydney, autumn": ("Australia/Sydney", "2026-04-04", "2026-04-05"),
    "Lord Howe, half an hour": ("Australia/Lord_Howe", "2026-04-04", "2026-04-05"),
    "Santiago, midnight in spring": ("America/Santiago", "2026-09-05", "2026-09-06"),
    "Santiago, midnight in autumn": ("America/Santiago", "2026-04-04", "2026-04-05"),
    "Beirut, midnight in spring": ("Asia/Beirut", "2026-03-28", "2026-03-29"),
    "Beirut, midnight in autumn": ("Asia/Beirut", "2026-10-24", "2026-10-25"),
    "Cairo, midnight in autumn": ("Africa/Cairo", "2026-10-29", "2026-10-30"),
    "Apia, a day skipped": ("Pacific/Apia", "2011-12-29", "2011-12-31"),
}


class ClockChangeHouse(House):
    """A house in a time zone, with a clock set by hand."""

    def __init__(self, url: str, path: Path, zone: str, day: str) -> None:
        self.zone, self.day, self.path = ZoneInfo(zone), day, path
        self.at(datetime.combine(date.fromisoformat(day), datetime.min.time(), self.zone).replace(hour=20))
        super().__init__(open_store(url, clocks.PlayedClock(path)))
        self.wheel = "ccw"
        for setting, value in (("zone", zone), ("shifts", "day 06:00, evening 18:00, night 03:15")):
            change = self.action("setting.change", setting=setting, value=value)
            self.agreed("house", "", ("anna", "sven"), change)
        self.grant("carl", "count")

    def at(self, moment: datetime) -> None:
        """Set the clock."""
        self.moment = moment.astimezone(UTC)
        self.path.write_text(clocks.event_time(self.moment))

    def cage(self, kind: str, /, **data: Any) -> None:
        self.ok("cage", "", "cage", self.action(kind, **data))

    def lead(self, kind: str, /, **data: Any) -> None:
        self.ok("tables", "FR1", "ines", self.action(kind, **data))

    def begin(self) -> None:
        """Open the day with the proposed values of the page."""
        held = {"500": 20_000}
        self.cage("cage.open", gaming_day=self.day, chips={}, cash_minor=0)
        issue = self.action("chips.issue", chips=held, way="brought in", reason="opening of the house")
        self.agreed("house", "", ("cage", "sven"), issue)
        project(self)
        assert action_forms.proposed("FR1") == {"gaming_day": self.day, "shift": "evening"}
        self.lead("session.open", opener=chips(2_000_000), **action_forms.proposed("FR1"))
        self.lead("limits.post", minimum_minor=500, maxima_minor={})
        self.lead("drop.put", drop_box="one")
        self.lead("staff.assign", post="dealer", person="dora")
        self.lead("staff.assign", post="inspector", person="ines")

    def play(self) -> None:
        """A buy-in of 5.00, and a round that the house wins: 5.00."""
        self.wheel, ball = ("cw", "ccw") if self.wheel == "ccw" else ("ccw", "cw")
        steps: list[tuple[str, dict[str, Any]]] = [
            ("buyin.make", {"seat": 1, "player": "Ann", "amount_minor": 500, "tender": "cash"}),
            ("round.open", {}),
            ("bet.place", {"bet": "b", "wager": "black", "amount_minor": 500, "player": "Ann", "seat": 1}),
            ("ball.launch", {"wheel": self.wheel, "ball": ball}),
            ("bets.close", {}),
            ("ball.land", {"number": 1}),
            ("round.end", {}),
        ]
        self.ok("tables", "FR1", "dora", *(self.action(kind, **data) for kind, data in steps))


@pytest.fixture(params=CHANGES)
def night(
    request: pytest.FixtureRequest, on_each_database: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    settings: Any,
) -> Iterator[ClockChangeHouse]:  # fmt: skip
    zone, day, _ = CHANGES[request.param]
    is_postgres = "postgres" in request.node.callspec.id
    url = request.getfixturevalue("new_database")() if is_postgres else f"sqlite:///{tmp_path / 'events.sqlite3'}"
    monkeypatch.setenv("PITLEDGER_CLOCK", str(tmp_path / "clock"))
    monkeypatch.setenv("PITLEDGER_TIME_ZONE", zone)
    settings.TIME_ZONE = zone
    house = ClockChangeHouse(url, tmp_path / "clock", zone, day)
    checklist_system_state_source.register_source(house.store, lambda: SystemState(readers={}, head=10**9, aside={}))
    with serving(house):
        yield house
    house.close()


@pytest.fixture
def played(night: ClockChangeHouse, request: pytest.FixtureRequest) -> Played:
    """Both days, closed; with the moments of the rounds of the first."""
    _, day, following = CHANGES[request.node.callspec.params["night"]]
    night.begin()
    moments = _until_six(night)
    proposed = action_forms.roll_form_values(day)
    assert proposed == {"gaming_day": following, "shift": "day"}
    held = chips(2_000_000)
    night.lead("session.roll", closer=held, drop_box="two", witness="sid", **proposed)
    _close(night, day, "one", 500 * len(moments))
    night.at(night.moment + HALF_HOUR)
    night.cage("cage.open", gaming_day=following, chips=_in_cage(), cash_minor=500 * len(moments))
    night.play()
    night.lead("session.close", closer=held)
    night.lead("drop.remove", drop_box="two", witness="sid")
    _close(night, following, "two", 500 * (len(moments) + 1))
    project(night)
    return night, day, following, moments


def _until_six(night: ClockChangeHouse) -> list[datetime]:
    """Play each half hour until the day is over by the house's clock; the proposals never go back."""
    moments, proposals = [], []
    while (local := night.moment.astimezone(night.zone)).hour >= 18 or local.hour < 6:
        night.play()
        moments.append(night.moment)
        proposals.append((action_forms.gaming_day(), action_forms.proposed("FR1")["shift"]))
        night.at(night.moment + HALF_HOUR)
    shifts = [shift for _, shift in proposals]
    assert {day for day, _ in proposals} == {night.day}
    assert shifts == sorted(shifts), "evening, then night, and it stays night"
    return moments


def _in_cage() -> dict[str, int]:
    return {"500": 16_000}


def _close(night: ClockChangeHouse, day: str, box: str, cash: int) -> None:
    """Both counters count the box, the cage closes, accounting closes the day."""
    of_box = 500 if box == "two" else cash
    for kind, person in (("count.enter", "cora"), ("count.verify", "carl")):
        count = night.action(kind, table="FR1", drop_box=box, cash={"500": of_box // 500})
        night.ok("days", day, person, count)
    night.cage("cage.close", chips=_in_cage(), cash_minor=cash)
    night.ok("days", day, "anna", night.action("day.close"))


def test_days_are_opened_rolled_and_closed(played: Played) -> None:
    _figures_are_whole(played)
    _hours_are_told_apart(played)
    _rounds_are_found(played)
    _past_is_known(played)


def _figures_are_whole(played: Played) -> None:
    night, day, following, moments = played
    assert verify(night.store).findings == []
    for name, rounds in ((day, len(moments)), (following, 1)):
        report = day_reports.make(night.store, PROPERTY, name, night.store.position())
        assert report.basis.status == "closed"
        [table] = report.figures["tables"]
        assert (table["day"]["event_win_minor"], table["day"]["inventory_win_minor"]) == (500 * rounds, 500 * rounds)


def _hours_are_told_apart(played: Played) -> None:
    night, day, _, moments = played
    hours = list(TableHour.objects.filter(gaming_day=day).order_by("hour").values_list("hour", flat=True))
    begins = list(dict.fromkeys(_hour(moment, night.zone) for moment in moments))
    assert [hour for hour in hours if hour in begins] == begins
    page = words(signed_in(Client(), "anna"), f"/days/{day}/hours")
    for hour in begins:
        local = datetime.fromisoformat(hour if ":" in hour else f"{hour}:00").replace(tzinfo=UTC).astimezone(night.zone)
        is_repeated = local.replace(fold=0).utcoffset() != local.replace(fold=1).utcoffset()
        assert f"{local:%H:%M}:00{local.isoformat()[19:] if is_repeated else ''}" in page


def _hour(moment: datetime, zone: ZoneInfo) -> str:
    """Return the beginning of the hour: the last moment with a full hour on the clock, searched minute by minute."""
    minutes = (moment - timedelta(minutes=ago) for ago in range(91))
    began = next(at for at in minutes if _is_full(at, zone))
    return began.strftime("%Y-%m-%dT%H:%M" if began.minute else "%Y-%m-%dT%H")


def _is_full(moment: datetime, zone: ZoneInfo) -> bool:
    local, before = (at.astimezone(zone) for at in (moment, moment - timedelta(minutes=1)))
    return local.minute == 0 or (before.utcoffset() != local.utcoffset() and local.hour > before.hour)


def _rounds_are_found(played: Played) -> None:
    night, _, _, moments = played
    for moment in moments:
        local = moment.astimezone(night.zone)
        events = all_matches(search(f"type:round.opened time:{local:%Y-%m-%dT%H:%M}", "default"))
        times = {datetime.fromisoformat(json.loads(event.raw)["time"]) for event in events}
        assert times == {other for other in moments if f"{other.astimezone(night.zone):%F %R}" == f"{local:%F %R}"}
        exact = all_matches(search(f"type:round.opened time:{local.isoformat()}", "default"))
        assert [datetime.fromisoformat(json.loads(event.raw)["time"]) for event in exact] == [moment]


def _past_is_known(played: Played) -> None:
    night, day, _, moments = played
    for number, moment in enumerate(moments, 1):
        local = moment.astimezone(night.zone).isoformat()
        report = day_reports.make(night.store, PROPERTY, day, position_of(night.store, local))
        assert report.figures["tables"][0]["day"]["event_win_minor"] == 500 * number
