"""Shared rules of all games: voids by two people, corrections, wrong payments, posts, roles, rounds."""

from typing import Any

import pytest
from msgspec.structs import asdict, fields

from events import catalogue
from events.envelope import Action, Who
from events.errors import Conflict, Forbidden, Invalid, Refused
from events.people.approval_request_lifecycle import ApprovalRequested, Moment
from events.tables import main_table_decider, round_and_bet_decider
from events.tables.actions.round_action_structs import PlaceBet
from events.tables.event_types.rounds import BetCorrected, BetPlaced, PaymentMade, RoundVoided, SettlementVoided
from events.tables.event_types.session import IrregularityRecorded
from events.tables.table_session_state_structs import TableCase
from tests.support.tables.in_memory_tables import (
    DEALER,
    INSPECTOR,
    NOW,
    WATCH,
    TableInMemory,
    baccarat_table,
    craps_table,
    opened,
    roulette_table,
)

VOID: dict[str, Any] = {"round": 1, "reason": "a card was exposed"}


def bet(name: str, wager: str = "red", amount: int = 1_000, **fields: Any) -> dict[str, Any]:
    return {"bet": name, "wager": wager, "amount_minor": amount, "player": "Ann", "seat": 1, **fields}


def spin(*bets: dict[str, Any], number: int | None = None) -> TableInMemory:
    table = roulette_table().ask("round.open")
    for bet_ in bets:
        table.ask("bet.place", **bet_)
    if number is not None:
        table.ask("ball.launch", wheel="ccw", ball="cw").ask("bets.close").ask("ball.land", number=number)
    return table


class TestAVoidRound:
    def test_is_asked_by_one_and_agreed_to_by_another(self) -> None:
        table = spin(bet("a"))
        [request] = table.act("round.void", who=INSPECTOR, **VOID)
        assert isinstance(request, ApprovalRequested)
        assert (request.table, request.round, request.person) == ("T1", 1, "ines")
        assert set(table.state.bets) == {"a"}
        table.act("approval.give", who=WATCH, request=request.request, content=request.content)
        voided = table.last(RoundVoided)
        assert voided.approvals == (("ines", "inspector"), ("sven", "surveillance"))
        assert (table.settled("a").outcome, table.state.phase, table.state.bets) == ("void", "idle", {})
        table.chips_are_conserved()
        table.replays()

    def test_takes_back_what_was_lost_and_what_is_not_paid(self) -> None:
        table = spin(bet("w"), bet("l", "black"), number=1)
        table.approved("round.void", **VOID)
        assert table.players["Ann"] == 0
        assert table.state.due == {}
        assert table.count(SettlementVoided) == 2
        table.chips_are_conserved()
        table.replays()

    def test_leaves_what_is_paid_and_says_so(self) -> None:
        table = spin(bet("w"), bet("l", "black"), number=1).pay()
        events = table.approved("round.void", **VOID)
        assert table.last(RoundVoided).kept_bets == ("w",)
        assert [event.kind for event in events if isinstance(event, IrregularityRecorded)] == ["paid before the void"]
        assert table.players["Ann"] == 1_000
        table.chips_are_conserved()

    def test_leaves_bets_of_earlier_rounds_as_they_lay(self) -> None:
        table = spin(bet("a", on_zero="prison"), number=0).end().ask("round.open")
        table.ask("ball.launch", wheel="cw", ball="ccw").ask("bets.close").ask("ball.land", number=2)
        table.approved("round.void", **{**VOID, "round": 2})
        assert table.state.bets["a"].zeros == 1
        table.chips_are_conserved()

    def test_gives_a_commission_back(self) -> None:
        table = craps_table("craps-by").ask("bet.place", **bet("b", "buy", 2_000, number=4))
        table.approved("round.void", **VOID)
        assert table.players["Ann"] == 0
        table.chips_are_conserved()

    def test_a_craps_round_comes_out_anew(self) -> None:
        table = craps_table().ask("bet.place", **bet("p", "pass")).ask("dice.offer").ask("dice.roll", dice=[2, 4])
        table.approved("round.void", **VOID)
        assert table.state.play.point is None
        table.ask("round.open").ask("bet.place", **bet("q", "pass"))

    def test_a_baccarat_round_hands_back_every_bet(self) -> None:  # I.1, BAC-14
        table = baccarat_table().ask("round.open").ask("bet.place", **bet("p", "player")).ask("bets.close")
        table.ask("card.deal", to="player", card="2C").approved("round.void", **VOID)
        assert table.players["Ann"] == 0

    def test_is_the_current_round_and_has_a_reason(self) -> None:
        table = spin(bet("a"))
        table.refused("round.void", round=2, reason="x", who=INSPECTOR, clause="house void")
        with pytest.raises(Invalid, match=r"data\.reason"):
            table.act("round.void", round=1, reason=" ", who=INSPECTOR)
        table.refused("round.void", **VOID, who=INSPECTOR, intent="fact", clause="house void")

    def test_needs_a_lead_of_the_pit_and_surveillance_neither_of_them_the_dealer(self) -> None:
        table = spin(bet("a"))
        paul = Who(person="paul", roles=frozenset({"pit boss"}), factor_s=0)
        [request] = table.act("round.void", who=INSPECTOR, **VOID)
        assert isinstance(request, ApprovalRequested)
        table.act("approval.give", who=paul, request=request.request, content=request.content)
        assert table.state.phase == "open"
        with pytest.raises(Conflict):
            table.act("approval.give", who=WATCH, request=request.request, content="0" * 64)
        table.act("approval.give", who=WATCH, request=request.request, content=request.content)
        assert table.state.phase == "idle"
        with pytest.raises(Refused, match="decided already"):
            table.act("approval.give", who=WATCH, request=request.request, content=request.content)

    def test_that_comes_too_late_is_refused(self) -> None:
        table = spin(bet("a"), number=2)
        [request] = table.act("round.void", who=INSPECTOR, **VOID)
        assert isinstance(request, ApprovalRequested)
        table.end()
        table.refused("approval.give", who=WATCH, request=request.request, content=request.content, clause="house void")

    def test_a_dealer_does_not_ask_for_it(self) -> None:
        with pytest.raises(Forbidden):
            spin(bet("a")).act("round.void", **VOID)


