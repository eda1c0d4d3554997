"""Bets, stakes and net win of players in their events: raised, doubled, corrected and void bets, by hand."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from backoffice.surveillance.timeline_page import timeline
from events.hold.hold_entries_fold import HandleBooks
from events.tables.event_types.rounds import BetPlaced, SettlementCorrected
from projections.engine.batch_applier import Applier
from projections.engine.decoded_events import Event, decode
from projections.eventlog.models import EventLog
from projections.people.round_results_and_hourly_sums import TableResults
from projections.registry import projectors
from tests.integration.pages.test_sums_of_tables import baccarat, craps, put_right
from tests.support.houses.sample_event_streams import History
from tests.support.tables.in_memory_tables import PROPERTY, TableInMemory, blackjack_table, craps_table, roulette_table
from tests.unit.accounting.test_staked_vouchers import resettle
from tests.unit.tables.test_blackjack import bet as box_bet
from tests.unit.tables.test_blackjack import card_to, dealt
from tests.unit.tables.test_craps import bet, on_six

pytestmark = pytest.mark.django_db
Figures = tuple[int, int, int]  # bets, stakes and net win


def split_and_doubled() -> TableInMemory:
    """The first hand is doubled and loses, the second one loses; the insured hand of the next round is void."""
    table = blackjack_table().ask("round.open").ask("bet.place", **box_bet("m")).ask("bets.close")
    dealt(table, (1, "8C"), (0, "9D"), (1, "8D")).ask("hand.split", box=1)
    card_to(table, 1, "3C", 0)
    card_to(table, 1, "KC", 1)
    table.ask("hand.double", box=1, hand=0)
    card_to(table, 1, "5C", 0)
    table.ask("hand.stand", box=1, hand=1)
    card_to(table, 0, "TD").end()
    table.ask("round.open").ask("bet.place", **box_bet("n", amount=2_000)).ask("bets.close")
    dealt(table, (1, "TC"), (0, "AD"), (1, "9C")).ask("insurance.take", box=1, amount_minor=1_000)
    table.approved("round.void", round=2, reason="a card on the floor")
    return table


def bought_by_bob() -> TableInMemory:
    """A buy bet of 20.00 with 1.00 commission was recorded for the shooter; it is Bob's, for 40.00 and 2.00."""
    table = on_six("craps-by").ask("bet.place", **bet("b", "buy", 2_000, number=4))
    placed = next(at for at, event in enumerate(table.events) if isinstance(event, BetPlaced) and event.bet == "b")
    corrects = f"{table.state.stream}@{placed + 1}"
    table.lead("bet.correct", bet="b", reason="misheard", corrects=corrects, player="Bob", amount_minor=4_000)
    return table


def taken_over() -> TableInMemory:
    """Dora deals a line of 10.00, which loses. Drew deals one of 30.00 by the same name, and Dora hands it back."""
    table = craps_table("craps-by")

    def line(stake: int) -> None:
        where = {"player": table.state.play.shooter, "seat": 1}
        table.ask("bet.place", bet="line", wager="pass", amount_minor=stake, **where)

    line(1_000)
    table.ask("dice.offer").ask("dice.roll", dice=[2, 2])
    table.ask("dice.offer").ask("dice.roll", dice=[3, 4]).end()
    table.lead("staff.assign", post="dealer", person="drew")
    table.ask("shooter.appoint", seat=2, player="Bob").ask("round.open").ask("dice.choose", places=[0, 1])
    line(3_000)
    table.lead("staff.assign", post="dealer", person="dora")
    return table.ask("bet.withdraw", bet="line")


def dealt_by(table: TableInMemory, person: str) -> None:
    table.lead("staff.assign", post="dealer", person=person)


def buy(table: TableInMemory, name: str, stake: int, number: int) -> None:
    where = {"player": table.state.play.shooter, "seat": 1}
    table.ask("bet.place", bet=name, wager="buy", amount_minor=stake, number=number, **where)


