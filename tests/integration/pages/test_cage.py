"""The cage from the pages: counts, the window, slips from request to receipt, a void by two."""

import hashlib
import io
from collections.abc import Iterator
from typing import Any

import pytest
from pypdf import PdfReader

from backoffice.access.models import GivenOut
from backoffice.integrity.remade_document_comparison import handed_out
from tests.support.houses import evening_with_everything
from tests.support.houses.cage_house import CASH, Cashiers
from tests.support.houses.small_house import DAY, serving
from tests.support.pages.page_actors import InProcessDoor, at, complaints, done, forms, open_door, preview_of
from tests.support.pages.page_text_and_queries import source, words

pytestmark = pytest.mark.django_db
CAGE = "/cage"


@pytest.fixture
def door(db: None) -> Iterator[InProcessDoor]:
    """The cage is open, FR1 plays."""
    house = Cashiers()
    evening_with_everything.project(house)
    with serving(house), open_door(house) as opened_door:
        yield opened_door
    house.close()


def cashier(door: InProcessDoor, kind: str, **fields: str) -> Any:
    """Send a form as the cashier, and return the next address."""
    answer, _sent = done(at("cage"), f"{CAGE}/do/{kind}", **fields)
    assert answer.status_code == 302, complaints(answer)
    return answer["Location"]


def slip_form_of_request(door: InProcessDoor, kind: str = "fill", chips: dict[str, int] | None = None) -> str:
    """A table asks; the address of the form that issues its slip."""
    door.house.ok("tables", "FR1", "ines", door.house.action(f"{kind}.request", chips=chips or {"500": 100}))
    evening_with_everything.project(door.house)
    [url] = forms(source(at("cage"), CAGE), "slip.issue")
    return url


def test_who_is_of_the_cage_comes_to_it_and_nobody_of_the_pit(door: InProcessDoor) -> None:
    assert "Cage open Gaming day 2026-11-20" in words(at("cage"), CAGE)
    for person in ("ines", "sven", "cora"):
        assert at(person).get(CAGE).status_code == 403
        assert at(person).get(f"{CAGE}/do/cage.cash_out").status_code == 403


def test_chips_and_cash_change_at_the_window(door: InProcessDoor) -> None:
    looked, _sent = preview_of(at("cage"), f"{CAGE}/do/cage.cash_out", chips="500: 40", player="p-7")
    assert "40 × 5.00, total 200.00" in looked.content.decode()
    assert cashier(door, "cage.cash_out", chips="500: 40", player="p-7") == CAGE
    cashier(door, "cage.cash_in", chips="100: 10")
    page = words(at("cage"), CAGE)
    assert "chips cashed out player p-7 200.00" in page
    assert "chips sold for cash 10.00" in page


def test_more_than_the_cage_should_hold_is_shown_like_anything_else(door: InProcessDoor) -> None:
    looked, _sent = preview_of(at("cage"), f"{CAGE}/do/cage.cash_in", chips="2500: 100000")
    assert looked.status_code == 200


def test_nothing_that_is_expected_is_shown_before_the_count_is_in(door: InProcessDoor) -> None:
    cashier(door, "cage.cash_out", chips="500: 40")
    page = words(at("cage"), CAGE)
    assert "49,800.00" not in page
    looked, _sent = preview_of(at("cage"), f"{CAGE}/do/cage.count", chips="500: 1", cash_minor="1.00")
    assert "49,800.00" not in looked.content.decode()
    count = {"chips": "100: 10000\n500: 4040\n2500: 1000", "cash_minor": "49790.00"}
    cashier(door, "cage.count", **count)
    page = words(at("cage"), CAGE)
    assert "The count differs from the expected amounts" in page or "10.00 short" in page
    assert "cash 49,790.00 49,800.00 10.00 short" in page
    assert "chips 55,200.00 55,200.00 0.00" in page


def test_a_check_of_a_count_says_nothing_of_what_is_expected(door: InProcessDoor) -> None:
    house = door.house
    for kind in ("cage.count", "cage.close"):
        reply = house.send("cage", "", "cage", house.action(kind, chips={}, cash_minor=1, _intent="check"))[0]
        assert getattr(reply, "events", None) == []


def test_a_fill_is_issued_for_a_request_with_the_system_s_number(door: InProcessDoor) -> None:
    url = slip_form_of_request(door)
    page = words(at("cage"), CAGE)
    assert "fill FR1 100 × 5.00 500.00" in page
    answer, _sent = done(at("cage"), url, runner="sid")
    assert answer["Location"] == "/cage/slips/fill/2026/1"
    slip = words(at("cage"), answer["Location"])
    assert "Fill 1 series 2026 open" in slip
    assert "Table FR1" in slip
    assert "500.00" in slip
    page = words(at("cage"), CAGE)
    assert "fill 1 2026, FR1 in transit to FR1" in page
    assert "No open requests." in page
    assert words(at("ines"), "/cage/slips/fill/2026/1")
    assert at("cora").get("/cage/slips/fill/2026/1").status_code == 403
    assert at("cage").get("/cage/slips/fill/2026/2").status_code == 404


