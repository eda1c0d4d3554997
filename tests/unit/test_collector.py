"""The garbage collector runs rarely inside the block, and briefly in a process that answers people."""

import contextlib
import gc

from events.runtime.garbage_collection import BRIEFLY, RARELY, collect_briefly, seldom_collected


def test_the_collector_runs_seldom_inside_and_as_before_afterwards() -> None:
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    with contextlib.suppress(KeyError), seldom_collected():
        assert gc.get_threshold() == RARELY
        assert gc.get_freeze_count() > frozen
        raise KeyError
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0


def test_a_process_that_answers_people_never_looks_through_its_program_again() -> None:
    before = gc.get_threshold()
    try:
        collect_briefly()
        assert gc.get_threshold() == BRIEFLY
        assert gc.get_freeze_count() > 0
        assert len(gc.get_objects()) < BRIEFLY[0]
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
