"""tools/deploy/kubernetes: valid by the published schemas, and as restricted as a cluster can demand."""

from itertools import pairwise
from typing import Any

import kubernetes_validate
import pytest

from tests.unit.deployments.manifests import Manifest, manifests, of_kind, pods

OLDEST = "1.30"
VERSIONS = (OLDEST, kubernetes_validate.latest_version())
SERVING = {"web": 8000, "pages": 8002, "live": 8001}
BEATING = {"relay": "relay", "projector": "project", "worker": "worker", "beat": "beat"}


@pytest.mark.parametrize("version", VERSIONS)
def test_every_manifest_is_valid_by_the_published_schemas(version: str) -> None:
    tried = 0
    for _, document in manifests():
        kubernetes_validate.validate(document, version, strict=True)
        tried += 1
    assert tried > 20


@pytest.mark.parametrize("change", [{"replicas": "one"}, {"replcas": 1}, {"selector": []}])
def test_a_fault_in_a_manifest_is_found(change: dict[str, Any]) -> None:
    [worker] = of_kind("StatefulSet")
    spoilt = {**worker, "spec": {**worker["spec"], **change}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(spoilt, OLDEST, strict=True)


def test_every_pod_meets_the_restricted_pod_security_standard() -> None:
    """The controls of the standard, each by its field."""
    [namespace] = of_kind("Namespace")
    modes = {
        "pod-security.kubernetes.io/enforce",
        "pod-security.kubernetes.io/audit",
        "pod-security.kubernetes.io/warn",
    }
    assert {mode: namespace["metadata"]["labels"][mode] for mode in modes} == dict.fromkeys(modes, "restricted")
    allowed = {"configMap", "downwardAPI", "emptyDir", "persistentVolumeClaim", "projected", "secret"}
    for pod in pods().values():
        spec, own = pod.spec, pod.container["securityContext"]
        assert not {"hostNetwork", "hostPID", "hostIPC"} & {*spec}, pod.name
        assert (spec["securityContext"]["runAsNonRoot"], spec["securityContext"]["runAsUser"]) == (True, 10001)
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert (own["allowPrivilegeEscalation"], own["capabilities"]) == (False, {"drop": ["ALL"]})
        assert "privileged" not in own
        assert all({*volume} - {"name"} <= allowed for volume in spec["volumes"])
        assert not any("hostPort" in port for port in pod.container.get("ports", []))


def test_every_container_is_bounded_and_asks_the_cluster_for_nothing() -> None:
    for pod in pods().values():
        assert pod.container["securityContext"]["readOnlyRootFilesystem"] is True
        assert {"memory", "ephemeral-storage"} <= {*pod.container["resources"]["limits"]}
        assert (pod.spec["automountServiceAccountToken"], pod.spec["enableServiceLinks"]) == (False, False)


def test_liveness_is_progress_and_readiness_is_another_question() -> None:
    for name, port in SERVING.items():
        container = pods()[name].container
        probes = {kind: container[f"{kind}Probe"]["httpGet"] for kind in ("startup", "liveness", "readiness")}
        assert {kind: (get["path"], get["port"]) for kind, get in probes.items()} == {
            "startup": ("/livez", port),
            "liveness": ("/livez", port),
            "readiness": ("/readyz", port),
        }
    for name, says in BEATING.items():
        container = pods()[name].container
        check = ["python", "-m", "backoffice.running.container_health_check", says, "/var/lib/pitledger/run"]
        assert container["startupProbe"]["exec"]["command"] == check
        assert container["livenessProbe"]["exec"]["command"] == check
        assert "readinessProbe" not in container  # nobody is sent to it


def test_a_slow_start_is_given_time() -> None:
    for name in (*SERVING, *BEATING):
        probe = pods()[name].container["startupProbe"]
        assert probe["periodSeconds"] * probe["failureThreshold"] >= 300


def test_only_the_worker_mounts_what_the_signer_remembers() -> None:
    mounted = {name: pod.claims for name, pod in pods().items()}
    assert mounted["worker"]["keys"] == "/var/lib/pitledger/keys"
    assert mounted["worker"]["published"] == "/var/lib/pitledger/published"
    for name, claims in mounted.items():
        if name not in ("worker", "migrate"):
            assert "keys" not in claims, name
            assert claims["published"] == "/var/lib/pitledger/keys:ro", name
    declared = {claim["metadata"]["name"] for claim in of_kind("PersistentVolumeClaim")}
    assert declared == {claim for each in mounted.values() for claim in each}


def test_no_part_ever_runs_twice() -> None:
    """Deployments end the old pod before the new one starts, as a StatefulSet does by itself."""
    for document in of_kind("Deployment"):
        assert (document["spec"]["replicas"], document["spec"]["strategy"]) == (1, {"type": "Recreate"})


def test_every_connection_between_parts_is_allowed_at_both_ends() -> None:
    allowed: dict[str, set[tuple[str, str, int]]] = {"Ingress": set(), "Egress": set()}
    for policy in of_kind("NetworkPolicy"):
        own = policy["spec"]["podSelector"].get("matchLabels", {}).get("app.kubernetes.io/name", "")
        for rule in policy["spec"].get("ingress", []):
            allowed["Ingress"] |= {(other, own, port) for other, port in _peers(rule, "from")}
        for rule in policy["spec"].get("egress", []):
            allowed["Egress"] |= {(own, other, port) for other, port in _peers(rule, "to")}
    between = {("pages", "web", 8000), ("web", "pages", 8002), ("web", "live", 8001)}
    assert allowed["Egress"] == between
    assert allowed["Ingress"] == between | {("ingress-nginx", "web", 8000), ("monitoring", "web", 8000)}
    [denied] = [policy["spec"] for policy in of_kind("NetworkPolicy") if policy["metadata"]["name"] == "nothing"]
    assert denied == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}


def _peers(rule: Manifest, end: str) -> list[tuple[str, int]]:
    labels = [peer.get("podSelector", peer.get("namespaceSelector", {}))["matchLabels"] for peer in rule.get(end, [])]
    names = [label.get("app.kubernetes.io/name", label.get("kubernetes.io/metadata.name", "")) for label in labels]
    return [(name, port["port"]) for name in names for port in rule["ports"]]


def test_every_service_leads_to_a_part_and_the_ingress_to_the_web_one_over_tls() -> None:
    pods_ = pods()
    for service in of_kind("Service"):
        [name] = service["spec"]["selector"].values()
        assert name in pods_
        for port in service["spec"].get("ports", []):
            assert port["targetPort"] == SERVING[name]
    [ingress] = of_kind("Ingress")
    [rule] = ingress["spec"]["rules"]
    [path] = rule["http"]["paths"]
    assert path["backend"]["service"]["name"] == "web"
    assert ingress["spec"]["tls"][0]["hosts"] == [rule["host"]]


def test_the_pods_that_share_volumes_are_on_one_node() -> None:
    for pod in pods().values():
        if pod.claims:
            [term] = pod.spec["affinity"]["podAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
            assert term["labelSelector"]["matchLabels"].items() <= pod.labels.items(), pod.name
            assert term["topologyKey"] == "kubernetes.io/hostname"


def test_commands_are_given_word_by_word() -> None:
    for pod in pods().values():
        assert all(isinstance(word, str) for word in pod.container["command"]), pod.name
        assert not any(first == second for first, second in pairwise(pod.container["command"])), pod.name
