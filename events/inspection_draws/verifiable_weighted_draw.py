"""Draw from a seed: weighted, without replacement, on whole numbers alone. Anybody can compute it again.

- Seed: SHA-256 of the 32 bytes of the secret, followed by the bytes of the head.
- Number n of the stream: SHA-256 of the seed followed by n as 8 bytes, most significant first; n counts from 0. Each
  is a whole number of 256 bits.
- To draw one entry of those left, with W the sum of their weights: take the next number of the stream. Numbers from
  2**256 - 2**256 mod W on are passed over, so that every remainder is equally likely. The remainder by W falls into
  the weight of one entry, in the order of the list: that entry is drawn, and leaves the list.

The verifier has code of its own (`tools/verify_draw.py`).
"""

import hashlib
from collections.abc import Iterator, Sequence

SPACE = 1 << 256
DOMAIN = b"pitledger draw commitment v1\n"


def commitment_of(secret: bytes) -> str:
    """Return the commitment to a secret of 32 bytes, in hexadecimal."""
    return hashlib.sha256(DOMAIN + secret).hexdigest()


def seed_of(secret: bytes, head: bytes) -> bytes:
    """Return the seed: the hash of the secret and of the head's bytes."""
    return hashlib.sha256(secret + head).digest()


def draw(seed: bytes, weights: Sequence[int], number: int) -> tuple[int, ...]:
    """Return the drawn entries, numbered from 1, in the order in which they were drawn."""
    left = [*enumerate(weights, 1)]
    numbers = _numbers(seed)
    return tuple(left.pop(_place(left, numbers))[0] for _ in range(min(number, len(left))))


def _place(left: Sequence[tuple[int, int]], numbers: Iterator[int]) -> int:
    total = sum(weight for _, weight in left)
    end = SPACE - SPACE % total
    remainder = next(number for number in numbers if number < end) % total
    for place, (_, weight) in enumerate(left):
        remainder -= weight
        if remainder < 0:
            return place
    raise AssertionError("a remainder is below the sum of the weights")


def _numbers(seed: bytes) -> Iterator[int]:
    counter = 0
    while True:
        yield int.from_bytes(hashlib.sha256(seed + counter.to_bytes(8, "big")).digest(), "big")
        counter += 1
