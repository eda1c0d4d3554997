"""Alerts against another reading of the same events: random days with faults at tables and cage."""

import json
from collections import Counter, defaultdict
from types import SimpleNamespace
from typing import Any

import pytest

from events.house.alert_rules import RULES
from events.store import everything
from projections.alerts.models import Alert
from tests.accountant.random_gaming_days import RandomFloor
from tests.support.pages.raised_alerts import raised

STEPS = 500
ONCE = {"mispay", "staff", "two posts"}  # irregularities that are judged at the end of a round, or once a session


def played(seed: int) -> tuple[list[dict[str, Any]], list[Alert]]:
    """The events of a house, and its alerts."""
    floor = RandomFloor(seed)
    for _ in range(STEPS):
        floor.step()
    history: Any = SimpleNamespace(events=list(everything(floor.store)))
    floor.close()
    return [json.loads(event.raw) for event in history.events], raised(history, *RULES)


def mispaid(events: list[dict[str, Any]]) -> Counter[tuple[str, int, str, int]]:
    """Return session, round, bet and excess payment at each end of a round. Void rounds count every payment."""
    due, paid, seen = Counter[Any](), Counter[Any](), set[Any]()
    mispays = Counter[tuple[str, int, str, int]]()
    for event in events:
        type_, data, stream = event["type"].rpartition(".v")[0], event["data"], event["subject"]
        bet = (stream, data.get("won_in") or data.get("round"), data.get("bet"))
        if type_ in ("bet.settled", "settlement.voided"):
            due[bet] += max(0, data["profit_minor"]) * (1 if type_ == "bet.settled" else -1)
        elif type_ == "settlement.corrected":
            due[bet] += data.get("due_minor", 0)
        elif type_ == "payment.made":
            paid[bet] += data["amount_minor"]
        elif type_ == "round.voided":
            due = Counter({key: n for key, n in due.items() if key[:2] != bet[:2]})
        if type_ in ("round.ended", "round.voided", "session.closed", "session.rolled"):
            wrong = [key for key in {*due, *paid} - seen if key[0] == stream and due[key] != paid[key]]
            mispays.update((*key, paid[key] - due[key]) for key in wrong)
            seen.update(wrong)
    return mispays


@pytest.mark.parametrize("seed", [3, 4, 10])
def test_every_irregularity_is_an_alert_and_every_wrong_payment_one(seed: int) -> None:
    events, alerts = played(seed)
    action = {event["id"]: event.get("causation") or event["id"] for event in events}
    by = defaultdict[str, list[str]](list)
    for alert in alerts:
        by[action[json.loads(alert.events)[-1]]].append(alert.name)
    irregular = [event for event in events if event["type"].startswith("irregularity.")]
    assert [event for event in irregular if event["data"]["kind"] not in ONCE and not by[action[event["id"]]]] == []
    about = [(alert, json.loads(alert.data)) for alert in alerts if alert.name == "mispay"]
    assert Counter((alert.stream, alert.round, about_["bet"], about_["sum"]) for alert, about_ in about) == mispaid(
        events
    )
    assert len(irregular) > 10
    assert about
