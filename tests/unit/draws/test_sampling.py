"""The draw from a seed: uniform, weighted, without replacement, and the same in the verifier's own code."""

import hashlib
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.inspection_draws import verifiable_weighted_draw
from tools import verify_draw

# Chi-square at p = 0.001, by degrees of freedom.
AT_MOST = {3: 16.266, 7: 24.322, 11: 31.264}


def chi_square(counts: Counter[int], expected: Sequence[float]) -> float:
    return sum((counts[entry] - wanted) ** 2 / wanted for entry, wanted in enumerate(expected, 1))


def seed(number: int) -> bytes:
    return hashlib.sha256(number.to_bytes(8, "big")).digest()


@given(st.binary(min_size=32, max_size=32), st.lists(st.integers(1, 1_000_000), min_size=1, max_size=60), st.data())
def test_the_verifier_draws_the_same_with_its_own_code(seed: bytes, weights: list[int], data: st.DataObject) -> None:
    number = data.draw(st.integers(1, len(weights)))
    drawn = verifiable_weighted_draw.draw(seed, weights, number)
    assert verify_draw.recompute(seed, weights, number) == [*drawn]
    assert len({*drawn}) == number
    assert {*drawn} <= {*range(1, len(weights) + 1)}


def test_a_draw_stays_what_it_was() -> None:
    secret, head = bytes(range(32)), b'{"number":7}'
    assert verifiable_weighted_draw.draw(verifiable_weighted_draw.seed_of(secret, head), [1, 1, 2, 5, 1], 3) == (
        3,
        1,
        4,
    )
    assert (
        verifiable_weighted_draw.commitment_of(secret)
        == hashlib.sha256(b"pitledger draw commitment v1\n" + secret).hexdigest()
    )


def test_equal_weights_are_drawn_equally_often() -> None:
    counts = Counter(
        entry for number in range(4_000) for entry in verifiable_weighted_draw.draw(seed(number), [1] * 12, 3)
    )
    assert chi_square(counts, [1_000] * 12) < AT_MOST[11]


def test_the_first_entry_follows_the_weights() -> None:
    weights = [1, 2, 3, 4]
    counts = Counter(verifiable_weighted_draw.draw(seed(number), weights, 1)[0] for number in range(4_000))
    assert chi_square(counts, [400 * weight for weight in weights]) < AT_MOST[3]


def test_a_number_that_would_favour_some_entries_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        verifiable_weighted_draw, "SPACE", 256
    )  # numbers of one byte: 250 to 255 would favour the first six of ten
    monkeypatch.setattr(verifiable_weighted_draw, "_numbers", lambda _seed: iter([255, 250, 249]))
    assert verifiable_weighted_draw.draw(b"", [1] * 10, 1) == (10,)


def test_a_thousand_draws_under_a_steering_operator_stay_uniform() -> None:
    """The operator wants table 1 and knows every head, but not the secret, so no steering helps.

    Before each draw he adds events until the head suits a secret that he guesses, and that head decides. Draws that he
    withholds or repeats are alerts: tests/integration/store/test_draws.py.
    """
    counts = Counter[int]()
    for number in range(1_000):
        secret = verifiable_weighted_draw.seed_of(b"secret", number.to_bytes(8, "big"))
        guess = verifiable_weighted_draw.seed_of(b"guess", number.to_bytes(8, "big"))
        heads = (f'{{"number":{number},"fed":{fed}}}'.encode() for fed in range(1_000))
        suits = next(
            head
            for head in heads
            if verifiable_weighted_draw.draw(verifiable_weighted_draw.seed_of(guess, head), [1] * 8, 1) == (1,)
        )
        counts.update(verifiable_weighted_draw.draw(verifiable_weighted_draw.seed_of(secret, suits), [1] * 8, 1))
    assert chi_square(counts, [125] * 8) < AT_MOST[7]
