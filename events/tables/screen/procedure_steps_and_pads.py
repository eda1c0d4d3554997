"""Steps that a table's screen offers, in the order of the procedure: the game's own, and those of every table.

A round without signal has steps of its own, with the pads that ask for their details.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from events import catalogue
from events.house.code_to_words_lookup import word
from events.people import authority
from events.rules.game_declaration_and_registry import TableGame, at_tables, game_of
from events.rules.screen_declarations import Earlier, OfflineRound, OfflineStep, Option, Pad, RecordedAction, ScreenStep
from events.rules.taken_ruleset_version_struct import Numbers
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.tables.main_table_decider import actions_at
from events.tables.screen.input_pads import capital, pad_of, required
from events.tables.table_session_state_structs import Session
from events.text.translation_marker import translatable as _

# Every table's business; a step is offered where the game has its action.
BUSINESS: tuple[ScreenStep, ...] = (
    ScreenStep(
        do="session.open", label=_("Open table"), asks=("gaming_day", "opener", "witness", "shift"), group="business"
    ),
    ScreenStep(
        do="limits.post",
        label=_("Post limits"),
        asks=("minimum_minor", "maxima_minor", "minima_minor"),
        group="business",
    ),
    ScreenStep(do="bet.withdraw", asks=("bet",), group="business"),
    ScreenStep(do="buyin.make", label=_("Buy in"), asks=("amount_minor", "seat", "player", "tender"), group="business"),
    ScreenStep(do="chips.exchange", label=_("Exchange chips"), group="business"),
    ScreenStep(do="heads.count", label=_("Count heads"), group="business"),
    ScreenStep(do="staff.assign", label=_("Assign staff"), asks=("post", "person"), group="business"),
    ScreenStep(do="staff.leave", label=_("Leave post"), group="business"),
    ScreenStep(do="fill.request", label=_("Request fill"), group="business"),
    ScreenStep(do="fill.receive", label=_("Receive fill"), asks=("slip", "chips"), group="business"),
    ScreenStep(do="credit.request", label=_("Request credit"), group="business"),
    ScreenStep(do="credit.send", label=_("Send credit"), asks=("slip", "chips"), group="business"),
    ScreenStep(do="limit.mark", label=_("Mark personal limit"), group="business"),
    ScreenStep(do="table.count", label=_("Count tray"), asks=("chips", "witness", "colours_minor"), group="business"),
    ScreenStep(
        do="shift.count",
        label=_("Count shift"),
        asks=("chips", "next_shift", "witness", "colours_minor", "drop_box"),
        group="business",
    ),
    ScreenStep(do="drop.put", label=_("Put drop box"), group="business"),
    ScreenStep(do="drop.remove", label=_("Remove drop box"), asks=("drop_box", "witness"), group="business"),
    ScreenStep(
        do="session.roll",
        label=_("Roll gaming day"),
        asks=("gaming_day", "closer", "colours_minor", "drop_box", "witness"),
        group="business",
    ),
    ScreenStep(do="session.close", label=_("Close table"), asks=("closer", "witness"), group="business"),
    ScreenStep(do="session.void", label=_("Void gaming day"), group="business"),
    ScreenStep(
        do="settlement.correct",
        label=_("Correct settlement"),
        asks=("bet", "settled_in", "amount_minor", "reason", "profit_minor"),
        group="business",
    ),
    ScreenStep(do="payment.report", label=_("Report late payment"), group="business", is_fact=True),
)
# Reasons that a screen proposes for a void; any other may be written.
VOID_REASONS = (_("Misdeal"), _("Wrong card"), _("Result could not be judged"), _("Entered by mistake"))
_OF_EVERY_GAME = frozenset(step.do for step in BUSINESS) | {
    "result.note",
    *("round.open", "round.end", "round.void", "bets.close", "bet.place", "bet.withdraw", "bet.restake"),
    *("bet.instruct", "bet.correct", "payment.make"),
}


def steps_of(session: Session) -> list[ScreenStep]:
    """Return the steps of a table in the order of its procedure."""
    game = at_tables()[session.game]
    possible = actions_at(session)
    own = game.screen.steps(session) if game.screen is not None else derived_steps(game)
    steps = [*own, *_results(session), *_mistakes(session), *BUSINESS]
    return [step for step in steps if step.do in possible]


def _results(session: Session) -> list[ScreenStep]:
    """The note of a result at a table that is counted only: the next step as soon as the house notes results there."""
    if session.recorded:
        return []
    return [ScreenStep(do="result.note", label=_("Note result"), may_be_next=session.has_results)]


def derived_steps(game: TableGame) -> Sequence[ScreenStep]:
    """Return the procedure of a game that declares none: open the round, no more bets, its own actions, end."""
    handled = {data.TYPE for data in game.handlers}
    close = [ScreenStep(do="bets.close", label=_("No more bets"))] if "bets.close" in handled else []
    own = [ScreenStep(do=do, by_state=True) for do in game.rules if do not in _OF_EVERY_GAME]
    return (ScreenStep(do="round.open", label=_("Open round")), *close, *own, END_ROUND)


END_ROUND = ScreenStep(do="round.end", label=_("End round"))


def _mistakes(session: Session) -> list[ScreenStep]:
    """A bet after "no more bets", which is a fact, and the void of the round."""
    screen = at_tables()[session.game].screen
    late_bet_step = ScreenStep(
        do="bet.place",
        label=_("Late bet"),
        asks=("place", "amount_minor", "player", "box" if screen is not None and screen.has_boxes else "seat"),
        group="mistakes",
        is_fact=True,
        names="bet",
    )
    void = ScreenStep(
        do="round.void",
        label=_("Void round"),
        data={"round": max(session.round, 1)},
        asks=("reason",),
        group="mistakes",
    )
    return [late_bet_step, void] if session.round else [void]


def label_of(step: ScreenStep, ruleset: str) -> str:
    """The label of a step, or the word of its action."""
    return step.label or capital(word(step.do, ruleset=ruleset))


def pads_of(step: ScreenStep, plays: Numbers) -> tuple[Pad, ...]:
    """Return the pads of a step at a table of this ruleset: for the fields that it asks for."""
    return _pads(step.do, step.asks, frozenset(step.data), plays)


_PADS = {
    "round.void reason": Pad(
        name="void reason",
        kind="text",
        field="reason",
        label=_("Reason"),
        options=tuple(Option(reason, reason) for reason in VOID_REASONS),
    )
}


@cached_until_forgotten
def _pads(do: str, asks: tuple[str, ...] | None, fixed: frozenset[str], plays: Numbers) -> tuple[Pad, ...]:
    ruleset = str(plays)
    data, screen = catalogue.action_types()[do], at_tables()[game_of(ruleset)].screen
    fields = asks if asks is not None else tuple(field for field in required(data) if field not in fixed)
    own = {**screen.pads, **screen.ruleset_pads(plays)} if screen is not None else {}
    declared = {**_PADS, **own}
    return tuple(pad_of(data, field, ruleset, declared) for field in fields)


@cached_until_forgotten
def second_people(do: str) -> tuple[tuple[str, ...], ...]:
    """Return for each further key of an action the roles that can turn it."""
    return tuple(rule_key for rule in authority.rules_of(do) if not rule.late for rule_key in rule.keys)


_EACH = re.compile(r"(?<![0-9])0(?![0-9])")  # the number that stands for each seat or box


class OfflineStepView(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A step of a round without signal, offered after the action `after`. A step without `may_be_next` is never shown
    large."""

    do: str
    data: Mapping[str, Any]
    asks: tuple[str, ...]
    label: str
    roles: tuple[str, ...]
    may_be_next: bool = True
    after: Earlier | None = None


