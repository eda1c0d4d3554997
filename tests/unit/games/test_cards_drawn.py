"""Blackjack and baccarat, drawn: the cards in their hands, the bets at their boxes and seats, nothing off the cloth."""

from events.games.baccarat import table_picture as baccarat
from events.games.blackjack import table_picture as blackjack
from events.rules.picture_shapes import Drawn, Hand, Pane
from tests.support.tables.in_memory_tables import TableInMemory, baccarat_table
from tests.unit.tables import test_baccarat, test_blackjack


def pane(drawn: Drawn, code: str) -> Pane:
    return next(pane_ for pane_ in drawn.panes if pane_.code == code)


def is_on_the_cloth(drawn: Drawn) -> bool:
    """Return whether all drawn elements are within their panes."""
    return all(
        0 <= x <= pane_.width and 0 <= y <= pane_.height
        for pane_ in drawn.panes
        for x, y in (
            *((thing.x, thing.y) for thing in pane_.chips),
            *((thing.x, thing.y) for thing in pane_.cards),
            *((thing.x, thing.y) for thing in pane_.fields),
            *((thing.x, thing.y) for thing in pane_.notes),
        )
    )


def split() -> TableInMemory:
    """Eights on box 1, split: one hand doubled, the other with three cards."""
    table = test_blackjack.with_bets(test_blackjack.bet("m"), test_blackjack.bet("n", box=7, player="Bob"))
    deal = ((1, "8C"), (7, "TC"), (0, "9D"), (1, "8D"), (7, "9C"))
    test_blackjack.dealt(table.ask("bets.close"), *deal).ask("hand.split", box=1)
    test_blackjack.card_to(table, 1, "3C", 0)
    test_blackjack.card_to(table, 1, "2C", 1)
    return table.ask("hand.double", box=1, hand=0)


def test_the_hands_of_a_split_stand_side_by_side_each_with_its_bet() -> None:
    table = split()
    drawn = blackjack.draw(table.state, table.events)
    assert drawn.hands == (
        Hand("dealer", ("9D",)),
        Hand("box", ("8C", "3C"), 1),
        Hand("box", ("8D", "2C"), 1),
        Hand("box", ("TC", "9C"), 7),
    )
    cloth = pane(drawn, "layout")
    at = {card.card: card.x for card in cloth.cards}
    assert at["8C"] == at["3C"] < at["8D"] == at["2C"]
    assert at["TC"] < at["8C"], "box 1 is on the right"
    chips = {chip.bet: chip for chip in cloth.chips}
    assert {name: chip.amount_minor for name, chip in chips.items()} == {"m": 2_000, "m.2": 1_000, "n": 1_000}
    assert chips["n"].x < chips["m"].x < chips["m.2"].x
    assert is_on_the_cloth(drawn)


def test_a_hit_that_is_declared_is_marked_at_its_box() -> None:
    table = test_blackjack.sevens(declare=False)
    assert pane(blackjack.draw(table.state, table.events), "layout").discs == ()
    table.ask("hit.declare", box=1, level="mega")
    assert [disc.code for disc in pane(blackjack.draw(table.state, table.events), "layout").discs] == ["", "mega"]


def test_the_bets_of_several_on_a_box_lie_apart() -> None:
    bets = [test_blackjack.bet(f"b{n}", player=f"P{n}") for n in range(3)]
    bets += [test_blackjack.bet(f"{wager}{n}", wager=wager, player=f"P{n}") for n in (0, 1) for wager in ("trilux",)]
    table = test_blackjack.with_bets(*bets)
    chips = pane(blackjack.draw(table.state, table.events), "layout").chips
    assert len({(chip.x, chip.y) for chip in chips}) == len(bets)


def test_a_coup_stands_with_its_cards_and_each_bet_before_its_seat() -> None:
    bet = test_baccarat.bet
    kinds = ("player", "tie", "player_pair", "banker_pair")
    bets = [bet(kind, kind, seat=3) for kind in kinds] + [bet("b", "banker", player="Bob", seat=4)]
    table = test_baccarat.closed(None, *bets)
    drawn = baccarat.draw(table.state, table.events)
    chips = {chip.bet: chip for chip in pane(drawn, "layout").chips}
    assert len({(chip.x, chip.y) for chip in chips.values()}) == 5
    middle = {kind: chips[kind].x for kind in kinds}
    assert middle["player_pair"] < middle["tie"] == middle["player"] < middle["banker_pair"] < chips["b"].x
    test_baccarat.deal(table, "7C 8D 2H 3S")
    drawn = baccarat.draw(table.state, table.events)
    assert drawn.hands == (Hand("player", ("7C", "2H")), Hand("banker", ("8D", "3S")))
    at = {card.card: card.x for card in pane(drawn, "cards").cards}
    assert at["7C"] < at["2H"] < at["8D"] < at["3S"]
    assert is_on_the_cloth(drawn)


def test_the_last_seat_of_the_table_is_on_the_cloth() -> None:
    bets = [test_baccarat.bet("p", "player", seat=10), test_baccarat.bet("b", "banker", player="Bob", seat=1)]
    table = test_baccarat.closed(baccarat_table(), *bets)
    drawn = baccarat.draw(table.state, table.events)
    assert [note.text for note in pane(drawn, "layout").notes] == [str(seat) for seat in range(1, 11)]
    assert is_on_the_cloth(drawn)
