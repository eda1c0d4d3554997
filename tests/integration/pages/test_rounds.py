"""The replay of a round: its steps, the bets on the layout at each step, and the readers who may not see it."""

import re
from datetime import timedelta
from itertools import combinations
from math import dist

import pytest
from django.test import Client
from django.utils import timezone

from backoffice.access.models import Access, Look
from backoffice.surveillance.replay.chips_spread_on_one_spot import fanned
from events.rules.picture_shapes import Chip, Drawn, Pane
from projections.eventlog.models import EventLog
from projections.floor.models import PlayedRound
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, PROPERTY, House
from tests.support.pages.page_text_and_queries import queries, source, words
from tests.support.pages.sign_in import signed_in

pytestmark = pytest.mark.django_db
ROUND = f"/tables/FR1/{DAY}/rounds/3"


@pytest.fixture(autouse=True)
def _each(on_each_database: None) -> None:
    """Every test of this module."""


@pytest.mark.usefixtures("evening_house")
def test_each_step_is_an_event_of_the_round_in_order(client: Client) -> None:
    answer = client.get(f"/api/v1{ROUND}").json()
    stream = f"{PROPERTY}/tables/FR1/{DAY}"
    rows = EventLog.objects.filter(stream=stream, round=3).order_by("position")
    assert [step["position"] for step in answer["steps"]] == list(rows.values_list("position", flat=True))
    assert [step["number"] for step in answer["steps"]] == list(range(1, len(answer["steps"]) + 1))
    assert answer["steps"][0]["type"] == "round.opened.v1"
    assert answer["steps"][-1]["type"] == "round.ended.v1"
    assert (answer["state"], answer["step"], answer["drawn"]) == ("ended", 1, None)
    landed = next(step for step in answer["steps"] if step["type"] == "ball.landed.v1")
    assert landed["sentence"] == "The ball lands on 12, red"


@pytest.mark.usefixtures("evening_house")
def test_bets_lie_as_they_are_laid_and_go_as_they_are_settled(client: Client) -> None:
    steps = client.get(f"/api/v1{ROUND}").json()["steps"]
    at = {step["type"]: step["number"] for step in steps}
    closed = client.get(f"/api/v1{ROUND}?step={at['bets.closed.v1']}").json()
    assert [(bet["wager"], bet["numbers"], bet["which"], bet["stake_minor"]) for bet in closed["lies"]] == [
        ("red", [], None, 2_000),
        ("dozen", [], 1, 1_000),
        ("straight", [2], None, 500),
    ]
    assert (closed["lying_minor"], closed["due_minor"], closed["paid_minor"]) == (3_500, 0, 0)
    last = client.get(f"/api/v1{ROUND}?step={len(steps)}").json()
    assert (last["lies"], last["lying_minor"]) == ([], 0)
    row = PlayedRound.objects.get(id=f"{PROPERTY}/tables/FR1/{DAY}#3")
    assert (last["due_minor"], last["paid_minor"]) == (row.due_minor, row.paid_minor) == (4_000, 4_500)
    assert last["posts"]["dealer"] == "dora"


@pytest.mark.usefixtures("evening_house")
def test_the_page_draws_the_step_of_its_address(client: Client) -> None:
    steps = client.get(f"/api/v1{ROUND}").json()["steps"]
    landed = next(step["number"] for step in steps if step["type"] == "ball.landed.v1")
    before, after = source(client, f"{ROUND}?step={landed - 1}"), source(client, f"{ROUND}?step={landed}")
    assert (before.count('class="chip '), before.count("l-dolly"), before.count("l-ball")) == (3, 0, 0)
    assert (after.count("l-dolly"), after.count("l-ball")) == (1, 1)
    assert "The ball lands on 12, red" in words(client, f"{ROUND}?step={landed}")
    assert f'href="{ROUND}?step={landed + 1}"' in after
    assert 'aria-current="step"' in after
    assert "style=" not in after


