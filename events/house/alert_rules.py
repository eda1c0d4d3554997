"""The rules of the alerts as data: name, severity, parameters, on or off, version.

These hold until a house changes them by its setting `alert_rules`: "slip: open_minutes 45, medium; clock: off".
Names and meanings: docs/reference/alerts.md.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Literal, get_args

import msgspec
from msgspec.structs import replace

from events.error_codes import ErrorText, coded
from events.errors import Invalid
from events.text.translation_marker import translatable as _

Severity = Literal["low", "medium", "high"]


class AlertRule(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One rule. `version` counts up with every change of it; `parameters` are whole numbers by name."""

    name: str
    title: str
    means: str
    severity: Severity
    parameters: Mapping[str, int] = {}
    on: bool = True
    version: int = 1


_OURS = (
    AlertRule(
        name="mispay",
        title=_("mispay"),
        means=_("the amount paid on a bet differs from the amount due at the end of the round"),
        severity="high",
    ),
    AlertRule(
        name="late bet",
        title=_("late bet"),
        means=_("a stake was placed, raised or moved after bets were closed"),
        severity="high",
    ),
    AlertRule(
        name="late change",
        title=_("late change"),
        means=_("a stake was taken down or lowered after bets were closed"),
        severity="high",
    ),
    AlertRule(
        name="over maximum",
        title=_("over maximum"),
        means=_("a player's stakes on one place exceed the maximum"),
        severity="medium",
    ),
    AlertRule(
        name="wrong card",
        title=_("wrong card"),
        means=_("a card was out of order, misplaced or not drawn"),
        severity="medium",
    ),
    AlertRule(
        name="impossible card",
        title=_("impossible card"),
        means=_("a shoe dealt more cards of one rank and suit than its packs contain"),
        severity="high",
    ),
    AlertRule(
        name="missing cards",
        title=_("missing cards"),
        means=_("a counted shoe had missing or surplus cards"),
        severity="high",
    ),
    AlertRule(
        name="card order",
        title=_("card order"),
        means=_("cards of a shoe were in new-deck order"),
        severity="high",
        parameters={"in_order": 10},
    ),
    AlertRule(
        name="foreign dice",
        title=_("unregistered dice"),
        means=_("a die was thrown that is not registered at the table"),
        severity="high",
    ),
    AlertRule(
        name="second progressive bet",
        title=_("second progressive bet"),
        means=_("a box had two progressive bets in a round, or one without a main bet"),
        severity="medium",
    ),
    AlertRule(
        name="staff",
        title=_("staff"),
        means=_(
            "a person worked without the post or role, a role was revoked at a post, or the table had no inspector"
        ),
        severity="medium",
    ),
    AlertRule(
        name="slip",
        title=_("slip"),
        means=_("a slip number was used twice, the received amount differs, or the slip was open too long"),
        severity="high",
        parameters={"open_minutes": 30},
    ),
    AlertRule(
        name="void rate",
        title=_("void rate"),
        means=_("a dealer has more void rounds than expected by chance"),
        severity="medium",
        parameters={"one_in": 100_000, "rounds": 50, "days": 30},
    ),
    AlertRule(
        name="hold",
        title=_("hold"),
        means=_("a table's win in a shift is further from theoretical win than expected by chance"),
        severity="medium",
        parameters={"one_in": 10_000},
    ),
    AlertRule(
        name="luck",
        title=_("actual vs theoretical win"),
        means=_("a player's win on a gaming day is higher than expected by chance"),
        severity="medium",
        parameters={"one_in": 10_000},
    ),
    AlertRule(
        name="same hands",
        title=_("repeated approver pair"),
        means=_("one person's requests are nearly always approved by the same person"),
        severity="medium",
        parameters={"approvals": 20, "percent": 80, "days": 30, "others": 2},
    ),
    AlertRule(
        name="clock",
        title=_("clock mismatch"),
        means=_("the time of an action differs from the time of its record, or runs backwards at its terminal"),
        severity="low",
        parameters={"apart_seconds": 60, "back_seconds": 2},
    ),
    AlertRule(
        name="discrepancy",
        title=_("discrepancy"),
        means=_("a count differs from expected by more than the reporting limit"),
        severity="high",
    ),
    AlertRule(
        name="inventory",
        title=_("inventory"),
        means=_("an opener differs from the last closer, or more chips are in the house than were issued"),
        severity="high",
    ),
    AlertRule(
        name="cash",
        title=_("cash"),
        means=_("a player's cash on a gaming day is near or over the reporting threshold"),
        severity="medium",
    ),
    AlertRule(
        name="without signal",
        title=_("without signal"),
        means=_("stakes, corrections or payments were recorded by a device without signal"),
        severity="medium",
    ),
    AlertRule(
        name="refused entry",
        title=_("refused entry"),
        means=_("a device sent an entry of its queue that was changed, missing or out of order"),
        severity="high",
    ),
    AlertRule(
        name="undeclared hit",
        title=_("undeclared hit"),
        means=_("the cards show a hit of the progressive that was not declared"),
        severity="high",
    ),
    AlertRule(
        name="draw",
        title=_("draw"),
        means=_("a period has a second draw, or a draw was committed late or not revealed in time"),
        severity="high",
        parameters={"reveal_minutes": 60},
    ),
    AlertRule(
        name="integrity",
        title=_("integrity"),
        means=_("verification found a mismatch, or the witness was not reached"),
        severity="high",
        parameters={"witness_hours": 24},
    ),
    AlertRule(
        name="irregularity",
        title=_("irregularity"),
        means=_("an irregularity without a rule of its own was recorded"),
        severity="low",
    ),
)
RULES: Mapping[str, AlertRule] = {rule.name: rule for rule in _OURS}
WORDS: Mapping[str, str] = {
    "low": _("low"),
    "medium": _("medium"),
    "high": _("high"),
}

