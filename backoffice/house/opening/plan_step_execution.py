"""Carry out the steps of a plan by the present people: each requests the actions of their roles, another one approves.

A step without its second person waits in that person's inbox. A step without its first person waits for the next run.
Every action has a key of its own content. So no action is written twice: not by a second run, not by two at the same
time, and not after a run was killed.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from backoffice.house.opening.house_state_reader_for_import import HouseState
from backoffice.house.opening.opening_actions_in_order import WATCH, OpeningStep
from backoffice.wording.error_code_sentences import message_of
from events.desk.command_and_answer_structs import Answer, Reply
from events.envelope import Action
from events.people import approval_request_lifecycle, authority
from events.people.approval_request_lifecycle import ApprovalRequested
from events.people.role_grant_decider import ADMINISTRATOR
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target

INSTALLER = "installer"
AT_ONCE = 200  # actions in one request
ATTEMPTS = 20  # requests for one step: each lapses after a day
Outcome = Literal["done", "there", "asked", "waits", "blocked", "later", "refused"]
# a person's actions in one request: a reply for each action
Send = Callable[[str, Target, Sequence[Action]], list[Reply]]


class StepResult(msgspec.Struct, frozen=True):
    """The outcome of a step. `roles` are those that can continue with it; `why` is the refusal, and `missing` the step
    that must be done first.
    """

    step: OpeningStep
    outcome: Outcome
    roles: tuple[str, ...] = ()
    why: str = ""
    missing: OpeningStep | None = None


class PlanRun:
    """One pass over the steps. `people` are the people at the terminal, `read_state` returns the current state.

    `used_key` returns the type of the last event that was written under an action key, "" for a new key.
    """

    def __init__(
        self,
        people: Sequence[str],
        send: Send,
        read_state: Callable[[], HouseState],
        used_key: Callable[[str], str],
        *,
        opens_today: bool,
    ) -> None:
        self.people = people
        self.state = read_state()
        self._send, self._read_state, self._used_key = send, read_state, used_key
        self._opens_today = opens_today
        self._done_steps: set[str] = set()
        self._steps: Mapping[str, OpeningStep] = {}

    def carry_out(self, steps: Sequence[OpeningStep]) -> Iterator[StepResult]:
        """Do every step that can be done, in order; a result for each."""
        self._steps = {step.name: step for step in steps}
        names = set(self._steps)
        for row in _in_rows(steps):
            if _is_alone(row[0], self.state):
                can = {step.name: self._may_begin(step, names) for step in row}
                yield from (self._blocked(step) for step in row if not can[step.name])
                yield from self._send_steps([step for step in row if can[step.name]])
            else:  # each may be a condition of the next one
                yield from (
                    self._note_result(self._with_others(step) if self._may_begin(step, names) else self._blocked(step))
                    for step in row
                )
            self.state = self._read_state()

    def _may_begin(self, step: OpeningStep, names: set[str]) -> bool:
        is_open = self._opens_today or not step.is_of_day or step.is_done(self.state)
        return is_open and all(need in self._done_steps or need not in names for need in step.needs)

    def _blocked(self, step: OpeningStep) -> StepResult:
        if step.is_of_day and not self._opens_today:
            return StepResult(step, "later")
        missing = [self._steps[need] for need in step.needs if need in self._steps and need not in self._done_steps]
        return StepResult(step, "blocked", missing=missing[0] if missing else None)

    # --- several steps of one kind ------------------------------------------------------------------------------------

    def _send_steps(self, steps: list[OpeningStep]) -> Iterator[StepResult]:
        present = {step.name for step in steps if self._is_there(step)}
        yield from (self._note_result(StepResult(step, "there")) for step in steps if step.name in present)
        yield from self._run_unapproved_steps([step for step in steps if step.name not in present])

    def _is_there(self, step: OpeningStep) -> bool:
        """Return whether the step is done: as the plan has it, or earlier under one of its keys and changed since."""
        return step.is_done(self.state) or self._attempts(step)[0]

    def _attempts(self, step: OpeningStep) -> tuple[bool, str]:
        """Return whether the step was done under one of its keys, and the key for the next attempt.

        A request that was refused or has lapsed is made again under another key.
        """
        requests = self.state.requests.get(step.target, {})
        for attempt in range(1, ATTEMPTS):
            key = step.key if attempt == 1 else f"{step.key}:{attempt}"
            if not (type_ := self._used_key(key)):
                return False, key
            if type_ == ApprovalRequested.TYPE and key not in requests:  # declined, or another run has just asked
                self.state = self._read_state()
                requests = self.state.requests.get(step.target, {})
            if type_ != ApprovalRequested.TYPE or (key in requests and requests[key].done):
                return True, key
        return False, step.key

    def _note_result(self, result: StepResult) -> StepResult:
        if result.outcome in ("done", "there"):
            self._done_steps.add(result.step.name)
        return result

    def _run_unapproved_steps(self, steps: list[OpeningStep]) -> Iterator[StepResult]:
        """Steps that one person does alone, many in a request."""
        for (by, target), group in self._by_person(steps).items():
            if by is None:
                yield from (StepResult(step, "waits", tuple(authority.roles_that_ask(step.type))) for step in group)
                continue
            for first in range(0, len(group), AT_ONCE):
                part = group[first : first + AT_ONCE]
                replies = self._send(by, target, [step.action() for step in part])
                for step, reply in zip(part, replies, strict=True):
                    result = _result(step, reply)
                    is_asked = result.outcome == "asked"
                    yield self._note_result(self._collect_approvals(step, step.key, [by]) if is_asked else result)

    def _by_person(self, steps: list[OpeningStep]) -> Mapping[tuple[str | None, Target], list[OpeningStep]]:
        """Return the steps by person and stream."""
        by_person: dict[tuple[str | None, Target], list[OpeningStep]] = {}
        for step in steps:
            by_person.setdefault((next(iter(self._who_may(step)), None), step.target), []).append(step)
        return by_person

    def _who_may(self, step: OpeningStep) -> list[str]:
        """Return the people at the terminal who may take the step. An administrator cannot grant a role to
        themselves."""
        if step.type == "role.grant" and not self.state.roles:
            return [INSTALLER]
        asking = authority.roles_that_ask(step.type)
        about = step.data.get("person") if step.type == "role.grant" else None
        roles = self.state.roles
        return [
            person
            for person in self.people
            if person != about and not roles.get(person, frozenset()).isdisjoint(asking)
        ]

    # --- with a second person -----------------------------------------------------------------------------------------

    def _with_others(self, step: OpeningStep) -> StepResult:
        is_taken, key = self._attempts(step)  # may read the state again: waiting requests are looked up after it
        if is_taken or step.is_done(self.state):
            return StepResult(step, "there")
        request = self.state.waiting_request(step.target, step.action())
        if request is not None:
            return self._collect_approvals(step, request.event.request, [*request.names, request.event.person])
        last = StepResult(step, "waits", tuple(authority.roles_that_ask(step.type)))
        for person in self._who_may(step):
            [reply] = self._send(person, step.target, [step.action(key)])
            last = _result(step, reply)
            if last.outcome == "asked":
                return self._collect_approvals(step, key, [person])
            if last.outcome == "done":
                return last
        return last

    def _collect_approvals(self, step: OpeningStep, request: str, spoken: list[str]) -> StepResult:
        """Have each of the others agree, until it is decided."""
        content = approval_request_lifecycle.content_of(step.type, msgspec.json.decode(step.action().data))
        give = msgspec.Raw(msgspec.json.encode({"request": request, "content": content}))
        agreeing = authority.agreeing(step.type)
        for person in self.people:
            if person in spoken or self.state.roles.get(person, frozenset()).isdisjoint(agreeing):
                continue
            action = Action(type="approval.give", key=f"{request}:{_short(person)}", data=give)
            [reply] = self._send(person, step.target, [action])
            if isinstance(reply, Answer) and _is_decided(reply):
                return StepResult(step, "done")
        return StepResult(step, "asked", agreeing)


def _in_rows(steps: Sequence[OpeningStep]) -> Iterator[list[OpeningStep]]:
    """Yield groups of consecutive steps with one type of action.

    Roles that the next grants depend on are groups of their own: the first administrator, and all people of
    surveillance.
    """
    row: list[OpeningStep] = []
    for step in steps:
        if row and (row[-1].type != step.type or _stands_alone(row) or step.data.get("role") == WATCH):
            yield row
            row = []
        row.append(step)
    if row:
        yield row


def _stands_alone(row: Sequence[OpeningStep]) -> bool:
    return len(row) == 1 and row[0].data.get("role") in (ADMINISTRATOR, WATCH)


def _is_alone(step: OpeningStep, state: HouseState) -> bool:
    """Return whether one person takes the step without an approval."""
    if step.type == "role.grant":
        return not any(WATCH in roles for roles in state.roles.values())
    return not authority.agreeing(step.type)


def _result(step: OpeningStep, reply: Reply) -> StepResult:
    if isinstance(reply, Problem):
        return StepResult(step, "refused", why=message_of(reply))
    assert isinstance(reply, Answer)
    types = [_type(recorded.event) for recorded in reply.events]
    return StepResult(step, "asked" if types[-1] == ApprovalRequested.TYPE else "done")


def _is_decided(reply: Answer) -> bool:
    return _type(reply.events[-1].event) != approval_request_lifecycle.ApprovalGiven.TYPE


def _type(event: msgspec.Raw) -> str:
    return str(msgspec.json.decode(event, type=_EventType).type)


class _EventType(msgspec.Struct, frozen=True):
    type: str


def _short(person: str) -> str:
    """A person's part of a key: keys take ASCII only."""
    return hashlib.sha256(person.encode()).hexdigest()[:16]
