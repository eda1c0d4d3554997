"""No amount is written or read without its currency: not by an empty text in the code, and not by one at run time."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from iso4217 import Currency

from backoffice.wording import formats
from backoffice.wording.amounts_in_legacy_sentences import in_currency
from backoffice.wording.terminal_tables import micro, money
from events.errors import Invalid
from events.fields import CURRENCIES
from events.money import past_monthly_drop_win_file
from events.money.single_currency_rule import minor_digits

ROOT = Path(__file__).parents[3]
# Functions that write or read amounts, and where the currency stands among their arguments.
TAKING = {
    "money": 1, "amount": 1, "micro": 1, "parts": 1, "exponent": 0, "rounded": 1, "around": 0, "with_currency": 1,
    "in_currency": 1, "decimal": 1, "minor_digits": 0, "minor": 0,
}  # fmt: skip
MODULES = ("formats", "canonical_report_bytes", "text_tables", "sentences", "values", "currency")
OLD_LAYOUTS = {
    "events/accounting/report/canonical_report_from_ledger.py",
    "events/integrity/day_proof.py",
}  # closed days keep their bytes


def calls() -> Iterator[tuple[str, ast.Call, str]]:
    """Every call of such a function in the product, by where it is."""
    for folder in ("events", "projections", "workers", "backoffice"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            names = {
                alias.asname or alias.name: alias.name
                for node in ast.walk(tree)
                if isinstance(node, ast.ImportFrom) and (node.module or "").rpartition(".")[2] in MODULES
                for alias in node.names
                if alias.name in TAKING
            }
            for node in ast.walk(tree):
                if isinstance(node, ast.Call) and (name := _called(node.func, names)) is not None:
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", node, name


def _called(func: ast.expr, names: dict[str, str]) -> str | None:
    if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id in MODULES:
        return func.attr if func.attr in TAKING else None
    return names.get(func.id) if isinstance(func, ast.Name) else None


def _may_be_empty(node: ast.expr | None) -> bool:
    if node is None:
        return True
    if isinstance(node, ast.BoolOp):
        return _may_be_empty(node.values[-1])
    return isinstance(node, ast.Constant) and not node.value


def test_no_call_leaves_the_currency_out() -> None:
    found_calls = list(calls())
    assert len(found_calls) > 60
    wrong = []
    for where, node, name in found_calls:
        keywords = {keyword.arg: keyword.value for keyword in node.keywords}
        currency = node.args[TAKING[name]] if len(node.args) > TAKING[name] else keywords.get("currency")
        if _may_be_empty(currency) and where.partition(":")[0] not in OLD_LAYOUTS:
            wrong.append(f"{where} {ast.unparse(node)}")
    assert not wrong, "\n".join(wrong)


def test_an_amount_without_a_currency_is_an_error_of_the_program() -> None:
    writes: list[Callable[[], object]] = [
        lambda: formats.money(1, ""), lambda: formats.amount(1, ""), lambda: formats.micro(1, ""),
        lambda: formats.rounded(1, ""), lambda: formats.with_currency("1", ""),
        lambda: in_currency("the maximum here is 5", ""),
    ]  # fmt: skip
    for write in writes:
        with pytest.raises(ValueError, match="no currency"):
            write()


def test_the_books_write_a_dash_before_a_currency_is_known() -> None:
    assert (money(1, ""), micro(1, "")) == ("-", "-")


@pytest.mark.parametrize("currency", sorted(CURRENCIES))
def test_events_and_pages_know_the_same_decimals(currency: str) -> None:
    assert formats.exponent(currency) == minor_digits(currency)
    known = currency in {currency_.code for currency_ in Currency}
    assert not known or Currency(currency).exponent == minor_digits(currency)


@pytest.mark.parametrize(
    ("currency", "text", "minor"),
    [
        ("JPY", "123456", 123_456), ("JPY", "123456.00", 123_456), ("JPY", "123456.5", None),
        ("KWD", "123456.500", 123_456_500), ("KWD", "123456.50", 123_456_500), ("KWD", "123456.5001", None),
        ("EUR", "123456.5", 12_345_650), ("EUR", "123456.500", 12_345_650), ("EUR", "123456.505", None),
        ("EUR", "99999999999999999", None), ("EUR", "1e5", None), ("EUR", "\u0661", None),
    ],
)  # fmt: skip
def test_months_are_read_and_written_in_their_currency(currency: str, text: str, minor: int | None) -> None:
    file = f"Table,Month,Drop,Win,,\nR1,2025-11,{text},0,,\n,,,\n,,,,,\n"
    if minor is None:
        with pytest.raises(Invalid, match="line 2: drop"):
            past_monthly_drop_win_file.read(file, currency)
        return
    months = past_monthly_drop_win_file.read(file, currency)
    assert [month.drop_minor for month in months] == [minor]
    assert (
        past_monthly_drop_win_file.months_from_setting(
            past_monthly_drop_win_file.months_text(months, currency), currency
        )
        == months
    )
