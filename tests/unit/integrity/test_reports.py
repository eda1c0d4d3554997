"""Reports of closed days: the audit names a digest that differs from the events, even under a valid signature."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest

from events.accounting.report import checklist_system_state_source
from events.accounting.report.checklist_system_state_source import SystemState
from events.integrity.day_report_recomputation import otherwise
from events.store import Stored
from tests.support.houses.small_house import PROPERTY
from tests.support.houses.worked_day import WorkedDay


class EditedStore:
    """A store of which one event says something else, and every chain and head has been made to fit."""

    def __init__(self, store: Any, kind: str, change: Callable[[dict[str, Any]], object]) -> None:
        self.store, self.kind, self.change = store, kind, change

    def after(self, *arguments: Any, **keywords: Any) -> Sequence[Stored]:
        return [self._edited(event) for event in self.store.after(*arguments, **keywords)]

    def stream(self, *arguments: Any) -> Sequence[Stored]:
        return [self._edited(event) for event in self.store.stream(*arguments)]

    def _edited(self, stored: Stored) -> Stored:
        if stored.type != self.kind:
            return stored
        event = msgspec.json.decode(stored.raw)
        self.change(event["data"])
        return msgspec.structs.replace(stored, raw=msgspec.json.encode(event))


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The worked day, closed, and restated twice: the second box was recounted by both."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PITLEDGER_DATA", str(tmp_path_factory.mktemp("data")))
        house = WorkedDay()
        checklist_system_state_source.register_source(
            house.store, lambda: SystemState(readers={}, head=10**9, aside={})
        )
        house.play()
        house.ok("days", "", "anna", house.action("day.close"))
        for cash_minor in (119_500, 119_000):
            recount = house.action("count.settle", table="FR1", drop_box="two", cash={"500": cash_minor // 500})
            *_, counted, _ = house.agreed("days", "", ("cora", "carl"), recount)
            amend(house, counted)
        yield house
        house.close()


def amend(house: WorkedDay, *events: Any) -> None:
    asking = house.action("day.amend", events=[event.id for event in events], reason="found later")
    house.agreed("days", "", ("anna", "sid"), asking)


def report_findings(house: WorkedDay, kind: str, **fields: Any) -> list[tuple[str, int]]:
    """Return each message about the changed day, with the number of further differences."""
    edited: Any = EditedStore(house.store, kind, lambda data: data.update(fields))
    return [(finding.message, finding.further_findings) for finding in otherwise(edited, PROPERTY)]


def test_a_closed_and_restated_day_is_what_it_says(house: WorkedDay) -> None:
    assert [*otherwise(house.store, PROPERTY)] == []


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"digest": "0" * 64}, f"digest is {'0' * 64}, the events make "),
        ({"position": 10}, ", the events make "),
        ({"position": 10_000}, "speaks of position 10000, behind itself"),
        ({"layout": 1}, ", the events make "),
        ({"layout": 9}, "nobody here can make a report of layout 9"),
    ],
)
def test_a_closing_that_says_something_else_is_named(house: WorkedDay, fields: dict[str, Any], why: str) -> None:
    [(message, _)] = report_findings(house, "day.closed.v1", **fields)
    assert message.startswith("athens/days/2026-11-20@")
    assert " day.closed.v1: " in message
    assert why in message


def test_a_restatement_that_says_something_else_is_named(house: WorkedDay) -> None:
    edits: list[dict[str, Any]] = [{"digest": "0" * 64}, {"restatement": 3}, {"events": []}]
    for fields in (*edits, {"events": ["athens/days/2026-11-20@99"]}):
        [(message, further)] = report_findings(house, "day.amended.v1", **fields)
        assert " day.amended.v1: " in message
        assert further == 1, "the second is wrong as well"


def test_an_event_of_the_day_that_says_something_else_makes_every_report_another(house: WorkedDay) -> None:
    [(message, further)] = report_findings(house, "payment.made.v1", amount_minor=1)
    assert " day.closed.v1: digest is " in message
    assert further == 2


def test_who_goes_on_looks_at_days_of_which_something_was_said_since(house: WorkedDay) -> None:
    edited: Any = EditedStore(house.store, "day.closed.v1", lambda data: data.update(digest="0" * 64))
    last = max(event.position for event in house.store.after(0, 10_000) if event.type == "day.amended.v1")
    assert [*otherwise(edited, PROPERTY, last)] == []
    assert [finding.further_findings for finding in otherwise(edited, PROPERTY, last - 1)] == [0]
