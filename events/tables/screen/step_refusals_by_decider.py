"""Judgement of a step before it is taken: the answer of the table's own decider, without writing."""

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from events.errors import PitledgerError, Refused
from events.rules.screen_declarations import Pad, ScreenStep
from events.streams.problem_details import problem_of
from events.tables.table_session_state_structs import Session
from events.tables.wager_places_on_screen import places_of


class Refusal(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Answer of a rule that forbids a step, with the status, code and parameters of its problem.

    It has the clause with the source's paragraph, and the sentence for the dealer. `field` is the input that it
    concerns.
    """

    code: str
    message: str
    status: int
    params: dict[str, Any] | None = None
    clause: str | None = None
    source: str | None = None
    reading: str | None = None
    field: str | None = None


KNOWN_MAX = 5_000
_refusal_by_error: dict[tuple[object, ...], Refusal] = {}


def refusal_of(error: PitledgerError) -> Refusal:
    """Return a refusal as the screen shows it: the same code, clause and sentence as the desk's problem.

    Most steps meet the same refusal after every tap, so equal errors have one refusal.
    """
    key = (type(error), error.code, error.currency, *_rule_of(error), *error.params.items())
    try:
        refusal = _refusal_by_error.get(key) if error.code else None
    except TypeError:  # a parameter is a list
        return _refusal(error)
    if refusal is None:
        refusal = _refusal(error)
        if len(_refusal_by_error) >= KNOWN_MAX:
            _refusal_by_error.clear()
        _refusal_by_error[key] = refusal
    return refusal


def _rule_of(error: PitledgerError) -> tuple[str, ...]:
    names = ("clause", "source", "reading", "field")
    return tuple(str(getattr(error, name, "")) for name in names)


def _refusal(error: PitledgerError) -> Refusal:
    problem = problem_of(error)
    return Refusal(
        code=problem.code or _code(error),
        message=problem.message or problem.detail,
        status=problem.status,
        params=problem.params,
        clause=problem.clause,
        source=problem.source,
        reading=problem.reading,
        field=problem.field,
    )


def _code(error: PitledgerError) -> str:
    """The class of an error, for those that have no code of their own: "refused", "forbidden"."""
    name = type(error).__name__
    return "refused" if isinstance(error, Refused) and type(error) is Refused else name[:1].lower() + name[1:]


class Judge(Protocol):
    """Asks the decider for one of the people at the screen, on the present stored state."""

    def refusal(self, do: str, data: Mapping[str, Any], *, is_fact: bool = False, corrects: str = "") -> Refusal | None:
        """Return the refusal of an action, or None where it would be accepted or would wait for a second person."""

    def lawful(self, actions: list[tuple[str, Mapping[str, Any]]]) -> list[bool]:
        """Return for each action whether it is accepted after those before it that are."""


NEW_NAME = "-probe"  # of a bet that is judged before it is laid
INVALID, FORBIDDEN, UNKNOWN = 400, 403, 404  # statuses of problems
# Clauses, or their ends, of refusals that concern the table's state and no input.
_OF_STATE = ("house session", "house counted only", "house game", "house roles")


def concerns_state(refusal: Refusal) -> bool:
    """Return whether a refusal holds for every input: the phase, the session or the person's role forbids the step."""
    clause = refusal.clause or ""
    return refusal.status in (FORBIDDEN, UNKNOWN) or clause.endswith(" phase") or clause in _OF_STATE


def judged_step(judge: Judge, step: ScreenStep, pads: list[Pad], samples: Mapping[str, Any]) -> Refusal | None:
    """Return the refusal of a step. Fields that pads ask for have a sample; the refusal of a sample alone is left
    out.
    """
    sampled = {pad.field: samples[pad.name] for pad in pads if not pad.optional and pad.field}
    several = [samples[pad.name] for pad in pads if not pad.field]
    names = {step.names: NEW_NAME} if step.names else {}
    data = {**step.data, **names, **sampled, **{name: value for values in several for name, value in values.items()}}
    refusal = judge.refusal(step.do, data, is_fact=step.is_fact)
    if refusal is None or not pads:
        return refusal
    if concerns_state(refusal):
        return refusal
    is_of_sample = refusal.status == INVALID or (refusal.field or "").removeprefix("data.") in sampled
    return None if is_of_sample or step.by_state or step.group in ("business", "mistakes") else refusal


class SampleValues(msgspec.Struct, frozen=True):
    """Values that samples are taken from: the table, the people at its seats, the day that it would open next."""

    session: Session
    player: str
    person: str
    day: str

    def samples(self) -> dict[str, Any]:
        """Return a sample value by kind of pad."""
        session = self.session
        bets = [*session.due, *session.bets]
        return {
            "seat": 1,
            "player": self.player,
            "person": self.person,
            "bet": bets[0] if bets else "-",
            "amount": max(session.minimum, session.chip, 1),
            "tray": {max(session.chip, 1): 1},
            "place": next((dict(place.data) for place in places_of(session.plays)), {"wager": "-"}),
            "day": self.day,
        }
