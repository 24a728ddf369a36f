"""Which browser the tests drive. Run as a script, it also installs one where there is none."""

import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DEBIAN = "apt-get update -qq && apt-get install -y -qq chromium"


class NoBrowser(Exception):
    """No Chromium was found; the sentence says what to do."""


def find(own: Path | None = None) -> str | None:
    """The program to start, or None for Playwright's `own` browser; NoBrowser where there is neither."""
    if named := os.environ.get("CHROMIUM"):
        return named
    for name in NAMES:
        path = shutil.which(name)
        if path and _starts(path):
            return path
    if (own or _own()).exists():
        return None
    raise NoBrowser("There is no Chromium. Name one in CHROMIUM, or run 'playwright install chromium'.")


def install() -> None:
    """There is a browser now, or NoBrowser."""
    own = [sys.executable, "-m", "playwright", "install"]
    ways = (
        [*own, "--with-deps", "chromium"],
        [*own, "chromium"],
        ["sh", "-c", DEBIAN],
        ["sudo", "-n", "sh", "-c", DEBIAN],
    )
    for command in ways:
        if shutil.which(command[0]):
            subprocess.run(command, stdin=subprocess.DEVNULL)
            with contextlib.suppress(NoBrowser):
                find()
                return
    find()


def _starts(path: str) -> bool:
    """Whether it is a real browser: Ubuntu's `chromium-browser` may be a stub that only names another package."""
    try:
        return subprocess.run([path, "--version"], capture_output=True, timeout=30).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _own() -> Path:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return Path(playwright.chromium.executable_path)


if __name__ == "__main__":
    try:
        find()
    except NoBrowser:
        install()
