"""A search in the reader's language is translated to English, and finds the same events."""

from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client, override_settings
from django.utils.translation import override

from backoffice.surveillance.search.completion import completions
from backoffice.surveillance.search.english_translation_of_search import (
    ALIASES,
    field_in_english,
    field_word,
    in_english,
    title,
)
from backoffice.surveillance.search.field_conditions import FIELDS
from backoffice.surveillance.search.grammar import Mistake
from backoffice.wording.code_to_word_translation import word
from tests.support.houses.small_house import House
from tests.support.pages.sign_in import signed_in
from tools.translations import LANGUAGES

pytestmark = pytest.mark.django_db

SEARCHES = {
    "el": (
        ("τραπέζι:BJ1", "table:BJ1"),
        ("ΤΡΑΠΕΖΙ:BJ1 -κρουπιερης:dora", "table:BJ1 -dealer:dora"),
        ("τραπέζι:BJ1 ή τραπέζι:FR1", "table:BJ1 OR table:FR1"),
        ("(παίκτης:g-1 Ή κρουπιέρης:dora) ποσό:5..9", "(player:g-1 OR dealer:dora) amount:5..9"),
        ('παρατυπία:"λάθος πληρωμή"', "irregularity:mispay"),
        ("παρατυπία:ΛΑΘΟΣ_ΠΛΗΡΩΜΗ,mispay", "irregularity:mispay,mispay"),
        ("έχει:παρατυπία", "has:irregularity"),
        ('"λάθος πληρωμή"', "irregularity:mispay"),
    ),
    "tr": (
        ("masa:BJ1", "table:BJ1"),
        ("MASA:BJ1 -krupiye:dora", "table:BJ1 -dealer:dora"),
        ("masa:BJ1 veya masa:FR1", "table:BJ1 OR table:FR1"),
        ("(oyuncu:g-1 VEYA KRUPİYE:dora) tutar:5..9", "(player:g-1 OR dealer:dora) amount:5..9"),
        ('usulsüzlük:"hatalı ödeme"', "irregularity:mispay"),
        ("USULSUZLUK:HATALI_ODEME,mispay", "irregularity:mispay,mispay"),
        ("içerdiği:usulsüzlük", "has:irregularity"),
        ("tür:bet.placed", "type:bet.placed"),
        ("tur:3", "round:3"),
        ('"hatalı ödeme"', "irregularity:mispay"),
    ),
    "ru": (
        ("стол:BJ1", "table:BJ1"),
        ("СТОЛ:BJ1 -Крупье:dora", "table:BJ1 -dealer:dora"),
        ("стол:BJ1 или стол:FR1", "table:BJ1 OR table:FR1"),
        ("(игрок:g-1 ИЛИ крупье:dora) сумма:5..9", "(player:g-1 OR dealer:dora) amount:5..9"),
        ('нарушение:"ошибка выплаты"', "irregularity:mispay"),
        ("НАРУШЕНИЕ:ОШИБКА_ВЫПЛАТЫ,mispay", "irregularity:mispay,mispay"),
        ("содержит:нарушение", "has:irregularity"),
        ('"ошибка выплаты"', "irregularity:mispay"),
    ),
}
AMBIGUOUS = {"el": 'παρατυπία:"κλειστό"', "tr": 'usulsüzlük:"kapalı"', "ru": 'нарушение:"закрыто"'}
BEGUN = {"el": ("τρα", "τραπέζι:"), "tr": ("mas", "masa:"), "ru": ("сто", "стол:")}


def reader(language: str) -> Client:
    client = signed_in(Client(), "sven")
    session = client.session
    session["language"] = language
    session.save()
    return client


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_of_a_language_become_english(language: str) -> None:
    for typed, english in SEARCHES[language]:
        assert in_english(typed, language) == english
        assert in_english(english, language) == english
        assert in_english(typed, "en") == typed


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_field_has_a_word_that_means_it(language: str) -> None:
    for field in FIELDS:
        if field not in (*ALIASES, "around"):
            own = field_word(field, language)
            assert field_in_english(own, language) == field
            assert own.isidentifier()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_title_of_every_type_means_the_type(language: str) -> None:
    own = field_word("type", language)
    for type_ in ("bet.placed", "session.opened", "payment.made", "fill.received"):
        title_ = title(type_, "type", language)
        assert title_
        assert in_english(f'{own}:"{title_.upper()}"', language) == f"type:{type_}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_word_of_several_meanings_is_refused_with_them(language: str) -> None:
    with pytest.raises(Mistake) as caught:
        in_english(AMBIGUOUS[language], language)
    assert caught.value.code == "search-word-ambiguous"
    assert [*map(str, caught.value.params["meanings"])] == ["cleared", "closed"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_part_of_a_title_finds_the_type_and_what_people_wrote(language: str) -> None:
    with override(language):
        last = word("bet.placed").split()[-1]
    english = in_english(last, language)
    assert english.startswith(f"({last} OR ")
    assert "bet.placed" in english


def test_an_operator_stands_between_two_parts() -> None:
    assert in_english("ή τραπέζι:BJ1", "el") == "ή table:BJ1"
    assert in_english("(τραπέζι:BJ1 ή)", "el") == "(table:BJ1 ή)"
    assert in_english('τραπέζι:BJ1 "ή" τραπέζι:BJ2', "el") == 'table:BJ1 "ή" table:BJ2'


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_leads_to_the_english_search(evening_house: House, language: str) -> None:
    client = reader(language)
    for typed, english in SEARCHES[language]:
        for answer in (client.post("/events/find", {"q": typed}), client.get("/events", {"q": typed})):
            assert answer.status_code == 302, typed
            assert parse_qs(urlsplit(answer["Location"]).query)["q"] == [english]
    shown = client.get("/events", {"q": AMBIGUOUS[language]})
    assert shown.status_code == 400
    assert "cleared, closed" in shown.content.decode()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_interface_and_english_readers_know_no_other_words(evening_house: House, language: str) -> None:
    client = reader(language)
    typed = SEARCHES[language][0][0]
    problem = client.get("/api/v1/search", {"q": typed}, headers={"Accept-Language": language})
    assert problem.status_code == 400
    assert problem.json()["code"] == "search-field-unknown"
    assert reader("en").get("/events", {"q": typed}).status_code == 400


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_search_in_english_finds_the_same_in_every_language(evening_house: House, language: str) -> None:
    def positions_of_mispays(client: Client) -> list[int]:
        return [row["position"] for row in client.get("/api/v1/search", {"q": "mispay"}).json()["events"]]

    with override_settings(PITLEDGER_LANGUAGE=language):
        own = positions_of_mispays(reader(language))
    assert own == positions_of_mispays(reader("en"))
    assert own


@pytest.mark.parametrize("language", LANGUAGES)
def test_completion_offers_words_of_the_language(evening_house: House, language: str) -> None:
    begun, whole = BEGUN[language]
    with override(language):
        assert whole in [offered.value for offered in completions(begun, len(begun), {}, language=language)]
        assert "table:" in [offered.value for offered in completions("ta", 2, {}, language=language)]
        typed = f"{field_word('irregularity', language)}:"
        offered = completions(typed, len(typed), {}, language=language)
        assert title("mispay", "irregularity", language) in [completion.value for completion in offered]
        assert all(in_english(completion.text, language).startswith("irregularity:") for completion in offered)
