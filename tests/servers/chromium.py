"""The machine's Chromium, driven by Playwright."""

import contextlib
import functools
import os
import shutil
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# No traffic of its own: where there is no internet it would only wait for refusals.
FLAGS = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"]


@functools.cache
def find() -> str | None:
    """Return Chromium's program, its headless shell first: the whole browser takes four times the processor."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next((path for name in names if (path := shutil.which(name))), None)


def flags() -> list[str]:
    """Return the command line flags for this user: root has to do without the sandbox."""
    return [*FLAGS, "--no-sandbox"] if os.geteuid() == 0 else list(FLAGS)


class Chromium:
    """A headless browser inside `with`, with a profile of its own that it removes at the end.

    Playwright's driver is a child process that ends itself and the browser when this process is gone. Its event loop
    runs in this thread at the same time, so Django's ORM refuses to work here: read the pages, not the tables.
    """

    def __init__(self) -> None:
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> "Browser":
        from playwright.sync_api import sync_playwright  # here: most test runs have no use for it

        path = find()
        if path is None:
            raise FileNotFoundError("Chromium is not installed")
        with self._stack:
            playwright = self._stack.enter_context(sync_playwright())
            browser = playwright.chromium.launch(executable_path=path, args=flags())
            self._stack.callback(browser.close)
            self._stack = self._stack.pop_all()
        return browser

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
