"""Ids at the door: one spelling, nothing unseen, no two scripts in a word, none that looks like another."""

import unicodedata

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events import catalogue
from events.envelope import Action
from events.errors import Invalid
from events.text.id_spelling_normalization import normalized, skeletons
from events.text.look_alike_character_table import PROTOTYPES

UNSEEN = [
    "\u202e",
    "\u200b",
    "\u00ad",
    "\ufeff",
    "\x00",
    "\u2066",
    "\u2069",
    "\U000e0041",
    "\u200d",
    "\ufe0f",
    "\u3164",
]


def bought(player: str) -> str:
    """The player of a buy-in that was sent for one."""
    data = msgspec.Raw(msgspec.json.encode({"player": player, "amount_minor": 100, "seat": 1, "tender": "cash"}))
    return str(catalogue.decode_action(Action(type="buyin.make", key="k", data=data)).player)  # type: ignore[attr-defined]


@pytest.mark.parametrize("unseen", UNSEEN)
def test_what_nobody_sees_is_refused_in_ids(unseen: str) -> None:
    with pytest.raises(Invalid) as caught:
        bought(f"g{unseen}1")
    assert caught.value.field == "data.player"
    if unseen != "\x00":
        with pytest.raises(Invalid, match="cannot be seen"):
            normalized(f"g{unseen}1")


def test_ids_are_of_one_spelling_and_keep_their_case() -> None:
    decomposed = unicodedata.normalize("NFD", "José")
    assert bought(decomposed) == bought("José") == unicodedata.normalize("NFC", "José")
    assert bought("G-Älla") == "G-Älla"
    assert bought("Ελένη-7") == "Ελένη-7"
    assert bought("Πελάτης-VIP") == "Πελάτης-VIP"
    assert bought("山田タロウ") == "山田タロウ"


@pytest.mark.parametrize("mixed", ["d\u043era", "p\u0430ul", "\u0391nna", "g-\u0430dam", "\u03bfnly"])
def test_a_word_of_two_scripts_is_refused(mixed: str) -> None:
    with pytest.raises(Invalid, match=r"mixes (Cyrillic|Greek) and Latin"):
        bought(mixed)


@pytest.mark.parametrize(
    ("left", "other"),
    [
        ("g-10", "G-10"),
        ("g-10", "g\u201010"),
        ("g-10", "g\u221210"),
        ("g-10", "g-1O"),
        ("g-10", "g-l0"),
        ("dora", "DORA"),
        ("cop", "\u0441\u043e\u0440"),
        ("Straße", "STRASSE"),
        ("g-10", "\uff47-\uff11\uff10"),
        ("мария", "МАРИЯ"),
    ],
)
def test_ids_that_look_alike_have_a_skeleton_in_common(left: str, other: str) -> None:
    assert not skeletons(left).isdisjoint(skeletons(other))


@pytest.mark.parametrize(
    ("left", "other"), [("g-1", "g-2"), ("josé", "jose"), ("ali", "all"), ("BJ1", "BJ2"), ("g-1", "g1")]
)
def test_ids_that_differ_have_none(left: str, other: str) -> None:
    assert skeletons(left).isdisjoint(skeletons(other))


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12))
def test_what_is_kept_stays_as_it_is(text: str) -> None:
    try:
        normal = normalized(text)
    except Invalid:
        return
    assert normalized(normal) == normal
    assert not skeletons(normal).isdisjoint(skeletons(normal.upper())) or normal.upper().lower() != normal.lower()


def test_the_table_leads_to_letters_and_digits() -> None:
    assert len(PROTOTYPES) > 400
    assert all(letter.isascii() for letter in PROTOTYPES.values())
