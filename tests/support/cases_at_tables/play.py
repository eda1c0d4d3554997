"""Settlement cases played at a table by a robot dealer; the store's events must pay the amounts of the case.

A case's unit is one of the currency. Cases about no round (limits, calculations) are not played, nor bets that the
table's layout does not allow.
"""

from collections.abc import Callable

from tests.support.cases_at_tables import craps, robot_dealer_card_cases, roulette
from tests.support.cases_at_tables.amounts import Case, Differences, Events, NotPlayable
from tests.support.tables.robot_dealer import RefusedTap, RobotDealer

Player = Callable[[RobotDealer, Case, Case, Events], Differences]
PLAYERS: dict[tuple[str, str], Player] = {
    ("roulette", "spin"): roulette.play_spin,
    ("roulette", "en_prison"): roulette.play_prison,
    ("baccarat", "round"): robot_dealer_card_cases.play_coup,
    ("blackjack", "round"): robot_dealer_card_cases.play_boxes,
    ("craps", "rolls"): craps.play_rolls,
    ("craps", "session"): craps.play_session,
}


def table_of(case: Case) -> str:
    """The ruleset of the table where a case is played."""
    return "baccarat-no-commission" if case["given"].get("variant") == "no_commission" else str(case["ruleset"])


def differences(robot: RobotDealer, events: Events, case: Case) -> Differences | None:
    """Return the differences between the table's payments and the case, or None if the case is not played."""
    inputs, expect = case["given"], case["expect"]
    game = str(case["ruleset"]).split("-")[0]
    player = PLAYERS.get((game, inputs["kind"]))
    if player is None:
        return None
    try:
        differing = player(robot, inputs, expect, events)
    except NotPlayable:
        return None
    except RefusedTap as refused:
        return [] if "error" in expect else [f"refused: {refused}"]
    finally:
        leave(robot, game, events)
    return ["was taken"] if "error" in expect else differing


def leave(robot: RobotDealer, game: str, events: Events) -> None:
    """Play to its end the round that a case has left, so that the next case finds an empty table."""
    while robot.find_any("close"):
        robot.tap(do="close")
    if game == "roulette":
        if robot.may("ball.launch") or robot.may("ball.land"):
            roulette.spin(robot, 36)
    elif game == "craps":
        craps.clear(robot, events)
    else:
        robot_dealer_card_cases.finish(robot)
    robot.pay_all()
    if robot.may("round.end"):
        robot.step("round.end")
    if game == "roulette":
        roulette.release(robot)
