"""Liability against funding, and odds against actual hits, with intervals that published tables confirm."""

from collections.abc import Iterator

import pytest

from events.luck.intervals_and_tail_probabilities import rate_interval
from events.luck.observed_against_expected_hits import at_most, likelihood, odds
from events.progressives.action_structs import DepositFund, WithdrawFund
from events.progressives.liability import is_short, liability
from events.rules.game_declaration_and_registry import hands_of
from tests.support.houses.progressive_house import Casino, DeskRefusal

MICRO = 1_000_000

HANDS = hands_of("blazing7s")


@pytest.fixture
def casino() -> Iterator[Casino]:
    built = Casino()
    yield built
    built.close()


def test_contributions_fund_what_they_make(casino: Casino) -> None:
    casino.play("BJ1")
    for owed in liability(casino.fold):
        assert owed.owed == owed.meter
        assert owed.funded == owed.owed + owed.reserve
        assert owed.short == 0


def test_the_house_owes_the_seed_beyond_the_reserve(casino: Casino) -> None:
    casino.play("BJ1", hits=((1, "major"),))
    mega, major, _ = liability(casino.fold)
    assert major.unpaid == 800_060 * MICRO
    assert major.owed == (800_060 + 500_000) * MICRO
    assert major.short == 500_000 * MICRO
    assert mega.short == 0
    assert is_short(liability(casino.fold))


def test_wa_455_what_players_are_owed_stays_in_the_fund(casino: Casino) -> None:
    casino.play("BJ1", hits=((1, "major"),))
    out = {"level": "major", "document": "bank 7"}
    with pytest.raises(DeskRefusal, match="less than players are owed"):
        casino.ask(WithdrawFund(amount_minor=1, **out), "anna", "mark")
    short = sum(owed.owed - owed.funded for owed in liability(casino.fold)) // MICRO
    casino.ask(DepositFund(amount_minor=short + 500, **out), "anna", "mark")
    with pytest.raises(DeskRefusal, match="less than players are owed"):
        casino.ask(WithdrawFund(amount_minor=501 + 1, **out), "anna", "mark")
    casino.ask(WithdrawFund(amount_minor=500, **out), "anna", "mark")
    assert casino.fold.state.levels["major"].deposited == short


def test_what_is_always_so(casino: Casino) -> None:
    """Owed less funded is what the house has put into seeds and shares and not deposited, less the reserve."""
    for _ in range(3):
        casino.play("BJ1", hits=((1, "mega"), (2, "minor")))
        for owed, level in zip(liability(casino.fold), casino.fold.state.levels.values(), strict=True):
            locks = casino.fold.locks(level.name)
            house = sum(lock.seed - lock.from_reserve + lock.house * MICRO for lock in locks)
            assert owed.owed - owed.funded == house - level.reserve


@pytest.mark.parametrize(
    ("count", "low", "high"),
    # Garwood's exact limits, as every table of the Poisson distribution has them
    [
        (0, 0.0, 3.689),
        (1, 0.0253, 5.572),
        (2, 0.2422, 7.225),
        (5, 1.623, 11.668),
        (10, 4.795, 18.390),
        (100, 81.36, 121.63),
    ],
)
def test_the_exact_interval_of_a_count(count: int, low: float, high: float) -> None:
    interval = rate_interval(count, 1.0)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=0.006)


def test_probabilities() -> None:
    assert at_most(0, 0.0) == 1.0
    assert at_most(2, 3.0) == pytest.approx(0.42319)
    assert likelihood(0, 0.0) == 1.0
    assert likelihood(1, 0.0) == 0.0
    assert likelihood(3, 3.0) == 1.0
    assert likelihood(12, 3.0) < 0.001


def test_hits_beside_what_the_cards_make_likely() -> None:
    """6 packs: a Mega in 1 of about 252,000 bets."""
    usual = odds(HANDS, {"mega": 4, "minor": 70}, {6: 1_000_000})
    assert usual[0].expected == pytest.approx(3.98, abs=0.1)
    assert [hit.is_usual for hit in usual if hit.level != "major"] == [True, True]
    assert not usual[1].is_usual, "no Major in a million bets"
    assert odds(HANDS, {"mega": 40}, {6: 1_000_000})[0].likelihood < 1e-9
    by_packs = odds(HANDS, {}, {4: 500_000, 6: 500_000})[0]
    assert odds(HANDS, {}, {4: 1_000_000})[0].expected < by_packs.expected < usual[0].expected
