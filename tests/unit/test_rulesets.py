"""The data of rulesets: a released ruleset never changes, and its digest proves it."""

import json
from pathlib import Path

import pytest

from events.errors import Invalid, Unknown
from events.games.roulette import rules as roulette
from events.rules import loading_and_pinning_rulesets
from events.rules.taken_ruleset_version_struct import FIRST, TakenRuleset, taken_ruleset

# SHA-256 of the canonical JSON of every version that has ever gone out. A new one adds a line; none changes.
RELEASED = {
    "baccarat@1": "df6e6792ba1899f67afbfc64025722b87847d0bd5d46909654ae8432d133cbb6",
    "baccarat-no-commission@1": "1b3246cc233d2e6c92e2f54dd29f55ce746dd0a9ed434e4efe844fe30fb57ee4",
    "blackjack-trilux@1": "ad02f1e482ee3da1f4496ad45febc7fba2b71fa52d1545c977d91afbbce4ee17",
    "blazing7s@1": "109edb00fe8e1d4c7de3379a788f7a7be9145006ed7edd8ab684d17ff0e5c90a",
    "craps-by@1": "510287b1904bc39d38ae5e5d53785fc44e14c17544f6a4039ce8221642ce1d3e",
    "craps-gr@1": "7815b1f4b0158a572245a048ba46e416d82f49da86d2cee6abb55c0d17783154",
    "roulette-american@1": "b923efa81673da376370a463acc82e00141ae7c44c1ea6099a23c4c29e5c4622",
    "roulette-french@1": "436187db1564f3078a211fa3e5d116da09ed775cc82138ca5e90ee7dc68e9de0",
}


@pytest.mark.parametrize("stamp", RELEASED)
def test_what_was_released_never_changes(stamp: str) -> None:
    assert loading_and_pinning_rulesets.cache_ruleset(loading_and_pinning_rulesets.released(stamp)) == RELEASED[stamp]


@pytest.mark.parametrize("name", sorted(loading_and_pinning_rulesets.shipped()))
def test_every_ruleset_of_ours_is_released_as_it_is(name: str) -> None:
    """A change of its numbers is another version, whose data is laid beside the earlier ones."""
    data = loading_and_pinning_rulesets.of_today(name)
    assert loading_and_pinning_rulesets.released(f"{name}@{data['version']}") == data
    assert f"{name}@{data['version']}" in RELEASED


def test_what_was_played_before_versions_were_stamped_is_the_first() -> None:
    assert {f"{name}@1" for name in FIRST} <= set(RELEASED)
    assert taken_ruleset("craps-gr") == taken_ruleset("craps-gr@1") == TakenRuleset("craps-gr", "1")
    assert taken_ruleset("craps-lounge") == TakenRuleset("craps-lounge")
    assert (taken_ruleset("craps-lounge").stamp, taken_ruleset("craps-lounge@3").stamp) == (
        "craps-lounge",
        "craps-lounge@3",
    )


def test_a_digest_is_that_of_canonical_json() -> None:
    assert loading_and_pinning_rulesets.cache_ruleset(
        {"b": 1, "a": [1, "é"]}
    ) == loading_and_pinning_rulesets.cache_ruleset({"a": [1, "é"], "b": 1})
    assert (
        loading_and_pinning_rulesets.cache_ruleset({"a": 1})
        == "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"
    )


def test_a_digest_that_nobody_has_read_is_named() -> None:
    with pytest.raises(Unknown, match="with the digest 00 is not known"):
        roulette.rules(TakenRuleset("roulette-x", "1", "00"))
    with pytest.raises(Unknown):
        loading_and_pinning_rulesets.pinned(TakenRuleset("roulette-x"))


def test_a_version_is_asked_for_by_its_stamp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For cases and par sheets, a name is the current file, and name@version is that version, also after a change."""
    data = loading_and_pinning_rulesets.of_today("roulette-american") | {"version": "2", "title": "ours, changed"}
    (tmp_path / "roulette-american.json").write_text(json.dumps(data), encoding="utf-8")
    monkeypatch.setenv("PITLEDGER_RULESETS", str(tmp_path))
    assert loading_and_pinning_rulesets.of_today("roulette-american") == data
    assert loading_and_pinning_rulesets.of_today("roulette-american@2") == data
    assert loading_and_pinning_rulesets.of_today("roulette-american@1")["version"] == "1"
    with pytest.raises(Unknown):
        loading_and_pinning_rulesets.of_today("roulette-american@3")


def test_more_than_an_event_holds_is_no_ruleset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "roulette-vast.json").write_text(
        json.dumps({"title": "x" * loading_and_pinning_rulesets.DATA_MAX}), encoding="utf-8"
    )
    monkeypatch.setenv("PITLEDGER_RULESETS", str(tmp_path))
    with pytest.raises(Invalid, match="bytes are too many"):
        loading_and_pinning_rulesets.of_today("roulette-vast")


@pytest.mark.parametrize("name", ["../roulette-french@1", "roulette-french@../1", "@1", ""])
def test_no_name_leads_out_of_the_folder(name: str) -> None:
    with pytest.raises(Unknown):
        loading_and_pinning_rulesets.of_today(name)
