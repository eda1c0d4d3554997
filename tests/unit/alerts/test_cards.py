"""Cards that cannot be and cards in the wrong place; and the irregularities that are alerts by their kind."""

from typing import Any

import msgspec
import pytest

from events.games.baccarat.event_types import CardKept, CardsBurnt
from events.tables.event_types.session import IrregularityRecorded, LayoutCarried
from events.tables.event_types.shoe_and_dealt_cards import CardDealt, CardMisdealt, ShoeLoaded
from tests.support.houses.sample_event_streams import PROPERTY, History, SampleTableDay
from tests.support.pages.raised_alerts import names, raised


@pytest.fixture
def history() -> History:
    return History()


def shoe(history: History, packs: int = 1) -> SampleTableDay:
    table = SampleTableDay(history, "PB1", ruleset="baccarat-commission").open(game="baccarat")
    table.say(ShoeLoaded, shoe="s-1", packs=packs)
    return table


def deal(table: SampleTableDay, card: str) -> int:
    return table.say(CardDealt, card=card, to="player", index=1)


def test_a_card_too_many_is_impossible_once_a_card(history: History) -> None:
    table = shoe(history, packs=2)
    for card in ("7H", "7H", "8H"):
        deal(table, card)
    assert names(history) == []
    deal(table, "7H")
    table.say(IrregularityRecorded, kind="card not in the shoe", clause="house shoe", detail="7H came 2 times already")
    table.say(CardMisdealt, card="7H", to="player")
    alerts = raised(history)
    assert [alert.name for alert in alerts] == ["impossible card", "impossible card"]
    assert [msgspec.json.decode(alert.data)["came"] for alert in alerts] == [3, 4]


def test_another_shoe_begins_anew(history: History) -> None:
    table = shoe(history)
    deal(table, "7H")
    table.say(ShoeLoaded, shoe="s-2", packs=1)
    deal(table, "7H")
    assert names(history) == []


def test_a_kept_card_counts_once(history: History) -> None:
    table = shoe(history)
    table.say(CardKept, card="7H")
    deal(table, "7H")
    assert names(history) == []
    deal(table, "7H")
    assert names(history) == ["impossible card"]


def test_cards_burnt_face_down_count_by_number(history: History) -> None:
    table = shoe(history)
    table.say(CardsBurnt, card="9S", face_down=9)
    pack = [rank + suit for rank in "A23456789TJQK" for suit in "HDC"]  # in no order of a new pack
    for card in (*pack, "AS", "2S", "3S"):
        deal(table, card)
    assert names(history) == []
    deal(table, "4S")
    assert names(history) == ["impossible card"]


def test_a_shoe_goes_on_into_the_next_gaming_day(history: History) -> None:
    table = SampleTableDay(history, "PB1", day="2026-11-21", ruleset="baccarat-commission").open(game="baccarat")
    table.say(LayoutCarried, play={"shoe": "s-1", "packs": 1, "seen": {"7H": 1, "2C": 1}, "kept": ["2C"]})
    deal(table, "2C")
    assert names(history) == []
    deal(table, "7H")
    assert names(history) == ["impossible card"]


def test_a_wrong_card_is_raised_once_an_action_with_the_card(history: History) -> None:
    table = shoe(history)
    where = {**table.where, "dealer": "p-dealer"}
    for kind in ("card out of order", "card out of order"):
        history.append(
            table.stream,
            IrregularityRecorded(**where, kind=kind, clause="I.2", detail="one too many"),
            causation="a-1",
            intent="fact",
        )
    [alert] = raised(history)
    assert (alert.name, alert.person) == ("wrong card", "p-dealer")
    history.append(table.stream, CardKept(**where, card="7H"), causation="a-2", intent="fact")
    irregular = IrregularityRecorded(**where, kind="card out of order", clause="I.2", detail="one too many")
    history.append(table.stream, irregular, causation="a-2", intent="fact")
    assert [len(msgspec.json.decode(alert.events)) for alert in raised(history)] == [1, 2]


@pytest.mark.parametrize(
    ("kind", "detail", "name"),
    [
        ("foreign die", "not one of the dice on the table: X-1", "foreign dice"),
        ("second progressive bet", "a second one", "second progressive bet"),
        ("undeclared hit", "box 2 shows minor", "undeclared hit"),
        ("over maximum", "the maximum here is 1000", "over maximum"),
        ("limits", "2000 is over the maximum of 1000 for pass", "over maximum"),
        ("limits", "5 is under the minimum of 10", "irregularity"),
        ("limits", "stakes here are from 50 to 80", "over maximum"),
        ("limits", "stakes here are from 200 to 500", "irregularity"),
        ("limits", "stakes here are from 200 to 500, not 100", "irregularity"),
        ("limits", "stakes here are from 200 to 500, not 580", "over maximum"),
        ("late or bad bet", "the maximum here is 1000", "over maximum"),
        ("card not drawn", "the player's third", "wrong card"),
        ("without the role", "cage may not deal", "irregularity"),
        ("dice not taken", "the shooter took A and B", "irregularity"),
    ],
)
def test_an_irregularity_is_an_alert_by_its_kind(history: History, kind: str, detail: str, name: str) -> None:
    table = SampleTableDay(history).open()
    about: dict[str, Any] = {"player": "g-1", "box": 2, "bet": "b1", "amount_minor": 100}
    table.say(IrregularityRecorded, kind=kind, clause="x", detail=detail, **about)
    [alert] = raised(history)
    assert (alert.name, alert.person) == (name, "p-dealer" if name == "wrong card" else "g-1")


def test_what_was_burnt_face_down_counts_after_the_day_is_rolled(history: History) -> None:
    """Nine cards are face down since the day before, so fewer of the 52 can still come."""
    old = shoe(history)
    old.say(CardsBurnt, card="9S", face_down=9)
    new = SampleTableDay(history, "PB1", day="2026-11-21", ruleset="baccarat-commission")
    follows = f"{PROPERTY}/{old.stream}"
    new.open(game="baccarat", follows=follows)
    new.say(LayoutCarried, play={"shoe": "s-1", "packs": 1, "seen": {"9S": 1}})
    pack = [rank + suit for rank in "A23456789TJQK" for suit in "HDC"]
    for card in (*pack, "AS", "2S", "3S"):
        deal(new, card)
    assert names(history) == []
    deal(new, "4S")
    assert names(history) == ["impossible card"]
