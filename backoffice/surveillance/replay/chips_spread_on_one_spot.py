"""Chips on one spot, fanned out so that each is visible."""

from math import cos, pi, sin

import msgspec

from events.rules.picture_shapes import Chip, Drawn, Pane

NEAR = 12.0  # units of the drawing: chips closer than that hide each other


def fanned(drawn: Drawn) -> Drawn:
    """Return the drawing with chips of one spot side by side: two next to each other, more in a ring."""
    panes = tuple(
        msgspec.structs.replace(pane, chips=_fan(pane)) if len(pane.chips) > 1 else pane for pane in drawn.panes
    )
    return msgspec.structs.replace(drawn, panes=panes)


def _fan(pane: Pane) -> tuple[Chip, ...]:
    spots: list[list[Chip]] = []
    for chip in pane.chips:
        spot = next(
            (chips for chips in spots if abs(chips[0].x - chip.x) < NEAR and abs(chips[0].y - chip.y) < NEAR), None
        )
        if spot is None:
            spots.append([chip])
        else:
            spot.append(chip)
    return tuple(moved for spot in spots for moved in _chips_on_circle(spot, pane))


def _chips_on_circle(spot: list[Chip], pane: Pane) -> list[Chip]:
    """Return chips on a circle as wide as their number needs, within the drawing."""
    if len(spot) == 1:
        return spot
    radius = 11.0 if len(spot) == 2 else 7.0 + 4.0 * len(spot)
    moved = []
    for number, chip in enumerate(spot):
        angle = pi + 2 * pi * number / len(spot)
        x = min(max(chip.x + radius * cos(angle), 16.0), pane.width - 16.0)
        y = min(max(chip.y + radius * sin(angle), 16.0), pane.height - 16.0)
        moved.append(msgspec.structs.replace(chip, x=round(x, 2), y=round(y, 2)))
    return moved
