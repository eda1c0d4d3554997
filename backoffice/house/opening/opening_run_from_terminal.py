"""Carry out a plan at the desk of this process, in the names of the people at the terminal."""

from collections.abc import Sequence

from backoffice.house.opening.folder_reading import OpeningPlan
from backoffice.house.opening.house_state_reader_for_import import HouseState, last_types, read
from backoffice.house.opening.opening_actions_in_order import opens_today, steps
from backoffice.house.opening.plan_step_execution import PlanRun, StepResult
from events.desk.command_and_answer_structs import Command, Reply
from events.desk.desk import Desk
from events.envelope import Action, Who
from events.store import EventStore
from events.streams.stream_kind_declaration import Target


def carry_out(store: EventStore, property_: str, plan: OpeningPlan, people: Sequence[str]) -> list[StepResult]:
    """Do the possible steps of a plan; return a result for each step."""
    names = {level.progressive for level in plan.progressives}
    desk = Desk(store, property_)

    def send(person: str, target: Target, actions: Sequence[Action]) -> list[Reply]:
        # A person who runs commands here holds the house's keys in hand: that is more than a second factor.
        who = Who(person=person, roles=frozenset(), factor_s=0)
        return desk.do(Command(target, tuple(actions), who, mode="each"))

    def state() -> HouseState:
        return read(store, property_, names)

    try:
        now = state()
        run = PlanRun(people, send, state, last_types(store), opens_today=opens_today(plan, now))
        return list(run.carry_out(steps(plan, now)))
    finally:
        desk.close()
