"""Pages of events and hits have the forms of possible actions, filled in with the known values."""

import re
from collections.abc import Iterator

import msgspec
import pytest

from projections.eventlog.models import EventLog
from projections.matters.models import Variance
from projections.tables.models import TableDay
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, House
from tests.support.pages.page_actors import InProcessDoor, at, complaints, done, forms, offered, open_door
from tests.support.pages.page_text_and_queries import source

pytestmark = pytest.mark.django_db

MEGA = f"/progressives/blazing/hits/BJ1-{DAY}-1-1"
MINOR = f"/progressives/blazing/hits/BJ1-{DAY}-2-1"


@pytest.fixture
def door(evening_house: House) -> Iterator[InProcessDoor]:
    with open_door(evening_house) as opened_door:
        yield opened_door


def last(kind: str, table: str | None = None) -> str:
    """The page of the last event of a type."""
    row = EventLog.objects.filter(type=kind, **({"table": table} if table else {})).order_by("-position").first()
    assert row is not None
    return f"/events/{row.position}"


def test_a_bet_that_lies_is_corrected_from_its_event(door: InProcessDoor) -> None:
    house = door.house
    bet = house.action("bet.place", bet="b-9", wager="red", amount_minor=2_000, player="g-1", seat=1, on_zero="half")
    house.ok("tables", "FR2", "dora", bet)
    evening_with_everything.project(house)
    page = last("bet.placed.v1", "FR2")
    assert forms(source(at("anna"), page), "bet.correct") == []
    [url] = forms(source(at("ines"), page), "bet.correct")
    assert '<option value="straight">straight up</option>' in source(at("ines"), url)
    assert "form-corrects=athens%2Ftables%2FFR2" in url
    answer, _sent = done(at("ines"), url, reason="a chip more lay there", amount_minor="30.00")
    assert (answer.status_code, answer["Location"]) == (302, page), complaints(answer)
    corrected = EventLog.objects.get(type="bet.corrected.v1")
    assert b'"stake_minor":3000' in bytes(corrected.raw)
    assert forms(source(at("ines"), last("bet.corrected.v1")), "bet.correct") != []


def test_a_bet_of_a_round_that_is_over_is_not_corrected_there_but_its_payment_reported(door: InProcessDoor) -> None:
    page = last("bet.settled.v1", "FR1")
    assert forms(source(at("paul"), page), "bet.correct") == []
    assert forms(source(at("paul"), page), "round.void") == []
    [url] = forms(source(at("paul"), page), "payment.report")
    assert "won_in=6" in url


def test_a_round_in_play_is_void_from_any_of_its_events_and_a_hit_declared_late(door: InProcessDoor) -> None:
    page = last("card.dealt.v1", "BJ1")
    [(where, void)] = offered("ines", page, "round.void")
    assert where == f"/tables/BJ1/{DAY}"
    assert bytes(void.data) == b'{"round":2}'
    assert len(offered("sven", page, "hit.declare_late")) == 1


def test_what_a_hit_waits_for_is_done_from_its_page(door: InProcessDoor) -> None:
    assert forms(source(at("ines"), MINOR), "hit.authorise") == []
    assert len(forms(source(at("ines"), MINOR), "hit.void")) == 1
    evening_with_everything.finish_blackjack(door.house)
    evening_with_everything.project(door.house)
    [url] = forms(source(at("ines"), MINOR), "hit.authorise")
    answer, _sent = done(at("ines"), url)
    assert (answer.status_code, answer["Location"]) == (302, MINOR), complaints(answer)
    [url] = forms(source(at("cage"), MINOR), "jackpot.pay")
    answer, _sent = done(at("cage"), url, gaming_day=DAY)
    assert answer.status_code == 302, complaints(answer)
    assert forms(source(at("ines"), MINOR), "hit.void") == []


def test_a_request_about_a_hit_is_agreed_to_and_withdrawn_from_its_page(door: InProcessDoor) -> None:
    [url] = forms(source(at("ines"), MINOR), "hit.void")
    answer, _sent = done(at("ines"), url, reason="a card was misread")
    assert answer.status_code == 302, complaints(answer)
    assert len(forms(source(at("ines"), MINOR), "approval.withdraw")) == 1
    assert forms(source(at("ines"), MINOR), "approval.give") == []
    assert forms(source(at("anna"), MINOR), "approval.give") == []
    [url] = forms(source(at("sven"), MINOR), "approval.give")
    answer, _sent = done(at("sven"), url)
    assert answer.status_code == 302, complaints(answer)
    assert EventLog.objects.filter(type="hit.voided.v1").count() == 1


