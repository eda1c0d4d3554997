"""The wall of alerts, an alert and the actions on it, and its permitted readers."""

import html
import json
import re
from typing import Any

import pytest
from django.test import Client

from backoffice.people import current_roles
from backoffice.surveillance import people_barred_from_alert_decision
from backoffice.surveillance.search.grammar import Mistake
from backoffice.surveillance.search.paged_search_within_time_limit import all_matches
from backoffice.surveillance.search.search_to_log_conditions import search
from events.alerts.overdue_and_luck_event_recorder import of_house, report
from events.alerts.system_recorded_event_types import IntegrityFailed
from projections.alerts.models import Alert
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, PROPERTY, House
from tests.support.pages.page_text_and_queries import source, words
from tests.support.pages.sign_in import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def watch(evening_house: House) -> Client:
    """Return the browser of a person of surveillance, after the evening."""
    return signed_in(Client(), "sven")


def mispay() -> Alert:
    return Alert.objects.get(name="mispay")


def clears(client: Client) -> str:
    """Return the table's text about the person who clears its irregularity."""
    page = source(client, f"/tables/FR1/{DAY}")
    *_, last = re.findall(r"(?s)<td>(.*?)</td>", page.partition('id="irregular-')[2].partition("</tr>")[0])
    return re.sub(r"<[^>]*>|\s+(?=\s|$)", "", last).strip()


def do(house: House, kind: str, **data: Any) -> None:
    """Something is done with the mispay, and the read models know it."""
    house.ok("alerts", mispay().id, "sven", house.action(kind, **data))
    evening_with_everything.project(house)


def test_the_wall_shows_what_is_open_the_newest_first(watch: Client) -> None:
    text = words(watch, "/alerts").replace(" ,", ",")
    assert text.index("Cash") < text.index("FR1, round 3")
    assert "Mispay red: due 20.00, paid 25.00" in text
    assert "cash 50,001.50, over the reporting threshold" in text
    assert "No matching alerts" in words(watch, "/alerts?status=cleared")
    assert "FR1, round 3" not in words(watch, "/alerts?name=cash")


def test_the_lists_write_the_titles_of_alerts_with_a_capital_letter(watch: Client, evening_house: House) -> None:
    """Also the choices of rule, state and severity, the heading of a form, the inbox and the table's irregularities."""
    form, table = f"/alerts/{mispay().id}/do/alert.clear", f"/tables/FR1/{DAY}"
    places = ("/alerts?name=mispay&status=open", "/alerts/wall", "/inbox", form, table)
    list_page, wall, inbox, form, table = (
        re.sub(r"(?s)<svg.*?</svg>|<a [^>]*data-alert>|\n", "", source(watch, place)) for place in places
    )
    lead = re.sub(r"(?s)<svg.*?</svg>|\n", "", source(signed_in(Client(), "ines"), "/inbox"))
    shown = [
        *re.findall(r'<th scope="row"><span class="state[^>]*>([^<]+)', list_page + inbox + lead),
        *re.findall(r"<span>([^<]+)</span>(?: <b>|</a></li>)", list_page),
        *re.findall(r"<h3>([^<]+)", wall),
        *re.findall(r"<option[^>]*>([^<]+)", wall),
        *re.findall(r'<span class="sub">([^<]+)', form),
        *re.findall(r'<td>([^<]+)<span class="reason">', table),
    ]
    assert {"Mispay", "Cash", "All", "All rules", "All severities", "High severity", "Open"} <= {*shown}
    assert shown.count("Mispay") >= 6
    assert any(words_.startswith("Mispay: ") for words_ in shown), "the irregularity of the lead"
    assert [words_ for words_ in shown if words_[:1].islower()] == []


