"""The floor's rows: a round follows from its events, in any batches. Irregularities name their clearing roles."""

from typing import Any

import msgspec

from events.floor.table_installation_decider import TableInstalled
from events.tables.armed_round_rebuilt_from_events import UNDECLARED
from events.tables.event_types.progressive import HitDeclared
from events.tables.event_types.rounds import (
    BetPlaced,
    BetSettled,
    BetWithdrawn,
    RoundEnded,
    RoundOpened,
    RoundVoided,
    SettlementVoided,
)
from events.tables.event_types.session import IrregularityRecorded
from events.tables.event_types.shoe_and_dealt_cards import CardDealt
from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.engine.models import Reader
from projections.floor.models import InstalledTable, Irregularity, PlayedRound
from projections.floor.projector import FloorProjector
from tests.support.houses.sample_event_streams import History, SampleTableDay

BET: dict[str, Any] = {"bet": "b1", "wager": "red", "player": "g-1", "seat": 1, "amount_minor": 1000}


def project(using: str, history: History, step: int = 1_000) -> None:
    applier = Applier([FloorProjector(WriteTarget(using))], "athens")
    applier.load()
    for first in range(0, len(history.events), step):
        applier.apply(history.events[first : first + step])


def rows(using: str) -> list[dict[str, Any]]:
    return [dict(row) for row in PlayedRound.objects.using(using).order_by("position").values()]


def test_a_round_has_its_result_its_players_and_its_money(using: str) -> None:
    history = History()
    table = SampleTableDay(history, "R1").open()
    table.bet(1000, 2000, paid=1900)
    table.bet(500, -500, player="g-2")
    project(using, history)
    won, lost = rows(using)
    assert (won["round"], won["state"], won["result"], won["colour"]) == (1, "ended", "7", "red")
    assert (won["bets"], won["stakes_minor"], won["due_minor"], won["paid_minor"]) == (1, 1000, 2000, 1900)
    assert (won["win_minor"], lost["win_minor"]) == (-2000, 500)
    assert msgspec.json.decode(lost["players"]) == ["g-2"]
    assert won["began"] <= won["ended"]


def test_it_is_the_same_event_by_event(using: str) -> None:
    history = History()
    tables = [SampleTableDay(history, name).open() for name in ("R1", "R2")]
    for number in range(4):
        tables[number % 2].bet(1000 + number, -1000 - number)
    project(using, history)
    whole = rows(using)
    PlayedRound.objects.using(using).all().delete()
    Reader.objects.using(using).all().delete()
    project(using, history, step=1)
    assert rows(using) == whole
    assert len(whole) == 4


def test_what_is_taken_back_counts_no_more(using: str) -> None:
    history = History()
    table = SampleTableDay(history, "R1").open()
    table.round = 1
    table.say(RoundOpened)
    table.say(BetPlaced, **BET)
    table.say(BetPlaced, **{**BET, "bet": "b2", "amount_minor": 300})
    table.say(BetWithdrawn, **{**BET, "bet": "b2", "amount_minor": 300})
    settled = {**BET, "profit_minor": 1000, "returned_minor": 1000}
    table.say(BetSettled, outcome="win", **settled)
    table.say(SettlementVoided, **settled)
    table.say(RoundVoided, reason="the wheel stood still")
    table.say(RoundEnded)
    project(using, history)
    [row] = rows(using)
    assert (row["state"], row["bets"], row["stakes_minor"]) == ("voided", 2, 1000)
    assert (row["due_minor"], row["returned_minor"], row["win_minor"]) == (0, 0, 0)


def test_a_round_that_was_never_opened_is_none(using: str) -> None:
    history = History()
    table = SampleTableDay(history, "R1").open()
    table.round = 1
    table.say(BetPlaced, **BET)
    project(using, history)
    assert rows(using) == []


def test_the_dealers_cards_and_the_hits_stand_in_the_round(using: str) -> None:
    history = History()
    table = SampleTableDay(history, "BJ1", ruleset="blackjack-trilux").open(game="blackjack")
    table.round = 1
    table.say(RoundOpened)
    for index, (card, to) in enumerate((("TS", "dealer"), ("7D", "box"), ("9C", "dealer")), 1):
        table.say(CardDealt, card=card, to=to, index=index)
    table.say(HitDeclared, hit="h-1", level="mega", box=1, player="g-1", progressive="blazing")
    project(using, history)
    [row] = rows(using)
    assert (row["result"], row["hits"], row["state"]) == ("10♠ 9♣", 1, "in play")


def test_an_irregularity_names_who_clears_it(using: str) -> None:
    history = History()
    table = SampleTableDay(history, "BJ1", ruleset="blackjack-trilux").open(game="blackjack")
    for kind in ("mispay", UNDECLARED):
        where = {**table.where, "round": 3, "dealer": "p-dealer", "inspector": "p-inspector"}
        history.append(table.stream, IrregularityRecorded(kind=kind, clause="house payment", detail="5 short", **where))
    project(using, history)
    rows_ = Irregularity.objects.using(using).order_by("position").values_list("kind", "round", "clearer", "action")
    assert list(rows_) == [
        ("mispay", 3, "inspector or pit boss", ""),
        (UNDECLARED, 3, "inspector or pit boss, with surveillance", "hit.declare_late"),
    ]


def test_a_table_stands_as_it_was_installed_last(using: str) -> None:
    history = History()
    table: dict[str, Any] = {"table": "R1", "game": "roulette", "currency": "EUR"}
    for pit, ruleset in (("A", "roulette-gr"), ("B", "roulette-us")):
        history.append("athens/floor", TableInstalled(pit=pit, ruleset=ruleset, **table))
    project(using, history)
    [row] = InstalledTable.objects.using(using).all()
    assert (row.table, row.pit, row.ruleset) == ("R1", "B", "roulette-us")
