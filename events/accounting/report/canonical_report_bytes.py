"""Canonical bytes of a report, by RFC 8785: equal figures are equal bytes everywhere and permanently.

A report holds text, whole numbers, booleans and null, and no floating point numbers.
"""

import hashlib
from typing import Any

import rfc8785

from events.money.single_currency_rule import minor_digits

MICRO_DIGITS = 6  # a meter is kept in millionths of a minor unit


def encode(figures: dict[str, Any]) -> bytes:
    """The canonical bytes."""
    return rfc8785.dumps(figures)


def digest(figures: dict[str, Any]) -> str:
    """SHA-256 over the canonical bytes, in hex."""
    return hashlib.sha256(encode(figures)).hexdigest()


def decimal(micro: int, currency: str) -> str:
    """An amount in millionths of a minor unit as exact decimal text: "1234.56", "0.012345"."""
    least = minor_digits(currency)
    places = least + MICRO_DIGITS
    whole, fraction = divmod(abs(micro), 10**places)
    after = f"{fraction:0{places}d}"
    decimals = after[:least] + after[least:].rstrip("0")
    return f"{'-' if micro < 0 else ''}{whole}{'.' if decimals else ''}{decimals}"