def test_a_credit_is_received_when_the_table_has_sent_it(door: InProcessDoor) -> None:
    url = slip_form_of_request(door, "credit")
    done(at("cage"), url)
    assert "not yet sent by FR1" in words(at("cage"), CAGE)
    assert forms(source(at("cage"), CAGE), "credit.receive") == []
    door.house.ok("tables", "FR1", "ines", door.house.action("credit.send", slip=1, chips={"500": 100}))
    [url] = forms(source(at("cage"), CAGE), "credit.receive")
    answer, _sent = done(at("cage"), url, chips="500: 99")
    assert answer.status_code == 302, complaints(answer)
    assert "No open slips." in words(at("cage"), CAGE)
    assert "received" in words(at("cage"), "/cage/slips/credit/2026/1")


def test_a_slip_is_void_when_somebody_of_another_department_agrees(door: InProcessDoor) -> None:
    done(at("cage"), slip_form_of_request(door))
    [url] = forms(source(at("cage"), CAGE), "slip.void")
    answer, _sent = done(at("cage"), url, reason="not needed")
    assert answer["Location"].startswith(CAGE), complaints(answer)
    assert len(forms(source(at("cage"), CAGE), "approval.withdraw")) == 1
    evening_with_everything.project(door.house)
    [url] = forms(source(at("anna"), CAGE), "approval.give")
    answer, _sent = done(at("anna"), url)
    assert answer.status_code == 302, complaints(answer)
    assert "void" in words(at("cage"), "/cage/slips/fill/2026/1")


def test_a_closed_cage_offers_its_opening_and_nothing_else(door: InProcessDoor) -> None:
    assert forms(source(at("cage"), CAGE), "cage.open") == []
    held = {"chips": "100: 10000\n500: 4000\n2500: 1000", "cash_minor": f"{CASH // 100}.00"}
    cashier(door, "cage.close", **held)
    page = source(at("cage"), CAGE)
    assert forms(page, "cage.cash_out") == []
    cashier(door, "cage.open", gaming_day="2026-11-21", **held)
    assert "Cage open Gaming day 2026-11-21" in words(at("cage"), CAGE)
    assert "Cage closed Gaming day 2026-11-20" in words(at("cage"), f"{CAGE}/{DAY}")


def test_the_palette_offers_a_slip_that_was_issued_to_whoever_signs_it(door: InProcessDoor) -> None:
    done(at("cage"), slip_form_of_request(door), runner="sid")
    evening_with_everything.project(door.house)
    for person, is_offered in (("cage", True), ("sid", True), ("ines", True), ("cora", False)):
        places = {place["url"]: place["words"] for place in at(person).get("/places").json()["places"]}
        assert (places.get("/cage/slips/fill/2026/1") == "Slip fill-2026-1") == is_offered, person


def test_a_slip_on_paper_stands_on_the_list_and_says_reprint_from_the_second_on(door: InProcessDoor) -> None:
    done(at("cage"), slip_form_of_request(door), runner="sid")
    url = "/cage/slips/fill/2026/1"
    assert f'href="{url}/pdf"' in source(at("cage"), url)
    first, second = (written(at("cage").get(f"{url}/pdf").content) for _ in range(2))
    for text in ("Fill 1, series 2026", "table FR1", "500.00", "Supervisor"):
        assert text in first
    assert "REPRINT" not in first
    assert "REPRINT, copy 2" in second
    listed = GivenOut.objects.order_by("id")
    assert [(copy.person, copy.kind, copy.about) for copy in listed] == [("cage", "slip, on paper", "fill-2026-1")] * 2
    [issued] = door.house.store.after(0, 1, ["slip.issued.v1"])
    assert {copy.digest for copy in listed} == {hashlib.sha256(issued.raw).hexdigest()}
    lines: list[str] = []
    assert [*handed_out([listed[0].digest], door.house.store, lines.append)] == []
    assert "the events say the same" in lines[0]
    assert at("cora").get(f"{url}/pdf").status_code == 403


def written(pdf: bytes) -> str:
    """Return the text of a paper."""
    return " ".join(" ".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages).split())


def test_a_slip_is_shown_with_table_chips_and_amount_before_it_is_issued(door: InProcessDoor) -> None:
    page = words(at("cage"), slip_form_of_request(door)).replace("\u00a0", " ")
    summary = page[page.index("About this") :]
    for line in ("Table FR1", "Slip fill", "Amount 500.00 EUR", "100 × 5.00"):
        assert line in summary, line


def test_a_closed_cage_explains_why_it_issues_no_slip(door: InProcessDoor) -> None:
    slip_form_of_request(door)
    held = {"chips": "100: 10000\n500: 4000\n2500: 1000", "cash_minor": f"{CASH // 100}.00"}
    cashier(door, "cage.close", **held)
    assert forms(source(at("cage"), CAGE), "slip.issue") == []
    page = words(at("cage"), CAGE)
    assert f"The cage is closed for {DAY}. Open it for the next gaming day before you issue a slip." in page
