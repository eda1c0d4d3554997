"""The cage's open slips for a table, as its screen shows them: to be received, to be sent, on their way."""

from collections.abc import Iterator

from backoffice.days.current_cage_and_count_books import books
from events.rules.chip_sums_by_denomination import worth
from events.tables.screen.screen import Screen, SlipState, SlipView


def open_slips(screen: Screen) -> tuple[SlipView, ...]:
    """Return the open requests and slips of a table in the order in which they were made."""
    return tuple(_open(screen)) if screen.version else ()


def _open(screen: Screen) -> Iterator[SlipView]:
    slips = books().slips
    for request in slips.requests.values():
        if request.stream == screen.stream:
            yield SlipView(
                way=request.kind, slip=None, year="", chips=request.chips, amount_minor=worth(request.chips),
                state="requested",
            )  # fmt: skip
    for slip in slips.open.values():
        if slip.table == screen.table:
            state: SlipState = "to receive" if slip.kind == "fill" else "sent" if slip.sent is not None else "to send"
            yield SlipView(
                way=slip.kind, slip=slip.number, year=slip.year, chips=slip.chips, amount_minor=worth(slip.chips),
                state=state,
            )  # fmt: skip
