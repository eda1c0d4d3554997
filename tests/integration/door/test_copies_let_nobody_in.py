"""The files, their backup and a house restored from it have no usable credential, and no one is signed in there."""

import base64
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from django.conf import settings
from pytest_django.plugin import DjangoDbBlocker

from tests.integration.door.conftest import fill
from tests.integration.door.test_used_once import post
from tests.support.pages.sign_in import PASSWORD, code
from tests.support.processes.web_process import ROOT, DoorProcess, Web

SHORT = 8  # characters of a code, which also occur by chance
KEYS = ("secret-key", "login-key")  # which are no credential, and lie beside the databases


class KeysOnDisk:
    """A house with keys of its own, as one is without PITLEDGER_SECRET_KEY."""

    def environment(self) -> dict[str, str]:
        variables: dict[str, str] = super().environment()  # type: ignore[misc]  # of the server
        return {name: value for name, value in variables.items() if name != "PITLEDGER_SECRET_KEY"}


class Pages(KeysOnDisk, Web):
    """The pages."""


class Front(KeysOnDisk, DoorProcess):
    """The door."""


@dataclass
class HouseWithCredentials:
    """A house in which one of every credential was made."""

    pages: Web
    door: DoorProcess
    cookies: dict[str, str] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)

    def manage(self, *words: str) -> str:
        """Return the output of a command of manage.py, which must succeed."""
        env = {**os.environ, **self.pages.environment(), "DJANGO_SETTINGS_MODULE": "backoffice.settings"}
        command = [sys.executable, str(ROOT / "manage.py"), *words]
        completed = subprocess.run(command, env=env, check=False, capture_output=True, text=True, timeout=120)
        assert completed.returncode == 0, completed.stderr
        return completed.stdout.strip()


@pytest.fixture(scope="module")
def credential_house(django_db_blocker: DjangoDbBlocker) -> Iterator[HouseWithCredentials]:
    with Pages(fill, django_db_blocker) as pages, Front(pages) as door:
        house = HouseWithCredentials(pages, door)
        _make(house)
        yield house


def _make(house: HouseWithCredentials) -> None:
    secrets = house.secrets
    secrets["badge"] = house.manage("people", "badge", "ines", "--by", "ada").splitlines()[-1]
    secrets["link"] = house.manage("people", "enrol", "anna", "--by", "ada").partition("#")[2]
    secrets["display link"] = house.manage("people", "display", "bar", "--by", "ada").partition("#")[2]
    link = house.manage("people", "enrol", "ines", "--by", "ada").partition("#")[2]
    screen = house.manage("people", "display", "lobby", "--by", "ada").partition("#")[2]
    secrets |= {"used link": link, "used display link": screen, "password": PASSWORD}
    with _browser(house) as browser:
        assert post(browser, "/display", code=screen).status_code == 302
        secrets["display key"] = browser.cookies["pitledger_display"]
        assert post(browser, "/enrol", code=link, password=PASSWORD, again=PASSWORD).status_code == 302
        page = browser.get("/account/factors/totp/activate/").text
        secret = re.search(r"\b[A-Z2-7]{32}\b", page)
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
        assert secret
        assert token
        form = {"csrfmiddlewaretoken": token[1], "code": code(secret[0])}
        assert browser.post("/account/factors/totp/activate/", data=form).status_code == 302
        page = browser.get("/account/factors/recovery-codes/").text
        for number, shown in enumerate(re.findall(r"\b\d{8}\b", page[page.index("<textarea") :])):
            secrets[f"recovery code {number}"] = shown
        secrets |= {"authenticator app": secret[0], "session": browser.cookies[settings.SESSION_COOKIE_NAME]}
        assert browser.get("/account/sessions").status_code == 200
    assert len(secrets) == 19


def forms(secret: str) -> set[str]:
    """Return all forms in which a secret could be stored."""
    raw = secret.encode()
    in_base64 = {base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode()}
    encoded = {*in_base64, raw.hex(), raw.hex().upper(), quote(secret, safe="")}
    return {secret, *encoded, *(text.rstrip("=") for text in encoded)}


def holds(content: bytes, secret: str) -> bool:
    """Tell whether a content has a secret, in any form.

    A code of eight digits also occurs by chance within a digest or a time. It counts only as a word of its own.
    """
    if len(secret) > SHORT:
        return any(form.encode() in content for form in forms(secret))
    longer = [form for form in forms(secret) if len(form) > SHORT]
    alone = rb"(?<![0-9A-Za-z+/_.-])" + secret.encode() + rb"(?![0-9A-Za-z+/_.-])"
    return any(form.encode() in content for form in longer) or re.search(alone, content) is not None


def _browser(house: HouseWithCredentials, port: int = 0) -> httpx.Client:
    address = f"http://localhost:{port or house.door.port}"
    return httpx.Client(base_url=address, headers={"Referer": address}, trust_env=False, timeout=60)


def _holding(folder: Path, secrets: dict[str, str]) -> list[tuple[str, str]]:
    """Return each file of a folder that has a secret, in any form, with the secret's name."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name not in KEYS]
    assert any(path.name == "read.sqlite3" for path in files)
    contents = {path: path.read_bytes() for path in files}
    return [
        (path.name, credential)
        for path, content in contents.items()
        for credential, secret in secrets.items()
        if holds(content, secret)
    ]


def test_no_file_holds_a_credential(credential_house: HouseWithCredentials, tmp_path: Path) -> None:
    assert not _holding(credential_house.pages.folder, credential_house.secrets)
    credential_house.manage("backup", str(tmp_path / "copy"))
    assert not _holding(tmp_path / "copy", credential_house.secrets)
    assert not (tmp_path / "copy" / "login-key").exists()


def test_a_house_of_a_backup_asks_everybody_to_sign_in(
    credential_house: HouseWithCredentials, tmp_path: Path, django_db_blocker: DjangoDbBlocker
) -> None:
    credential_house.manage("backup", str(tmp_path / "copy"))

    class RestoredPages(Pages):
        def before(self) -> list[list[str]]:
            shutil.copytree(tmp_path / "copy", self.folder, dirs_exist_ok=True)
            return []

    with RestoredPages(lambda folder: None, django_db_blocker) as pages:
        for port, status in ((credential_house.door.port, 200), (pages.port, 302)):
            with _browser(credential_house, port) as browser:
                browser.cookies[settings.SESSION_COOKIE_NAME] = credential_house.secrets["session"]
                assert browser.get("/account/sessions").status_code == status
        with _browser(credential_house, pages.port) as browser:
            answer = post(browser, "/sign-in", login="ines", password=PASSWORD)
            assert answer.status_code == 302, "passwords and apps are in the backup"
            codes = credential_house.secrets["recovery code 0"]
            assert post(browser, "/account/factors/authenticate/", code=codes).status_code == 302
