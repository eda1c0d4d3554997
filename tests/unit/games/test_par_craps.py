"""The exact edges of the craps bets against the well-known figures."""

from fractions import Fraction

import pytest

from events.errors import Unknown
from events.games.craps.par import edges, edges_of
from events.games.craps.ruleset import POINTS, CrapsSettings, rules
from events.games.par import Edge, sheet

KNOWN = {
    ("pass", ""): "7/495",
    ("come", ""): "7/495",
    ("dont_pass", ""): "3/220",
    ("dont_come", ""): "3/220",
    ("field", ""): "1/18",
    ("big6", ""): "1/11",
    ("big8", ""): "1/11",
    ("any7", ""): "1/6",
    ("eleven", ""): "1/9",
    ("any_craps", ""): "1/9",
    ("craps2", ""): "5/36",
    ("craps3", ""): "1/9",
    ("craps12", ""): "5/36",
    ("hardway", "4"): "1/9",
    ("hardway", "6"): "1/11",
    ("hardway", "8"): "1/11",
    ("hardway", "10"): "1/9",
    ("place", "4"): "1/15",
    ("place", "5"): "1/25",
    ("place", "6"): "1/66",
    ("place", "8"): "1/66",
    ("place", "9"): "1/25",
    ("place", "10"): "1/15",
}
GREEK = {
    ("under7", ""): "1/6",
    ("over7", ""): "1/6",
    ("horn", ""): "1/6",
    ("place_wrong", "4"): "1/33",
    ("place_wrong", "5"): "1/40",
    ("place_wrong", "6"): "1/55",
    **{(f"{flat}_odds", str(at)): "0" for flat in ("dont_pass", "dont_come") for at in POINTS},
}
OUTLAY = {
    **{("buy", str(at)): "1/21" for at in POINTS},
    ("lay", "4"): "1/41",
    ("lay", "9"): "1/31",
    ("lay", "6"): "1/25",
}


def by_bet(edges_: list[Edge], per: str) -> dict[tuple[str, str], Fraction]:
    return {(edge.bet, edge.condition): edge.edge for edge in edges_ if edge.per == per}


@pytest.mark.parametrize("ruleset", ["craps-gr", "craps-by"])
def test_known_edges(ruleset: str) -> None:
    by_name = by_bet(edges(ruleset), "stake")
    known = KNOWN | {(f"{flat}_odds", str(at)): "0" for flat in ("pass", "come") for at in POINTS}
    known |= GREEK if ruleset == "craps-gr" else {}
    assert {bet: by_name[bet] for bet in known} == {bet: Fraction(edge) for bet, edge in known.items()}


def test_ties_left_out() -> None:
    by_name = by_bet(edges("craps-gr"), "decided")
    assert by_name["dont_pass", ""] == by_name["dont_come", ""] == Fraction(27, 1925)


def test_buy_and_lay_with_their_commission() -> None:
    edges_ = edges("craps-by")
    outlay = by_bet(edges_, "outlay")
    assert {bet: outlay[bet] for bet in OUTLAY} == {bet: Fraction(edge) for bet, edge in OUTLAY.items()}
    assert by_bet(edges_, "decided")["buy", "4"] == Fraction(1, 30)  # left up, paid once: less than 5 %  [BYC-6]


def test_both_bars_have_the_same_edge() -> None:  # BYC-1
    two = rules("craps-by", CrapsSettings(bar=2))
    assert by_bet(list(edges_of(two)), "stake")["dont_pass", ""] == Fraction(3, 220)


def test_the_split_horn_is_cheaper() -> None:  # GRC-3
    pays = {2: "27:4", 3: "3:1", 11: "3:1", 12: "27:4"}
    split = rules("craps-gr", CrapsSettings(pays={"horn": pays}))
    assert by_bet(list(edges_of(split)), "stake")["horn", ""] == Fraction(1, 8)


@pytest.mark.parametrize("ruleset", ["craps-gr", "craps-by"])
def test_every_bet_is_on_the_sheet(ruleset: str) -> None:
    assert {edge.bet for edge in sheet(ruleset).edges} == set(rules(ruleset).bets())


def test_chances_to_hit() -> None:
    hits = {(edge.bet, edge.condition): edge.hit for edge in edges("craps-gr") if edge.per == "stake"}
    assert hits["pass", ""] == Fraction(244, 495)
    assert hits["place", "6"] == Fraction(5, 11)
    assert hits["craps2", ""] == Fraction(1, 36)


def test_no_sheet() -> None:
    with pytest.raises(Unknown):
        sheet("snakes-and-ladders")
