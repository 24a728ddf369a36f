"""Which browser the tests drive. Run as a script, it also installs one where there is none."""

import os
import shutil
import subprocess
import sys

from playwright.sync_api import Error, sync_playwright

# The shell draws pages as the others do, without a window around them: with a third less work.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PLAYWRIGHT = (sys.executable, "-m", "playwright")
INSTALL = "apt-get install -y -qq --no-install-recommends fonts-liberation"
DEBIAN = f"apt-get update -qq && {{ {INSTALL} chromium-headless-shell || {INSTALL} chromium; }}"


class NoBrowser(Exception):
    """No Chromium was found; the sentence says what to do."""


def find() -> str | None:
    """The program to start, or None for Playwright's own."""
    if named := os.environ.get("CHROMIUM"):
        return named
    return next((path for path in map(shutil.which, NAMES) if path and _starts(path)), None)


def install() -> None:
    """There is a browser, or NoBrowser."""
    if _is_here():
        return
    if _did(*PLAYWRIGHT, "install", "--only-shell", "chromium") and not _is_here():
        _did(*PLAYWRIGHT, "install-deps", "chromium")
    if not (_is_here() or _did("sh", "-c", DEBIAN) or _did("sudo", "-n", "sh", "-c", DEBIAN)):
        raise NoBrowser("There is no Chromium. Name one in CHROMIUM, or run 'playwright install chromium'.")


def _is_here() -> bool:
    return bool(find()) or _own_starts()


def _did(*command: str) -> bool:
    return bool(shutil.which(command[0])) and subprocess.run(command, stdin=subprocess.DEVNULL).returncode == 0


def _starts(path: str) -> bool:
    """Whether it is a real browser: Ubuntu's `chromium-browser` may be a stub that only names another package."""
    try:
        return subprocess.run([path, "--version"], capture_output=True, timeout=120).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _own_starts() -> bool:
    with sync_playwright() as playwright:
        try:
            playwright.chromium.launch().close()
        except Error:
            return False
    return True


if __name__ == "__main__":
    install()
