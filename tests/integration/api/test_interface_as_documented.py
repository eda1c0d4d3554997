"""A short run of schemathesis: an example of each address, with a badge in every role.

`python -m tests.interface` runs as long as its caller wants, and also without a sign-in.
"""

from pathlib import Path

from pytest_django.plugin import DjangoDbBlocker

from tests.interface.schemathesis_run import EVERYBODY, LIMITS, ask, fill
from tests.support.processes.web_process import DoorProcess, LiveProcess, Web

SHORT = ("--phases", "fuzzing", "--max-examples", "1", "--seed", "1")


def test_an_example_of_each_address_is_answered_as_the_document_says(
    django_db_blocker: DjangoDbBlocker, tmp_path: Path
) -> None:
    with Web(fill, django_db_blocker) as web, LiveProcess(web), DoorProcess(web, **LIMITS) as door:
        completed = ask(f"http://{door.address}", EVERYBODY, tmp_path, *SHORT)
    assert completed.returncode == 0, completed.stdout[-20_000:] + completed.stderr[-2_000:]
