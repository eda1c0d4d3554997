"""Roulette cases at a wheel: spin by spin, bets laid by the croupier, zeros answered by the players."""

from fractions import Fraction

from events.games.cases import answer
from tests.live.live_table import Given, LiveTable, NotAllowed, Player, TableRefusal, Unreachable

EVEN_CHANCES = {"red": 1, "black": 2, "odd": 1, "even": 2, "low": 1, "high": 19}  # and a number that wins on each
TYPES = ("straight", "split", "street", "corner", "line", "column", "dozen", *EVEN_CHANCES)
MULTIPLES = (20, 40, 60, 80, 120, 240, 360)
WAY = {"cw": "ccw", "ccw": "cw"}
ON_36 = {
    "straight": [36],
    "split": [35, 36],
    "street": [34, 35, 36],
    "corner": [32, 33, 35, 36],
    "line": [*range(31, 37)],
}
ANY_PLACE: dict[str, Given] = {
    **{name: {"type": name, "numbers": numbers} for name, numbers in ON_36.items()},
    **{name: {"type": name, "which": 3} for name in ("column", "dozen")},
    **{name: {"type": name} for name in EVEN_CHANCES},
}


def post(table: LiveTable, minimum: int = 1, maxima: dict[str, int] | None = None) -> bool:
    """Post limits, in minor units. True when they may be."""
    return table.may("limits.post", minimum_minor=minimum, maxima_minor=maxima or {})


def lay(table: LiveTable, bet: Given, name: str, player: str, *, intent: str = "ask") -> None:
    """Lay a bet of a case. Raises TableRefusal."""
    place = {field: bet.get(field) for field in ("numbers", "which", "on_zero")}
    amount = table.minor(bet["stake"])
    table.do("bet.place", intent=intent, bet=name, wager=bet["type"], amount_minor=amount, player=player, **place)


def launch(table: LiveTable) -> None:
    """The wheel turns the other way each time, the ball against it."""
    way = WAY[table.play or "cw"]
    table.do("ball.launch", wheel=way, ball=WAY[way])
    table.play = way


def land(table: LiveTable, number: int, *, last_coup: bool = False, **wishes: str | None) -> dict[str, Given]:
    """Call no more bets and land the ball. Pay all bets, end the round, and return the settlements by bet.

    The key "" has the landed number. `wishes` are instructions that players give after the ball has fallen.
    """
    table.do("bets.close")
    events = table.do("ball.land", number=number, last_coup=last_coup or None)
    table.over = last_coup
    fallen = next(event["data"] for event in events if event["type"] == "ball.landed.v1")
    settled = {event["data"]["bet"]: event["data"] for event in events if event["type"] == "bet.settled.v1"}
    for name, wish in wishes.items():
        if wish not in (None, settled[name]["outcome"]):
            [*_, after] = table.do("bet.instruct", bet=name, on_zero=wish)
            settled[name] = after["data"]
    table.pay()
    table.do("round.end")
    return {"": fallen, **settled}


def spin_without_bets(table: LiveTable, number: int, *, last_coup: bool = False) -> dict[str, Given]:
    """One spin more, without new bets."""
    table.do("round.open")
    launch(table)
    return land(table, number, last_coup=last_coup)


