"""Refusals of the table screen are codes with parameters; people read them in their language."""

from pathlib import Path
from typing import Any

import pytest

from backoffice.people import badge_and_key_authentication
from tests.support.houses.small_house import House
from tests.support.pages.pseudo_language import CODE, OPEN, spoken
from tests.support.tables.table_device import Tablet, act, paired

pytestmark = pytest.mark.django_db


def problems(house: House) -> dict[str, Any]:
    """Return refused requests of a tablet, by code."""
    tablet = paired(house)
    stranger = Tablet()
    refused = [
        tablet.come("no badge"),
        tablet.come(badge_and_key_authentication.issue_badge("dora"), role="boxman"),
        tablet.come(badge_and_key_authentication.issue_badge("dora"), role="inspector"),
        stranger.pair("guessed"),
        stranger.state(),
        tablet.send([]),
        tablet.send([tablet.sign("{}")]),
        tablet.post("/table/FR1/queue", {"entries": "none"}),
    ]
    tablet.seq += 1
    refused.append(tablet.send([tablet.entry(act("relief", next="dora"))]))
    return {answer.json()["code"]: answer.json() for answer in refused}


def test_each_refusal_has_its_code_and_its_sentence_in_the_language_of_the_reader(house: House, tmp_path: Path) -> None:
    english = problems(house)
    assert {"badge-unknown", "one-of-these", "role-not-granted", "pairing-code-used", "device-not-paired"} < set(
        english
    )
    assert {"queue-entries-count", "queue-entry-missing", "body-malformed"} < set(english)
    assert english["queue-entry-missing"]["params"]["seq"] > 0
    assert all(problem["detail"].endswith(problem["message"]) for problem in english.values())
    with spoken(tmp_path):
        translated = problems(house)
    assert translated.keys() == english.keys()
    assert all(problem["message"].startswith(OPEN) for problem in translated.values()), CODE
    assert all(OPEN not in problem["detail"] for problem in translated.values())


def test_a_stored_answer_is_told_in_the_language_of_whoever_reads_it(house: House, tmp_path: Path) -> None:
    tablet = paired(house)
    tablet.come(badge_and_key_authentication.issue_badge("dora"))
    entry = tablet.entry(act("bet.withdraw", bet="none"))
    first = tablet.send([entry]).json()["answers"][0]["problem"]
    with spoken(tmp_path):
        again = tablet.send([entry]).json()["answers"][0]["problem"]
    assert again["message"].startswith(OPEN)
    assert {**again, "message": ""} == {**first, "message": ""}
