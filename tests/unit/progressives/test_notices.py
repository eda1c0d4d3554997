"""Accounting learns of changed parameters and corrected meters: by its approval, or by a notice that it reads."""

import pytest

from events.errors import Forbidden, Refused
from events.progressives import action_structs, event_types
from events.progressives.fact_structs import ApprovingPerson
from events.progressives.fold import Fold
from tests.unit.progressives.live_progressive import ADA, CARL, INES, PETRA, LiveProgressive


def _lower_the_rate(house: LiveProgressive, *by: ApprovingPerson) -> int:
    """The Mega is fed 9 % from here on; the position of the change."""
    house.do(action_structs.ChangeParameters(level="mega", feed_millionths=90_000), *by)
    return house.log[-1][0]


def test_a_change_that_accounting_did_not_agree_to_waits_until_it_is_read() -> None:
    house = LiveProgressive()
    at = _lower_the_rate(house, PETRA, INES)
    assert house.fold.state.notices == {at: "mega"}
    (read,) = house.do(action_structs.AcknowledgeNotice(change=at), ADA)
    assert read == event_types.NoticeAcknowledged(progressive="blazing", level="mega", change=at)
    assert house.fold.state.notices == {}
    with pytest.raises(Refused, match=f"No notice of an event at {at} waits") as refused:
        house.do(action_structs.AcknowledgeNotice(change=at), ADA)
    assert refused.value.clause == "house progressive.notice"
    assert refused.value.source == "NJ 13:69D-1.52(e)3"


def test_the_change_holds_before_it_is_read() -> None:
    house = LiveProgressive()
    _lower_the_rate(house, PETRA, INES)
    assert house.fold.level("mega").settings.feed == 90_000


def test_who_of_accounting_agreed_has_been_told() -> None:
    house = LiveProgressive()
    at = _lower_the_rate(house, PETRA, ADA)
    assert house.fold.state.notices == {}
    with pytest.raises(Refused):
        house.do(action_structs.AcknowledgeNotice(change=at), ADA)


def test_a_corrected_meter_is_told_too() -> None:
    house = LiveProgressive()
    house.do(action_structs.AdjustMeter(level="minor", amount_minor=500, reason="malfunction"), PETRA, INES)
    assert list(house.fold.state.notices.values()) == ["minor"]


@pytest.mark.parametrize("person", [PETRA, INES, CARL], ids=lambda person: person.role)
def test_only_accounting_reads_its_notices(person: ApprovingPerson) -> None:
    house = LiveProgressive()
    at = _lower_the_rate(house, PETRA, INES)
    with pytest.raises(Forbidden, match="Accounting"):
        house.do(action_structs.AcknowledgeNotice(change=at), person)
    assert house.fold.state.notices == {at: "mega"}


def test_what_waits_survives_a_snapshot_and_a_copy_does_not_touch_it() -> None:
    house = LiveProgressive()
    at = _lower_the_rate(house, PETRA, INES)
    loaded = Fold.load(house.fold.dump())
    assert loaded is not None
    assert loaded.state.notices == {at: "mega"}
    loaded.copy().state.notices.clear()
    assert loaded.state.notices == {at: "mega"}
