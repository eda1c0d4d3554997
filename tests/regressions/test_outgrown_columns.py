"""Repeated allowed actions never make totals that outgrow the columns of the read models."""

import pytest

from events.fields import METER_MAX
from events.store import Stored, everything
from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.engine.models import PoisonedEvent
from projections.progressives.models import ProgressiveLevel
from projections.registry import projectors
from tests.integration.projections.conftest import using  # noqa: F401 - a fixture
from tests.support.houses.sample_event_streams import TopicEvent
from tests.support.houses.small_house import House, progressive

NAME = "blazing"


def test_a_meter_grows_to_its_bound_and_is_projected(using: str) -> None:  # noqa: F811 - a fixture
    house = House()
    raised = {"level": "mega", "reason": "malfunction"}
    most = METER_MAX - 5_000_000  # it was opened with that
    house.agreed("progressives", NAME, ("mark", "anna"), house.action("meter.adjust", amount_minor=most, **raised))
    for amount in (1, METER_MAX):
        adjustment = house.action("meter.adjust", amount_minor=amount, **raised)
        request = house.ok("progressives", NAME, "mark", adjustment)[-1].data
        approval = house.action("approval.give", request=request.request, content=request.content)
        refused = house.no("progressives", NAME, "anna", approval)
        assert (refused.clause, "would hold more than" in refused.detail) == ("house progressive.meter", True)
    down = house.action("meter.adjust", amount_minor=-1, **raised)
    house.agreed("progressives", NAME, ("mark", "anna"), down)
    applier = Applier(projectors((), WriteTarget(using)), "athens")
    applier.load()
    applier.apply([_topic_event(event) for event in everything(house.store)])
    assert not PoisonedEvent.objects.using(using).exists()
    assert ProgressiveLevel.objects.using(using).get(level="mega").meter_micro == (METER_MAX - 1) * 10**6
    house.close()


def _topic_event(event: Stored) -> TopicEvent:
    before = event.position - 1
    return TopicEvent(event.position, before, event.stream, event.type, event.raw, before, "0.first")


@pytest.mark.parametrize("field", ["seed_minor", "stakes_minor"])
def test_what_is_added_at_every_hit_or_stake_has_a_bound_of_its_own(field: str) -> None:
    house = House()
    opening = progressive() | {"progressive": "other"}
    if field == "stakes_minor":
        opening["stakes_minor"] = [500, METER_MAX]
    else:
        opening["levels"] = [{**opening["levels"][0], "seed_minor": METER_MAX}, *opening["levels"][1:]]
    refused = house.no("progressives", "other", "mark", house.action("progressive.open", **opening))
    assert refused.clause == "house progressive.open"
    assert "at most" in refused.detail
    house.close()
