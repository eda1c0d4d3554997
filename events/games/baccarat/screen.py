"""Baccarat on the table screen: the boxes of every seat, the side of the next card, the shoe."""

from collections.abc import Iterator, Sequence

from events.games.baccarat import table_procedure_and_limit_rules
from events.games.baccarat.displayed_names import WORDS
from events.games.baccarat.rules import BaccaratBet, next_to, rules
from events.games.baccarat.shoe_actions_decider import CoupPlay, coup_of, rules_of
from events.games.baccarat.table_picture import LEFT, PLACES, WIDE
from events.rules.screen_declarations import (
    GameScreen,
    OfflineBlock,
    OfflineRound,
    OfflineStep,
    Option,
    Pad,
    Place,
    ScreenStep,
    Spot,
)
from events.rules.taken_ruleset_version_struct import Numbers
from events.tables.table_session_state_structs import Session
from events.text.translation_marker import translatable as _

SEATS = 10


def seat_places(plays: Numbers) -> Iterator[Place]:
    """Yield the places before a seat, each with its rectangle at every seat."""
    for wager, (across, down, width, height) in PLACES.items():
        spots = {
            seat: Spot(LEFT + (seat - 1) * WIDE + across, 10 + down, width, height)
            for seat in range(1, rules(plays).seats + 1)
        }
        yield Place(
            place=wager,
            data={"wager": wager},
            x=spots[1].x,
            y=spots[1].y,
            width=width,
            height=height,
            label=WORDS[wager][:1].upper() + WORDS[wager][1:],
            seated=True,
            spots=spots,
        )


def steps(session: Session) -> Sequence[ScreenStep]:
    """A coup in its order, with the shoe before it where one is needed."""
    coup = coup_of(session)
    is_fresh = coup.shoe is not None and not coup.seen and not coup.cut
    play = [
        *([] if coup.shoe is not None and not coup.cut else [_load(session, _("Load shoe"), is_next=True)]),
        *([_BURN] if is_fresh else []),
        ScreenStep(do="round.open", label=_("Open round")),
        ScreenStep(do="bets.reduce", label=_("Reduce bets to the maximum difference"), asks=()),
        ScreenStep(do="bets.close", label=_("No more bets")),
        *_cards(session, coup),
        END_ROUND,
    ]
    return [*play, *_hands(session), *_others(session, coup)]


END_ROUND = ScreenStep(do="round.end", label=_("End round"))


def _load(session: Session, label: str, *, is_next: bool) -> ScreenStep:
    return ScreenStep(
        do="shoe.load",
        label=label,
        data={"packs": rules_of(session).packs},
        asks=("shoe", "seal"),
        by_state=True,
        group="play" if is_next else "business",
    )


_BURN = ScreenStep(do="shoe.burn", label=_("Burn first card"), asks=("card",))


def _cards(session: Session, coup: CoupPlay) -> Iterator[ScreenStep]:
    """The next card, on its side by the table of play."""
    side = next_to(coup.player, coup.banker) if session.phase in ("open", "no_more_bets", "dealing") else None
    if side is not None:
        yield _card(side)


def _card(side: str) -> ScreenStep:
    label = _("Card to player") if side == "player" else _("Card to banker")
    return ScreenStep(do="card.deal", label=label, data={"to": side}, asks=("card",))


def offline_round(session: Session) -> OfflineRound:
    """Return a whole coup: four cards, and the third ones where the table of play wants them."""
    sides = ("player", "banker", "player", "banker", "player", "banker")
    names = ("round.open", "bets.close")
    begin = tuple(OfflineStep(step=step) for step in steps(session) if step.do in names and step.group == "play")
    cards = tuple(OfflineBlock(steps=(OfflineStep(step=_card(side)),)) for side in sides)
    end = OfflineBlock(steps=(OfflineStep(step=END_ROUND),))
    coup = coup_of(session)
    dealt = len(coup.player) + len(coup.banker) if session.phase in ("no_more_bets", "dealing") else None
    block = 1 + min(dealt, 5) if dealt is not None else len(sides) + 1 if session.phase == "settled" else 0
    return OfflineRound(blocks=(OfflineBlock(steps=begin), *cards, end), block=block)


def _hands(session: Session) -> Iterator[ScreenStep]:
    """The cards go to the players who turn them: of each side the highest bettor, or the dealer."""
    if session.phase not in ("no_more_bets", "dealing"):
        return
    bets = [BaccaratBet(bet.id, bet.wager, bet.stake, bet.player) for bet in session.bets.values()]
    for side, player in table_procedure_and_limit_rules.reveal(bets).items():
        data = {"side": side, **({} if player == table_procedure_and_limit_rules.DEALER else {"player": player})}
        label = _("Give player's cards") if side == "player" else _("Give banker's cards")
        yield ScreenStep(do="hand.give", label=label, data=data, asks=(), may_be_next=False)


def _others(session: Session, coup: CoupPlay) -> Iterator[ScreenStep]:
    """Steps that are not next: rounds without bets, the cut card, a wrong card, the manager's ruling, shoes."""
    yield ScreenStep(
        do="round.open", label=_("Open round without bets"), data={"free": True}, asks=(), group="business"
    )
    yield ScreenStep(
        do="round.open", label=_("Open round at a player's wish"), asks=("wanted_by",), group="business", by_state=True
    )
    yield ScreenStep(do="cut_card.reach", label=_("Cut card reached"), group="business")
    yield ScreenStep(do="shoe.rule", label=_("Rule on shoe"), asks=("ruling",), group="business")
    if coup.shoe is not None and not coup.cut:
        yield _load(session, _("Change shoe"), is_next=False)
    yield ScreenStep(
        do="shoe.count",
        label=_("Count shoe"),
        asks=("shoe", "packs", "missing", "surplus", "unshuffled_packs", "detail", "witness"),
        group="business",
    )
    yield ScreenStep(do="card.deal", label=_("Wrong card"), asks=("to", "card"), group="mistakes", is_fact=True)
    yield ScreenStep(
        do="hand.give", label=_("Cards to the wrong player"), asks=("side", "player"), group="mistakes", is_fact=True
    )


PADS = {
    "result.note result": Pad(
        name="result",
        kind="choice",
        field="result",
        label=_("Result"),
        options=(Option("player", _("Player")), Option("banker", _("Banker")), Option("tie", _("Tie"))),
    ),
    "card.deal to": Pad(
        name="to",
        kind="choice",
        field="to",
        label=_("Goes to"),
        options=(Option("player", _("Player")), Option("banker", _("Banker"))),
    ),
}
SCREEN = GameScreen(
    steps=steps,
    places=lambda plays: tuple(seat_places(plays)),
    pads=PADS,
    seats=SEATS,
    offline_round=offline_round,
)
