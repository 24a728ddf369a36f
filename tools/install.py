"""Fills `.venv` with the locked packages, on a machine that has Python and nothing else.

`python3 tools/install.py` installs what running needs, with `--dev` also what testing needs. Standard library only.
"""

import hashlib
import json
import os
import shutil
import ssl
import subprocess
import sys
import urllib.request
from pathlib import Path
from urllib.parse import urljoin

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
PIP_RELEASE = "https://pypi.org/pypi/pip/json"


def main(words: list[str]) -> int:
    """Prepare the environment; the exit status says whether it can be used."""
    if sys.version_info < (3, 11):
        raise SystemExit(f"Overture needs Python 3.11 or newer; {sys.executable} is {sys.version.split()[0]}.")
    make_environment()
    extras = ["dev"] if "--dev" in words else []
    return 0 if sync(extras) or install_unlocked(extras) else 1


def make_environment() -> None:
    """A virtual environment that works; one left by another Python, or moved here, is made anew."""
    if works(str(PYTHON), "-c", "import sys; sys.exit(sys.version_info < (3, 11))"):
        return
    shutil.rmtree(VENV, ignore_errors=True)
    # Debian and Ubuntu keep ensurepip in a package of its own, so pip is fetched only where uv is not there already.
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(VENV)], check=True)


def sync(extras: list[str]) -> bool:
    """Whether the packages of `uv.lock` are installed now."""
    command = ["sync", "--frozen", "--inexact", "--quiet", "--python", str(PYTHON)]
    command += [part for extra in extras for part in ("--extra", extra)]
    found = shutil.which("uv")
    if found and works(found, "--version") and run(found, *command):
        return True
    uv = VENV / "bin" / "uv"
    if not works(str(uv), "--version"):
        run(*pip(), "install", "--quiet", "uv")
    return works(str(uv), "--version") and run(str(uv), *command)


def install_unlocked(extras: list[str]) -> bool:
    """Whether pip could do it: it follows a company's own package index, which the addresses in a lock file cannot."""
    print("The locked packages could not be fetched; trying pip, with the versions it finds.", file=sys.stderr)
    return run(*pip(), "install", "--quiet", "--editable", f".[{','.join(extras)}]" if extras else ".")


def pip() -> list[str]:
    """The command that runs pip for the environment, fetching pip first where Python came without it."""
    there = works(str(PYTHON), "-m", "pip", "--version")
    if not there and not run(str(PYTHON), "-m", "ensurepip", "--default-pip", quiet=True):
        run(str(PYTHON), str(download_pip() / "pip"), "install", "--quiet", "pip")
    return [str(PYTHON), "-m", "pip"]


def download_pip() -> Path:
    """The newest pip as a wheel, which can be run as it is, its checksum verified."""
    with urllib.request.urlopen(PIP_RELEASE, timeout=60) as answer:
        wheel = next(file for file in json.load(answer)["urls"] if file["packagetype"] == "bdist_wheel")
    with urllib.request.urlopen(urljoin(PIP_RELEASE, wheel["url"]), timeout=60) as answer:
        body = answer.read()
    if hashlib.sha256(body).hexdigest() != wheel["digests"]["sha256"]:
        raise SystemExit("The downloaded pip does not match its checksum.")
    path = VENV / wheel["filename"]
    path.write_bytes(body)
    return path


def works(*command: str) -> bool:
    """Whether the command exists and ends well."""
    try:
        return subprocess.run(command, capture_output=True, cwd=ROOT, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def run(*command: str, quiet: bool = False) -> bool:
    """Whether the command ended well; what it says is shown."""
    environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    environment["UV_PROJECT_ENVIRONMENT"] = str(VENV)
    if ssl.get_default_verify_paths().cafile:  # trust whom the system trusts, a company's own authority included
        environment["UV_SYSTEM_CERTS"] = "true"
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=quiet).returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