def spin(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """One spin with all its bets; an excess over a maximum that was not noticed is a fact."""
    bets = inputs["bets"]
    players = [table.new_name("p") for _ in bets]
    _limits_for(table, bets, players)
    table.do("round.open")
    names: dict[str, str] = {}
    for bet, player in zip(bets, players, strict=True):
        names[bet["id"]] = names.get(bet["id"]) or table.new_name(bet["id"])
        over = bet.get("max") is not None and bet["stake"] > bet["max"]
        if over:
            _must_be_refused(table, bet, names[bet["id"]], player)
        lay(table, bet, names[bet["id"]], player, intent="fact" if over else "ask")
    launch(table)
    settled = land(table, inputs["number"])
    results = [_result(bet["id"], settled[names[bet["id"]]]) for bet in bets]
    for result in expected["results"]:
        table.gain -= (Fraction(result["profit"]) * table.setting.unit).__floor__()
    _free(table, inputs)
    return {"colour": settled[""]["colour"], "results": results, "net": sum(result["profit"] for result in results)}


def _must_be_refused(table: LiveTable, bet: Given, name: str, player: str) -> None:
    try:
        lay(table, bet, name, player)
    except TableRefusal:
        return
    raise AssertionError(f"{bet} is over its maximum, and was taken")


def _result(bet: str, settled: Given) -> Given:
    result = {"bet": bet, "outcome": settled["outcome"], "profit": settled["profit_minor"]}
    result["returned"] = settled.get("returned_minor", 0)
    return result | ({"in_prison": settled["remaining_minor"]} if settled["outcome"] == "prison" else {})


def _limits_for(table: LiveTable, bets: list[Given], players: list[str]) -> None:
    """Maxima as the case has them: one for a kind of bet where that is all it has, else each player's own.

    A minimum that makes them lawful is looked for; where there is none they are posted as a fact.
    """
    by_kind = {bet["type"]: {other.get("max") for other in bets if other["type"] == bet["type"]} for bet in bets}
    if any(len(maxima) > 1 for maxima in by_kind.values()):
        _personal_limits(table, bets, players)
        return
    maxima = {kind: table.minor(most) for kind, band in by_kind.items() for most in band if most is not None}
    least = min((table.minor(bet["stake"]) for bet in bets), default=1)
    for minimum in sorted({1, *(most // times for most in maxima.values() for times in MULTIPLES)}):
        if 1 <= minimum <= least and post(table, minimum, maxima):
            return
    table.fact("limits.post", minimum_minor=1, maxima_minor=maxima)


def _personal_limits(table: LiveTable, bets: list[Given], players: list[str]) -> None:
    post(table)
    for seat, (bet, player) in enumerate(zip(bets, players, strict=True), 1):
        if bet.get("max") is not None:
            own = {"minimum_minor": 1, "maximum_minor": table.minor(bet["max"]), "wager": bet["type"]}
            try:
                table.do("limit.mark", player=player, seat=seat, **own)
            except TableRefusal:
                table.fact("limit.mark", player=player, seat=seat, **own)


def _free(table: LiveTable, inputs: Given) -> None:
    """One more spin decides what went to prison."""
    if not table.lying:
        return
    spin_without_bets(table, 1)
    held = [bet for bet in inputs["bets"] if bet.get("on_zero") == "prison"]
    for bet in held:
        stake = min(bet["stake"], bet.get("max") or bet["stake"])
        case = {"kind": "en_prison", "type": bet["type"], "stake": stake, "numbers": [0, 1], "choices": ["prison"]}
        net = answer({"ruleset": table.setting.ruleset, "given": case})["net"]
        table.gain -= (Fraction(net) * table.setting.unit).__floor__()


def en_prison(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """Follow a stake through its spins. One more spin, which frees it, or cash shows its value in prison."""
    stake = table.minor(inputs["stake"])
    events, last = _follow(table, inputs)
    if last["outcome"] != "prison":
        back = last.get("returned_minor", 0) + max(0, last["profit_minor"])
        _gained(table, expected, "returned", inputs)
        return {"events": events, "state": "closed", "returned": back, "net": back - stake}
    [freed] = [data for bet, data in spin_without_bets(table, EVEN_CHANCES[inputs["type"]]).items() if bet]
    zeros = sum(number == 0 for number in inputs["numbers"])
    _, cashed = _follow(table, dict(inputs, choices=[*inputs["choices"][: zeros - 1], "half"]))
    for value in ("release_value", "cash_value"):
        _gained(table, expected, value, inputs)
    values = {"release_value": freed["returned_minor"], "cash_value": cashed["returned_minor"]}
    return {"events": events, "state": "prison", **values}


def _gained(table: LiveTable, expected: Given, value: str, inputs: Given) -> None:
    table.gain -= ((Fraction(expected[value]) - inputs["stake"]) * table.setting.unit).__floor__()


def _follow(table: LiveTable, inputs: Given) -> tuple[list[str], Given]:
    """Play all spins of the case. Return the outcomes of the stake, and the last settlement in full.

    Raises TableRefusal. The player gives the instruction for a zero before the ball falls. In every second case it
    comes after the ball.
    """
    choices, name = iter(inputs.get("choices", [])), table.new_name("prison")
    afterwards = table.names % 2 == 1
    post(table)
    events: list[str] = []
    last: Given = {}
    for at, number in enumerate(inputs["numbers"]):
        if at and name not in table.lying:
            raise NotAllowed("the stake is closed: no number concerns it")
        wish = next(choices, None) if number == 0 and events.count("prison") < 3 else None
        before, after = (None, wish) if afterwards else (wish, None)
        table.do("round.open")
        if at == 0:
            lay(table, {"type": inputs["type"], "stake": inputs["stake"], "on_zero": before}, name, "p")
        elif before is not None:
            table.do("bet.instruct", bet=name, on_zero=before)
        launch(table)
        last_coup = bool(inputs.get("last_coup")) and at == len(inputs["numbers"]) - 1
        last = land(table, number, last_coup=last_coup, **{name: None if last_coup else after})[name]
        events.append(last["outcome"])
    return events, last


def limits(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """The bands: the table takes both ends, and nothing beyond."""
    minimum = Fraction(inputs["minimum"]) * table.setting.unit
    if minimum <= 0 or not post(table, int(minimum)):
        return {"error": "no minimum"}
    ends = {name: [Fraction(end) * table.setting.unit for end in band] for name, band in expected["bands"].items()}
    bands = {name: _band(table, int(minimum), name, int(low), int(high)) for name, (low, high) in ends.items()}
    shown = {name: [_spin_result(end, table) for end in band] for name, band in bands.items()}
    return {"bands": shown}


def _band(table: LiveTable, minimum: int, name: str, low: int, high: int) -> list[int]:
    """Return the band. An end is -1 if the table accepts more or less than that end."""
    ends = [low, high]
    for at, (end, beyond) in enumerate(((low, low - 1), (high, high + 1))):
        if not post(table, minimum, {name: end}) or (beyond >= minimum and post(table, minimum, {name: beyond})):
            ends[at] = -1
    return ends


def _spin_result(end: int, table: LiveTable) -> int | str:
    exact = Fraction(end, table.setting.unit)
    return exact.numerator if exact.denominator == 1 else str(exact)


def table_check(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """Post all maxima together, and each alone."""
    minimum = int(Fraction(inputs["minimum"]) * table.setting.unit)
    maxima = {name: int(Fraction(most) * table.setting.unit) for name, most in inputs["maxima"].items()}
    bad = [name for name, most in maxima.items() if not post(table, minimum, {name: most})]
    return {"valid": post(table, minimum, maxima), "bad": bad}


def accept(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """A stake is offered to the croupier, who lays what may lie and hands the rest back."""
    if inputs["how"] == "call_without_stake" or (inputs["how"] == "racetrack" and inputs["by"] != "croupier"):
        raise Unreachable("a bet comes to the table through the croupier, with its stake: nothing else can be asked")
    offer = {**inputs["bet"], "stake": inputs["stake"]}
    limits_ = [{"stake": inputs["minimum"], "max": inputs["max"], "type": offer["type"]}]
    _least(table, inputs["minimum"], limits_)
    table.do("round.open")
    if inputs["phase"] != "open":
        launch(table)
    if inputs["phase"] == "no_more_bets":
        table.do("bets.close")
    taken = _taken(table, offer, inputs)
    if inputs["phase"] == "open":
        launch(table)
    if inputs["phase"] != "no_more_bets":
        table.do("bets.close")
    table.do("ball.land", number=_losing(table, offer) if taken else 0)
    table.pay()
    table.do("round.end")
    table.gain += taken
    return {"accepted": taken // table.setting.unit, "handed_back": table.minor(inputs["stake"]) - taken}


def _losing(table: LiveTable, bet: Given) -> int:
    """A number on which the bet loses all of its stake."""
    for number in range(1, 37):
        case = {"kind": "spin", "number": number, "bets": [{**bet, "id": "b"}]}
        if answer({"ruleset": table.setting.ruleset, "given": case})["net"] < 0:
            return number
    raise LookupError(bet)


def _least(table: LiveTable, minimum: int, bets: list[Given]) -> None:
    maxima = {bet["type"]: table.minor(bet["max"]) for bet in bets}
    if not post(table, table.minor(minimum), maxima):
        table.fact("limits.post", minimum_minor=table.minor(minimum), maxima_minor=maxima)


def _taken(table: LiveTable, offer: Given, inputs: Given) -> int:
    """Return the accepted stake: all of it, or the maximum after the table refused the whole."""
    for stake in (inputs["stake"], min(inputs["stake"], inputs["max"])):
        try:
            lay(table, {**offer, "stake": stake}, table.new_name("offer"), "p")
        except TableRefusal as refusal:
            if not (refusal.problem.clause or "").endswith("I.1"):
                return 0
        else:
            return table.minor(stake)
    return 0


def spin_check(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """Launch and land the ball. An invalid spin is refused, then called off."""
    if table.play == inputs["wheel"]:  # the wheel turns the other way each time
        spin_without_bets(table, 7)
    table.do("round.open")
    reasons = _launched(table, {"wheel": inputs["wheel"], "ball": inputs["ball"]})
    reasons += ["object_in_wheel"] if inputs.get("object_in_wheel") else []
    if not reasons or inputs["revolutions"] < 4:
        reasons += _landed(table, inputs["revolutions"])
    table.play = inputs["wheel"]
    if not reasons:
        table.do("round.end")
        return {"valid": True, "reasons": []}
    table.do("spin.call_off", reason=", ".join(reasons))
    launch(table)
    land(table, 7)
    return {"valid": False, "reasons": reasons}


def _launched(table: LiveTable, way: Given) -> list[str]:
    try:
        table.do("ball.launch", **way)
    except TableRefusal:
        table.fact("ball.launch", **way)
        table.do("bets.close")
        return ["ball_with_wheel"]
    table.do("bets.close")
    return []


def _landed(table: LiveTable, turns: int) -> list[str]:
    try:
        table.do("ball.land", number=7, revolutions=turns)
    except TableRefusal as refusal:
        return ["under_four_turns"] if "under_four_turns" in refusal.problem.detail else []
    return []


def pay_order(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """All bets win on 36, and are settled in the order of payment."""
    post(table)
    table.do("round.open")
    names = {table.new_name(bet["id"]): bet for bet in inputs["bets"]}
    for name, bet in names.items():
        lay(table, {**ANY_PLACE[bet["type"]], "stake": 1}, name, bet["player"])
    launch(table)
    settled = land(table, 36)
    won = [(name, data) for name, data in settled.items() if name]
    for _, data in won:
        table.gain -= data["profit_minor"]
    return {"order": [names[name]["id"] for name, data in won if data["profit_minor"] > 0]}


PLAYERS: dict[str, Player] = {
    "spin": spin,
    "en_prison": en_prison,
    "limits": limits,
    "table_check": table_check,
    "accept": accept,
    "spin_check": spin_check,
    "pay_order": pay_order,
}
