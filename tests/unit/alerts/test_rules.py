"""A setting changes the rules of a house's alerts: the accepted values and the refused ones."""

import pytest

from events.errors import Invalid
from events.house import alert_rules
from events.house.alert_rules import RULES, rules_from_setting


def test_a_setting_changes_what_it_names_and_nothing_else() -> None:
    text = "slip: open_minutes 45, low; clock: off; luck: one_in 100"
    alert_rules.check_setting(text)
    rules = rules_from_setting(text)
    assert (rules["slip"].parameters, rules["slip"].severity) == ({"open_minutes": 45}, "low")
    assert not rules["clock"].on
    assert rules["luck"].parameters == {"one_in": 100}
    assert {name: rule for name, rule in rules.items() if name not in ("slip", "clock", "luck")} == {
        name: rule for name, rule in RULES.items() if name not in ("slip", "clock", "luck")
    }


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("slip", "The rule slip has no value. Write NAME: on, off, low"),
        ("rain: on", "There is no rule rain. Write NAME: on, off, low"),
        ("slip: loud", "slip: loud has no meaning here. Its parameters are: open_minutes."),
        ("cash: percent 4", "cash: percent 4 has no meaning here. This rule has no parameters."),
        ("slip: on; slip: off", "The rule slip is changed twice. Change it once."),
        ("slip: open_minutes 0", "slip: open_minutes is from 1 to 1000000000, not 0. Correct the number."),
        (
            "slip: open_minutes 1000000001",
            "slip: open_minutes is from 1 to 1000000000, not 1000000001. Correct the number.",
        ),
        (
            "slip: open_minutes " + "9" * 5_000,
            "slip: open_minutes is from 1 to 1000000000, not " + "9" * 119 + "…. Correct the number.",
        ),
        ("luck: one_in 99", "luck: one_in is from 100 to 1000000000, not 99. Correct the number."),
        ("hold: one_in 1", "hold: one_in is from 100 to 1000000000, not 1. Correct the number."),
        ("void rate: one_in 5", "void rate: one_in is from 100 to 1000000000, not 5. Correct the number."),
    ],
)
def test_a_setting_that_may_not_be_is_refused_with_what_may(text: str, why: str) -> None:
    with pytest.raises(Invalid) as refused:
        alert_rules.check_setting(text)
    assert refused.value.field == "data.value"
    assert why in str(refused.value)


def test_what_was_accepted_once_and_may_not_be_any_more_is_passed_over() -> None:
    assert rules_from_setting("luck: one_in 5, low; rain: off")["luck"].parameters == RULES["luck"].parameters
    assert rules_from_setting("luck: one_in 5, low; rain: off")["luck"].severity == "low"
