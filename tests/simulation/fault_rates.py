"""The faults of a run and their rates. Each run has its own mixture, so that rare faults meet each other."""

from random import Random

import msgspec


class Faults(msgspec.Struct):
    """Probabilities at each opportunity; all of them can be healed."""

    kill: float = 0.0  # SIGKILL where a process speaks to the outside
    store_away: float = 0.0  # the store does not answer, nothing was done
    store_lost: float = 0.0  # the append is done, its acknowledgement is lost
    pause: float = 0.1  # somebody else gets a turn between two steps
    answer_lost: float = 0.0  # the client does not hear the desk's answer
    broker_emptied: float = 0.0  # the broker dies and comes back empty
    broker_away: float = 0.0  # the broker does not answer for a while
    record_late: float = 0.0  # a batch lands after its sender has given up
    record_unheard: float = 0.0  # a batch lands, its acknowledgement is lost
    record_refused: float = 0.0  # a batch does not land
    fetch_fails: float = 0.0
    hint_wrong: float = 0.0  # the projector comes back with a hint to some other place
    redelivered: float = 0.0  # the projector gets a batch with earlier records in front
    commit_fails: float = 0.0  # the read models' database refuses to commit
    task_lost: float = 0.0
    task_doubled: float = 0.0
    lock_lost: float = 0.0  # the relay loses its lock and does not know it yet

    def heal(self) -> None:
        """End all faults."""
        for name in self.__struct_fields__:
            setattr(self, name, 0.0)


_USUAL = {
    "kill": 0.01,
    "store_away": 0.01,
    "store_lost": 0.03,
    "answer_lost": 0.1,
    "broker_emptied": 0.002,
    "broker_away": 0.003,
    "record_late": 0.05,
    "record_unheard": 0.05,
    "record_refused": 0.05,
    "fetch_fails": 0.02,
    "hint_wrong": 0.3,
    "redelivered": 0.3,
    "commit_fails": 0.05,
    "task_lost": 0.3,
    "task_doubled": 0.3,
    "lock_lost": 0.01,
}


def mixture(random: Random) -> Faults:
    """Some faults not at all, some now and then, some often."""
    faults = Faults(pause=random.choice((0.02, 0.1, 0.3)))
    for name, usual in _USUAL.items():
        setattr(faults, name, min(0.5, usual * random.choice((0.0, 0.0, 1.0, 1.0, 3.0))))
    return faults