def test_what_nobody_looks_into_waits_for_surveillance_and_then_for_whose_it_is(
    watch: Client, evening_house: House
) -> None:
    lead, other = (signed_in(Client(), person) for person in ("ines", "olga"))
    count = Alert.objects.filter(status="open").count()
    line = f"{count} unassigned alerts"
    assert f"{line} alerts High 1" in words(watch, "/inbox")
    assert line not in words(lead, "/inbox")
    assert clears(lead) == "inspector or pit boss"
    assert "Mispay: " in words(lead, "/inbox"), "an irregularity waits for who leads the table"
    do(evening_house, "alert.assign", person="sven")
    text = words(watch, "/inbox")
    assert f"{count - 1} unassigned alerts" in text or count == 2
    assert "Alert: mispay" in text
    assert f'href="/alerts/{mispay().id}"' in source(watch, "/inbox")
    page = f"/alerts/{mispay().id}"
    assert f"{page}/do/alert.clear" in source(watch, page)
    assert f"{page}/do/alert.reopen" not in source(watch, page)
    assert mispay().id not in words(watch, f"{page}/do/alert.clear"), "a form is headed by what people call it"
    assert "Alert: mispay" in words(other, "/inbox"), "an auditor reads all of it"
    do(evening_house, "alert.clear", disposition="put right", reason="the player gave it back")
    assert "mispay" not in words(watch, "/inbox").lower()
    assert f"{page}/do/alert.clear" not in source(watch, page)
    assert f"{page}/do/alert.reopen" in source(watch, page)
    assert "Mispay: " not in words(lead, "/inbox"), "the irregularity is cleared with its alert"
    assert clears(lead) == "cleared"
    other_alert = mispay()
    other_alert.id, other_alert.name, other_alert.status = "f" * 64, "clock", "open"
    other_alert.save()
    assert clears(lead) == "inspector or pit boss", "another alert that the same events prove is open"


