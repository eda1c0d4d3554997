"""The API answers every request as its document says, also requests that the document does not allow."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.interface.schemathesis_run import AS, LIMITS, ask, fill
from tests.support.processes.web_process import DoorProcess, LiveProcess, Web

SEED, EXAMPLES = os.environ.get("INTERFACE_SEED", "1"), os.environ.get("INTERFACE_EXAMPLES", "10")


@pytest.fixture(scope="module")
def address(django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    with Web(fill, django_db_blocker) as web, LiveProcess(web), DoorProcess(web, **LIMITS) as door:
        yield f"http://{door.address}"


@pytest.mark.parametrize("who", AS)
def test_it_answers_as_its_document_says(address: str, who: str, tmp_path: Path) -> None:
    completed = ask(address, who, tmp_path, "--seed", SEED, "--max-examples", EXAMPLES)
    assert completed.returncode == 0, completed.stdout[-20_000:] + completed.stderr[-2_000:]
