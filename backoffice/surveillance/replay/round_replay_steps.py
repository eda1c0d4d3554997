"""A round of a table, shown step by step, each statement from its events."""

from collections.abc import Sequence
from datetime import datetime

import msgspec
from django.utils.translation import gettext as _

from backoffice.forms.request_and_action_wording import SummaryLine
from backoffice.surveillance.replay.chips_spread_on_one_spot import fanned
from backoffice.surveillance.replay.event_details_and_sentence import event_details, sentence
from backoffice.surveillance.replay.round_lookup import Refusal, RoundSteps, refusals
from backoffice.wording.copy_row_into_page_struct import struct_from
from events.error_codes import coded
from events.errors import Unknown
from events.rules.picture_shapes import Drawn, Hand
from events.tables import round_replay
from events.tables.event_types.rounds import BetPlaced, BetSettled
from events.tables.moved_amount_declarations import amount
from events.tables.round_replay import ReplayStep
from events.tables.table_session_state_structs import Bet, Session
from projections.floor.models import PlayedRound


class StepTold(msgspec.Struct, frozen=True):
    """A step of a round: the event behind it, its author, its `sentence`, and its details field by field as `said`."""

    number: int
    id: str
    position: int
    type: str
    time: datetime
    actor: str
    role: str
    player: str
    seat: int | None
    box: int | None
    sentence: str
    details: tuple[SummaryLine, ...] = msgspec.field(name="said")
    is_queued: bool  # recorded by a device without signal
    recordedat: datetime  # by the house


class Lies(msgspec.Struct, frozen=True):
    """A bet on the layout, or its winnings that are due and not paid yet (`due_minor`)."""

    bet: str
    wager: str
    player: str
    seat: int | None
    box: int | None
    numbers: tuple[int, ...]
    which: int | None
    number: int | None
    stake_minor: int
    due_minor: int
    is_imprisoned: bool


class StepButton(msgspec.Struct, frozen=True):
    """Button to a step: name, number, label and sign; disabled at its own step."""

    name: str
    step: int
    words: str
    sign: str
    is_open: bool


class Replay(msgspec.Struct, frozen=True):
    """A round as it happened, at `step`.

    As of that step are `lies` (`lying_minor` in total), `hands` and `posts`, and since the round began `due_minor` and
    `paid_minor`. `afterwards` are the steps at the table from its end to the next round. `drawn` is the layout, null
    where the game has no drawing and for programs. `refused` are the desk's refusals at this table meanwhile: from the
    access log, without proof.
    """

    table: str
    gaming_day: str
    round: int
    pit: str
    ruleset: str
    currency: str
    state: str
    result: str
    colour: str
    began: datetime
    ended: datetime | None
    rounds: int
    step: int
    steps: tuple[StepTold, ...]
    afterwards: tuple[StepTold, ...]
    lies: tuple[Lies, ...]
    hands: tuple[Hand, ...]
    posts: dict[str, str]
    lying_minor: int
    due_minor: int
    paid_minor: int
    refused: tuple[Refusal, ...]
    drawn: Drawn | None = None

    @property
    def now(self) -> StepTold:
        """The step that is shown."""
        return self._every[self.step - 1]

    @property
    def _every(self) -> tuple[StepTold, ...]:
        return (*self.steps, *self.afterwards)

    @property
    def gap_ms(self) -> int:
        """Return the time to the next step; 0 at the last, and where the clock went back."""
        if self.step == self.last:
            return 0
        between = self._every[self.step].time - self.now.time
        return max(0, round(between.total_seconds() * 1_000))

    @property
    def last(self) -> int:
        """The number of the last step."""
        return len(self._every)

    @property
    def is_running(self) -> bool:
        """Return whether more steps may follow."""
        return self.state == "in play"

    @property
    def step_buttons(self) -> tuple[StepButton, ...]:
        """Return the buttons to the first, the previous, the next and the last step."""
        at, last = self.step, self.last
        return (
            StepButton("first", 1, _("first step"), "«", at > 1),
            StepButton("prev", at - 1, _("previous step"), "‹", at > 1),
            StepButton("next", at + 1, _("next step"), "›", at < last),
            StepButton("last", last, _("last step"), "»", at < last),
        )

    @property
    def has_next(self) -> bool:
        """Return whether another round was played after it."""
        return self.round < self.rounds

    @property
    def next_round(self) -> int:
        """The number of the one after it."""
        return self.round + 1

    @property
    def previous_round(self) -> int:
        """The number of the one before it."""
        return self.round - 1


