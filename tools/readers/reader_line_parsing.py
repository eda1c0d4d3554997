"""Lines of readers: `card 7D`, `card 7D box 3`, `number 17`, `dice 3 5`, and the actions that they are."""

import re
from typing import Any

_CARD = re.compile(r"card ([2-9TJQKA]|10)([CDHS])(?: (player|banker|dealer|box ([1-7])))?", re.IGNORECASE)
_NUMBER = re.compile(r"number (\d{1,2})")
_DICE = re.compile(r"dice ([1-6]) ([1-6])")
WHEEL_MAX = 36


def action_of(line: str) -> dict[str, Any]:
    """Return the action of a line. Raises ValueError for any other line.

    A card without its place goes to the next place of the table's procedure.
    """
    text = " ".join(line.split())
    if match := _CARD.fullmatch(text):
        data: dict[str, Any] = {"card": (match[1] + match[2]).upper().replace("10", "T")}
        if match[4]:
            data |= {"to": "box", "box": int(match[4])}
        elif match[3]:
            data["to"] = match[3].lower()
        return {"type": "card.deal", "data": data}
    if (match := _NUMBER.fullmatch(text)) and int(match[1]) <= WHEEL_MAX:
        return {"type": "ball.land", "data": {"number": int(match[1])}}
    if match := _DICE.fullmatch(text):
        return {"type": "dice.roll", "data": {"dice": [int(match[1]), int(match[2])]}}
    raise ValueError(f"no line of a reader: {line.strip()!r:.60}")
