"""Tables of every ruleset played by their screens: the judgement of each step and place is the desk's own answer."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from events.desk import action_trials_and_state_queries
from events.desk.screen_actions_judged_by_decider import StepJudge
from events.rules.game_declaration_and_registry import at_tables, of_ruleset
from events.streams.problem_details import Problem
from events.tables.screen.step_refusals_by_decider import Refusal
from events.tables.wager_places_on_screen import places_of
from tests.support.houses.small_house import DAY, House
from tests.support.tables.random_table_taps import Walk, action_of

RULESETS = {
    "AR1": ("roulette", "roulette-american"),
    "FR1": ("roulette", "roulette-french"),
    "BJ1": ("blackjack", "blackjack-trilux"),
    "BA1": ("baccarat", "baccarat"),
    "BA2": ("baccarat", "baccarat-no-commission"),
    "CG1": ("craps", "craps-gr"),
    "CB1": ("craps", "craps-by"),
}
POSTS = {"dealer": "dora", "inspector": "ines", "second dealer": "d2", "stickman": "s1", "manager": "m1"}
TAPS = 36
LOOKED_AT = 6  # states of a walk in which every judgement is compared

Judged = tuple[str, Mapping[str, Any], bool, str, Refusal | None]


@pytest.fixture
def house() -> Iterator[House]:
    house = House()
    yield house
    house.close()


def opened(house: House, table: str) -> Walk:
    game, ruleset = RULESETS[table]
    if table not in ("FR1", "BJ1"):
        house.install(table, game, ruleset)
    opener = {"500": 1_000, "2500": 1_000}
    house.ok("tables", table, "ines", house.action("session.open", gaming_day=DAY, opener=opener))
    house.ok("tables", table, "ines", house.action("limits.post", minimum_minor=500, maxima_minor={}))
    for post, person in POSTS.items():
        house.ok("tables", table, "ines", house.action("staff.assign", post=post, person=person))
    return Walk(house, table, seed=sum(table.encode()))


def check(house: House, table: str, judged: Judged) -> Problem | None:
    """The desk's own answer to the same action; a second factor, or a second person, is no refusal."""
    do, data, _is_fact, corrects, _refusal = judged
    action = replace(action_of(house, do, dict(data), corrects), intent="check")
    replies = [house.send("tables", table, person, action)[0] for person in ("dora", "ines")]
    problems = [reply for reply in replies if isinstance(reply, Problem)]
    if len(problems) < len(replies):
        return None
    return next((problem for problem in problems if problem.status != 403), problems[0])


@pytest.mark.parametrize("table", RULESETS)
def test_a_judgement_is_the_answer_of_the_desk(house: House, table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    walk, judgements = opened(house, table), []

    class RecordingStepJudge(StepJudge):
        def refusal(
            self, do: str, data: Mapping[str, Any], *, is_fact: bool = False, corrects: str = ""
        ) -> Refusal | None:
            refusal = super().refusal(do, data, is_fact=is_fact, corrects=corrects)
            judgements.append((do, data, is_fact, corrects, refusal))
            return refusal

    for tap in range(TAPS):
        if tap % (TAPS // LOOKED_AT) == 0:
            judgements.clear()
            monkeypatch.setattr(action_trials_and_state_queries, "StepJudge", RecordingStepJudge)
            walk.screen()
            monkeypatch.setattr(action_trials_and_state_queries, "StepJudge", StepJudge)
            for judged in judgements:
                _agrees(house, table, judged)
        walk.tap()


def _agrees(house: House, table: str, judged: Judged) -> None:
    do, data, is_fact, _corrects, refusal = judged
    if is_fact or do == "payment.report":
        return  # a check asks, and these are reported
    problem = check(house, table, judged)
    if problem is not None and problem.title == "Second factor":
        problem = None
    answer = (refusal.status, refusal.clause, refusal.reading) if refusal else None
    answered = (problem.status, problem.clause, problem.reading) if problem else None
    if answer and answer[0] == 400:
        answer, answered = answer[:1], answered and answered[:1]  # type: ignore[assignment]
    assert answer == answered, (do, data)


@pytest.mark.parametrize("table", RULESETS)
def test_a_table_is_played_by_its_screen_and_all_paid_leaves_nothing_due(house: House, table: str) -> None:
    walk = opened(house, table)
    paid = 0
    for _ in range(3 * TAPS):
        due = walk.screen().due
        walk.tap()
        if due:
            paid += len(due)
            assert not walk.screen().due
    assert walk.screen().version > 2 * TAPS
    assert paid > 0


@pytest.mark.parametrize("ruleset", [ruleset for _game, ruleset in RULESETS.values()])
def test_every_wager_has_a_place_and_every_place_has_one_name(ruleset: str) -> None:
    places = places_of(ruleset)
    names = [place.place for place in places]
    assert len(names) == len(set(names))
    wagers = {str(place.data["wager"]) for place in places}
    assert wagers == set(at_tables()[of_ruleset(ruleset).name].names(ruleset).wagers)


@pytest.mark.parametrize("table", RULESETS)
def test_the_data_of_every_place_is_refused_by_a_rule_alone(house: House, table: str) -> None:
    walk = opened(house, table)
    while walk.screen().phase != "open":
        walk.take(next(step for step in walk.screen().steps if step.size == "large"), walk.screen())
    shown = walk.screen()
    for place in shown.places:
        seat = shown.seats[0]
        who = {"player": seat.player, seat.field: seat.seat, "bet": walk.name(), "amount_minor": 500}
        action = replace(action_of(house, place.do, {**place.data, **who}), intent="check")
        reply = house.send("tables", table, "dora", action)[0]
        if isinstance(reply, Problem):
            assert (reply.status, bool(reply.clause)) == (422, True), (place, reply)