def next_line(table: TableInMemory, stake: int) -> None:
    """Open a round with a line bet, and set the point 4."""
    table.ask("round.open")
    if not table.state.play.chosen:
        table.ask("dice.choose", places=[0, 1])
    where = {"player": table.state.play.shooter, "seat": 1}
    table.ask("bet.place", bet="line", wager="pass", amount_minor=stake, **where)
    table.ask("dice.offer").ask("dice.roll", dice=[2, 2])


def raised_by_another() -> TableInMemory:
    """Dora takes a line of 10.00, and buys of 5 and 9 for 20.00 each. They lose under Drew.

    Drew takes a line of 10.00 in the next round, and buys of 5 and 6 for 40.00 each. He also takes one of 10, recorded
    with 20.00 instead of 30.00 at first. Dora raises 6 by 20.00, and lowers it by 40.00 then. She raises 10 by 20.00
    too. She hands 5 back, and all others lose. Two bets have names of the first round.
    """
    table = craps_table("craps-by")
    table.ask("bet.place", bet="line", wager="pass", amount_minor=1_000, player=table.state.play.shooter, seat=1)
    table.ask("dice.offer").ask("dice.roll", dice=[2, 2])
    buy(table, "b5", 2_000, 5)
    buy(table, "b6", 2_000, 9)
    dealt_by(table, "drew")
    table.ask("dice.offer").ask("dice.roll", dice=[3, 4]).end()
    table.ask("shooter.appoint", seat=2, player="Bob")
    next_line(table, 1_000)
    buy(table, "b5", 4_000, 5)
    buy(table, "b6", 4_000, 6)
    buy(table, "b10", 2_000, 10)
    dealt_by(table, "dora")
    table.ask("bet.restake", bet="b6", amount_minor=6_000).ask("bet.restake", bet="b6", amount_minor=2_000)
    placed = next(at for at, event in enumerate(table.events) if isinstance(event, BetPlaced) and event.bet == "b10")
    corrects = f"{table.state.stream}@{placed + 1}"
    table.lead("bet.correct", bet="b10", reason="misheard", corrects=corrects, amount_minor=3_000)
    table.ask("bet.restake", bet="b10", amount_minor=5_000).ask("bet.withdraw", bet="b5")
    return table.ask("dice.offer").ask("dice.roll", dice=[3, 4]).end()


def raised_after_a_void() -> TableInMemory:
    """Dora takes a line of 10.00, which wins, and a buy of 5 for 20.00, which stays. It loses in the next round.

    That round is void. In the third one Drew raises the buy by 20.00, and it loses.
    """
    table = craps_table("craps-by")
    table.ask("bet.place", bet="line", wager="pass", amount_minor=1_000, player=table.state.play.shooter, seat=1)
    table.ask("dice.offer").ask("dice.roll", dice=[2, 2])
    buy(table, "b5", 2_000, 5)
    table.ask("dice.offer").ask("dice.roll", dice=[2, 2]).end()
    next_line(table, 5_000)
    table.ask("dice.offer").ask("dice.roll", dice=[3, 4])
    table.approved("round.void", round=2, reason="a die on the floor")
    dealt_by(table, "drew")
    table.ask("shooter.appoint", seat=2, player="Bob")
    next_line(table, 500)
    table.ask("bet.restake", bet="b5", amount_minor=4_000)
    return table.ask("dice.offer").ask("dice.roll", dice=[3, 4]).end()


def logged(table: TableInMemory) -> TableInMemory:
    """Put the table's events into the log."""
    history = History()
    for event in table.events:
        history.append(table.state.stream.partition("/")[2], event)
    applier = Applier(projectors(), PROPERTY)
    applier.load()
    assert applier.apply(history.events).poisoned == 0
    return table


def play(kind: str, name: str, player: str = "") -> Figures:
    figures = timeline(kind, name, player=player).play
    assert figures is not None
    assert figures.average_minor == (round(figures.stakes_minor / figures.bets) if figures.bets else None)
    return figures.bets, figures.stakes_minor, figures.net_win_minor


