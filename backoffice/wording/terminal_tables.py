"""Tables and amounts as text for a terminal."""

from collections.abc import Iterator, Sequence

from backoffice.wording import formats


def money(minor: int | None, currency: str) -> str:
    """Return minor units as people write them: 1,234.50; a dash for an unknown amount.

    The row of a table whose opening was not read yet has no currency: its amounts are unknown.
    """
    return formats.ascii_signs(formats.money(minor if currency else None, currency))


def micro(amount: int | None, currency: str) -> str:
    """Millionths of a minor unit, exactly: 1,234.500125; a dash as for `money`."""
    return formats.ascii_signs(formats.micro(amount if currency else None, currency))


def grid(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns side by side: words to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    right = [all(_is_number(row[place]) for row in rows) for place in range(len(heads))]

    def line(cells: Sequence[str]) -> str:
        padded = (c.rjust(w) if r else c.ljust(w) for c, w, r in zip(cells, widths, right, strict=True))
        return "  ".join(padded).rstrip()

    yield line(heads)
    yield line(["-" * width for width in widths])
    yield from map(line, rows)


def _is_number(text: str) -> bool:
    return text in ("-", "") or (text.lstrip("-")[:1].isdigit() and not any(map(str.isalpha, text)))
