"""Each container of the Kubernetes manifests runs in Docker as its manifest says, and its probes are asked."""

import secrets
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.compose import standins
from tests.compose.conftest import SERVERS, UP_S, Compose
from tests.compose.docker import Docker, DockerError
from tests.unit.deployments.manifests import SECRETS, Pod, pods

PARTS = ("relay", "projector", "worker", "beat", "pages", "web", "live")
BUILD_S = 900.0


class Cluster:
    """Docker in the place of a cluster: the network of compose's servers, a volume for each claim."""

    def __init__(self, compose: Compose, folder: Path) -> None:
        self.compose, self._folder = compose, folder
        self._project = compose.env["COMPOSE_PROJECT_NAME"]
        self.docker, self.image = compose.docker, compose.env["PITLEDGER_IMAGE"]
        self._names: list[str] = []
        self._volumes: set[str] = set()

    def container(self, pod: Pod) -> str:
        """Return the name of a pod's container."""
        return f"{self._project}-pod-{pod.name}"

    def start(self, pod: Pod, *, waits: bool = False) -> str:
        """Run a pod's container as the kubelet would. Return its output if the container runs to its end."""
        own = pod.container
        program, *arguments = own["command"]
        detach = [] if waits else ["--detach", "--restart", "always"]
        words = ["run", *detach, "--name", self.container(pod), "--entrypoint", program]
        words += ["--network", f"{self._project}_default", "--network-alias", pod.name]
        words += [*self._security(pod), *self._mounts(pod)]
        words += ["--memory", own["resources"]["limits"]["memory"].removesuffix("i").lower()]
        for name, value in pod.environment.items():
            words += ["--env", f"{name}={value}"]
        self._names.append(self.container(pod))
        return self.docker.run(*words, self.image, *arguments, timeout_s=UP_S)

    def _security(self, pod: Pod) -> list[str]:
        user, own = pod.spec["securityContext"], pod.container["securityContext"]
        words = ["--user", f"{user['runAsUser']}:{user['runAsGroup']}"]
        words += ["--read-only"] if own["readOnlyRootFilesystem"] else []
        words += [] if own["allowPrivilegeEscalation"] else ["--security-opt", "no-new-privileges:true"]
        for capability in own["capabilities"]["drop"]:
            words += ["--cap-drop", capability]
        return words

    def _mounts(self, pod: Pod) -> list[str]:
        volumes = {volume["name"]: volume for volume in pod.spec["volumes"]}
        group, words = pod.spec["securityContext"]["fsGroup"], []
        for mount in sorted(pod.container["volumeMounts"], key=lambda mount: str(mount["mountPath"])):
            volume, path = volumes[mount["name"]], mount["mountPath"]
            end = ":ro" if mount.get("readOnly") else ""
            if "emptyDir" in volume:
                words += ["--volume", f"{self._empty(pod, mount['name'])}:{path}"]
            elif "projected" in volume:
                words += ["--volume", f"{self._secrets(pod)}:{path}{end}"]
            else:
                words += [
                    "--volume",
                    f"{self._volume(volume['persistentVolumeClaim']['claimName'], group)}:{path}{end}",
                ]
        return words

    def _volume(self, claim: str, group: int) -> str:
        """Return the volume of a claim, which belongs to the pods' group, as the kubelet has it."""
        name = f"{self._project}-{claim}"
        if claim not in self._volumes:
            self._volumes.add(claim)
            own = f"chgrp {group} /volume && chmod 2770 /volume"
            self.docker.run(
                "run", "--rm", "--user", "0", "--volume", f"{name}:/volume", "--entrypoint", "sh", self.image, "-c", own
            )
        return name

    def _empty(self, pod: Pod, name: str) -> Path:
        """Return an empty folder that every user may write to, as the kubelet has it."""
        folder = self._folder / f"{name}-{pod.name}"
        folder.mkdir()
        folder.chmod(0o777)
        return folder

    def _secrets(self, pod: Pod) -> Path:
        folder = self._folder / f"secrets-{pod.name}"
        folder.mkdir()
        for name in pod.secrets:
            (folder / name).write_text(self.compose.secret(name))
            (folder / name).chmod(0o444)
        return folder

    def probe(self, pod: Pod, kind: str) -> str:
        """Ask a probe once; return why it fails, or ""."""
        probe = pod.container[f"{kind}Probe"]
        return self.run_in(pod, probe["exec"]["command"]) if "exec" in probe else self._get(pod, probe["httpGet"])

    def run_in(self, pod: Pod, command: list[str]) -> str:
        """Run a command in a pod's container. Return its output if the command fails, otherwise ""."""
        try:
            self.docker.run("exec", self.container(pod), *command)
        except DockerError as error:
            return str(error)
        return ""

    def _get(self, pod: Pod, get: dict[str, Any]) -> str:
        headers = {header["name"]: header["value"] for header in get["httpHeaders"]}
        try:
            answer = httpx.get(f"http://{self.address(pod)}:{get['port']}{get['path']}", headers=headers, timeout=10)
        except httpx.HTTPError as error:
            return str(error) or type(error).__name__
        return "" if 200 <= answer.status_code < 400 else f"{answer.status_code} {answer.text}"

    def address(self, pod: Pod) -> str:
        """Return the address of a pod."""
        form = "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}"
        return self.docker.run("inspect", "--format", form, self.container(pod)).strip()

    def remove(self) -> None:
        """Remove every container and volume."""
        for name in self._names:
            subprocess.run(["docker", "rm", "--force", name], env=self.docker.env, capture_output=True, check=False)
        for claim in self._volumes:
            name = f"{self._project}-{claim}"
            subprocess.run(["docker", "volume", "rm", name], env=self.docker.env, capture_output=True, check=False)


