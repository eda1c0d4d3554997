"""Timelines of the acceptance format, recorded as events: the read models are as each timeline expects."""

from typing import Any

import pytest

from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.registry import projectors
from tests.support.records import progressive_timeline_recorder, timeline_answers

CASES = progressive_timeline_recorder.cases()


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_read_models_are_what_a_timeline_expects(case: dict[str, Any], using: str) -> None:
    recorder = progressive_timeline_recorder.Recorder(case["given"])
    applier = Applier(projectors(target=WriteTarget(using)), recorder.history.property)
    applier.load()
    events = recorder.history.events
    for first in range(0, len(events), 7):
        assert applier.apply(events[first : first + 7]).poisoned == 0
    assert timeline_answers.read_model_figures(recorder, using) == timeline_answers.expected(case)
    assert recorder.refused == case["expect"]["refused"]