def round_page(round_steps: RoundSteps, step_number: int | None, *, drawn: bool = True) -> Replay:
    """Return the round at a step; without one at its last while it is played. Raises Unknown.

    After the round, programs get its first step, and the page (`drawn`) the step that decides it.
    """
    row, steps = round_steps.row, round_steps.steps
    usual = round_steps.over if row.state == "in play" else _first_settling_step(steps) if drawn else 1
    at = usual if step_number is None else step_number
    if not 1 <= at <= len(steps):
        raise Unknown(coded("step-not-in-round", step=at, steps=len(steps)))
    here, session = steps[at - 1], steps[at - 1].session
    picture = here.drawn()
    picture = fanned(picture) if picture else None
    lines = tuple(_step_shown(step, position, number) for number, (step, position) in _numbered(round_steps))
    return Replay(
        table=row.table,
        gaming_day=row.gaming_day,
        round=row.round,
        pit=session.pit,
        ruleset=session.plays.stamp,
        currency=session.currency,
        state=row.state,
        result=row.result,
        colour=row.colour,
        began=datetime.fromisoformat(row.began),
        ended=datetime.fromisoformat(row.ended) if row.ended else None,
        rounds=PlayedRound.objects.filter(stream=row.stream).count(),
        step=at,
        steps=lines[: round_steps.over],
        afterwards=lines[round_steps.over :],
        lies=_lies(session),
        hands=picture.hands if picture else (),
        posts=_posts(session),
        **_sums(here),
        refused=refusals(row.table, *_recording_times(steps)),
        drawn=picture if drawn else None,
    )


def _first_settling_step(steps: Sequence[ReplayStep]) -> int:
    """Return the step before the first bet is settled, with chips and outcome on the layout. Without one, the first
    bet.
    """
    first = {type(step.event): number for number, step in reversed([*enumerate(steps, 1)])}
    return max(1, first.get(BetSettled, 1) - 1 or first.get(BetPlaced, 1))


def _recording_times(steps: Sequence[ReplayStep]) -> tuple[datetime, datetime | None]:
    """Return the recording times of its first event and of its end."""
    over = next((step.envelope.recordedat for step in steps if isinstance(step.event, round_replay.OVER)), None)
    return datetime.fromisoformat(steps[0].envelope.recordedat), datetime.fromisoformat(over) if over else None


def _numbered(round_steps: RoundSteps) -> "enumerate[tuple[ReplayStep, int]]":
    return enumerate(zip(round_steps.steps, round_steps.positions, strict=True), 1)


def _step_shown(step: ReplayStep, position: int, number: int) -> StepTold:
    envelope, event, session = step.envelope, step.event, step.session
    ruleset = session.plays.stamp
    return StepTold(
        number=number,
        id=envelope.id,
        position=position,
        type=envelope.type,
        time=datetime.fromisoformat(envelope.time),
        actor=envelope.actor,
        role=envelope.actorrole,
        player=getattr(event, "player", None) or "",
        seat=getattr(event, "seat", None),
        box=getattr(event, "box", None),
        sentence=sentence(event, session.currency, ruleset),
        details=event_details(event, session.currency, ruleset),
        is_queued=envelope.queued is True,
        recordedat=datetime.fromisoformat(envelope.recordedat),
    )


def _lies(session: Session) -> tuple[Lies, ...]:
    due = {name: due_bet.amount for name, due_bet in session.due.items()}
    lying = [_bet_lies(bet, bet.stake, due.pop(name, 0)) for name, bet in session.bets.items()]
    return (*lying, *(_bet_lies(session.due[name].bet, 0, amount) for name, amount in due.items()))


def _bet_lies(bet: Bet, stake: int, due: int) -> Lies:
    return struct_from(
        bet,
        Lies,
        bet=bet.id,
        stake_minor=stake,
        due_minor=due,
        is_imprisoned=bet.zeros > 0,
    )


def _posts(session: Session) -> dict[str, str]:
    """Return the people at the table, by post."""
    first = {"dealer": session.dealer, "inspector": session.inspector}
    return {post: person for post, person in {**first, **session.posts}.items() if person}


def _sums(step: ReplayStep) -> dict[str, int]:
    """Return the stakes on the table, and the amounts due and paid since the round began."""
    due, paid = (sum(amount(event, name) for event in step.events_so_far) for name in ("due", "paid"))
    lying = sum(bet.stake for bet in step.session.bets.values())
    return {"lying_minor": lying, "due_minor": due, "paid_minor": paid}


class PrintedStep(msgspec.Struct, frozen=True):
    """A step on paper: the event, the bets at that time, and the layout where the game has a drawing."""

    step: StepTold
    lies: tuple[Lies, ...]
    drawn: Drawn | None


def printed(round_steps: RoundSteps) -> tuple[PrintedStep, ...]:
    """Return every step of the round."""
    return tuple(
        PrintedStep(_step_shown(step, position, number), _lies(step.session), step.drawn())
        for number, (step, position) in _numbered(round_steps)
    )