@pytest.mark.parametrize(
    ("played", "ann"),
    [
        # The line, a raised, a corrected and a pressed bet. The bet taken back and the void round count nothing.
        (craps, (4, 1_000 + 4_000 + 4_000 + 2_400, -400)),
        # The line was 15.00 and not 10.00, the bet on 9 was 20.00 and not 40.00.
        (put_right, (4, 1_500 + 4_000 + 2_000 + 2_400, -3_900)),
        (baccarat, (1, 1_001, 950)),  # a bet of Bob's came too late, and went back
    ],
)
def test_the_stake_of_a_bet_is_what_was_laid_on_it_and_not_handed_back(
    played: Callable[[], TableInMemory], ann: Figures
) -> None:
    logged(played())
    assert play("player", "Ann") == ann
    assert play("player", "Bob") == (0, 0, 0)
    assert play("table", "T1") == play("dealer", "dora") == ann


def test_split_and_doubled_hands_add_to_the_stake_of_their_bet() -> None:
    logged(split_and_doubled())
    assert play("player", "Ann") == play("table", "T1") == (1, 1_000 + 1_000 + 1_000, -3_000)


def test_a_bet_recorded_for_another_player_is_the_play_of_its_own() -> None:
    table = logged(bought_by_bob())
    shooter, line = table.state.play.shooter, table.state.bets["p"].stake
    assert play("player", shooter) == play("dealer", "dora", shooter) == (1, line, 0)
    assert play("player", "Bob") == play("dealer", "dora", "Bob") == (1, 4_000, -200)
    assert play("table", "T1") == (2, line + 4_000, -200)


def test_the_hold_by_player_has_its_commission() -> None:
    table, handle = bought_by_bob(), HandleBooks()
    for event in table.events:
        handle.take(event)
    won = {entry.of["player"]: entry.amounts.event_win_minor for entry in handle.entries() if "player" in entry.of}
    assert {player: minor for player, minor in won.items() if minor} == {"Bob": 200}


def test_the_results_of_people_have_it_too() -> None:
    table, history = bought_by_bob(), History()
    results = TableResults(table.state.stream, "Europe/Athens")
    for event in table.events:
        history.append(table.state.stream.partition("/")[2], event)
    for decoded in decode(history.events):
        assert isinstance(decoded, Event)
        results.take(decoded.position, decoded.envelope)
    shares = {share.player: (share.bets, share.staked_minor, share.win_minor) for share in results.rounds()}
    shooter, line = table.state.play.shooter, table.state.bets["p"].stake
    assert shares == {"": (2, line + 4_000, 200), shooter: (1, line, 0), "Bob": (1, 4_000, 200)}


def test_a_bet_of_another_dealer_is_no_change_of_an_older_one_by_its_name() -> None:
    logged(taken_over())
    assert play("dealer", "dora") == (1, 1_000, -1_000)
    assert play("table", "T1") == (1, 1_000, -1_000)


def test_a_stake_is_the_play_of_the_dealer_who_laid_it_unless_any_dealer_handed_it_back() -> None:
    logged(raised_by_another())
    assert play("dealer", "dora")[:2] == (3, 1_000 + 2_000 + 2_000 + 2_000)
    assert play("dealer", "drew")[:2] == (3, 1_000 + 2_000 + 3_000)
    assert play("table", "T1")[:2] == (6, 7_000 + 6_000)
    assert play("dealer", "dora")[2] + play("dealer", "drew")[2] == play("table", "T1")[2]


def test_a_bet_whose_settlement_was_void_is_on_the_layout_again() -> None:
    logged(raised_after_a_void())
    assert play("dealer", "dora")[:2] == (2, 1_000 + 2_000)
    assert play("dealer", "drew")[:2] == (1, 500 + 2_000)
    assert play("table", "T1")[:2] == (3, 5_500)


def test_a_bet_that_another_dealer_voids_after_its_settlement_does_not_count() -> None:
    table = craps_table("craps-by")
    table.ask("bet.place", bet="line", wager="pass", amount_minor=1_000, player=table.state.play.shooter, seat=1)
    table.ask("dice.offer").ask("dice.roll", dice=[3, 4])
    dealt_by(table, "drew")
    table.approved("round.void", round=1, reason="a die on the floor")
    logged(table)
    assert (play("dealer", "dora"), play("dealer", "drew")) == ((0, 0, 1_000), (0, 0, -1_000))
    assert play("table", "T1") == (0, 0, 0)


