"""docker-compose.yml builds, starts, plays a round with a jackpot and verifies: the short form, which CI runs.

The long form, `make compose`, also runs the other tests of this folder.
"""

import httpx
import pytest

from tests.compose.conftest import PARTS, SERVERS, Compose
from tests.compose.docker import DockerError
from tests.compose.restore_in_containers import signed
from tests.compose.rounds import await_that, play_round

LOCKED_S = 60.0
SIGNED_S = 240.0  # for the first head of a new house, on a busy machine


def test_every_container_is_healthy_and_bounded(compose: Compose) -> None:
    assert compose.states() == dict.fromkeys((*PARTS, *SERVERS), "healthy")
    for part in PARTS:
        host = compose.container(part)["HostConfig"]
        assert (host["ReadonlyRootfs"], host["CapDrop"], host["Memory"] > 0) == (True, ["ALL"], True)
    assert compose("exec", "-T", "web", "id", "-u").strip() == "10001"
    assert httpx.get(f"{compose.address()}/healthz").json() == {"status": "ok"}


def test_a_secret_is_only_where_it_is_needed(compose: Compose) -> None:
    values = {
        name: compose.secret(name)
        for name in ("db_password", "secret_key", "case_key", "head_key", "db_owner_password")
    }
    for part in PARTS:
        environment = " ".join(compose.container(part)["Config"]["Env"])
        assert not [name for name, value in values.items() if value in environment], part
    for part, without in {"relay": "head_key", "live": "head_key", "web": "db_owner_password"}.items():
        assert without not in compose("exec", "-T", part, "ls", "/run/secrets").split()


def test_the_role_of_the_house_cannot_touch_the_guards(compose: Compose) -> None:
    def sql(statement: str) -> str:
        word = compose.secret("db_password")
        psql = ("psql", "--set=ON_ERROR_STOP=1", f"postgresql://pitledger:{word}@127.0.0.1/events", "-Atc", statement)
        return compose("exec", "-T", "postgres", *psql).strip()

    assert sql("SELECT rolsuper FROM pg_roles WHERE rolname = current_user") == "f"
    assert int(sql("SELECT count(*) FROM pitledger_events")) > 0
    for statement in (
        "ALTER TABLE pitledger_events DISABLE TRIGGER ALL",
        "DROP TRIGGER pitledger_events_refuse ON pitledger_events",
        "DELETE FROM pitledger_events",
        "TRUNCATE pitledger_events",
        "SET session_replication_role = replica",
    ):
        with pytest.raises(DockerError, match=r"must be owner|is never edited|permission denied"):
            sql(statement)


def test_a_round_with_a_jackpot_is_played(compose: Compose, monkeypatch: pytest.MonkeyPatch) -> None:
    play_round(compose, "BJ1", monkeypatch)


def test_the_jackpot_was_locked_by_the_worker(compose: Compose) -> None:
    await_that(LOCKED_S, lambda: "shares.locked.v1" in compose.manage("web", "events", "--type", "shares.locked.v1"))


def test_the_books_hold_and_the_pages_know_of_a_verification_elsewhere(compose: Compose) -> None:
    await_that(LOCKED_S, lambda: "Every invariant holds" in compose.manage("web", "books", "--check"))
    await_that(SIGNED_S, lambda: signed(compose) > 0)
    assert "Everything holds." in compose.manage("worker", "verify")
    module = "backoffice.integrity.last_verification"
    program = f"import django; django.setup(); from {module} import integrity; print(integrity().last)"
    django = ("--env", "DJANGO_SETTINGS_MODULE=backoffice.settings")
    assert compose("exec", "-T", *django, "pages", "python", "-c", program).startswith("Verification(")
