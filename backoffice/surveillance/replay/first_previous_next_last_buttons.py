"""The ways from one step of a round to the others."""

import msgspec
from django.utils.translation import gettext as _


class StepButton(msgspec.Struct, frozen=True):
    """Button to a step: name, number, label and sign; disabled at its own step."""

    name: str
    step: int
    words: str
    sign: str
    is_open: bool


def ways(at: int, last: int) -> tuple[StepButton, ...]:
    """First, previous, next, last."""
    return (
        StepButton("first", 1, _("first step"), "«", at > 1),
        StepButton("prev", at - 1, _("previous step"), "‹", at > 1),
        StepButton("next", at + 1, _("next step"), "›", at < last),
        StepButton("last", last, _("last step"), "»", at < last),
    )
