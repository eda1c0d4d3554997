"""Baccarat cases at a table: card by card, from a new shoe of eight packs for each."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from events.games.cases import answer
from events.rules.cards import PACK
from tests.live.answer_comparison import UNSAID
from tests.live.live_table import Event, Given, LiveTable, Player, TableRefusal

TIMES = {"make": "bet.place", "take_back": "bet.withdraw", "change": "bet.restake"}


def shoe(table: LiveTable, cards: Iterable[str] = ()) -> None:
    """A new shoe, opened by burning a card that the case does not need."""
    needed = [*cards]
    least = min(PACK, key=needed.count)
    steps = (("shoe.load", {"shoe": table.new_name("shoe"), "packs": 8}), ("shoe.burn", {"card": least}))
    table.send_together(*steps)


def lay(table: LiveTable, bet: Given, name: str, player: str, *, intent: str = "ask") -> list[Event]:
    """A bet on a box of seat 1. Raises TableRefusal."""
    about = {"bet": name, "wager": bet["type"], "amount_minor": table.minor(bet["stake"]), "player": player, "seat": 1}
    return table.do("bet.place", intent=intent, **about)


def deal(table: LiveTable, cards: Iterable[str]) -> list[Event]:
    """Deal cards to the next hands until the coup has ended. Raises TableRefusal."""
    events: list[Event] = []
    for card in cards:
        if table.phase == "settled":
            break
        events += _next(table, card)
    return events


def _next(table: LiveTable, card: str) -> list[Event]:
    """To Player; if that is not his, to Banker."""
    try:
        return table.do("card.deal", to="player", card=card)
    except TableRefusal as refusal:
        if "I.2" not in (refusal.problem.clause or ""):
            raise
        return table.do("card.deal", to="banker", card=card)


def end(table: LiveTable) -> None:
    table.pay()
    table.do("round.end")


def open_(table: LiveTable, **limits: Any) -> None:
    """A new shoe, limits and a round."""
    shoe(table)
    table.do("limits.post", **{"minimum_minor": 1, "maxima_minor": {}, **limits})
    table.do("round.open")


def play_out(table: LiveTable, bets: Iterable[Given]) -> None:
    """A coup to its end, for bets (in minor units) that no case asks about: Banker has 9, Player 8."""
    if table.phase == "open":
        table.do("bets.close")
    coup = ["3C", "4D", "5H", "5S"]
    deal(table, coup)
    laid = [{"id": f"b{at}", **bet} for at, bet in enumerate(bets) if bet["stake"]]
    case = {"ruleset": table.setting.ruleset, "given": {"kind": "round", "shoe": coup, "bets": laid}}
    table.gain -= sum(Fraction(result["profit"]).__floor__() for result in answer(case)["results"])
    end(table)


def in_minor(table: LiveTable, bets: Iterable[Given]) -> list[Given]:
    return [{"type": bet["type"], "stake": table.minor(bet["stake"])} for bet in bets]


def round_(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """The whole round."""
    shoe(table, inputs["shoe"])
    table.do("limits.post", minimum_minor=1, maxima_minor={})
    table.do("round.open")
    names: dict[str, str] = {}
    for bet in inputs["bets"]:
        names[bet["id"]] = names.get(bet["id"]) or table.new_name(bet["id"])
        lay(table, bet, names[bet["id"]], "p")
    table.do("bets.close")
    events = deal(table, inputs["shoe"])
    end(table)  # refused where the cards ran out
    for result in expected["results"]:
        table.gain -= (Fraction(result["profit"]) * table.setting.unit).__floor__()
    return _answer_of_events(events, names)


def _answer_of_events(events: list[Event], names: dict[str, str]) -> Given:
    """Return the answer of `settle`, made from the recorded events."""
    ended = next(event["data"] for event in events if event["type"] == "coup.ended.v1")
    dealt = [event["data"] for event in events if event["type"] == "card.dealt.v1"]
    settled = {event["data"]["bet"]: event["data"] for event in events if event["type"] == "bet.settled.v1"}
    results = [
        {"bet": bet, "outcome": settled[name]["outcome"], "profit": settled[name]["profit_minor"]}
        for bet, name in names.items()
    ]
    totals = {name: ended[name] for name in ("player_total", "banker_total", "winner")}
    flags = {name: ended.get(name, False) for name in ("natural", "player_pair", "banker_pair")}
    hands = {side: [card["card"] for card in dealt if card["to"] == side] for side in ("player", "banker")}
    net = sum(result["profit"] for result in results)
    return {**totals, **flags, **hands, "used": len(dealt), "results": results, "net": net}


def deal_check(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """Deal each card to its place in the case. The table refuses the first wrong card."""
    shoe(table, [dealt["card"] for dealt in inputs["deals"]])
    table.send_together(("round.open", {}), ("bets.close", {}))
    wrong = None
    for at, dealt in enumerate(inputs["deals"]):
        try:
            table.do("card.deal", **dealt)
        except TableRefusal:
            wrong = at
            break
    complete = table.phase == "settled" and wrong is None
    if complete:
        table.do("round.end")
    return {"valid": wrong is None, "complete": complete, "error_at": wrong, "void": wrong is not None}


def max_difference(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """The gap at "bets closed", and the reduction that the table shows."""
    open_(table, maxima_minor={"difference": table.minor(inputs["max_difference"])})
    names = {table.new_name(bet["id"]): bet for bet in inputs["bets"]}
    for name, bet in names.items():
        lay(table, bet, name, f"p-{name}")
    if table.may("bets.close"):
        stakes = {bet["id"]: bet["stake"] for bet in inputs["bets"]}
        play_out(table, in_minor(table, inputs["bets"]))
        return {"exceeded": False, "stakes": stakes, "factor": 1, "difference": UNSAID, "heavier": UNSAID}
    [reduction] = table.do("bets.reduce", apply=False)
    table.do("bets.reduce")
    lowered = {names[stake["bet"]]["id"]: stake["stake_minor"] for stake in reduction["data"]["stakes"]}
    now = {bet["id"]: lowered.get(bet["id"], table.minor(bet["stake"])) for bet in inputs["bets"]}
    table.do("bets.close")  # refused where the reduction would not bring the sides inside the limit
    play_out(table, [{"type": bet["type"], "stake": now[bet["id"]]} for bet in inputs["bets"]])
    factor = str(reduction["data"]["factor"])
    return {
        "exceeded": True,
        "difference": reduction["data"]["difference_minor"] // table.setting.unit,
        "heavier": reduction["data"]["heavier"],
        "factor": int(factor) if factor.isdigit() else factor,
        "stakes": {name: _as_said(table, expected["stakes"][name], stake) for name, stake in now.items()},
    }


def _as_said(table: LiveTable, exact: Any, stake: int) -> Any:
    """Return the exact stake of `settle` if the table's stake is within one minor unit of it."""
    return exact if abs(Fraction(exact) * table.setting.unit - stake) < 1 else stake


