"""Rounds of each game by fingers, as the paces of real tables ask for them. Each returns when the round has ended."""

from tests.support.tables.table_screens import Fingers

BOXES = range(1, 8)
DEAL = ("9C", "8C", "6H", "TC", "9D", "7S", "8D", "5S", "TH", "9H", "JC", "KD", "TD", "QS", "TS")
DRAWN = {2: ("2S",), 3: ("2D", "2C"), 6: ("3S",)}
DEALER = ("2H", "4D", "6D")
STAKE = 500


def open_round(fingers: Fingers) -> None:
    """Open a round of a table that is idle."""
    fingers.tap(do="round.open")
    fingers.phase("open")


def end_round(fingers: Fingers) -> None:
    """Pay everything as due, and end the round."""
    fingers.phase("settled")
    if fingers.page.locator("[data-do=all-paid]").count():
        fingers.tap(do="all-paid")
    fingers.tap(do="round.end")
    fingers.phase("idle")


def spin(fingers: Fingers, number: int) -> None:
    """Spin from the launch to the end of the round."""
    fingers.tap(do="ball.launch")
    fingers.tap(do="bets.close")
    fingers.tap(do="ball.land", number=number)
    end_round(fingers)


def twenty_stakes(fingers: Fingers) -> None:
    """A spin with 20 stakes of one player, which a later one repeats."""
    open_round(fingers)
    fingers.tap(chip=STAKE)
    for number in range(1, 21):
        fingers.tap(place=f"straight {number}")
    spin(fingers, 17)


def thirty_stakes(fingers: Fingers) -> None:
    """A spin with 30 stakes, of which 20 are those of the last one."""
    open_round(fingers)
    fingers.tap(do="same-again")
    for seat, number in ((1, 21), (1, 22), (1, 23), (2, 24), (2, 25), (2, 26), (2, 27), (2, 28), (2, 29), (2, 30)):
        if seat == 2 and number == 24:
            fingers.tap(do="player", seat=2)
            fingers.tap(chip=STAKE)
        fingers.tap(place=f"straight {number}")
    spin(fingers, 17)


def seven_boxes(fingers: Fingers) -> None:
    """A round of blackjack with 14 side stakes and 22 cards."""
    open_round(fingers)
    fingers.tap(chip=2_500)
    for box in BOXES:
        fingers.tap(place="main", seat=box)
    fingers.tap(chip=STAKE)
    for wager in ("trilux", "blazing7s"):
        for box in BOXES:
            fingers.tap(place=wager, seat=box)
    fingers.settled()
    fingers.tap(do="bets.close")
    fingers.phase("no_more_bets")
    fingers.tap(do="progressive.arm")
    fingers.settled()
    _deal(fingers, DEAL)
    fingers.tap(do="deal.complete")
    fingers.settled()
    for box in BOXES:
        _play(fingers, box)
    _deal(fingers, DEALER)
    end_round(fingers)


def _deal(fingers: Fingers, cards: tuple[str, ...]) -> None:
    for card in cards:
        fingers.tap(card=card)
        fingers.settled()


def _play(fingers: Fingers, box: int) -> None:
    """Draw the cards of a box, then let it stand."""
    _deal(fingers, DRAWN.get(box, ()))
    stand = fingers.page.locator('[data-do="hand.stand"]:not([aria-disabled])')
    if stand.count():
        fingers.tap(do="hand.stand")
        fingers.settled()


def eight_stakes(fingers: Fingers) -> None:
    """A coup of baccarat with eight stakes."""
    open_round(fingers)
    fingers.tap(chip=2_500)
    for seat in range(1, 9):
        fingers.tap(place="player" if seat % 2 else "banker", seat=seat)
    fingers.tap(do="bets.close")
    fingers.settled()
    _deal(fingers, ("9D", "2C", "KH", "5S"))
    end_round(fingers)
