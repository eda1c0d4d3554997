"""A case for the pages: with evidence, notes, a recording, a file, tasks, a link, and a closing that waits."""

import os
from pathlib import Path
from typing import Any
from unittest.mock import patch

from events.cases.case_key_and_file_vault import vault
from events.cases.decider import id_of
from tests.support.houses.evening_with_everything import MISPAY_ALERT
from tests.support.houses.small_house import DAY, House

KEY, OTHER = "played-case", "played-other-case"
CASE = id_of(KEY)
FROM, TO = f"{DAY}T20:00:00.000Z", f"{DAY}T20:05:00.000Z"
OPENED: dict[str, Any] = {"title": "Mispay at FR1", "category": "procedure", "severity": "high", "subjects": ["dora"]}
CLOSING: dict[str, Any] = {"disposition": "disciplinary", "reason": "It is the third time", "concerns": ["job"]}


def add_case(house: House, folder: Path) -> None:
    """Two linked cases of surveillance, in a house that has its data in this folder."""
    own = {"PITLEDGER_DATA": str(folder), "PITLEDGER_ACCESS": f"sqlite:///{folder}/access.sqlite3"}
    with patch.dict(os.environ, own):
        _open(house, KEY, alerts=[MISPAY_ALERT], rounds=[f"FR1/{DAY}/1"], people=["g-1"], places=["pit A"])
        _open(house, OTHER, title="Complaint at the cage", category="dispute", severity="low", subjects=[])
        digest = vault().add_file(CASE, b"I saw it.\n", "text/plain")
        for action, data in (
            ("case.note", {"note": "She paid the dozen twice. The inspector did not see it."}),
            (
                "case.bookmark",
                {"camera": "C110", "from": FROM, "to": TO, "note": "Her hands", "expires": TO, "table": "FR1"},
            ),
            ("case.attach", {"attachment": digest, "name": "statement.txt", "note": "Of the player at seat 2"}),
            ("case.task", {"task": "1", "what": "Ask the pit boss", "due": DAY, "person": "sven"}),
            ("case.link", {"other": id_of(OTHER), "how": "The same dealer"}),
            ("case.grant", {"person": "paul", "level": "read"}),
            ("case.close", CLOSING),
        ):
            house.ok("cases", CASE, "sven", house.action(action, **data))


def _open(house: House, key: str, **data: Any) -> None:
    times = {"occurred": FROM, "occurred_until": TO}
    house.ok("cases", "new", "sven", house.action("case.open", _key=key, **OPENED | times | data))