class TestACorrection:
    def fixed(self, table: TableInMemory, **data: Any) -> TableInMemory:
        corrects = f"{table.state.stream}@6"
        return table.lead("bet.correct", bet="a", reason="misheard", corrects=corrects, **data)

    def test_puts_right_what_was_recorded(self) -> None:
        table = self.fixed(spin(bet("a"), bet("b")), wager="black", amount_minor=1_500)
        corrected = table.last(BetCorrected)
        assert (corrected.amount_minor, corrected.stake_minor, corrected.corrects) == (
            500,
            1_500,
            f"{table.state.stream}@6",
        )
        assert list(table.state.bets) == ["a", "b"]
        assert table.state.bets["a"].wager == "black"
        table.chips_are_conserved()
        table.replays()

    def test_is_made_after_no_more_bets_too(self) -> None:
        table = spin(bet("a")).ask("ball.launch", wheel="ccw", ball="cw").ask("bets.close")
        self.fixed(table, player="Bob")
        assert table.players == {"Ann": -1_000}
        assert table.state.bets["a"].player == "Bob"

    def test_keeps_to_the_rules(self) -> None:
        table = spin(bet("a"))
        table.refused(
            "bet.correct", bet="a", reason="x", wager="split", numbers=[1, 9], corrects=f"{table.state.stream}@6",
            who=INSPECTOR, clause="roulette-french P.7",
        )  # fmt: skip

    def test_names_the_event(self) -> None:
        with pytest.raises(Invalid, match="corrects"):
            spin(bet("a")).act("bet.correct", bet="a", reason="x", who=INSPECTOR)

    def test_is_an_inspectors(self) -> None:
        with pytest.raises(Forbidden):
            spin(bet("a")).act("bet.correct", bet="a", reason="x", corrects="y")

    def test_reaches_no_bet_that_has_been_in_play(self) -> None:
        table = spin(bet("a", on_zero="prison"), number=0).end().ask("round.open")
        table.refused(
            "bet.correct",
            bet="a",
            reason="x",
            corrects=f"{table.state.stream}@6",
            who=INSPECTOR,
            clause="house correction",
        )