# Results that chance gives more often raise no alert.
PARAMETER_LEAST = {"one_in": 100, "in_order": 6}
PARAMETER_MAX = 10**9


@cache
def rules_from_setting(text: str) -> Mapping[str, AlertRule]:
    """The rules by a setting that was accepted; a name or a parameter that there is no more is passed over."""
    return {**RULES, **{rule.name: rule for rule in _changed_rules(text, strict=False)}}


def check_setting(text: str) -> None:
    """Raise Invalid for a setting that may not be."""
    names = [rule.name for rule in _changed_rules(text, strict=True)]
    if twice := [name for name in names if names.count(name) > 1]:
        raise _invalid_rules(coded("alert-rule-twice", rule=twice[0]))


def _changed_rules(text: str, *, strict: bool) -> Iterator[AlertRule]:
    """The rules that a setting names, as it makes them."""
    for part in filter(None, (part.strip() for part in text.split(";"))):
        name, colon, words = (part_text.strip() for part_text in part.partition(":"))
        if name in RULES and colon:
            rule = RULES[name]
            for word in words.split(","):
                rule = _rule_with_word(rule, word.strip(), strict=strict)
            yield rule
        elif strict and name in RULES:
            raise _invalid_rules(coded("alert-rule-without-value", rule=name))
        elif strict:
            raise _invalid_rules(coded("alert-rule-unknown", rule=name))


def _rule_with_word(rule: AlertRule, word: str, *, strict: bool) -> AlertRule:
    if word in ("on", "off"):
        return replace(rule, on=word == "on")
    if word in get_args(Severity):
        return replace(rule, severity=word)
    parameter, _space, number = word.partition(" ")
    if parameter in rule.parameters and number.isascii() and number.isdecimal():
        least = PARAMETER_LEAST.get(parameter, 1)
        if len(number) <= len(str(PARAMETER_MAX)) and least <= int(number) <= PARAMETER_MAX:
            return replace(rule, parameters={**rule.parameters, parameter: int(number)})
        if strict:
            raise _invalid_rules(
                coded(
                    "alert-parameter-range",
                    rule=rule.name,
                    parameter=parameter,
                    least=least,
                    most=PARAMETER_MAX,
                    number=number,
                )
            )
    if strict and rule.parameters:
        raise _invalid_rules(coded("alert-rule-word", rule=rule.name, word=word, parameters=list(rule.parameters)))
    if strict:
        raise _invalid_rules(coded("alert-rule-without-parameters", rule=rule.name, word=word))
    return rule


def _invalid_rules(reason: str | ErrorText) -> Invalid:
    return Invalid("data.value", coded("setting-part-wrong", setting="alert_rules", why=reason))
