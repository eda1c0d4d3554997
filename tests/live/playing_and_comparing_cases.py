"""Cases at live tables: play them, compare the answers with those of `settle`, and the trays with the totals."""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from events.games.cases import answer
from events.rules import loading_and_pinning_rulesets
from events.rules.game_declaration_and_registry import game_of
from tests.live import blazing7s_cases
from tests.live.answer_comparison import differences
from tests.live.blackjack_round_at_table import STAKE
from tests.live.live_table import (
    Different,
    Door,
    LiveFloor,
    NotAllowed,
    Player,
    TableRefusal,
    TableSetting,
    Unreachable,
)
from tests.live.playable_case_kinds import ELSEWHERE, PLAYERS
from tests.support.houses.small_house import House

Case = dict[str, Any]
BAR_2 = "craps-by-bar-2"  # the house's other choice (BYC-1)
BLAZING = ("classify", "right")


class Failure(NamedTuple):
    """A case that the table answers differently: the case, and in what."""

    case: Case
    why: list[str]

    def __str__(self) -> str:
        return "\n".join([json.dumps(self.case), *(f"    {line}" for line in self.why)])


class PlayedCases(NamedTuple):
    """The results of many cases, by ruleset and kind."""

    agree: Counter[tuple[str, str]]
    refused: Counter[tuple[str, str]]
    unreachable: Counter[tuple[str, str]]
    failures: list[Failure]


def play(floor: LiveFloor, cases: Iterable[Case], unit: int = 100) -> PlayedCases:
    """Play them all; what could not be brought about at a table is counted apart."""
    played = PlayedCases(Counter(), Counter(), Counter(), [])
    for case in cases:
        name = case["ruleset"], case["given"]["kind"]
        if (game_of(name[0]), name[1]) in ELSEWHERE and name[1] != "withhold":
            continue
        try:
            expected, why = play_case(floor, case, unit)
        except Unreachable:
            played.unreachable[name] += 1
            continue
        except (Different, AssertionError, LookupError, TypeError, ValueError) as error:
            expected, why = {}, [f"{type(error).__name__}: {error}"]
        if why:
            played.failures.append(Failure(case, why))
        else:
            played.agree[name] += 1
            played.refused[name] += "error" in expected
    return played


def play_case(floor: LiveFloor, case: Case, unit: int) -> tuple[Case, list[str]]:
    """`settle`'s answer to a case, and where the table's differs."""
    expected, setting = answer(case), setting_for(floor, case, unit)
    try:
        live = _live(floor, setting, case["given"], expected)
    except (TableRefusal, NotAllowed) as refused:
        live = {"error": str(refused)}
    return expected, differences(expected, live, setting.unit)


def _live(floor: LiveFloor, setting: TableSetting, inputs: Case, expected: Case) -> Case:
    if inputs["kind"] == "withhold":
        return blazing7s_cases.withhold(floor, inputs, expected)
    with floor.table(setting) as table:
        return _player(setting, inputs)(table, inputs, expected)


def _player(setting: TableSetting, inputs: Case) -> Player:
    game = "blazing7s" if inputs["kind"] in BLAZING else game_of(setting.ruleset)
    return PLAYERS[game][inputs["kind"]]


def setting_for(floor: LiveFloor, case: Case, unit: int) -> TableSetting:
    """The table that a case wants: its ruleset, or the one that the case's options make of it; its progressive."""
    ruleset, inputs = case["ruleset"], case["given"]
    if ruleset == "blazing7s":
        stake, basis = inputs.get("stake", STAKE), inputs.get("basis") or "to"
        return TableSetting("blackjack-trilux", 1, _progressive(floor, max(stake, 1), basis), basis)
    if inputs["kind"] == "round" and any(box.get("blazing") for box in inputs.get("boxes", [])):
        return TableSetting(ruleset, unit, _progressive(floor, STAKE, "to"))
    if inputs.get("variant") == "no_commission":
        return TableSetting("baccarat-no-commission", unit)
    if inputs["kind"] == "shooter":
        return TableSetting(ruleset, unit, alone="shooter")
    if inputs.get("options", {}).get("bar") == 2:
        return TableSetting(BAR_2, unit)
    return TableSetting(ruleset, unit)


def _progressive(floor: LiveFloor, stake: int, basis: str) -> str | None:
    if (stake, basis) not in floor.filed:
        fields = {} if basis == "to" else {"basis": basis}
        floor.filed[stake, basis] = blazing7s_cases.file(floor, stakes_minor=[stake, 2 * stake], **fields)
    return floor.filed[stake, basis]


# --- what the tables won --------------------------------------------------------------------------------------


def close_tables(floor: LiveFloor) -> dict[str, int]:
    """Close every table that can be closed. Return the win of each table, according to `settle`.

    Raises Different if the expected inventory of a table differs.
    """
    won = {}
    for table in floor.clean():
        if table.ready:
            table.play.rest()
        closed, *_ = table.do("session.close", closer={})
        due = floor.opener_minor(table) + table.gain
        if closed["data"]["expected_minor"] != due:
            raise Different(f"{table.name}, {table.setting}: {closed['data']['expected_minor']} and not {due}")
        won[table.name] = table.gain
    return won


@contextmanager
def house(door: Callable[[House], Door] | None = None) -> Iterator[LiveFloor]:
    """A house to play in, and the rulesets of its own."""
    before = os.environ.get("PITLEDGER_RULESETS")
    with TemporaryDirectory() as folder:
        shipped = json.loads(loading_and_pinning_rulesets.shipped()["craps-by"].read_text(encoding="utf-8"))
        (Path(folder) / f"{BAR_2}.json").write_text(json.dumps({**shipped, "name": BAR_2, "bar": 2}), encoding="utf-8")
        os.environ["PITLEDGER_RULESETS"] = folder
        floor = LiveFloor(door)
        try:
            yield floor
        finally:
            floor.close()
            os.environ.pop("PITLEDGER_RULESETS")
            if before is not None:
                os.environ["PITLEDGER_RULESETS"] = before
