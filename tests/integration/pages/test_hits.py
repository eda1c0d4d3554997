"""The explanation page of a hit: a calculation to check by hand, with links to the events; the same on paper."""

import hashlib
import re
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import msgspec
import pytest
from django.test import Client
from pypdf import PdfReader

from backoffice.hits import amount_calculation as hit_page
from backoffice.hits.calculation_pdf import hit_pdf
from backoffice.printing.report_layout import PrintCopy, Stamp, paper, rows
from events.progressives.award_report import Award, AwardDifference, award
from projections.eventlog.models import EventLog
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, House, progressive
from tests.support.pages.page_text_and_queries import figures, source, words, written

pytestmark = pytest.mark.django_db

MEGA = f"/progressives/blazing/hits/BJ1-{DAY}-1-1"
MINOR = f"/progressives/blazing/hits/BJ1-{DAY}-2-1"
SHARED = [f"/progressives/blazing/hits/BJ2-{DAY}-1-{box}" for box in (1, 2)]


def test_the_sum_is_proved_line_by_line(client: Client, evening_house: House) -> None:
    """Mega: 50,000.00 at the opening + 15.00 x 10 % = 50,001.50, all of it given; the seed restarts the meter."""
    page = words(client, MEGA)
    assert "Mega at BJ1: 50,001.50 EUR" in page
    assert "lines add up" in page
    assert "+ contributions of 1 round 1.50 = meter at the hit, event" in page
    assert re.search(r"BJ1, 2026-11-20, round 1 15.00 10 % 1.50 50,001.50", page)
    assert "= meter after the award 25,000.00" in page


