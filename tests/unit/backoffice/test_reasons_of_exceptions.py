"""Every reason that an event of the exceptions report names is shown there."""

from types import SimpleNamespace

import pytest

from backoffice.days.reports.exception_report import KINDS, event_reason
from events import catalogue

NAMING = ("reason", "detail", "ruling")


@pytest.mark.parametrize("kind", KINDS)
def test_what_an_event_says_of_its_reason_is_shown(kind: str) -> None:
    fields = set(catalogue.event_types()[kind].__struct_fields__)
    for name in NAMING:
        if name in fields:
            assert event_reason(SimpleNamespace(**{name: "Η μπίλια βγήκε έξω"})) == "Η μπίλια βγήκε έξω"
    if "reasons" in fields:
        reasons = SimpleNamespace(reasons=("die off the table", "hit a player"), detail="a die broke")
        assert event_reason(reasons) == "die off the table, hit a player, a die broke"
