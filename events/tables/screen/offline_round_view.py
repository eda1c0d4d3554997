"""A round without signal on the screen: its steps with the pads that ask for their details."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from events.people import authority
from events.rules.screen_declarations import Earlier, OfflineRound, OfflineStep, RecordedAction, ScreenStep
from events.tables.screen.steps import label_of

_EACH = re.compile(r"(?<![0-9])0(?![0-9])")  # the number that stands for each seat or box


class OfflineStepView(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A step of a round without signal, offered after the action `after`. One that is not `may_be_next` is never shown
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
