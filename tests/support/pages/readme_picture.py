"""Take the README's picture of the floor: `make picture`, while `./manage.py up` serves the last demo."""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

import django

from backoffice.running.database_and_mail_settings import ROOT
from tests.servers import chromium

SIZE: Any = {"width": 1440, "height": 850}
PICTURE = ROOT / "docs" / "pictures" / "floor.png"


def take(url: str, data: Path, to: Path) -> None:
    """Sign in as the pit boss, and save the floor as people see it. Raises SystemExit without a demo."""
    from playwright.sync_api import sync_playwright

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backoffice.settings")
    django.setup()
    from tools.demo import logins  # its models need the settings

    login = logins.saved_logins(data)
    if login is None:
        raise SystemExit(f"There is no demo in {data}. Play one with `make demo`, then run `./manage.py up`.")
    if (program := chromium.find()) is None:
        raise SystemExit("There is no Chromium. `make develop`, then `python -m tests.servers.install`, installs it.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=chromium.flags())
        page = browser.new_page(viewport=SIZE, color_scheme="light", locale="en-GB")
        page.goto(f"{url}/sign-in")
        page.fill("#id_login", "b-301")
        page.fill("#id_password", login.password)
        page.click("main button[type=submit]")
        page.fill("#id_code", logins.code(login))
        page.click("main button[type=submit]")
        page.goto(f"{url}/")
        page.wait_for_selector("#live")
        page.wait_for_timeout(1_000)
        to.parent.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=to)
        browser.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="http://localhost:8000", help="where the demo's pages are")
    parser.add_argument("--data", type=Path, default=ROOT / "var" / "demo", help="the demo's folder")
    parser.add_argument("--to", type=Path, default=PICTURE, help="the file")
    given = parser.parse_args()
    take(given.url, given.data, given.to)
    sys.stdout.write(f"{given.to}: {given.to.stat().st_size:,} bytes\n")
