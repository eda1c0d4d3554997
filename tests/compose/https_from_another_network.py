"""A house in containers is opened over HTTPS from another network, by docs/howto/tls.md alone."""

import re
import shlex
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.browser.test_people_in import choose_password
from tests.compose import standins
from tests.compose.conftest import BUILD_S, UP_S, Compose
from tests.compose.docker import Docker
from tests.servers.chromium import flags
from tests.servers.ports import free_port
from tests.support.pages.sign_in import code
from tests.tls.network import HERE, another_network

pytestmark = [pytest.mark.tls, pytest.mark.browser]

NAME = "pit.example.org"
GUIDE = Path(__file__).parents[2] / "docs" / "howto" / "tls.md"


def commands(heading: str) -> list[str]:
    """The commands of `docker compose` below a heading of the guide."""
    section = GUIDE.read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"^ *`?(docker compose [^`\n]+)", section, re.MULTILINE)


@pytest.fixture
def fresh(docker: Docker, tmp_path: Path) -> Iterator[Compose]:
    """A house with an address of its own. The house has never been started."""
    (tmp_path / "secrets").mkdir(mode=0o700)
    house = Compose(docker, tmp_path / "secrets", standins.make(docker))
    secure, plain = free_port(), free_port()
    house.env |= {"PITLEDGER_HTTPS_PORT": str(secure), "PITLEDGER_HTTP_PORT": str(plain)}
    house.env |= {"PITLEDGER_ADDRESS": f"https://{NAME}:{secure}", "PITLEDGER_TLS": "internal"}
    try:
        yield house
    finally:
        house("--profile", "tls", "down", "--volumes", "--timeout", "5")


def test_a_signed_in_floor_by_the_guide_alone(fresh: Compose, chromium_path: str, tmp_path: Path) -> None:
    address = fresh.env["PITLEDGER_ADDRESS"]
    up, *others = commands("With Docker")
    assert up == "docker compose --profile tls up --build --detach --wait"
    fresh(*shlex.split(up)[2:], timeout_s=BUILD_S + UP_S)
    printed = [fresh("exec", "-T", *shlex.split(command)[3:]) for command in others]
    link = printed[-1].split()[-1]
    assert link.startswith(f"{address}/enrol#")
    [copy] = commands("A tablet on the local network")
    fresh(*shlex.split(copy)[2:-1], str(tmp_path / "root.crt"))
    with ExitStack() as stack:
        network = stack.enter_context(another_network())
        program = network.browser(tmp_path, chromium_path, tmp_path / "root.crt")
        _sign_in(stack, program, link, address)
        port = str(urlsplit(address).port)
        words = (
            "--cacert",
            str(tmp_path / "root.crt"),
            "--resolve",
            f"{NAME}:{port}:{HERE}",
            "-H",
            "Forwarded: for=127.0.0.1",
        )
        assert network.run("curl", "-sS", *words, f"{address}/healthz") == '{"status":"ok"}'


def _sign_in(stack: ExitStack, program: str, link: str, address: str) -> None:
    from playwright.sync_api import sync_playwright  # here: most test runs have no use for it

    playwright = stack.enter_context(sync_playwright())
    rules = f"--host-resolver-rules=MAP {NAME} {HERE}"
    browser = playwright.chromium.launch(executable_path=program, args=[*flags(), rules])
    stack.callback(browser.close)
    page = browser.new_page()
    page.set_default_timeout(90_000)
    page.goto(link)
    choose_password(page)
    page.goto(f"{address}/account/factors/totp/activate/")
    page.fill("#id_code", code(page.input_value("#authenticator_secret")))
    page.click("main button[type=submit]")
    page.wait_for_url("**/recovery-codes/")
    page.goto(f"{address}/")
    assert page.title().startswith("Floor")