@pytest.fixture(scope="module")
def cluster(docker: Docker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The servers of compose, the tables made by the Job, and every part started from its manifest."""
    folder = tmp_path_factory.mktemp("cluster")
    compose = Compose(docker, folder, standins.make(docker))
    compose.env["PITLEDGER_IMAGE"] = "pitledger:manifests"
    for name in {name for pod in pods().values() for name in pod.secrets}:
        if not (folder / name).exists():
            (folder / name).write_text(f"{secrets.token_hex(32)}\n")
    compose("build", timeout_s=BUILD_S)
    cluster = Cluster(compose, folder)
    try:
        compose("up", "--detach", "--wait", "--wait-timeout", str(int(UP_S)), *SERVERS, timeout_s=UP_S + 30)
        cluster.start(pods()["migrate"], waits=True)
        for part in PARTS:
            cluster.start(pods()[part])
        yield cluster
    finally:
        cluster.remove()
        compose("down", "--volumes", "--timeout", "5")


@pytest.mark.parametrize("part", PARTS)
def test_a_container_starts_within_its_startup_probe_and_stays(cluster: Cluster, part: str) -> None:
    pod = pods()[part]
    probe = pod.container["startupProbe"]
    _within(probe["periodSeconds"] * probe["failureThreshold"], lambda: cluster.probe(pod, "startup"))
    assert cluster.probe(pod, "liveness") == ""
    if "readinessProbe" in pod.container:
        _within(60, lambda: cluster.probe(pod, "readiness"))
    assert cluster.docker.run("exec", cluster.container(pod), "id", "-u").strip() == "10001"
    with pytest.raises(DockerError, match="Read-only file system"):
        cluster.docker.run("exec", cluster.container(pod), "touch", "/srv/pitledger/probe")


def test_the_house_is_well_as_a_whole(cluster: Cluster) -> None:
    web = pods()["web"]
    health = f"http://{cluster.address(web)}:8000/healthz"

    def fault() -> str:
        answer = httpx.get(health, headers={"Host": "localhost"}, timeout=10).json()
        return "" if answer["status"] == "ok" else str(answer)

    _within(120, fault)
    manage = ("exec", cluster.container(pods()["worker"]), "python", "manage.py")
    assert cluster.docker.run(*manage, "people", "add", "a-1", "--role", "administrator").strip()
    # The worker makes a head every few seconds, and until the first one nothing vouches for these events.
    _within(120, lambda: cluster.run_in(pods()["worker"], ["python", "manage.py", "verify"]))


def test_only_the_worker_sees_its_secrets_and_writes_its_memory(cluster: Cluster) -> None:
    for part in PARTS:
        name = cluster.container(pods()[part])
        seen = set(cluster.docker.run("exec", name, "ls", SECRETS).split())
        assert seen == pods()[part].secrets, part
        if part != "worker":
            with pytest.raises(DockerError, match="Read-only file system"):
                cluster.docker.run("exec", name, "touch", "/var/lib/pitledger/keys/probe")


@pytest.mark.parametrize("part", ["relay", "web"])
def test_a_part_that_hangs_fails_its_liveness_probe(cluster: Cluster, part: str) -> None:
    """The kubelet would start it again. In a frozen container no command runs: a neighbour asks about its beats."""
    pod, neighbour = pods()[part], pods()["beat"]
    probe = pod.container["livenessProbe"]

    def fault() -> str:
        return (
            cluster.run_in(neighbour, probe["exec"]["command"]) if "exec" in probe else cluster.probe(pod, "liveness")
        )

    assert fault() == ""
    cluster.docker.run("pause", cluster.container(pod))
    try:
        _within(90, lambda: "" if fault() else "its probe succeeds")
    finally:
        cluster.docker.run("unpause", cluster.container(pod))
    _within(60, fault)


def test_databases_that_are_away_make_a_pod_unready_and_restart_nothing(cluster: Cluster) -> None:
    web = pods()["web"]
    cluster.compose("stop", "--timeout", "2", "postgres")
    try:
        _within(60, lambda: "" if cluster.probe(web, "readiness") else "ready")
        assert cluster.probe(web, "liveness") == ""
    finally:
        cluster.compose("start", "postgres")
    _within(120, lambda: cluster.probe(web, "readiness"))


def _within(seconds: float, fault: Callable[[], str]) -> None:
    until = time.monotonic() + seconds
    while problem := fault():
        assert time.monotonic() < until, f"not within {seconds:g} s: {problem}"
        time.sleep(1.0)