def test_a_paid_hit_leaves_a_house_payment_to_be_made_and_taken_back(door: InProcessDoor) -> None:
    assert forms(source(at("ines"), MEGA), "hit.void") == []
    [url] = forms(source(at("cage"), MEGA), "house.pay")
    fields = {"amount_minor": "10.00", "reason": "the chip was short", "gaming_day": DAY}
    answer, _sent = done(at("cage"), url, **fields)
    assert answer.status_code == 302, complaints(answer)
    [url] = forms(source(at("sid"), MEGA), "approval.give")
    answer, _sent = done(at("sid"), url)
    assert answer.status_code == 302, complaints(answer)
    for page in (MEGA, "/progressives/blazing/matters"):
        [(_where, void)] = offered("cage", page, "house.void")
        assert msgspec.json.decode(void.data) == {"slip_year": DAY[:4], "slip": 3}


def test_a_variance_and_a_notice_are_seen_to_from_their_events(door: InProcessDoor) -> None:
    answer, _sent = done(at("cora"), "/progressives/blazing/do/meter.read", level="mega", read_minor="99.00")
    assert answer.status_code == 302, complaints(answer)
    [(_where, close)] = offered("anna", last("variance.opened.v1"), "variance.close")
    assert Variance.objects.get().case in bytes(close.data).decode()
    tell = door.house.action("parameters.change", level="minor", cap_minor=300_000)
    door.house.agreed("progressives", "blazing", ("mark", "paul"), tell)
    evening_with_everything.project(door.house)
    [url] = forms(source(at("anna"), last("parameters.changed.v1")), "notice.acknowledge")
    answer, _sent = done(at("anna"), url)
    assert answer.status_code == 302, complaints(answer)
    assert forms(source(at("anna"), last("parameters.changed.v1")), "notice.acknowledge") == []


def test_an_event_that_tells_of_a_hit_leads_to_it(door: InProcessDoor) -> None:
    assert f'href="{MEGA}"' in source(at("olga"), last("jackpot.paid.v1"))


@pytest.mark.parametrize("table", ["FR2", "BJ1"])
def test_a_table_has_no_buttons_of_other_games(door: InProcessDoor, table: str) -> None:
    page = source(at("ines"), f"/tables/{table}/{DAY}")
    assert not any(forms(page, action) for action in ("shoe.rule", "dice.put", "dice.take_away"))
    assert forms(page, "staff.assign")


def test_a_baccarat_table_has_its_own(door: InProcessDoor) -> None:
    door.house.install("PB1", "baccarat", "baccarat")
    door.house.open_table("PB1")
    evening_with_everything.project(door.house)
    page = source(at("ines"), f"/tables/PB1/{DAY}")
    assert forms(page, "shoe.rule") != []
    assert forms(page, "dice.put") == []


def buttons(person: str, url: str) -> set[str]:
    """Return the actions among the main buttons of a table's page."""
    nav = source(at(person), url).partition('<nav class="acts')[2].partition("</nav>")[0]
    return set(re.findall(r'/do/([\w.]+)"', nav))


def test_a_table_offers_what_can_be_as_it_stands(evening_house: House) -> None:
    tables = {row.table: row for row in TableDay.objects.all()}
    for name, row in tables.items():
        buttons_ = buttons("ines", f"/tables/{name}/{row.gaming_day}")
        assert ("limits.post" in buttons_) == (row.status == "open"), name
        assert ("hit.declare_late" in buttons_) == bool(row.progressive), name
        assert ("dice.put" in buttons_) == (row.status == "open" and row.ruleset.startswith("craps")), name
        assert "settlement.correct" in buttons_, name
        assert "session.void" not in buttons_ or not row.rounds, name
    assert {row.status == "open" for row in tables.values()} == {True, False}
    assert {bool(row.progressive) for row in tables.values()} == {True, False}
