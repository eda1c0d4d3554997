"""Arguments that several commands share."""

from argparse import ArgumentTypeError
from contextlib import suppress
from datetime import date


def gaming_day(text: str) -> str:
    """Return a gaming day in the form of events, 2026-11-20. For argparse: any other text is a usage error."""
    with suppress(ValueError):
        if date.fromisoformat(text).isoformat() == text:  # which also reads weeks, and days without dashes
            return text
    raise ArgumentTypeError(f"{text!r} is no gaming day: write it as 2026-11-20")