def test_an_alert_of_somebody_who_is_of_surveillance_no_more_waits_for_all_who_are(
    watch: Client, evening_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(current_roles, "REMEMBERED_S", 0.0)
    house = evening_house
    house.grant("wim", "surveillance")
    do(house, "alert.assign", person="wim")
    assert "Alert: mispay" not in words(watch, "/inbox"), "it is somebody's"
    house.ok("people", "", "adam", house.action("role.revoke", person="wim", role="surveillance"))
    evening_with_everything.project(house)
    assert "Alert: mispay" in words(watch, "/inbox")
    assert "Previously assigned to wim" in words(watch, "/inbox")
    assert "Alert: mispay" not in words(signed_in(Client(), "ines"), "/inbox")


def test_an_alert_shows_its_proofs_and_what_was_done(watch: Client, evening_house: House) -> None:
    do(evening_house, "alert.assign", person="sven")
    do(evening_house, "alert.note", note="the camera shows two chips of 5")
    text = words(watch, f"/alerts/{mispay().id}")
    assert "5.00" in text
    assert "winnings paid" in text
    assert "No action yet" not in text
    assert "the camera shows two chips of 5" in text


def test_it_is_cleared_once_and_opened_again(evening_house: House) -> None:
    house = evening_house
    do(house, "alert.clear", disposition="put right", reason="the player gave it back")
    assert (mispay().status, mispay().disposition) == ("cleared", "put right")
    for action in (
        house.action("alert.clear", disposition="mistake", reason="again"),
        house.action("alert.assign", person="sven"),
    ):
        assert house.no("alerts", mispay().id, "sven", action).status == 422
    do(house, "alert.note", note="seen by two")
    do(house, "alert.reopen", reason="it was another chip")
    assert (mispay().status, mispay().notes) == ("open", 1)


def test_only_surveillance_does_so_for_somebody_of_surveillance(evening_house: House) -> None:
    house = evening_house
    assert house.no("alerts", mispay().id, "paul", house.action("alert.note", note="no")).status == 403
    problem = house.no("alerts", mispay().id, "sven", house.action("alert.assign", person="paul"))
    assert (problem.status, problem.field) == (400, "data.person")
    assert house.no("alerts", "nothing", "sven", house.action("alert.note", note="what?")).status == 404


def test_whoever_it_may_be_about_reads_neither_the_wall_nor_the_log_of_it(evening_house: House) -> None:
    do(evening_house, "alert.note", note="the dealer smiled")
    lead = signed_in(Client(), "paul")
    assert lead.get("/alerts").status_code == 403
    assert lead.get("/api/v1/alerts").status_code == 403
    noted = evening_house.store.position()
    assert lead.get(f"/events/{noted}").status_code == 404
    for who, count in (("paul", 0), ("sven", 1), ("olga", 1)):
        client = signed_in(Client(), who)
        events = json.loads(client.get("/api/v1/search", {"q": "type:alert.noted"}).content)["events"]
        assert len(events) == count
        assert len(json.loads(client.get("/api/v1/events?type=alert.noted.v1").content)["events"]) == count


def test_a_search_finds_what_proves_an_alert_and_what_was_said_of_it(
    watch: Client, evening_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    do(evening_house, "alert.note", note="the camera shows two chips of 5")
    for text in ("alert:mispay", f"alert:{mispay().id}", "alert:mispay,cash table:FR1", "-alert:cash alert:mispay"):
        events = [json.loads(event.raw) for event in all_matches(search(text))]
        proofs = [event for event in events if event["id"] in json.loads(mispay().events)]
        assert len(proofs) == len(json.loads(mispay().events)), text
        noted = [event for event in events if event["data"].get("alert") == mispay().id]
        assert len(events) == len(proofs) + len(noted)
    assert list(all_matches(search("alert:luck"))) == []
    with pytest.raises(Mistake, match=r'Column 7: alert has no value "mispai"\. Did you mean mispay'):
        search("alert:mispai")
    monkeypatch.setattr("backoffice.surveillance.search.alert_and_case_filters.EVENTS_MAX", 1)
    with pytest.raises(Mistake, match="Column 1: too many alerts match"):
        search("alert:mispay")


def test_what_the_system_says_for_surveillance_is_not_told_to_others(evening_house: House) -> None:
    house = evening_house
    watchman = of_house(house.store, PROPERTY)
    report(house.store, watchman, IntegrityFailed(kind="verify", thing="a", findings=("chain: edited",), count=1))
    evening_with_everything.project(house)
    position = house.store.position()
    for person, sees in (("sven", True), ("olga", True), ("paul", False)):
        client = signed_in(Client(), person)
        assert client.get(f"/events/{position}").status_code == (200 if sees else 404)
        answer = client.get("/api/v1/search", {"q": "type:integrity.failed"}).content
        assert (b"integrity.failed" in answer) == sees
        assert client.get("/api/v1/search", {"q": "alert:integrity"}).status_code == (200 if sees else 400)


def test_programs_read_a_page_and_one(watch: Client) -> None:
    alerts = watch.get("/api/v1/alerts?order=oldest&limit=1").json()
    [alert] = alerts["alerts"]
    assert (alert["name"], alert["table"], alert["data"]["sum"], alert["status"]) == ("mispay", "FR1", 500, "open")
    rest = watch.get("/api/v1/alerts", {"order": "oldest", "after": alerts["next"]}).json()
    assert [alert_["name"] for alert_ in rest["alerts"]] == ["cash"]
    assert rest["next"] is None
    alert_ = watch.get(f"/api/v1/alerts/{alert['id']}").json()
    assert [proof["type"] for proof in alert_["proofs"]][-1] == "round.ended.v1"
    assert watch.get("/api/v1/alerts/" + "0" * 64).status_code == 404
    for wrong in ("name=nothing", "status=gone", "order=random", "limit=0", "limit=5000"):
        assert watch.get(f"/api/v1/alerts?{wrong}").status_code == 400


def test_the_header_says_how_many_are_open(watch: Client, evening_house: House) -> None:
    assert "2 open alerts" in watch.get("/alerts/count").content.decode()
    do(evening_house, "alert.clear", disposition="mistake", reason="told the dealer")
    assert "1 open alert" in watch.get("/alerts/count").content.decode()


def test_a_rule_is_the_houses_own_from_its_setting_on(house: House) -> None:
    for text in ("mispay: loud", "slip open 45", "slip: open_minutes 0", "hold: rounds 5", "mispay: off; mispay: on"):
        problem = house.no("house", "", "anna", house.action("setting.change", setting="alert_rules", value=text))
        assert (problem.status, problem.field) == (400, "data.value")
    own = house.action("setting.change", setting="alert_rules", value="mispay: low; cash: off")
    house.agreed("house", "", ("anna", "sven"), own)
    evening_with_everything.play(house)
    evening_with_everything.project(house)
    alerts = Alert.objects.values_list("name", "severity", "rule_version")
    assert list(alerts) == [("mispay", "low", 2)]


def test_whoever_an_alert_names_or_whose_event_proves_it_decides_nothing_of_it(evening_house: House) -> None:
    """Dora dealt the round with the wrong payment. Sven's late approval raised an alert about himself."""
    house, alert = evening_house, mispay()
    house.grant("dora", "surveillance")
    tries = {
        "alert.assign": {"person": "sven"},
        "alert.note": {"note": "nothing"},
        "alert.clear": {"disposition": "no fault", "reason": "nothing"},
    }
    for kind, data in tries.items():
        refused = house.no("alerts", alert.id, "dora", house.action(kind, **data))
        assert "Another person must decide" in refused.detail
    to_her = house.no("alerts", alert.id, "sven", house.action("alert.assign", person="dora"))
    assert "The alert is about dora" in to_her.detail
    everybody = people_barred_from_alert_decision.find(alert.id)
    assert everybody is not None
    assert {"dora", "ines", alert.person} <= everybody


def test_whoever_is_named_by_a_clock_that_is_wrong_does_not_clear_the_alert(evening_house: House) -> None:
    house = evening_house
    late = "2026-11-20T18:00:00.000Z"
    alert = mispay()
    house.ok("alerts", alert.id, "sven", house.action("alert.note", note="seen", _time=late))
    evening_with_everything.project(house)
    own = Alert.objects.filter(name="clock", person="sven").order_by("-raised_at_position").first()
    assert own is not None
    clear = {"disposition": "no fault", "reason": "the clock"}
    assert "Another person" in house.no("alerts", own.id, "sven", house.action("alert.clear", **clear)).detail
    house.grant("wanda", "surveillance")
    house.ok("alerts", own.id, "wanda", house.action("alert.clear", **clear))


def test_the_wall_is_in_the_order_of_the_times_that_it_shows(watch: Client) -> None:
    early, late = Alert.objects.order_by("raised_at_position")[:2]
    Alert.objects.filter(id=early.id).update(raised="2026-11-20T23:59:59.000Z")
    Alert.objects.filter(id=late.id).update(raised="2026-11-20T00:00:01.000Z")
    page = source(watch, "/alerts")
    shown = re.findall(r'href="/alerts/([0-9a-f]{64})" data-alert', page)
    times = {alert.id: alert.raised for alert in Alert.objects.all()}
    assert [times[id_] for id_ in shown] == sorted((times[id_] for id_ in shown), reverse=True)
    assert shown[0] == early.id
    assert len(shown) == Alert.objects.filter(status="open").count()


def test_pages_of_the_wall_join(watch: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    row = mispay()
    for number in range(7):
        row.id = f"{number:064x}"
        row.save()
    monkeypatch.setattr("backoffice.surveillance.raised_alert_queries.PAGE", 3)
    seen: list[str] = []
    address = "/alerts?status=all"
    while address:
        page = source(watch, address)
        seen += re.findall(r'href="/alerts/([0-9a-f]{64})" data-alert', page)
        onward = re.search(r'href="(\?[^"]*)" rel="next"', page)
        address = f"/alerts{html.unescape(onward[1])}" if onward else ""
    assert sorted(seen) == sorted(Alert.objects.values_list("id", flat=True))
    assert source(watch, "/alerts?after=nonsense", 404)


def test_the_evidence_has_its_amounts_and_leads_to_the_replay_and_to_the_next_alert(watch: Client) -> None:
    alert = mispay()
    page = source(watch, f"/alerts/{alert.id}")
    assert f'href="/tables/FR1/{DAY}/rounds/{alert.round}"' in page
    text = words(watch, f"/alerts/{alert.id}")
    assert "is paid 25.00 on red; 20.00 was due" in text
    looked = watch.get(f"/api/v1/alerts/{alert.id}").json()
    assert [proof["amount_minor"] for proof in looked["proofs"] if proof["type"] == "payment.made.v1"] == [2_500]
    ids = [looked["next"], looked["previous"]]
    assert any(ids)
    assert all(f'href="/alerts/{id_}"' in page for id_ in ids if id_)
