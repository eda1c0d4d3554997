"""Irregularities of a table's gaming day that are not cleared, for the people who lead the table."""

import msgspec
from django.utils.text import capfirst

from backoffice.tables.irregularities_with_cleared_alerts import cleared
from backoffice.wording.code_to_word_translation import word
from backoffice.wording.error_code_sentences import irregularity_sentence
from projections.floor.models import Irregularity

SHOWN = 20  # the latest ones


class IrregularityShown(msgspec.Struct, frozen=True):
    """An irregularity in words. `clears`: the role that clears it, and the action for that where one exists."""

    position: int
    at: str
    label: str
    message: str
    clears: str


def open_irregularities(stream: str, currency: str) -> list[IrregularityShown]:
    """Return the latest open irregularities of a stream, the newest first."""
    rows = list(Irregularity.objects.filter(stream=stream).order_by("-position")[:SHOWN])
    over = cleared(rows) if rows else set()
    return [
        IrregularityShown(
            position=row.position,
            at=row.time,
            label=capfirst(word(row.kind)),
            message=irregularity_sentence(row, currency),
            clears=", ".join(capfirst(word(code)) for code in (row.clearer, row.action) if code),
        )
        for row in rows
        if row.position not in over
    ]