class TestSessionPayments:
    def test_a_wrong_one_is_refused_or_recorded(self) -> None:
        table = spin(bet("a"), number=1).both("payment.make", bet="a", amount_minor=1_500, clause="house payment")
        assert table.last(IrregularityRecorded).amount_minor == 500

    def test_one_on_a_losing_bet_may_have_happened(self) -> None:
        table = spin(bet("a"), number=2).both("payment.make", bet="a", amount_minor=1_000, clause="house payment")
        assert table.last(PaymentMade).due_minor == 0
        table.chips_are_conserved()

    def test_everything_due_is_paid_before_the_round_ends(self) -> None:
        spin(bet("a"), number=1).both("round.end", clause="house payment")

    def test_what_was_paid_on_a_bet_that_never_was_is_a_mispay(self) -> None:
        table = spin(number=1).both("payment.make", bet="x", amount_minor=100, clause="house payment")
        assert (table.last(PaymentMade).wager, table.last(PaymentMade).due_minor) == ("unknown", 0)


class TestPosts:
    def test_croupier_and_boxman_are_words_for_dealer_and_inspector(self) -> None:
        table = opened("craps", "craps-gr").lead("staff.assign", post="croupier", person="carl")
        table.lead("staff.assign", post="boxman", person="bert")
        assert (table.state.dealer, table.state.inspector) == ("carl", "bert")

    def test_nobody_has_two_posts_at_once(self) -> None:
        table = opened("craps", "craps-gr").lead("staff.assign", post="stickman", person="stan")
        table.refused("staff.assign", post="dealer", person="stan", who=INSPECTOR, clause="house staff")
        table.refused("staff.assign", post="dealer", person="ines", who=INSPECTOR, clause="house staff")
        table.lead("staff.assign", post="stickman", person="sara").lead("staff.assign", post="dealer", person="stan")


def test_rounds_without_bets_belong_to_baccarat() -> None:
    roulette_table().refused("round.open", free=True, clause="roulette-french P")


def test_what_is_not_done_in_a_game_is_refused() -> None:
    roulette_table().refused("dice.roll", dice=[1, 2], clause="roulette-french P")


def test_an_action_for_another_round_is_a_conflict() -> None:
    action = Action(type="round.open", key="k", round=7)
    with pytest.raises(Conflict):
        main_table_decider.decide(
            roulette_table().state, action, catalogue.decode_action(action), INSPECTOR, Moment(NOW, {})
        )


def test_a_placed_bet_has_each_field_of_its_action() -> None:
    values: dict[str, Any] = {
        "bet": "a",
        "wager": "come",
        "amount_minor": 7,
        "player": "Ann",
        "seat": 1,
        "box": 2,
        "numbers": (3,),
        "which": 4,
        "base": "b",
        "on_zero": "half",
        "after_win": "stay",
        "working": True,
        "number": 5,
        "tender": "promotional",
    }
    data = PlaceBet(**values)
    assert set(values) == set(PlaceBet.__struct_fields__)
    session = roulette_table().state
    event = round_and_bet_decider.new_bet(TableCase(session, Action(type=PlaceBet.TYPE, key="k"), DEALER, []), data)
    assert {name: getattr(event, name) for name in values} == values
    bet_fields = asdict(round_and_bet_decider.bet_placed(session, event).bets["a"])
    own_fields = {"id": "a", "stake": 7, "voucher": 7, "zeros": 0, "commission": 0, "placed_in": 0}
    elsewhere = ("bet", "amount_minor", "tender")
    assert bet_fields == {**own_fields, **{name: value for name, value in values.items() if name not in elsewhere}}


def test_a_bet_and_its_event_have_the_same_defaults() -> None:
    event_defaults = {field.name: field.default for field in fields(BetPlaced)}
    for field in fields(PlaceBet):
        if not field.required:
            assert field.default == event_defaults[field.name], field.name
