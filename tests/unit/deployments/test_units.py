"""tools/deploy/systemd: accepted by systemd's own checks, and hardened."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.unit.deployments import units
from tests.unit.deployments.units import FOLDER, services

EXPOSURE_MAX = 20  # in tenths, of 100; systemd calls up to 20 "OK", and a service without any hardening has 96
SYSTEM = Path("/usr/lib/systemd/system")
LEFT_OUT = "left out: systemd ("


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root of a machine on which the units are installed."""
    if shutil.which("systemd-analyze") is None or not SYSTEM.exists():
        pytest.skip("systemd-analyze is not there: apt-get install systemd")
    root = tmp_path_factory.mktemp("root")
    shutil.copytree(FOLDER, root / "etc" / "systemd" / "system")
    shutil.copytree(SYSTEM, root / "usr" / "lib" / "systemd" / "system", symlinks=True)
    python = root / units.PYTHON.removeprefix("/")
    python.parent.mkdir(parents=True)
    shutil.copy("/usr/bin/true", python)
    return root


def analyze(root: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    command = ["systemd-analyze", f"--root={root}", "--no-pager", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_systemd_finds_no_fault(root: Path) -> None:
    folder = root / "etc" / "systemd" / "system"
    files = [str(path) for path in sorted(folder.iterdir()) if path.suffix in (".service", ".target", ".timer")]
    assert len(files) > 9
    completed = analyze(root, "verify", *files)
    assert (completed.returncode, completed.stderr) == (0, "")


def test_systemd_would_find_a_fault(root: Path, tmp_path: Path) -> None:
    bad = root / "etc" / "systemd" / "system" / "pitledger-spoilt.service"
    bad.write_text(units.unit("migrate").read_text().replace("Restart=on-failure", "Restart=always"))
    completed = analyze(root, "verify", str(bad))
    bad.unlink()
    assert completed.returncode != 0


@pytest.mark.parametrize("name", services())
def test_a_service_is_hardened(root: Path, name: str) -> None:
    words = ("security", "--offline=yes", f"--threshold={EXPOSURE_MAX}", f"pitledger-{name}.service")
    completed = analyze(root, *words)
    assert completed.returncode == 0, completed.stdout[-3_000:]


def test_every_service_has_what_all_of_them_must_have() -> None:
    for key, value in {"NoNewPrivileges": "yes", "ProtectSystem": "strict", "User": "pitledger"}.items():
        assert units.values(units.COMMON, key) == [value]
        assert not [name for name, path in services().items() if units.values(path, key)]
    assert units.values(units.COMMON, "StateDirectory") == ["pitledger pitledger/keys pitledger/published"]


def test_no_secret_stands_in_a_variable() -> None:
    for name in services():
        for variable, value in units.variables(name).items():
            assert variable.endswith("_FILE") == value.startswith("%d/"), (name, variable)
            if variable.endswith("_FILE"):
                assert value.removeprefix("%d/") in units.secrets(name), (name, variable)


def test_only_the_worker_writes_what_the_signer_remembers() -> None:
    bound = "/var/lib/pitledger/published:/var/lib/pitledger/keys"
    readers = {name for name, path in services().items() if bound in units.values(path, "BindReadOnlyPaths")}
    assert readers == {*services()} - {"worker", "migrate", "backup"}


def test_the_target_starts_every_part_and_the_timer_the_backup() -> None:
    expected = {name for line in units.values(FOLDER / "pitledger.target", "Wants") for name in line.split()}
    assert expected == {f"pitledger-{name}.service" for name in services() if name not in ("migrate", "backup")}
    for name in services():
        if name not in ("migrate", "backup"):
            assert units.values(units.unit(name), "Requires") == ["pitledger-migrate.service"]
            assert units.values(units.unit(name), "Restart") == ["always"]
    assert units.values(units.COMMON, "PartOf") == ["pitledger.target"]
    assert units.values(FOLDER / "pitledger-backup.timer", "OnCalendar")
