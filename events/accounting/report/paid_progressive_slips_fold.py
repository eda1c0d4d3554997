"""Slips of progressives: they have series of their own, by progressive and calendar year, and a number once paid."""

from typing import Any

import msgspec
from msgspec.structs import replace

from events.progressives.event_types import EnvyPaid, HousePaid, HouseVoided, JackpotPaid, VarianceClosed


class PaidSlip(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One that was paid, on the cage's gaming day; the amount is the gross."""

    kind: str
    progressive: str
    year: str
    number: int
    gaming_day: str
    table: str | None
    amount: int
    is_void: bool = False


Papers = dict[tuple[str, str, int], PaidSlip]  # by progressive, year and number
TYPES: tuple[type[Any], ...] = (JackpotPaid, EnvyPaid, HousePaid, HouseVoided, VarianceClosed)
_KINDS = {JackpotPaid: "jackpot", EnvyPaid: "envy", HousePaid: "house"}


def evolve(papers: Papers, data: Any) -> Papers:
    """The slips after one more event."""
    if isinstance(data, JackpotPaid | EnvyPaid | HousePaid):
        return _with_slip(papers, _paper(_KINDS[type(data)], data, data.table))
    if isinstance(data, VarianceClosed) and data.way == "paid":
        return _with_slip(papers, _paper("variance", data, None))
    if isinstance(data, HouseVoided):
        return _void_slips(papers, data)
    return papers


def _paper(kind: str, data: Any, table: str | None) -> PaidSlip:
    return PaidSlip(
        kind=kind,
        progressive=data.progressive,
        year=data.slip_year,
        number=data.slip,
        gaming_day=data.paid_gaming_day,
        table=table,
        amount=data.amount_minor,
    )


def _with_slip(papers: Papers, paper: PaidSlip) -> Papers:
    return {**papers, (paper.progressive, paper.year, paper.number): paper}


def _void_slips(papers: Papers, data: HouseVoided) -> Papers:
    name = data.progressive, data.slip_year, data.slip
    return {**papers, name: replace(papers[name], is_void=True)} if name in papers else papers