def test_of_other_dealers_only_events_about_the_dealers_own_bets_are_read() -> None:
    """Drew relieves Dora for the second round, in which each of them lays a bet. Two people correct bets of both.

    Then Dora's events about other bets or rounds are unreadable: the play of Drew does not need them.
    """
    table = roulette_table()
    for number in (1, 2, 3):
        table.ask("round.open").ask("bet.place", **bet("a", "red", 1_000)).ask("bet.place", **bet("b", "red", 2_000))
        wheel, ball = ("cw", "ccw") if number % 2 else ("ccw", "cw")
        table.ask("ball.launch", wheel=wheel, ball=ball).ask("bets.close").ask("ball.land", number=2).ask("round.end")
    corrected = {(1, "a"): 5_000, (2, "a"): 3_000, (2, "b"): 4_000}
    for (number, name), stake in corrected.items():
        resettle(table, name, number, stake)
    for at, event in enumerate(table.events):
        is_drews = (
            getattr(event, "round", None) == 2
            and getattr(event, "bet", "") != "b"
            and not isinstance(event, SettlementCorrected)
        )
        if getattr(event, "dealer", None):
            table.events[at] = replace(event, dealer="drew" if is_drews else "dora")
    logged(table)
    assert play("dealer", "drew")[:2] == (1, 3_000)
    of_dora = EventLog.objects.filter(dealer="dora")
    others = [row.position for row in of_dora if b'"bet":"b"' in bytes(row.raw) or row.round != 2]
    assert EventLog.objects.filter(position__in=others).update(raw=b'{"data":{"bet":"b"}}') > 4
    assert play("dealer", "drew")[:2] == (1, 3_000)


def test_a_bet_that_another_dealer_lowers_after_its_correction_is_lowered_for_its_own_dealer() -> None:
    """Dora lays Bob's bet as the shooter's, and gives it to Bob. Under Drew it is corrected, and lies lower later."""
    table = craps_table("craps-by")
    table.ask("bet.place", bet="line", wager="pass", amount_minor=1_000, player=table.state.play.shooter, seat=1)
    table.ask("dice.offer").ask("dice.roll", dice=[2, 2])
    buy(table, "b5", 4_000, 5)
    placed = next(at for at, event in enumerate(table.events, 1) if isinstance(event, BetPlaced) and event.bet == "b5")
    correction: dict[str, Any] = {"bet": "b5", "reason": "misheard", "corrects": f"{table.state.stream}@{placed}"}
    table.lead("bet.correct", **correction, player="Bob")
    dealt_by(table, "drew")
    table.lead("bet.correct", **correction, amount_minor=6_000)
    table.ask("dice.offer").ask("dice.roll", dice=[2, 2]).end()
    next_line(table, 1_000)
    table.ask("bet.restake", bet="b5", amount_minor=2_000)
    table.ask("dice.offer").ask("dice.roll", dice=[3, 4]).end()
    logged(table)
    assert play("dealer", "dora", "Bob")[:2] == play("player", "Bob")[:2] == (1, 2_000)


@pytest.mark.parametrize(
    "played", [craps, put_right, split_and_doubled, taken_over, raised_by_another, raised_after_a_void]
)
@pytest.mark.parametrize("seed", range(5))
def test_whoever_deals_the_play_of_the_dealers_adds_up_to_that_of_the_table(
    played: Callable[[], TableInMemory], seed: int
) -> None:
    random, table, dealer = Random(seed), played(), "dora"
    for number, event in enumerate(table.events):
        dealer = random.choice(("dora", "drew", "carl")) if random.random() < 0.2 else dealer
        if getattr(event, "dealer", None):
            table.events[number] = replace(event, dealer=dealer)
    logged(table)
    dealers = {person for event in table.events if (person := getattr(event, "dealer", None))}
    shares = [share for person in dealers if (share := timeline("dealer", person).play) is not None]
    figures = zip(*((share.bets, share.stakes_minor, share.net_win_minor) for share in shares), strict=True)
    assert tuple(map(sum, figures)) == play("table", "T1")
