"""Irregularities that are planted through the action interface raise their alerts, and no others."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
import pytest
from django.db import models

from projections import registry
from projections.alerts.models import Alert, WatchState
from projections.alerts.projector import AlertsProjector
from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.engine.models import Reader
from projections.engine.rebuild import Rebuild
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import PROPERTY, House


class PlantedAlertsHouse:
    """A house at work. `planted` has each planted action, by the alert that it raises."""

    def __init__(self) -> None:
        self.house = House()
        self.planted: list[tuple[str, str]] = []
        self.table = ""

    def say(self, kind: str, /, person: str = "dora", **data: Any) -> str:
        """An action that goes through; its key."""
        action = self.house.action(kind, **data)
        self.house.ok("tables", self.table, person, action)
        return action.key

    def plant(self, alert: str, kind: str, /, person: str = "dora", **data: Any) -> None:
        """A fact that raises an alert."""
        self.planted.append((alert, self.say(kind, person, _intent="fact", **data)))

    def at(self, table: str) -> None:
        """The table is opened."""
        self.table = table
        self.house.open_table(table)


def roulette(night: PlantedAlertsHouse) -> None:
    """Play late stakes, a wrong payment, too much on one place, and a missing inspector."""
    night.at("FR1")
    red: dict[str, Any] = {"wager": "red", "amount_minor": 1_000, "player": "g-1", "seat": 1}
    night.say("round.open")
    for name in ("b1", "b2"):
        night.say("bet.place", bet=name, **red)
    night.say("ball.launch", wheel="cw", ball="ccw")
    night.say("bets.close")
    night.plant("late bet", "bet.place", bet="b3", **red)
    night.plant("late change", "bet.withdraw", bet="b1")
    night.say("ball.land", number=1)
    night.say("payment.make", bet="b2", amount_minor=1_500, _intent="fact")
    night.planted.append(("mispay", night.say("round.end")))
    night.say("limits.post", "ines", minimum_minor=500, maxima_minor={"straight": 10_000})
    night.say("round.open")
    straight: dict[str, Any] = {"wager": "straight", "numbers": [7], "amount_minor": 8_000, "player": "g-1", "seat": 1}
    night.say("bet.place", bet="b4", **straight)
    night.plant("over maximum", "bet.place", bet="b5", **straight)
    night.plant("staff", "staff.leave", "ines", post="inspector")


def blackjack(night: PlantedAlertsHouse) -> None:
    """Play a round with a card without a box, two progressive bets on a box, and an undeclared hit."""
    night.at("BJ1")
    main: dict[str, Any] = {"wager": "main", "amount_minor": 1_000, "player": "g-7", "box": 1}
    night.say("round.open")
    night.say("bet.place", bet="m1", **main)
    sevens: dict[str, Any] = {"wager": "blazing7s", "amount_minor": 500, "player": "g-7", "box": 1}
    night.say("bet.place", bet="s1", **sevens)
    night.plant("second progressive bet", "bet.place", bet="s2", **sevens)
    night.say("bets.close")
    night.say("progressive.arm")
    night.say("card.deal", to="box", box=1, card="7D")
    night.plant("wrong card", "card.deal", to="box", box=1, card="2C")
    night.say("card.deal", to="dealer", card="7H")
    night.say("card.deal", to="box", box=1, card="7H")
    night.planted.append(("undeclared hit", night.say("deal.complete")))


def projected(house: House, using: str, step: int = 1_000) -> list[dict[str, Any]]:
    """Return the alerts of a projector that applies this number of events at a time."""
    applier = Applier([AlertsProjector(WriteTarget(using))], PROPERTY)
    applier.load()
    events = house.store.after(applier.position, 1_000_000)
    for first in range(0, len(events), step):
        applier.apply(events[first : first + step])
    return rows(using)


def rows(using: str) -> list[dict[str, Any]]:
    return [dict(row) for row in Alert.objects.using(using).order_by("raised_at_position", "id").values()]


def actions(house: House, alerts: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Each alert's name, with the action that made its raising event."""
    causation = {}
    for stored_event in house.store.after(0, 1_000_000):
        event = msgspec.json.decode(stored_event.raw)
        causation[event["id"]] = event.get("causation")
    return [(alert["name"], causation[msgspec.json.decode(alert["events"])[-1]]) for alert in alerts]


def test_what_is_planted_is_found_and_nothing_else(using: str) -> None:
    night = PlantedAlertsHouse()
    roulette(night)
    blackjack(night)
    alerts = projected(night.house, using)
    assert actions(night.house, alerts) == night.planted


def test_an_evening_raises_its_mispay_and_the_jackpot_in_cash(using: str) -> None:
    house = House()
    evening_with_everything.play(house)
    alerts = projected(house, using)
    assert [(alert["name"], alert["table"]) for alert in alerts] == [("mispay", "FR1"), ("cash", "BJ1")]
    assert msgspec.json.decode(alerts[0]["data"])["sum"] == evening_with_everything.MISPAID_MINOR


def test_they_are_the_same_event_by_event_again_and_after_a_rebuild(using: str) -> None:
    night = PlantedAlertsHouse()
    roulette(night)
    blackjack(night)
    whole = projected(night.house, using)
    again = Applier([AlertsProjector(WriteTarget(using))], PROPERTY)
    again.load()
    again.apply(night.house.store.after(0, 1_000_000))
    assert rows(using) == whole
    Alert.objects.using(using).all().delete()
    WatchState.objects.using(using).all().delete()
    Reader.objects.using(using).all().delete()
    assert projected(night.house, using, step=1) == whole
    [done] = Rebuild([registry.PROJECTORS["alerts"]], night.house.store, PROPERTY, using=using).run(approve=True)
    assert done.differences == []
    assert rows(using) == whole


def test_a_terminal_whose_clock_is_wrong_does_not_hold_up_the_read_models(
    using: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each action of this terminal raises an alert.

    The projector once queried each separately, four times as slowly.
    """
    night = PlantedAlertsHouse()
    night.at("FR1")
    slow = (datetime.fromisoformat(night.house.store.clock()) - timedelta(seconds=90)).isoformat()
    time = slow.replace("+00:00", "Z")
    night.say("round.open", _time=time)
    for number in range(20):
        bet: dict[str, Any] = {"wager": "red", "amount_minor": 1_000, "player": "g-1", "seat": 1}
        night.say("bet.place", bet=f"b{number}", _time=time, **bet)
    batches = list[list[str]]()
    load = WriteTarget.load

    def noted(target: WriteTarget, model: type[models.Model], keys: Sequence[str]) -> list[Any]:
        batches.append([*keys])
        return load(target, model, keys)

    monkeypatch.setattr(WriteTarget, "load", noted)
    alerts = projected(night.house, using)
    clocks = [alert["id"] for alert in alerts if alert["name"] == "clock"]
    assert len(clocks) == 21
    assert [len(keys) for keys in batches if {*keys} & {*clocks}] == [21]


def test_a_rule_that_is_off_raises_nothing_from_then_on(using: str) -> None:
    night = PlantedAlertsHouse()
    own = night.house.action("setting.change", setting="alert_rules", value="mispay: off; staff: low")
    night.house.agreed("house", "", ("anna", "sven"), own)
    roulette(night)
    alerts = projected(night.house, using, step=1)
    assert [alert["name"] for alert in alerts] == [name for name, _ in night.planted if name != "mispay"]
    assert {(alert["severity"], alert["rule_version"]) for alert in alerts if alert["name"] == "staff"} == {("low", 2)}