def table_max(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """Compare ties and pairs of the whole table with the posted maxima. A bet above a maximum is recorded as a fact."""
    maxima = {name: table.minor(most) for name, most in inputs["maxima"].items()}
    open_(table, maxima_minor=maxima)
    within = dict.fromkeys(maxima, True)
    total = dict.fromkeys(maxima, 0)
    for at, bet in enumerate(inputs["bets"]):
        name = table.new_name(bet["id"])
        try:
            lay(table, bet, name, f"p-{at}")
        except TableRefusal:
            lay(table, bet, name, f"p-{at}", intent="fact")
            within[bet["type"]] = False
        if bet["type"] in total:
            total[bet["type"]] += bet["stake"]
    play_out(table, in_minor(table, inputs["bets"]))
    return {name: {"total": total[name], "within": within[name]} for name in maxima}


def burn(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """The first card of a shoe."""
    table.do("shoe.load", shoe=table.new_name("shoe"), packs=8)
    [burnt] = table.do("shoe.burn", card=inputs["card"])
    down = burnt["data"]["face_down"]
    return {"face_up": 1, "face_down": down, "total": 1 + down}


def reveal(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """Offer the cards to each person in turn: one person may take them."""
    open_(table)
    for bet in inputs["bets"]:
        lay(table, bet, table.new_name("bet"), bet["by"])
    table.do("bets.close")
    people: list[str | None] = [*dict.fromkeys(bet["by"] for bet in inputs["bets"]), None]
    cards: Given = {}
    for side in ("player", "banker"):
        taken = [person or "dealer" for person in people if table.may("hand.give", side=side, player=person)]
        cards[side] = taken[0] if len(taken) == 1 else taken
    play_out(table, in_minor(table, inputs["bets"]))
    return cards


def accept(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """A bet is made, taken back or changed before or after "bets closed"."""
    open_(table)
    bet = {"type": "player", "stake": 10}
    lies, new = table.new_name("lies"), table.new_name("new")
    lay(table, bet, lies, "p")
    if inputs["phase"] == "bets_closed":
        table.do("bets.close")
    about: dict[str, Given] = {
        "make": {"bet": new, "wager": "player", "amount_minor": table.minor(10), "player": "q", "seat": 2},
        "take_back": {"bet": lies},
        "change": {"bet": lies, "amount_minor": table.minor(20)},
    }
    accepted = table.may(TIMES[inputs["operation"]], **about[inputs["operation"]])
    stake = {"make": 20, "take_back": 0, "change": 20}[inputs["operation"]] if accepted else 10
    play_out(table, in_minor(table, [{"type": "player", "stake": stake}]))
    return {"accepted": accepted}


PLAYERS: dict[str, Player] = {
    "round": round_,
    "deal_check": deal_check,
    "max_difference": max_difference,
    "table_max": table_max,
    "burn": burn,
    "reveal": reveal,
    "accept": accept,
}
