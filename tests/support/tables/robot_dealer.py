"""A dealer who plays by taps only and finds everything by the attributes of docs/reference/table-screen.md.

It reads no text and no rule. The page's attributes tell the allowed taps, the bets on the layout and the amounts due.
Amounts are in minor units.
"""

import json
from typing import TYPE_CHECKING, Any

from tests.support.tables.table_screens import Fingers

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

SOON_MS = 20_000  # the longest wait for an answer on a busy machine
BETS = "() => [...document.querySelectorAll('.cloth [data-bet]')].map((chip) => chip.dataset.bet)"
STEPS = """(buttons) => buttons.map((button) => ({
  of: button.dataset.of ?? "{}", asks: button.dataset.asks ?? "", isSeen: button.getClientRects().length > 0 }))"""


class RefusedTap(Exception):
    """The screen refused a tap and showed the rule that forbids it."""


class RobotDealer(Fingers):
    """Fingers that know the screen's attributes."""

    def __init__(self, page: "Page") -> None:
        super().__init__(page)
        self.chosen: int | None = None
        self.records_facts = False  # whether what a rule forbids is recorded as happened
        self.facts = 0  # recorded so

    # --- what the page shows ------------------------------------------------------------------------------------

    @property
    def phase_now(self) -> str:
        return str(self.page.locator("[data-table]").get_attribute("data-phase"))

    def shows(self, selector: str) -> bool:
        """Return whether an element that can be tapped is visible now."""
        return self.page.locator(f"{selector}:not([aria-disabled])").count() > 0

    def bets(self) -> list[str]:
        """Names of the bets that lie on the cloth."""
        return [str(bet) for bet in self.page.evaluate(BETS)]

    # --- stakes -------------------------------------------------------------------------------------------------

    def choose_chip(self, minor: int) -> None:
        """Choose a chip, or enter an amount that no chip has."""
        if minor == self.chosen:
            return
        if self.shows(f'.rack [data-chip="{minor}"]'):
            self.tap_at(f'.rack [data-chip="{minor}"]')
        else:
            self.tap(do="amount")
            self.keys(minor)
            self.tap(do="use-amount")
        self.chosen = minor

    def stake(self, place: str, minor: int, *, player_seat: int | None = None, seat: int | None = None) -> None:
        """Lay a stake on a place: of the player at `player_seat`, or at the box or seat that the place has itself.

        Raises RefusedTap when the screen says that a rule forbids it; nothing is sent then.
        """
        if player_seat is not None:
            self.tap(do="player", seat=player_seat)
            self.chosen = None
        self.choose_chip(minor)
        where = f'[data-place="{place}"]' + (f'[data-seat="{seat}"]' if seat is not None else "")
        target = self.page.locator(f"{where}[data-do]").first
        if not target.count():
            raise RefusedTap(f"no place {place}")
        self._press(target)
        self.settled()
        self.raise_refusal()

    def staked(self, place: str, minor: int, *, player_seat: int | None = None, seat: int | None = None) -> str:
        """Lay a stake, as `stake` does, and return the name of the bet."""
        before = self.bets()
        self.stake(place, minor, player_seat=player_seat, seat=seat)
        return next(bet for bet in self.bets() if bet not in before)

    def _press(self, target: "Locator") -> None:
        """Tap the middle of an element, also if another element covers it."""
        target.scroll_into_view_if_needed()
        box = target.bounding_box()
        assert box is not None
        self.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        self.taps += 1

    def take_back(self, place: str, seat: int | None = None) -> None:
        """Take back the last bet on a place by a long press. Raises RefusedTap."""
        where = f'[data-place="{place}"]' + (f'[data-seat="{seat}"]' if seat is not None else "")
        box = self.page.locator(f"{where}[data-do]").first.bounding_box()
        assert box is not None
        self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        self.page.mouse.down()
        self.page.wait_for_timeout(700)
        self.page.mouse.up()
        self.taps += 1
        self.settled()
        self.raise_refusal()

    # --- steps --------------------------------------------------------------------------------------------------

    def step(self, do: str, answers: dict[str, Any] | None = None, /, **data: Any) -> None:
        """Take a step from the screen, the menu or the mistakes. Its fixed data contain `data`.

        `answers` are the values for the pads of its form, by field. Raises RefusedTap.
        """
        button = self.find_step(do, data, answers or {})
        refused = button.get_attribute("aria-disabled") == "true"
        button.tap(force=refused)
        self.taps += 1
        if refused:
            self.raise_refusal()
            if not self.records_facts:
                raise RefusedTap(do)
        if answers is not None:
            self.fill(do, answers)
        self.settled()
        self.raise_refusal()

    def find_step(self, do: str, data: dict[str, Any], answers: dict[str, Any]) -> "Locator":
        """The button of a step with these fixed data that asks for all answers, opening the sheet that has it."""
        for opens in (None, "mistakes", "menu"):
            if opens is not None:
                if not self.page.locator(f"[data-do={opens}]").count():
                    continue
                self.page.locator(f"[data-do={opens}]").first.tap()
                self.taps += 1
            button = self._step_here(do, data, answers)
            if button is not None:
                return button
            if opens is not None:
                self.tap(do="close")
        raise RefusedTap(f"no step {do} with {data}")

    def may(self, do: str, **data: Any) -> bool:
        """Return whether a step with these fixed data is on the screen and allowed now."""
        allowed = self.page.locator(f'[data-do="{do}"][data-of]:not([aria-disabled])')
        shown = [json.loads(step["of"]) for step in allowed.evaluate_all(STEPS) if step["isSeen"]]
        return any(all(of.get(name) == value for name, value in data.items()) for of in shown)

    def fixed_data(self, do: str) -> dict[str, Any] | None:
        """Return the fixed data of an action's first step that is on the screen and allowed."""
        allowed = self.page.locator(f'[data-do="{do}"][data-of]:not([aria-disabled])').evaluate_all(STEPS)
        return next((dict(json.loads(step["of"])) for step in allowed if step["isSeen"]), None)

    def pad_data(self) -> dict[str, Any]:
        """The fixed data of the step that the pad at the lower edge answers."""
        of = self.page.locator(".dock-pad").first.get_attribute("data-of")
        return dict(json.loads(of or "{}"))

    def find_any(self, do: str) -> bool:
        """Return whether a step is on the screen now."""
        return self.page.locator(f'[data-do="{do}"]').count() > 0

    def _step_here(self, do: str, data: dict[str, Any], answers: dict[str, Any]) -> "Locator | None":
        buttons = self.page.locator(f'[data-do="{do}"][data-of]')
        for place, shown in enumerate(buttons.evaluate_all(STEPS)):
            of = json.loads(shown["of"])
            if (
                shown["isSeen"]
                and set(answers) <= set(shown["asks"].split())
                and all(of.get(name) == value for name, value in data.items())
            ):
                return buttons.nth(place)
        return None

    def fill(self, do: str, answers: dict[str, Any]) -> None:
        """Answer the pads of an open form and send it; a single pad of choices sends by itself."""
        for field, value in answers.items():
            pad = self.page.locator(f'[data-pad="{field}"]')
            if pad.count():
                self._answer(pad.last, value)  # another step's pad may stand at the lower edge, under the form
        send = self.page.locator(f'[data-do="{do}"][data-send]')
        if send.count():
            send.tap()
            self.taps += 1

    def _answer(self, pad: "Locator", value: Any) -> None:
        typed = pad.locator("input[data-field], textarea[data-field]")
        text = json.dumps(value, separators=(",", ":")) if isinstance(value, dict | list | bool) else str(value)
        keys = [f"[data-{name}='{text}']" for name in ("choice", "card", "number", "dice", "bet", "place")]
        choice = next((key for key in keys if pad.locator(key).count()), None)
        if choice is not None:
            pad.locator(choice).first.tap()
        elif pad.locator("[data-limit]").count():
            for wager, minor in value.items():
                pad.locator(f'[data-limit="{wager}"]').fill(str(minor / 100))
        elif pad.locator("input[data-chip]").count():
            for chip, count in value.items():
                pad.locator(f'input[data-chip="{chip}"]').fill(str(count))
        elif pad.locator("[data-key]").count():
            self.keys(int(value), pad)
        elif typed.count():
            typed.first.fill("\n".join(value) if isinstance(value, list) else str(value))
        else:
            raise RefusedTap(f"no key for {value!r}")
        self.taps += 1

    def keys(self, minor: int, pad: "Locator | None" = None) -> None:
        """Type an amount on a keypad, whose digits are minor units."""
        inside: Any = self.page if pad is None else pad
        for _digit in range(12):
            if inside.locator("output").first.text_content() in ("0", "0.00"):
                break
            inside.locator('[data-key="back"]').first.tap()
        for digit in str(minor):
            inside.locator(f'[data-key="{digit}"]').first.tap()
            self.taps += 1

    # --- pads that stand ----------------------------------------------------------------------------------------

    def tap_at(self, selector: str) -> None:
        """Tap an element, as soon as it is there and allowed."""
        self.page.locator(f"{selector}:not([aria-disabled])").first.tap(timeout=SOON_MS)
        self.taps += 1

    def answer(self, selector: str) -> None:
        """Tap a key of a standing pad, and wait for the answer. Raises RefusedTap."""
        self.tap_at(selector)
        self.settled()
        self.raise_refusal()

    def card(self, card: str, **data: Any) -> None:
        """The next card: where the screen says that it goes, or for the step with these fixed data."""
        standing = self.pad_data() if self.page.locator(".dock-pad").count() else {}
        if not all(standing.get(name) == value for name, value in data.items()):
            self.step("card.deal", **data)
        self.answer(f'.dock-pad [data-card="{card}"]')

    def roll(self, first: int, second: int) -> None:
        """The dice, the smaller face first."""
        low, high = sorted((first, second))
        self.answer(f'[data-dice="{low}-{high}"]')

    def pay_all(self) -> None:
        """Pay everything as due, where something is."""
        if self.page.locator("[data-do=all-paid]").count():
            self.answer("[data-do=all-paid]")

    # --- refusals -----------------------------------------------------------------------------------------------

    def raise_refusal(self) -> None:
        """Raise what the screen shows as refused, and close it; or record it as happened."""
        record = self.page.locator("[data-do=record-fact]")
        if not record.count():
            return
        if self.records_facts:
            record.first.tap()
            self.taps += 1
            self.facts += 1
            self.settled()
            return
        why = self.page.locator(".sheet-refusal .why, .toast p").first.inner_text()
        self.page.locator("[data-do=close], [data-do=dismiss]").last.tap()
        raise RefusedTap(why)
