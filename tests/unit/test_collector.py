"""The garbage collector runs rarely inside the block, and as before after it."""

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