@pytest.mark.usefixtures("evening_house")
def test_the_steps_stand_on_paper_with_the_cloth_drawn_once(client: Client) -> None:
    steps = client.get(f"/api/v1{ROUND}").json()["steps"]
    page = source(client, f"{ROUND}/print")
    assert page.count('class="card pad printed"') == len(steps)
    assert page.count('id="ground-layout"') == page.count('id="ground-wheel"') == 1
    assert page.count('href="#ground-layout"') == len(steps)
    for step in steps:
        assert step["id"] in page


@pytest.mark.parametrize(
    "path", [f"{ROUND}?step=0", f"{ROUND}?step=999", f"{ROUND}?step=x", ROUND.replace("/3", "/99")]
)
@pytest.mark.usefixtures("evening_house")
def test_what_is_not_there_is_said(client: Client, path: str) -> None:
    assert client.get(path).status_code == 404
    assert client.get(f"/api/v1{path}").status_code == 404


def test_a_round_that_is_played_shows_its_last_step_and_follows(client: Client, evening_house: House) -> None:
    act = evening_house.action
    evening_house.open_table("R9")
    evening_house.ok("tables", "R9", "dora", act("round.open"))
    evening_with_everything.project(evening_house)
    running = f"/tables/R9/{DAY}/rounds/1"
    page = source(client, running)
    assert f'hx-get="{running}/live"' in page
    assert "Round 1 opens" in words(client, running)
    seen = re.findall(r'name="seen" value="([^"]+)"', page)[0]
    assert client.get(f"{running}/live", {"seen": seen, "step": ""}).status_code == 204
    bet = act("bet.place", bet="b", wager="split", numbers=[0, 2], amount_minor=1_000, player="g-1", seat=4)
    evening_house.ok("tables", "R9", "dora", bet)
    evening_with_everything.project(evening_house)
    live = client.get(f"{running}/live", {"seen": seen, "step": ""})
    assert live.status_code == 200
    assert " bets " in live.content.decode()
    assert live.content.decode().count('class="chip p4') == 1
    pinned = client.get(f"{running}/live", {"seen": seen, "step": "1"}).content.decode()
    assert 'class="chip' not in pinned


@pytest.mark.usefixtures("evening_house")
def test_refusals_of_that_time_stand_beside_it_as_unproved(client: Client) -> None:
    stream = f"{PROPERTY}/tables/FR1/{DAY}"
    at = EventLog.objects.filter(stream=stream, round=3).order_by("position")[2].recordedat
    what = "action tables/FR1"
    for moment, outcome in ((at, "409 roulette-french P.3 no more bets"), (at - timedelta(days=1), "409 yesterday")):
        Access.objects.create(at=moment, person="dora", what=what, outcome=outcome)
    Access.objects.create(at=at, person="dora", what="action tables/FR2", outcome="409 elsewhere")
    Access.objects.create(at=timezone.now(), person="dora", what=what, outcome="409 much later")
    refusals = client.get(f"/api/v1{ROUND}").json()["refused"]
    assert [refusal["outcome"] for refusal in refusals] == ["409 roulette-french P.3 no more bets"]
    assert "from the access log, not from events" in words(client, ROUND)


@pytest.mark.usefixtures("evening_house")
def test_what_the_table_does_after_its_last_round_is_no_step_of_it(client: Client) -> None:
    """The table was then counted and closed, with events that name the last round."""
    stream = f"{PROPERTY}/tables/FR1/{DAY}"
    assert EventLog.objects.filter(stream=stream, round=6, type="session.closed.v1").exists()
    replayed = client.get(f"/api/v1/tables/FR1/{DAY}/rounds/6").json()
    assert replayed["steps"][-1]["type"] == "round.ended.v1"


