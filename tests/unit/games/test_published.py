"""The par sheets against figures that others have published."""

from fractions import Fraction

import pytest

from events.errors import Invalid, Refused, Unknown
from events.games.par import WhatIf, sheet, sheet_for
from events.games.par import par_sheet_rendering as par
from events.games.par.published_figures import FigureSource, PublishedFigure, agrees, computed_figure, figures
from tools.documents.par_sheet_pages import shipped

KNOWN = [(ruleset, *figure) for ruleset in shipped() for figure in figures(ruleset)]


@pytest.mark.parametrize(("ruleset", "figure", "source"), KNOWN, ids=lambda part: getattr(part, "figure", None))
def test_published(ruleset: str, figure: PublishedFigure, source: FigureSource) -> None:
    exact = computed_figure(sheet(ruleset), figure)
    assert agrees(exact, figure), f"{source.title}: {figure.figure}, ours {float(exact):.6%}"
    assert source.address.startswith("http")


@pytest.mark.parametrize("ruleset", shipped())
def test_every_ruleset_is_held_against_something(ruleset: str) -> None:
    assert figures(ruleset)


@pytest.mark.parametrize(
    ("exact", "shown", "same"),
    [
        (Fraction(7, 495), "1.41", True),
        (Fraction(7, 495), "1.42", False),
        (Fraction(7, 495), "1.4141", True),
        (Fraction(1, 25), "4", True),
        (Fraction(1, 3), "1/3", True),
        (Fraction(1, 3), "33333/100000", False),
    ],
)
def test_agreement_is_to_the_digits_shown(exact: Fraction, shown: str, same: bool) -> None:
    assert agrees(exact, PublishedFigure(("x",), "edge", ("y",), shown, "z")) is same


def test_a_figure_that_a_sheet_does_not_have() -> None:
    with pytest.raises(Unknown):
        computed_figure(sheet("roulette-french"), PublishedFigure(("x",), "line", ("nothing",), "1", "z"))


@pytest.mark.parametrize(("packs", "to", "for_one"), [(4, "62.4", "47.6"), (5, "62.7", "47.9"), (6, "62.8", "48.0")])
def test_the_fixed_return_of_blazing7s(packs: int, to: str, for_one: str) -> None:
    for basis, shown in (("to", to), ("for", for_one)):
        sheet = sheet_for("blazing7s", packs, WhatIf(basis=basis))  # type: ignore[arg-type]  # one of two literals
        (line,) = [line for line in sheet.lines if line.label == f"{packs} packs: fixed pays"]
        assert round(line.share * 1000) == int(shown.replace(".", ""))


def test_other_rates_are_checked_and_warned_of() -> None:
    sheet = sheet_for("blazing7s", 6, WhatIf(feed={"mega": Fraction(3, 10)}, withhold=Fraction(1, 4)))
    warnings = [line.note for line in sheet.lines if line.label.endswith("warning")]
    assert any("contribution rate" in warning for warning in warnings)
    assert any("rate withheld" in warning for warning in warnings)
    assert sum(line.share for line in sheet.lines if line.note and "of the bets" not in line.note) is not None


@pytest.mark.parametrize("packs", [4, 5, 6])
def test_the_whole_stake_is_accounted_for(packs: int) -> None:
    lines = sheet_for("blazing7s", packs).lines
    parts = [line for line in lines if line.note != "of the bets" and not line.label.endswith("warning")]
    assert sum(line.share for line in parts) == 1
    assert sum(line.share for line in lines if line.note == "of the bets") == 1


def test_baccarat_from_other_shoes() -> None:
    edges = {edge.bet: edge.edge for edge in sheet_for("baccarat", 6).edges}
    assert round(edges["tie"] * 10_000) == 1444
    assert edges["player_pair"] == 1 - 12 * Fraction(23, 311)


def test_one_shoe_of_trilux() -> None:
    sheet = sheet_for("blackjack-trilux", 5)
    assert {edge.condition for edge in sheet.edges if "packs" in edge.condition} == {"5 packs"}
    assert all("5 packs" in line.label for line in sheet.lines)


@pytest.mark.parametrize(
    ("ruleset", "packs", "what_if"),
    [
        ("craps-gr", 6, None),
        ("baccarat", 0, None),
        ("blazing7s", 8, None),
        ("roulette-french", None, WhatIf(basis="for")),
        ("blazing7s", 6, WhatIf(feed={"grand": Fraction(1, 10)})),  # type: ignore[dict-item]  # no such level
        ("blazing7s", 6, WhatIf(feed={"mega": Fraction(1, 3)})),
        ("blazing7s", 6, WhatIf(stakes=(10, 5))),
        ("blazing7s", 6, WhatIf(bets_a_round=Fraction(1, 2))),
        ("nothing", 6, None),
    ],
)
def test_what_there_is_no_sheet_for(ruleset: str, packs: int | None, what_if: WhatIf | None) -> None:
    with pytest.raises((Invalid, Refused, Unknown)):
        sheet_for(ruleset, packs, what_if)


def test_percentages_are_exact() -> None:
    assert par.percent(Fraction(7, 495)) == "1.4141 %"
    assert par.percent(Fraction(-1, 33)) == "-3.0303 %"
    assert par.percent(Fraction(1, 10**7)) == "0.0000 %"
    assert par.percent(Fraction(1)) == "100.0000 %"
    assert par.one_in(Fraction(1, 250_666)) == "1 in 250,666"
