"""The cases of craps about the shooter, at tables that play no other case."""

from tests.live.live_table import DICE, Given, LiveTable, Player, TableRefusal


def shooter(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """Give every player a bet. Offer the dice to one player after the other, until the table accepts a shooter."""
    seats, current = inputs["seats"], inputs.get("current")
    table.do("dice.put", dice=DICE)
    table.do("round.open")
    if current is not None:
        at = seats.index(current) + 1
        table.do("shooter.appoint", seat=at, player=current)
        if inputs.get("dice_pass"):
            _seven_out(table, current, at)
    for at, player in enumerate(seats, 1):
        _bet(table, "field", player, at)
    for player in inputs.get("declines", []):
        table.do("shooter.decline", seat=seats.index(player) + 1 if player in seats else 20, player=player)
    for at, player in enumerate(seats, 1):
        if table.may("shooter.appoint", seat=at, player=player):
            return {"shooter": player, "line_bet_needed": _needs_line_bet(table, player, at)}
    return {"shooter": None, "line_bet_needed": False}


def _bet(table: LiveTable, wager: str, player: str, seat: int) -> None:
    name = table.new_name(wager)
    table.do("bet.place", bet=name, wager=wager, amount_minor=table.setting.unit, player=player, seat=seat)


def _seven_out(table: LiveTable, player: str, seat: int) -> None:
    _bet(table, "pass", player, seat)
    table.do("dice.choose", places=[0, 1])
    for dice in ([1, 3], [3, 4]):
        table.do("dice.offer")
        table.do("dice.roll", dice=dice)
    table.do("round.end")
    table.do("round.open")


def _needs_line_bet(table: LiveTable, player: str, seat: int) -> bool:
    """The dice are offered to him only when he has a bet on the line."""
    table.do("dice.choose", places=[0, 1])
    try:
        table.do("dice.offer")
    except TableRefusal:
        _bet(table, "pass", player, seat)
        table.do("dice.offer")
        return True
    return False


PLAYERS: dict[str, Player] = {"shooter": shooter}
