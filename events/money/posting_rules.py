"""The rules of the journal, as data: for every amount that an event may have, the account debited and the one credited.

One amount, one rule, two accounts: so every rule balances for every event. An amount below zero is the reverse of it.
`{table}`, `{progressive}`, `{level}` and `{reason}` stand for the event's own. The functions of this package define the
amounts of an event; a property may have other accounts for them, not other amounts.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache

import msgspec

from events.error_codes import ErrorText, coded
from events.errors import Conflict, Invalid
from events.text.id_spelling_normalization import is_latin, is_letter

TRAY = "Assets:Chips:Tables:{table}"
CAGE, TRANSIT = "Assets:Chips:Cage", "Assets:Chips:Transit"
CASH, MARKERS, BOXES = "Assets:Cash", "Assets:Markers", "Assets:DropBoxes"
FUND = "Assets:ProgressiveFund"
ISSUED, WINNINGS = "Liabilities:Chips:Issued", "Liabilities:Winnings:{table}"
JACKPOTS, TAX = "Liabilities:Jackpots", "Liabilities:Tax"
METER, RESERVE = "Liabilities:Progressive:{progressive}:{level}", "Liabilities:Progressive:{progressive}:reserve"
BASE = "Contra:Progressive:{progressive}:{level}"
OPENING, INCOME = "Equity:Opening", "Income:Tables:{table}"
PROMOTIONAL, ENVY = "Expenses:Promotional", "Expenses:Envy"
PAYMENTS, TABLES, DROP = "Expenses:OverShort:Payments", "Expenses:OverShort:Tables", "Expenses:OverShort:Drop"
OPENERS, ON_THE_WAY, IN_CAGE = (
    "Expenses:OverShort:Openers",
    "Expenses:OverShort:Transit",
    "Expenses:OverShort:Cage",
)
FED, SEEDS = "Expenses:Progressive:Contributions", "Expenses:Progressive:Seeds"
HOUSE, ADJUSTED = "Expenses:Progressive:House", "Expenses:Progressive:Adjustments:{reason}"


class PostingRule(msgspec.Struct, frozen=True, gc=False):
    """The accounts of an amount; `when` describes the occasion in words."""

    amount: str
    when: str
    debit: str
    credit: str


DEFAULT: tuple[PostingRule, ...] = (
    PostingRule(
        "chips.issued", "chips come into the house for the first time (below zero: are destroyed)", CAGE, ISSUED
    ),
    PostingRule("float.new", "a new table's first float", TRAY, CAGE),
    PostingRule("books.chips", "the cage's first count: chips that its books did not know", CAGE, OPENING),
    PostingRule("books.cash", "the cage's first count: cash that its books did not know", CASH, OPENING),
    PostingRule("books.markers", "the cage's first count: markers that its books did not know", MARKERS, OPENING),
    PostingRule("buyin.cash", "chips given for cash, which goes into the box", BOXES, TRAY),
    PostingRule("buyin.marker", "chips given for a marker, which goes into the box", BOXES, TRAY),
    PostingRule("buyin.promotional", "chips given for a voucher", PROMOTIONAL, TRAY),
    PostingRule("stake.lost", "a stake is lost, but for what was laid with a voucher", TRAY, INCOME),
    PostingRule("winnings.due", "winnings are due by the rules", INCOME, WINNINGS),
    PostingRule("winnings.paid", "winnings are handed out", WINNINGS, TRAY),
    PostingRule(
        "winnings.mispaid", "paid beyond what is due: at the round's end, and what comes later", PAYMENTS, WINNINGS
    ),
    PostingRule("commission", "a commission beside a bet", TRAY, INCOME),
    PostingRule("fill.issued", "the chips of a fill leave the cage (below zero: its slip is void)", TRANSIT, CAGE),
    PostingRule("fill.received", "the chips of a fill reach the table", TRAY, TRANSIT),
    PostingRule("credit.sent", "the chips of a credit leave the table (below zero: they come back)", TRANSIT, TRAY),
    PostingRule("credit.received", "the chips of a credit reach the cage", CAGE, TRANSIT),
    PostingRule("slip.short", "received is less than was on its way", ON_THE_WAY, TRANSIT),
    PostingRule("count.short", "a count of the tray finds less than expected", TABLES, TRAY),
    PostingRule("count.lost", "a count finds less at a table that is counted only: its income", INCOME, TRAY),
    PostingRule("opener.short", "the opener is less than the last closer", OPENERS, TRAY),
    PostingRule("box.cash", "a box is counted: cash", CASH, BOXES),
    PostingRule("box.markers", "a box is counted: markers", MARKERS, BOXES),
    PostingRule("box.chips", "a box is counted: chips", CAGE, BOXES),
    PostingRule("box.short", "a box is counted: less than was bought in over it", DROP, BOXES),
    PostingRule("cage.cashed_out", "a player gets cash for chips", CAGE, CASH),
    PostingRule("cage.cashed_in", "a player gets chips for cash", CASH, CAGE),
    PostingRule("marker.redeemed_cash", "a marker goes back for cash", CASH, MARKERS),
    PostingRule("marker.redeemed_chips", "a marker goes back for chips", CAGE, MARKERS),
    PostingRule("cage.short_chips", "a count of the cage finds less chips than expected", IN_CAGE, CAGE),
    PostingRule("cage.short_cash", "a count of the cage finds less cash than expected", IN_CAGE, CASH),
    PostingRule("cage.short_markers", "a count of the cage finds less markers than expected", IN_CAGE, MARKERS),
    PostingRule("progressive.opened", "a progressive is opened with a meter: what lies above its seed", OPENING, METER),
    PostingRule(
        "progressive.base", "a progressive is opened with a meter: its seed, not owed until it is won", BASE, METER
    ),
    PostingRule("progressive.reserve", "a progressive is opened with a reserve", OPENING, RESERVE),
    PostingRule("progressive.fed", "an armed round feeds a meter", FED, METER),
    PostingRule("progressive.reserved", "an armed round feeds a reserve", FED, RESERVE),
    PostingRule("progressive.locked", "shares are locked: what the meter gives", METER, JACKPOTS),
    PostingRule("progressive.house", "shares are locked: what the meter does not hold", HOUSE, JACKPOTS),
    PostingRule("progressive.won", "shares are locked: the seed that was in the meter is owed now", SEEDS, BASE),
    PostingRule("seed.reserve", "the new seed's part out of the reserve", RESERVE, METER),
    PostingRule(
        "seed.house", "the new seed's part that is the house's, not owed until it is won (ASU 2010-16)", BASE, METER
    ),
    PostingRule("jackpot.cash", "a jackpot is paid in cash or by transfer, net", JACKPOTS, CASH),
    PostingRule("jackpot.chips", "a jackpot is paid in chips, net", JACKPOTS, CAGE),
    PostingRule("jackpot.withheld", "what the law withholds of a jackpot", JACKPOTS, TAX),
    PostingRule("envy.cash", "an envy bonus is paid in cash or by transfer, net", ENVY, CASH),
    PostingRule("envy.chips", "an envy bonus is paid in chips, net", ENVY, CAGE),
    PostingRule("envy.withheld", "what the law withholds of an envy bonus", ENVY, TAX),
    PostingRule(
        "house.cash", "the house pays beside the meter in cash or by transfer (below zero: it is back)", HOUSE, CASH
    ),
    PostingRule("house.chips", "the house pays beside the meter in chips (below zero: they are back)", HOUSE, CAGE),
    PostingRule("meter.adjusted", "a meter is corrected", ADJUSTED, METER),
    PostingRule("variance.paid", "what a sign showed too much is paid", ADJUSTED, CASH),
    PostingRule("fund.deposited", "money is put behind the progressives (below zero: is taken out)", FUND, CASH),
)
AMOUNTS: Mapping[str, PostingRule] = {rule.amount: rule for rule in DEFAULT}

# The default effect of each amount on its table's tray: by the nature of the amount, for any names of its accounts.
TRAY_SIGN: Mapping[str, int] = {
    rule.amount: 1 if rule.debit == TRAY else -1 for rule in DEFAULT if TRAY in (rule.debit, rule.credit)
}


ROOTS = ("Assets", "Contra", "Liabilities", "Equity", "Income", "Expenses")
_PLACE = re.compile(r"\{([a-z]*)\}")
_ACCOUNT = re.compile(r"[A-Z][a-z]+(?::[A-Za-z0-9{][A-Za-z0-9._{} -]*)+")

# --- a property's own -------------------------------------------------------------------------------------------------


def rules_text(rules: Iterable[PostingRule]) -> str:
    """Rules as the setting has them: "AMOUNT: DEBIT | CREDIT; ..."."""
    return "; ".join(f"{rule.amount}: {rule.debit} | {rule.credit}" for rule in rules)


@cache
def rules_from_setting(text: str) -> Mapping[str, PostingRule]:
    """Return the rules by the amount that they take; without any, the default. An accepted rule is not judged again."""
    if not text:
        return AMOUNTS
    rule_texts = (part for part in _rule_parts(text) if part.partition(":")[0].strip() in AMOUNTS)
    return {**AMOUNTS, **{rule.amount: rule for rule in map(_rule, rule_texts)}}


def check_rules(text: str) -> None:
    """Raise Invalid for rules that may not be: every amount once, between two accounts that there can be."""
    if not text:
        return
    rules = [_rule(part) for part in _rule_parts(text)]
    names = [rule.amount for rule in rules]
    for name in (name for name in names if names.count(name) > 1):
        raise _invalid_rules(coded("posting-amount-twice", name=name))
    if missing_names := [name for name in AMOUNTS if name not in names]:
        raise _invalid_rules(coded("posting-amount-missing", name=missing_names[0]))
    for rule in rules:
        for account in (rule.debit, rule.credit):
            _must_be_account(rule, account)
    try:
        mapped(account for rule in rules for account in (rule.debit, rule.credit))
    except Conflict as error:
        raise _invalid_rules(error.text) from error


def _rule_parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(";") if part.strip()]


def _rule(rule_text: str) -> PostingRule:
    amount, _, sides = rule_text.partition(":")
    debit, bar, credit = sides.partition("|")
    if amount.strip() not in AMOUNTS:
        raise _invalid_rules(coded("posting-amount-unknown", name=amount.strip()))
    if not bar:
        raise _invalid_rules(coded("posting-rule-format", name=amount))
    return PostingRule(amount.strip(), AMOUNTS[amount.strip()].when, debit.strip(), credit.strip())


def _must_be_account(rule: PostingRule, account: str) -> None:
    """Require a root, with parts below it, in which only placeholders for fields of the amount occur."""
    if _ACCOUNT.fullmatch(account) is None or account.partition(":")[0] not in ROOTS:
        raise _invalid_rules(coded("posting-account-format", name=rule.amount, account=account, roots=ROOTS))
    default = AMOUNTS[rule.amount]
    placeholders = {*_PLACE.findall(default.debit), *_PLACE.findall(default.credit)}
    remainder = _PLACE.sub(lambda match: "X" if match[1] in placeholders else match[0], account)
    if "{" in remainder or "}" in remainder:
        raise _invalid_rules(
            coded("posting-account-places", name=rule.amount, account=account, places=sorted(placeholders))
        )


def _invalid_rules(reason: str | ErrorText) -> Invalid:
    return Invalid("data.value", coded("setting-part-wrong", setting="journal_rules", why=reason))


# --- names elsewhere --------------------------------------------------------------------------------------------------

_BELOW = {"Contra": ("Liabilities", "Contra")}


def mapped(accounts: Iterable[str]) -> dict[str, str]:
    """The name of every account in Beancount, where each part begins with a capital or a digit and the first is one
    of five. Raises Conflict for two accounts of one name."""
    names = {account: _mapped(account) for account in dict.fromkeys(accounts)}
    accounts_by_name: dict[str, str] = {}
    for account, name in names.items():
        if (other := accounts_by_name.setdefault(name, account)) != account:
            raise Conflict(coded("accounts-alike-in-beancount", account=account, other=other, name=name))
    return names


def _mapped(account: str) -> str:
    first, *parts = account.split(":")
    return ":".join(_part(part) for part in (*_BELOW.get(first, (first,)), *parts))


def _part(part: str) -> str:
    """A capital or a digit, and then letters, digits and dashes. A letter of a script without capitals has an X
    before it; two dashes, because no other name has them."""
    plain = "".join(char if _is_in_a_name(char) else "-" for char in part).lstrip("-") or "X"
    first = plain[0].upper()
    if len(first) == 1 and unicodedata.category(first) in ("Lu", "Nd"):
        return first + plain[1:]
    return f"X--{plain}"


def _is_in_a_name(char: str) -> bool:
    """Return whether Beancount takes it. Latin letters beyond A to Z are not used, as files of earlier versions had
    none."""
    if char.isascii():
        return char.isalnum() or char == "-"
    return unicodedata.category(char) == "Nd" or (is_letter(char) and not is_latin(char))
