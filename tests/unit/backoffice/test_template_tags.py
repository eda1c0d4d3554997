"""Figures on pages: money with its value, exact meters, signs in words, ages."""

from datetime import timedelta

import pytest

from backoffice.days import day_figure_tags
from backoffice.days.gaming_day_page_content import SlipShown
from backoffice.templatetags import pitledger as write
from backoffice.wording import code_to_word_translation
from events.runtime import clock

EUR = {"currency": "EUR"}


def test_money_carries_its_value_for_programs() -> None:
    assert 'value="-5"' in write.money({}, -5, "EUR")
    assert ">–<" in write.money({}, None)


def test_a_sign_is_a_word() -> None:
    assert "12.00" in write.win(EUR, -1_200)
    assert "lost" in write.win(EUR, -1_200)
    assert "won" in write.win(EUR, 1_200)
    assert "even" in write.win(EUR, 0)
    assert "short" in write.difference(EUR, -1)
    assert "over" in write.difference(EUR, 1)
    assert "−" not in write.win(EUR, -1_200) + write.difference(EUR, -1)


@pytest.mark.parametrize(
    ("micro", "text"),
    [(123_450_000_000, "1,234.50<"), (123_450_500_000, ">5<"), (1, ">000001<"), (-1_500_000, "−0.01<")],
)
def test_a_meter_is_written_to_its_last_millionth(micro: int, text: str) -> None:
    assert text in write.micro(EUR, micro)


def test_an_amount_without_a_currency_has_the_digits_of_its_surroundings() -> None:
    assert ">12,345<" in write.money({"currency": "JPY"}, 12_345)
    with pytest.raises(ValueError, match="no currency"):
        write.money({}, 12_345)
    assert ">12.345 <" in write.money({"currency": "JPY"}, 12_345, "KWD")


def test_ages_are_short(monkeypatch: pytest.MonkeyPatch) -> None:
    now = clock.moment()
    monkeypatch.setattr(clock, "moment", lambda: now)
    ages = [write.age(now - timedelta(**ago)) for ago in ({"seconds": 3}, {"minutes": 5}, {"hours": 30}, {"days": 4})]
    assert ages == ["3 s", "5 min", "30 h", "4 d"]


def test_text_from_events_is_escaped_in_addresses_and_words() -> None:
    assert write.events(table="<b>&x") == "/events?table=%3Cb%3E%26x"
    assert write.table_url("a/b c", "2026-11-20") == "/tables/a%2Fb%20c/2026-11-20"
    assert code_to_word_translation.word("spin.called_off.v1") == "no spin"


@pytest.mark.parametrize(
    ("status", "received_minor", "colour"),
    [("received", 3_000, "green"), ("received", 2_950, "amber"), ("open", None, "amber"), ("void", None, "grey")],
)
def test_a_slip_that_came_short_is_not_green(status: str, received_minor: int | None, colour: str) -> None:
    slip = SlipShown(
        kind="fill",
        number=1,
        status=status,
        table="AR1",
        issued_minor=3_000,
        received_minor=received_minor,
        transit_minor=0,
    )
    assert day_figure_tags.slip_state(slip) == colour
