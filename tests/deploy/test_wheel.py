"""The wheel is whole: built from the source archive and installed elsewhere, it makes its database and answers."""

import re
import subprocess
import sys
import sysconfig
import tarfile
import urllib.request
import venv
from pathlib import Path

import pytest

from app.core.installation import VERSION
from tests.support import processes

ROOT = Path(__file__).parents[2]


def call(*command: str | Path, cwd: Path, env: dict[str, str] | None = None) -> str:
    """What the command printed; it must end well."""
    done = subprocess.run(list(map(str, command)), cwd=cwd, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the unpacked source archive, so that this one is whole, too."""
    folder = tmp_path_factory.mktemp("dist")
    build = (sys.executable, "-m", "hatchling", "build", "--directory", folder)
    call(*build, "--target", "sdist", cwd=ROOT)
    with tarfile.open(folder / f"overture-{VERSION}.tar.gz") as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # not there before Python 3.11.4
        archive.extractall(folder)
    call(*build, "--target", "wheel", cwd=folder / f"overture-{VERSION}")
    return folder / f"overture-{VERSION}-py3-none-any.whl"


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Programs of an environment that has the wheel, and sees the libraries of this one: no network is needed."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "libraries.pth").write_text(sysconfig.get_path("purelib"))
    call(folder / "bin" / "python", "-m", "installer", wheel, cwd=folder)
    return folder / "bin"


def test_the_installed_wheel_makes_its_database_and_answers(installed: Path, tmp_path: Path) -> None:
    """With what it has itself: it is started far from the checkout."""
    env = processes.environment("", tmp_path)
    for name in ("DATABASE_URL", "SECRET_KEY", "OVERTURE_INSTANCE", "PYTHONPATH"):
        env.pop(name, None)
    where = call(installed / "python", "-c", "import app; print(app.__file__)", cwd=tmp_path, env=env)
    assert Path(where).is_relative_to(installed.parent)
    assert call(installed / "overture", "--version", cwd=tmp_path, env=env).strip() == VERSION
    call(installed / "overture", "db", "upgrade", cwd=tmp_path, env=env)
    assert (tmp_path / "instance" / "overture.db").is_file()
    migrate = (installed / "python", "-m", "flask", "--app", "wsgi", "db", "current")
    assert "(head)" in call(*migrate, cwd=tmp_path, env=env)
    address = f"http://127.0.0.1:{(port := processes.free_port())}"
    command = (str(installed / "overture"), "serve", "--port", str(port))
    with processes.Running(env | {"OVERTURE_INSTANCE": str(tmp_path / "instance")}, *command) as server:
        page = read(f"{address}/")
        style = re.search(r'<link rel="stylesheet" href="([^"]+)"', page)
        assert style
        assert "{" in read(address + style[1])
        assert f'"version":"{VERSION}"' in read(f"{address}/healthz")
        server.signal()
        assert server.ended() == 0


def read(url: str) -> str:
    """The body of what is there."""
    with urllib.request.urlopen(url, timeout=120) as answer:
        return str(answer.read().decode())
