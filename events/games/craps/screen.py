"""Craps on the table screen: the places of the cloth, the shooter's dice, throws, presses and odds."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from events.games.craps.bets_removed_per_possible_roll import offline_bets
from events.games.craps.displayed_names import WORDS
from events.games.craps.point_shooter_and_dice_state import layout_of
from events.games.craps.ruleset import POINTS, BetRule, rules
from events.games.craps.table_limits_and_size_checks import not_in_multiples
from events.games.craps.table_picture import BEHIND, IN_BOX, cloth_fields
from events.rules.picture_shapes import Field
from events.rules.screen_declarations import (
    GameScreen,
    OfflineBlock,
    OfflineRound,
    OfflineStep,
    Option,
    Pad,
    Place,
    RecordedAction,
    ScreenStep,
    StakeUnit,
    place_name,
)
from events.rules.taken_ruleset_version_struct import Numbers
from events.tables.table_session_state_structs import Bet, Session
from events.text.translation_marker import translatable as _

SEATS = 12
IN_BOX_WIDE, IN_BOX_HIGH, ODDS_WIDE = 36.0, 32.0, 120.0  # rectangles in a number's box, and behind a line
ON_A_NUMBER = ("number", "hardway")  # forms of bets that are laid on a number


def cloth_places(plays: Numbers) -> Iterator[Place]:
    """Yield every place of a ruleset's bets, whole fields first."""
    game = rules(plays).data
    fields = dict(cloth_fields(frozenset(game.bets)))
    places = [place for wager, rule in game.bets.items() for place in _of_bet(fields, wager, rule)]
    yield from sorted(places, key=lambda place: -place.width * place.height)


def _of_bet(fields: Mapping[str, Field], wager: str, rule: BetRule) -> Iterator[Place]:
    if rule.form in ON_A_NUMBER and rule.number is None:
        for number in sorted(set(rule.pays) & set(POINTS)):
            yield _on_number(fields, wager, number)
    elif rule.form == "odds" and wager not in BEHIND:
        for number in POINTS:
            yield _on_number(fields, wager, number)
    else:
        yield _on_field(fields, wager)


def _on_number(fields: Mapping[str, Field], wager: str, number: int) -> Place:
    whole = fields.get(f"{wager}{number}")  # a hard way has a field of its own
    if whole is not None:
        return _place(wager, number, whole.x, whole.y, whole.width, whole.height)
    (x, y), (across, down) = fields[str(number)].middle, IN_BOX[wager]
    wide = IN_BOX_WIDE if down > 0 else IN_BOX_WIDE - 8
    return _place(wager, number, x + across - wide / 2, y + down - IN_BOX_HIGH / 2, wide, IN_BOX_HIGH)


def _on_field(fields: Mapping[str, Field], wager: str) -> Place:
    field = fields[BEHIND.get(wager, wager)]
    if wager in BEHIND:
        x, _y = field.middle
        return _place(wager, None, x + 200 - ODDS_WIDE / 2, field.y, ODDS_WIDE, field.height)
    return _place(wager, None, field.x, field.y, field.width, field.height)


def _place(wager: str, number: int | None, x: float, y: float, width: float, height: float) -> Place:
    word = WORDS.get(wager, wager.replace("_", " "))
    return Place(
        place=place_name(wager, number=number),
        data={"wager": wager, **({"number": number} if number is not None else {})},
        x=x,
        y=y,
        width=width,
        height=height,
        label=f"{word[:1].upper()}{word[1:]}{'' if number is None else f' {number}'}",
    )


def base_of(session: Session, place: Place, player: str) -> Mapping[str, str]:
    """Return the player's bet for which odds on this place are; without a player, the bet of any player."""
    wager, number = str(place.data["wager"]), place.data.get("number")
    rule = rules(session.plays).data.bets[wager]
    if rule.form != "odds":
        return {}
    bets = [bet for bet in session.bets.values() if bet.wager == rule.base and player in ("", bet.player)]
    base = next((bet for bet in bets if number is None or bet.number == number), None)
    return {"base": base.id} if base is not None else {}


def unit_of(session: Session, place: Place) -> StakeUnit:
    """Return the chips in whose multiples bets on a place are staked."""
    game, number = rules(session.plays), int(place.data.get("number") or 0)
    shape = game.bet(str(place.data["wager"]))
    chips = shape.rule.multiple_of.get(number)
    if chips is None:
        return StakeUnit()
    return StakeUnit(chips, not_in_multiples(game, shape, number, max(session.chip, 1)))


# --- steps ----------------------------------------------------------------------------------------------------


def steps(session: Session) -> Sequence[ScreenStep]:
    """A round from the come-out to its decision."""
    return [*_play(session), *_presses(session), *_others(session)]


def _play(session: Session) -> Sequence[ScreenStep]:
    layout = layout_of(session)
    play: list[ScreenStep] = [] if layout.dice else [_dice(is_next=True)]
    play.append(ScreenStep(do="round.open", label=_("Open round")))
    if layout.shooter is None or layout.dice_pass:
        play.append(_APPOINT)
    if not layout.chosen and layout.dice:
        play.append(ScreenStep(do="dice.choose", label=_("Choose dice"), asks=("places",)))
    return [
        *play,
        ScreenStep(do="dice.offer", label=_("Offer dice")),
        ScreenStep(do="dice.roll", label=_("Enter roll"), asks=("dice",)),
        ScreenStep(do="round.end", label=_("End round")),
    ]