def test_what_was_paid_otherwise_than_the_sum_stands_on_top(
    client: Client, evening_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def otherwise(*whose: Any) -> Award:
        difference = AwardDifference(position=7, what="paid", said_minor=6_000_150, made_minor=5_000_150)
        return msgspec.structs.replace(award(*whose), differences=(difference,))

    assert "differs from the calculated amount" not in words(client, MEGA)
    monkeypatch.setattr(hit_page, "award", otherwise)
    page = words(client, MEGA)
    assert (
        "Paid amount differs from the calculated amount: paid 60,001.50 EUR, calculated 50,001.50 EUR"
        in page.replace(" ,", ",")
    )


def test_what_happened_stands_above_the_sum(client: Client, evening_house: House) -> None:
    """The cards come first, then the people and their actions. The contributions are folded by table."""
    page = words(client, MEGA)
    parts = ("Cards box 1 7♦ 7♦ dealer 7♦", "History", "How the award was calculated", "Lines of the calculation")
    assert [page.index(part) for part in parts] == sorted(page.index(part) for part in parts)
    assert "BJ1, 2026-11-20 1 line 1.50 Event Source Progressive stakes Rate Amount Meter" in page
    assert '<details class="fold">' in source(client, MEGA)


def test_cards_that_are_not_in_the_log_are_not_made_up(client: Client, evening_house: House) -> None:
    EventLog.objects.filter(type="card.dealt.v1").update(type="card.gone.v1")
    assert "The cards of this round are not in the log." in words(client, MEGA)
    assert "Dealer:" not in written(client.get(f"{MEGA}/pdf").content)


def test_every_line_and_every_deed_leads_to_its_event(client: Client, evening_house: House) -> None:
    page = source(client, MEGA)
    positions = {int(at) for at in re.findall(r'href="/events/(\d+)"', page)}
    for position in positions:
        assert client.get(f"/events/{position}").status_code == 200
    page_words = words(client, MEGA)
    for deed in ("progressive opened", "hit declared", "shares awarded", "share authorised", "jackpot paid"):
        assert deed in page_words
    assert "sven surveillance" in page_words


def test_the_next_hit_begins_where_the_previous_lock_ended(client: Client, evening_house: House) -> None:
    evening_with_everything.finish_blackjack(evening_house)
    evening_with_everything.project(evening_house)
    page = words(client, MINOR)
    assert "Minor at BJ1: 1,200.75 EUR" in page
    assert "+ contributions of 2 rounds 0.75" in page


def _total(client: Client, address: str) -> int:
    """Return the total of the events at this address, in minor units."""
    page = source(client, address)
    start = page.index('id="total"')
    tile = page[start : page.index("</div>", start)]
    return int(tile.split('<data class="money" value="')[1].split('"')[0]) if "<data" in tile else 0


def test_every_number_by_table_is_the_sum_of_the_events_behind_it(client: Client, evening_house: House) -> None:
    """Contributions to other meters, in other cycles and at other tables do not count."""
    evening_with_everything.finish_blackjack(evening_house)
    evening_with_everything.two_winners(evening_house)
    evening_with_everything.project(evening_house)
    for url, rounds in ((MEGA, 1), (MINOR, 2), (SHARED[0], 1)):
        shown = figures(client, url)
        assert shown["of-all-armed"][1] == rounds
        assert {"of-all-laid", "of-all-fed", "sum-fed"} < shown.keys()
        for name, (address, figure) in shown.items():
            assert _total(client, address) == figure, (url, name)
    assert figures(client, SHARED[0])[f"of-BJ2-{DAY}-laid"][1] == 1_500


def test_two_winners_of_one_lock(client: Client, evening_house: House) -> None:
    """500.00 restarted the meter at BJ1, and 2.5 % of 15.00 was added.

    Of 500.375, each winner gets 250.18. The remainder of 0.015 stays.
    """
    evening_with_everything.finish_blackjack(evening_house)
    evening_with_everything.two_winners(evening_house)
    evening_with_everything.project(evening_house)
    for box, url in enumerate(SHARED, 1):
        page = words(client, url)
        assert "Minor at BJ2: 250.18 EUR each of 2 winners" in page
        assert "2 winners share this award" in page
        assert f"round 1, box {box}" in page
        assert "− paid from the meter 2 × 250.18 500.36" in page
        assert "= remainder left on the meter 0.01 5 + seed 500.00 = meter after the award 500.01 5" in page
        for player, hit in (("g-21", 1), ("g-22", 2)):
            assert f"{player} BJ2-{DAY}-1-{hit} BJ2, {DAY}, round 1 awarded 250.18" in page
        assert "lines add up" in page
        paper = written(client.get(f"{url}/pdf").content)
        for part in ("2 winners share this award, 250.18 each: 500.36 from the meter", "g-21", "g-22", "0.015"):
            assert part in paper
    assert "each of" not in words(client, MINOR)


def test_the_house_pays_on_top_where_each_gets_all(
    client: Client, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.support.houses.small_house.progressive", lambda: progressive() | {"policy": "full-each"})
    house: House = request.getfixturevalue("house")
    evening_with_everything.two_winners(house)
    evening_with_everything.project(house)
    page = words(client, SHARED[1])
    assert "Minor at BJ2: 1,200.37 EUR each of 2 winners" in page
    assert "Paid from the meter 1,200.37 Paid by the house on top 1,200.37 Remainder left on the meter" in page
    assert "2 × 1,200.37" not in page
    assert "lines add up" in page


def test_a_hit_that_waits_says_so(client: Client, evening_house: House) -> None:
    page = words(client, MINOR)
    assert "pending" in page
    assert "Then the calculation is shown here" in page
    assert client.get(f"{MINOR}/pdf").status_code == 404


def test_an_unknown_hit_is_not_there(client: Client, evening_house: House) -> None:
    assert "has no hit nope" in words(client, "/progressives/blazing/hits/nope", 404)
    assert client.get(MEGA.replace("blazing", "other")).status_code == 404


def test_the_page_takes_long_sums_in_parts(
    client: Client, evening_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backoffice.hits.hit_explanation_page.LINES_A_PAGE", 1)
    evening_with_everything.finish_blackjack(evening_house)
    first, second = words(client, MINOR), words(client, f"{MINOR}?from=2")
    assert "lines 1 to 1 of 2" in first
    assert "carried forward 1,200.37 5" in first
    assert "brought forward 1,200.37 5" in second
    assert "meter at the hit 1,200.75" in second


def test_the_json_is_what_was_hashed(client: Client, evening_house: House) -> None:
    response = client.get(f"{MEGA}/json")
    assert response.headers["Content-Disposition"] == f'attachment; filename="BJ1-{DAY}-1-1.json"'
    assert hashlib.sha256(response.content).hexdigest() in source(client, MEGA)
    assert msgspec.json.decode(response.content)["explanation"]["lock"]["share"] == 5_000_150


def test_a_greek_name_is_printed_as_it_is(evening_house: House) -> None:
    stamp = Stamp("Πλεόνασμα <1 & 2>", "20 Νοεμβρίου", "Σοφία Αλεξίου", 7, "ab" * 32)
    pdf = paper(stamp, [rows(["Παίκτης"], [["Ντόρα Σαμαρά & co"]], [60], 1)])
    for part in ("Πλεόνασμα <1 & 2>", "20 Νοεμβρίου", "Σοφία Αλεξίου", "Παίκτης", "Ντόρα Σαμαρά & co"):
        assert part in written(pdf)


def test_the_pdf_says_what_it_is(client: Client, evening_house: House) -> None:
    response = client.get(f"{MEGA}/pdf")
    assert response.headers["Content-Type"] == "application/pdf"
    assert response.content.startswith(b"%PDF-")
    text = written(response.content)
    for part in ("Award calculation, mega of blazing", "page 1 of ", "printed by olga, 2026-", "SHA-256", "Signatures"):
        assert part in text
    assert text.index("7♦ 7♦. Dealer: 7♦") < text.index("History") < text.index("Lines of the calculation")


def test_names_are_printed_for_who_may_know_them_and_the_same_figures_are_the_same_file(evening_house: House) -> None:
    hit, at = hit_page.hit_sum(f"BJ1-{DAY}-1-1"), datetime(2026, 11, 21, 2, 0, 5, tzinfo=UTC)
    known = hit_pdf(hit, PrintCopy("sven", at, {"dora": "Dora Samara", "sven": "Kostas Fotiou"}))
    text = written(known)
    assert "printed by Kostas Fotiou, sven, 2026-11-21 02:00:05 UTC" in text
    assert "dealer Dora Samara, dora" in text
    assert known == hit_pdf(hit, PrintCopy("sven", at, {"dora": "Dora Samara", "sven": "Kostas Fotiou"}))
    assert "Samara" not in written(hit_pdf(hit, PrintCopy("olga", at)))


def test_each_page_says_of_how_many() -> None:
    stamp = Stamp("title", "period", "printed by olga", 7, "ab" * 32)
    pages = PdfReader(BytesIO(paper(stamp, [rows(["n"], [[str(n)] for n in range(90)], [60], 1)]))).pages
    assert [f"page {n} of {len(pages)}" in page.extract_text() for n, page in enumerate(pages, 1)] == [True, True]


def test_the_list_of_hits_leads_to_the_sum(client: Client, evening_house: House) -> None:
    assert f'href="{MEGA}"' in source(client, "/progressives/blazing")