@pytest.mark.usefixtures("evening_house")
def test_who_looks_is_written_down_once_however_many_steps_he_sees(client: Client) -> None:
    source(client, ROUND)
    client.get(f"{ROUND}/live?step=2")
    lines = list(Look.objects.filter(kind="replay").values_list("person", "what", "entry_count"))
    assert [(person, what) for person, what, _count in lines] == [("olga", ROUND)]


@pytest.mark.usefixtures("evening_house")
def test_a_dealer_reads_no_round(client: Client) -> None:
    dora = signed_in(Client(), "dora")
    for path in (ROUND, f"{ROUND}/live", f"{ROUND}/print"):
        assert dora.get(path).status_code == 403


@pytest.mark.usefixtures("evening_house")
def test_one_round_takes_as_many_queries_as_another(client: Client) -> None:
    first = f"/tables/FR1/{DAY}/rounds/1"
    source(client, first)
    source(client, ROUND)
    assert queries(client, first) == queries(client, ROUND) <= 14


@pytest.mark.usefixtures("evening_house")
def test_the_rounds_of_a_table_lead_there(client: Client) -> None:
    assert f'href="{ROUND}"' in source(client, f"/tables/FR1/{DAY}")


@pytest.mark.usefixtures("evening_house")
def test_what_happens_before_the_next_round_is_in_the_replay(client: Client) -> None:
    stream = f"{PROPERTY}/tables/FR1/{DAY}"
    seen: set[int] = set()
    for number in range(1, 7):
        answer = client.get(f"/api/v1/tables/FR1/{DAY}/rounds/{number}").json()
        seen |= {step["position"] for step in (*answer["steps"], *answer["afterwards"])}
        count = len(answer["steps"]) + len(answer["afterwards"])
        numbers = [step["number"] for step in (*answer["steps"], *answer["afterwards"])]
        assert numbers == list(range(1, count + 1))
    first = EventLog.objects.filter(stream=stream, type="round.opened.v1").order_by("position").first()
    assert first is not None
    every = EventLog.objects.filter(stream=stream, position__gte=first.position)
    missing = every.exclude(position__in=seen).values_list("type", flat=True)
    assert list(missing) == [], "a round and what follows it are all that happens"
    last = client.get(f"/api/v1/tables/FR1/{DAY}/rounds/6").json()
    assert "session.closed.v1" in [step["type"] for step in last["afterwards"]]
    step = last["afterwards"][-1]["number"]
    page = words(client, f"/tables/FR1/{DAY}/rounds/6?step={step}")
    assert f"step {step} of {step}" in page
    assert "After the last round" in page


@pytest.mark.usefixtures("evening_house")
def test_the_page_opens_where_the_round_is_decided_in_sentences(client: Client) -> None:
    page = words(client, ROUND)
    steps = client.get(f"/api/v1{ROUND}").json()["steps"]
    settled = next(step["number"] for step in steps if step["type"] == "bet.settled.v1")
    assert f"step {settled - 1} of" in page
    bet = next(step for step in steps if step["type"] == "bet.placed.v1")
    assert re.fullmatch(r"g-\d+ bets [\d,.]+ on .+", bet["sentence"])
    paid = next(step for step in steps if step["type"] == "payment.made.v1")
    assert re.match(r"g-\d+ is paid [\d,.]+ on .+", paid["sentence"])


def test_chips_on_one_spot_are_fanned_out() -> None:
    chips = tuple(Chip(x=100, y=80, amount_minor=500, bet=f"b{n}", wager="red", player=f"g-{n}") for n in range(5))
    alone = Chip(x=300, y=80, amount_minor=500, bet="c", wager="black", player="g-9")
    (pane,) = fanned(Drawn((Pane(code="layout", width=600, height=200, chips=(*chips, alone)),))).panes
    places = [(chip.x, chip.y) for chip in pane.chips]
    assert (alone.x, alone.y) in places
    apart = [dist(place, other) for place, other in combinations(places, 2)]
    assert min(apart) > 12
    assert all(16 <= x <= 584 and 16 <= y <= 184 for x, y in places)
