"""The garbage collector is as it was before, whatever happened meanwhile."""

import contextlib
import gc

from events.runtime.garbage_collection import RARELY, seldom_collected


def test_the_collector_runs_seldom_inside_and_as_before_afterwards() -> None:
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    with contextlib.suppress(KeyError), seldom_collected():
        assert gc.get_threshold() == RARELY
        assert gc.get_freeze_count() > frozen
        raise KeyError
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0