def offline_round(session: Session) -> OfflineRound:
    """Return a round of rolls; `recorded` distinguishes a come-out roll from a later one."""
    block = OfflineBlock(steps=tuple(OfflineStep(step=step) for step in _play(session)))
    recorded = () if layout_of(session).point is None else (RecordedAction("dice.roll", {}),)
    return OfflineRound(blocks=(block,), block=0, recorded=recorded)


_APPOINT = ScreenStep(do="shooter.appoint", label=_("Appoint shooter"), by_state=True)


def _dice(*, is_next: bool) -> ScreenStep:
    return ScreenStep(
        do="dice.put",
        label=_("Put dice on table"),
        asks=("dice", "reason"),
        by_state=True,
        group="play" if is_next else "business",
    )


def _presses(session: Session) -> Iterator[ScreenStep]:
    """Yield a press for every bet on a number that has just won and stays."""
    for due in session.due.values():
        bet = session.bets.get(due.bet.id)
        if bet is not None and bet.number is not None:
            label = _("Press {0}").format(_bet_label(bet))
            yield ScreenStep(do="bet.press", label=label, data={"bet": bet.id}, asks=(), may_be_next=False)


def _bet_label(bet: Bet) -> str:
    return f"{WORDS.get(bet.wager, bet.wager)} {bet.number}"


def _others(session: Session) -> Iterator[ScreenStep]:
    layout = layout_of(session)
    if layout.dice:
        yield _dice(is_next=False)
    if layout.shooter is not None and not layout.dice_pass:
        yield ScreenStep(do="shooter.appoint", label=_("Appoint shooter"), group="business")
    yield ScreenStep(do="shooter.decline", label=_("Decline dice"), group="business")
    yield ScreenStep(do="dice.take_away", label=_("Remove dice"), asks=("reason",), group="business")
    yield ScreenStep(
        do="combination.place",
        label=_("Place combination"),
        asks=("name", "unit_minor", "player", "seat"),
        group="business",
        names="bet",
    )
    yield ScreenStep(do="bet.instruct", label=_("Turn bet on or off"), asks=("bet", "working"), group="business")
    yield ScreenStep(do="bet.instruct", label=_("Bet after a win"), asks=("bet", "after_win"), group="business")
    yield ScreenStep(do="bet.restake", label=_("Change stake"), group="business")
    yield ScreenStep(do="roll.call_off", label=_("No roll"), asks=("fault",), group="mistakes")
    yield ScreenStep(do="roll.call_off", label=_("No roll, other reason"), asks=("detail",), group="mistakes")
    yield ScreenStep(do="dice.roll", label=_("Foreign die"), asks=("dice", "serials"), group="mistakes", is_fact=True)


FAULTS = {
    "off_table": _("Die off the table"),
    "slid": _("Dice slid"),
    "cocked": _("Cocked die"),
    "in_chip_rack": _("Die in the chip rack"),
    "in_chip_bank": _("Die in the bank"),
    "in_dice_bowl": _("Die in the bowl"),
    "off_dice_bowl": _("Die off the bowl"),
    "knocked_back": _("Die knocked back"),
}
PAST_MIDDLE, HIT_END = _("Die short of the middle"), _("Die did not hit the end")


def ruleset_pads(plays: Numbers) -> Mapping[str, Pad]:
    """Return the pad of the faults for which the ruleset calls no roll."""
    throw = rules(plays).data.throw
    options = [Option({"seen": {fault: True}}, label) for fault, label in FAULTS.items() if fault in throw.faults]
    for field, dice, label in (("past_middle", throw.past_middle, PAST_MIDDLE), ("hit_end", throw.hit_end, HIT_END)):
        if dice:
            options.append(Option({"seen": {field: dice - 1}}, label))
    return {"fault": Pad(name="fault", kind="choice", field="", label=_("Fault"), options=tuple(options))}


PADS = {
    "result.note result": Pad(
        name="result",
        kind="number",
        field="result",
        label=_("Roll"),
        options=tuple(Option(str(total), str(total)) for total in range(2, 13)),
    ),
    "dice.roll dice": Pad(name="dice", kind="dice", field="dice", label=_("Roll"), ordered=False),
    "dice.choose places": Pad(
        name="places",
        kind="choice",
        field="places",
        label=_("Dice"),
        options=tuple(Option(pair, f"{pair[0] + 1} and {pair[1] + 1}") for pair in combinations(range(5), 2)),
    ),
    "combination.place name": Pad(
        name="combination",
        kind="choice",
        field="name",
        label=_("Combination"),
        options=(Option("outside", _("Outside")), Option("inside", _("Inside")), Option("across", _("Across"))),
    ),
    "dice.roll serials": Pad(name="serials", kind="texts", field="serials", label=_("Serial numbers"), most=2),
}
SCREEN = GameScreen(
    steps=steps,
    places=lambda plays: tuple(cloth_places(plays)),
    pads=PADS,
    ruleset_pads=ruleset_pads,
    seats=SEATS,
    completes=base_of,
    unit=unit_of,
    offline_round=offline_round,
    offline_bets=offline_bets,
)