class OfflineBlockView(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Steps without signal. With `each` they come once for each seat or box: that field of their data has its number,
    and `{0}` of their labels."""

    steps: tuple[OfflineStepView, ...]
    each: str = ""


class OfflineRoundView(msgspec.Struct, frozen=True, kw_only=True):
    """The round that a screen offers without signal: its blocks in order. `block` is the number of the present one,
    `recorded` are the actions of this round that steps follow."""

    blocks: tuple[OfflineBlockView, ...]
    block: int
    recorded: tuple[RecordedAction, ...]


def offline_view(
    offline: OfflineRound, asks: Callable[[ScreenStep], tuple[str, ...]], ruleset: str, say: Callable[[str], str]
) -> OfflineRoundView:
    """Return the round with its labels by `say`; `asks` gives the names of the pads of a step."""

    def view(offline_step: OfflineStep) -> OfflineStepView:
        step = offline_step.step
        return OfflineStepView(
            do=step.do,
            data=step.data,
            asks=asks(step),
            label=_EACH.sub("{0}", say(label_of(step, ruleset))),
            roles=authority.may("tables", step.do),
            may_be_next=step.may_be_next,
            after=offline_step.after,
        )

    blocks = (OfflineBlockView(each=block.each, steps=tuple(map(view, block.steps))) for block in offline.blocks)
    return OfflineRoundView(blocks=tuple(blocks), block=offline.block, recorded=offline.recorded)
