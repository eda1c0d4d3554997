"""Metrics: a closed list with closed labels, the same in the declarations, the reference and the answer."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from django.db import OperationalError
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from backoffice.models import PartCount, PartReport
from backoffice.progressives import live_stream_message_content
from backoffice.running.database_and_mail_settings import ROOT
from backoffice.running.status_reports_of_parts_into_database import PartFigures
from events.runtime import metric_counters
from projections.eventlog.models import EventLog
from projections.progressives.models import Progressive
from tests.support.houses.small_house import House
from tools.documents.metric_label_values import VALUES

MONITORING = ROOT / "tools" / "monitoring"
_NAME = re.compile(r"pitledger_[a-z_]+")
_SERIES = re.compile(r"_(bucket|sum|count)$")


def names_in(text: str) -> set[str]:
    """The metrics that an expression or a page names, without the suffixes of histograms."""
    known = {metric.name for metric in metric_counters.METRICS}
    return {name if name in known else _SERIES.sub("", name) for name in _NAME.findall(text)}


def scraped(client: Client, **headers: Any) -> dict[str, Any]:
    """The families of one scrape by name, as Prometheus would name them."""
    response = client.get("/metrics", **headers)
    assert response.status_code == 200
    assert response["Content-Type"].startswith("text/plain; version=0.0.4")
    families = text_string_to_metric_families(response.content.decode())
    return {f"{family.name}_total" if family.type == "counter" else family.name: family for family in families}


def count(metric: metric_counters.Metric, labels: tuple[str, ...], suffix: str, value: float) -> None:
    PartCount.objects.create(
        id=f"{metric.name}{labels}{suffix}", metric=metric.name, labels=json.dumps(labels), suffix=suffix, value=value
    )


def report(part: str, progress_s: float = 4e9, **figures: Any) -> None:
    """A part that has just reported: for the purpose of a test its clock is far ahead."""
    PartReport.objects.create(
        id=f"{part}@here", part=part, host="here", pid=1, version="0.1.0", started_s=1.0, reported_s=progress_s,
        progress_s=progress_s, is_ended=False, figures=json.dumps({"position": 0, **figures}),
    )  # fmt: skip


@pytest.mark.django_db
def test_a_scrape_shows_every_metric_that_is_declared_and_no_other(client: Client, evening_house: House) -> None:
    families = scraped(client)
    assert set(families) == {metric.name for metric in metric_counters.METRICS}
    for metric in metric_counters.METRICS:
        assert families[metric.name].documentation == metric.help
        assert families[metric.name].type == metric.kind


@pytest.mark.django_db
def test_labels_are_those_declared_and_their_values_are_on_the_list(client: Client, evening_house: House) -> None:
    report("relay", queues={"desk": 3}, away={"kafka": "refused"})
    count(metric_counters.EVENTS, ("bet.placed.v1",), "", 5)
    count(metric_counters.TASKS, ("sweep", "done"), "", 7)
    count(metric_counters.ERRORS, ("relay", "kafka"), "", 2)
    samples = 0
    families = scraped(client)
    for metric in metric_counters.METRICS:
        for sample in families[metric.name].samples:
            labels = {name: value for name, value in sample.labels.items() if name != "le"}
            assert set(labels) == set(metric.labels), sample
            for name, value in labels.items():
                assert value in list(VALUES[name]()), sample
            samples += 1
    assert samples > 40
    by_server = {sample.labels["server"]: sample.value for sample in families["pitledger_server_up"].samples}
    assert (by_server["kafka"], by_server["store"]) == (0.0, 1.0)
    assert families["pitledger_healthy"].samples[0].value == 0.0


@pytest.mark.django_db
def test_histograms_are_cumulative(client: Client) -> None:
    for suffix, value in (("0.005", 2.0), ("0.1", 3.0), ("+Inf", 1.0), ("sum", 12.5), ("count", 6.0)):
        count(metric_counters.APPEND, ("web",), suffix, value)
    family = scraped(client)["pitledger_append_seconds"]
    buckets = {sample.labels["le"]: sample.value for sample in family.samples if sample.name.endswith("_bucket")}
    assert (buckets["0.0025"], buckets["0.005"], buckets["0.05"], buckets["0.1"], buckets["10.0"]) == (0, 2, 2, 5, 5)
    assert buckets["+Inf"] == 6


@pytest.mark.django_db
def test_metrics_are_open_to_those_who_may_observe(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = client.get("/metrics", REMOTE_ADDR="192.0.2.7")
    assert (refused.status_code, b"pitledger_" in refused.content) == (403, False)
    assert "PITLEDGER_OBSERVERS" in refused.json()["detail"]
    monkeypatch.setenv("PITLEDGER_OBSERVER_TOKEN", "t" * 32)
    assert scraped(client, REMOTE_ADDR="192.0.2.7", HTTP_AUTHORIZATION=f"Bearer {'t' * 32}")


@pytest.mark.django_db
def test_observers_read_no_id_of_a_person_or_player(client: Client, evening_house: House) -> None:
    """Programs read metrics, the details of the health and live streams without a login."""
    report("relay", queues={"desk": 3}, away={"kafka": "refused"})
    _mark, live = live_stream_message_content.read(Progressive.objects.values_list("progressive", flat=True))
    health = client.get("/healthz")
    assert health.json()["problems"]
    assert live
    assert any(state.hits for state in live.values())
    text = msgspec.json.encode(live) + health.content + client.get("/metrics").content
    people = {*EventLog.objects.values_list("actor", flat=True), *EventLog.objects.values_list("player", flat=True)}
    assert {"dora", "ines", "g-1"} <= people
    assert people & set(re.findall(r"[\w-]+", text.decode())) == set()


@pytest.mark.django_db
def test_a_database_that_is_away_is_a_metric(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable() -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr("backoffice.house.metrics_text.condition", unreachable)
    families = scraped(client)
    assert families["pitledger_healthy"].samples[0].value == 0.0
    assert [(s.labels, s.value) for s in families["pitledger_server_up"].samples] == [({"server": "read"}, 0.0)]


def test_figures_of_a_part_have_names_on_the_lists() -> None:
    assert set(PartFigures.__struct_fields__) == {"position", "queues", "away", "clock_offset_s"}


def test_the_reference_lists_what_is_declared() -> None:
    page = (ROOT / "docs/reference/metrics.md").read_text()
    rows = re.findall(r"^\| `(pitledger_\w+)` \| (\w+) \| ([^|]*) \|", page, re.MULTILINE)
    declared = [(m.name, m.kind, ", ".join(f"`{label}`" for label in m.labels)) for m in metric_counters.METRICS]
    assert [(name, kind, labels.strip()) for name, kind, labels in rows] == declared


def test_dashboard_and_alerts_use_metrics_that_exist() -> None:
    known = {metric.name for metric in metric_counters.METRICS}
    dashboard = json.loads((MONITORING / "grafana-dashboard.json").read_text())
    expressions = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", ())]
    rules = [rule for group in _rules()["groups"] for rule in group["rules"]]
    assert len(expressions) > 30
    assert len(rules) >= 15
    for expression in [*expressions, *(rule["expr"] for rule in rules)]:
        assert names_in(expression) <= known, expression
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])
    assert names_in(" ".join(expressions)) == known, "the dashboard shows all of them"


def test_every_alert_says_what_to_do_and_where_it_is_explained() -> None:
    anchors = {line[4:].lower() for line in (ROOT / "docs/howto/observe.md").read_text().splitlines() if "### " in line}
    for rule in [rule for group in _rules()["groups"] for rule in group["rules"]]:
        page, _, anchor = rule["annotations"]["runbook_url"].partition("#")
        assert page == "docs/howto/observe.md"
        assert anchor in anchors
        assert rule["annotations"]["description"].endswith(".")
        assert rule["labels"]["severity"] in ("warning", "critical")


def test_every_alert_is_tested_both_ways() -> None:
    tests = yaml.safe_load((MONITORING / "alert-tests.yaml").read_text())["tests"]
    cases = {
        (test["alert_rule_test"][0]["alertname"], bool(test["alert_rule_test"][0]["exp_alerts"])) for test in tests
    }
    alerts = {rule["alert"] for group in _rules()["groups"] for rule in group["rules"]}
    assert cases == {(alert, fires) for alert in alerts for fires in (True, False)}


@pytest.mark.promtool
@pytest.mark.parametrize("arguments", [("check", "rules", "alerts.yaml"), ("test", "rules", "alert-tests.yaml")])
def test_prometheus_takes_the_rules_and_they_fire_when_they_should(arguments: tuple[str, ...]) -> None:
    completed = subprocess.run(["promtool", *arguments], cwd=MONITORING, capture_output=True, text=True, check=False)
    assert completed.returncode == 0, completed.stdout + completed.stderr


def _rules() -> Any:
    return yaml.safe_load(Path(MONITORING / "alerts.yaml").read_text())
