"""Subscriptions and the other side of their deliveries, for tests: nothing leaves the machine."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from backoffice.deliveries.destinations_configuration_file import Webhook
from backoffice.models import Delivery, DeliveryAttempt, Subscription
from events.runtime import clock
from tests.support.pages.page_actors import at

KEY = "0123456789abcdef0123456789abcdef"


class WebhookReceiver:
    """A webhook's other side: it keeps each message, and answers with `status`."""

    def __init__(self) -> None:
        self.status, self.messages, self.dies = 200, list[tuple[str, dict[str, Any]]](), False

    def __call__(self, _webhook: Webhook, delivery: str, body: bytes) -> int:
        self.messages.append((delivery, msgspec.json.decode(body)))
        if self.dies:
            raise KeyboardInterrupt
        return self.status


def name_destinations(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Name the webhook `desk` and the folder `accounting`, and a mail server; return the folder's path."""
    reports, file = folder / "reports", folder / "destinations.toml"
    reports.mkdir()
    webhook = f'[webhooks.desk]\naddress = "https://hooks.test/in"\nkey = "{KEY}"\n'
    file.write_text(f'{webhook}[folders.accounting]\npath = "{reports}"\n', encoding="utf-8")
    monkeypatch.setenv("PITLEDGER_DESTINATIONS", str(file))
    monkeypatch.setenv("PITLEDGER_MAIL", "smtp://127.0.0.1:25")
    return reports


def subscribe(person: str, source: str, **fields: str) -> Subscription:
    """Subscribe by the page, and let everything so far be new."""
    form = {"source": source, "webhook": "desk", "period": "at once", **fields}
    answer = at(person).post("/subscriptions/add", form)
    assert answer.status_code == 302, answer.content.decode()
    Subscription.objects.filter(person=person).update(position=0)
    return Subscription.objects.filter(person=person).latest("id")


def later(monkeypatch: pytest.MonkeyPatch, **by: int) -> None:
    """Let time pass."""
    moment = clock.moment() + timedelta(**by)
    monkeypatch.setattr(clock, "moment", lambda: moment)


def subscribed(alias: str) -> None:
    """The auditor of these read models has subscriptions: one sent, one refused and waiting, one ended by itself."""
    moment = clock.moment()
    places = ({"source": "alerts"}, {"source": "report", "choice": "slips", "folder": "accounting"}, {"source": "day"})
    rows = [Subscription(person="olga", made_at=moment, period="day", webhook="desk", **place) for place in places]
    rows[1].webhook, rows[2].ended_at, rows[2].end_reason = "", moment, "no access"
    rows[0].quiet_from, rows[0].quiet_to = "22:00", "06:30"
    Subscription.objects.using(alias).bulk_create(rows)
    for number, (state, answer) in enumerate((("sent", ""), ("waiting", "folder full"), ("failed", "status 503"))):
        about = {"state": state, "answer": answer, "next_try_at": moment + timedelta(minutes=4)}
        subscription = Subscription.objects.using(alias).order_by("id")[number]
        delivery = Delivery.objects.using(alias).create(
            id=f"msg_{number:032x}", subscription=subscription, after=0, upto=1, made_at=moment, tries=3, **about
        )
        kind = "folder" if subscription.folder else "webhook"
        way = {"kind": kind, "destination": subscription.folder or subscription.webhook}
        result = {"state": state, "result": answer, "next_try_at": about["next_try_at"]}
        DeliveryAttempt.objects.using(alias).create(delivery=delivery, at=moment, **way, **result)
