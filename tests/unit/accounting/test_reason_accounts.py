"""The account of a paid variance: the letters of its reason in any script, as the real bean-check takes them."""

import sys
import unicodedata
from pathlib import Path
from subprocess import run

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.accounting.journal.reason_text_as_account_part import MOST_OF_REASON, reason_part
from events.money.posting_rules import mapped

BY_SCRIPT = {
    "the sign lagged": ("the sign lagged", "The-sign-lagged"),
    "Erreur à l'écran": ("erreur l cran", "Erreur-l-cran"),  # as files have had it since the first of them
    "Reading variance": ("reading-variance", "Reading-variance"),
    "Η ένδειξη έδειξε 5 €!": ("η ένδειξη έδειξε 5", "Η-ένδειξη-έδειξε-5"),
    "Η οθόνη LED": ("η οθόνη led", "Η-οθόνη-led"),
    "Табло отстало": ("табло отстало", "Табло-отстало"),
    "显示屏错误": ("显示屏错误", "X--显示屏错误"),
    "הצג טעה": ("הצג טעה", "X--הצג-טעה"),
    "تأخر العرض ٣": ("تأخر العرض ٣", "X--تأخر-العرض-٣"),
    "จอแสดงผล": ("จอแสดงผล", "X--จอแสดงผล"),
    "ＬＥＤ": ("led", "Led"),
    "...": ("other", "Other"),
}


@pytest.mark.parametrize("text", BY_SCRIPT)
def test_a_reason_of_any_script_has_a_readable_account(text: str) -> None:
    part = reason_part(text)
    assert (part, beancount(part)) == BY_SCRIPT[text]
    assert reason_part(unicodedata.normalize("NFD", text)) == part or text.isascii() or "à" in text


def test_the_layouts_before_know_latin_letters_alone() -> None:
    assert [reason_part(text, layout=3) for text in ("Η ένδειξη", "Η οθόνη LED", "显示屏错误")] == [
        "other",
        "led",
        "other",
    ]


@given(text=st.text(alphabet=st.characters(max_codepoint=0x24F), max_size=200))
def test_a_latin_reason_keeps_its_account(text: str) -> None:
    before = reason_part(text, layout=3)
    if before != "other":
        assert reason_part(text) == before


@given(texts=st.lists(st.text(max_size=100), max_size=8))
def test_any_text_makes_a_part_that_stays_and_never_collides(texts: list[str]) -> None:
    parts = [reason_part(text) for text in texts]
    assert all(0 < len(part) <= MOST_OF_REASON and ":" not in part for part in parts)
    assert [reason_part(part) for part in parts] == parts
    mapped(f"Expenses:Progressive:Adjustments:{part}" for part in parts)  # raises where two would be one


def test_the_real_bean_check_accepts_every_letter(tmp_path: Path) -> None:
    """Every letter and digit of the basic plane, in reasons of forty characters."""
    letters = [chr(code) for code in range(0x20, 0xFFFD) if not 0xD800 <= code < 0xE000]
    texts = ["".join(letters[at : at + 40]) for at in range(0, len(letters), 40)] + [*BY_SCRIPT]
    accounts = mapped(dict.fromkeys(f"Expenses:Progressive:Adjustments:{reason_part(text)}" for text in texts))
    file = tmp_path / "accounts.beancount"
    file.write_text("".join(f"2026-11-20 open {name} EUR\n" for name in accounts.values()), encoding="utf-8")
    checked = run(
        [sys.executable, "-m", "beancount.scripts.check", str(file)], capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stderr) == (0, "")


def beancount(part: str) -> str:
    [name] = mapped([f"Expenses:Progressive:Adjustments:{part}"]).values()
    return name.rpartition(":")[2]
