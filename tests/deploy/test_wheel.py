"""The wheel is whole: built from the source archive and installed elsewhere, it makes its database and answers."""

import subprocess
import sys
import sysconfig
import tarfile
import venv
from pathlib import Path

import pytest

from app.core.installation import VERSION
from tests.deploy.programs import check_pages
from tests.support import processes

ROOT = Path(__file__).parents[2]


def call(*command: str | Path, cwd: Path, env: dict[str, str] | None = None) -> str:
    """What the command printed; it must end well."""
    done = subprocess.run(list(map(str, command)), cwd=cwd, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def wheel(folder: Path) -> Path:
    """Built from the unpacked source archive, so that this one is whole, too."""
    build = (sys.executable, "-m", "hatchling", "build", "--directory", folder)
    call(*build, "--target", "sdist", cwd=ROOT)
    with tarfile.open(folder / f"overture-{VERSION}.tar.gz") as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # not there before Python 3.11.4
        archive.extractall(folder)
    call(*build, "--target", "wheel", cwd=folder / f"overture-{VERSION}")
    return folder / f"overture-{VERSION}-py3-none-any.whl"


def installed(wheel: Path, folder: Path) -> Path:
    """Programs of an environment that has the wheel, and sees the libraries of this one: no network is needed."""
    venv.create(folder, with_pip=False)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "libraries.pth").write_text(sysconfig.get_path("purelib"))
    call(folder / "bin" / "python", "-m", "installer", wheel, cwd=folder)
    return folder / "bin"


def test_the_installed_wheel_makes_its_database_and_answers(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """With what it has itself: it is started far from the checkout."""
    programs = installed(wheel(tmp_path_factory.mktemp("dist")), tmp_path_factory.mktemp("environment"))
    env = processes.environment("", tmp_path)
    for name in ("DATABASE_URL", "SECRET_KEY", "OVERTURE_INSTANCE", "PYTHONPATH"):
        env.pop(name, None)
    where = call(programs / "python", "-c", "import app; print(app.__file__)", cwd=tmp_path, env=env)
    assert Path(where).is_relative_to(programs.parent)
    assert call(programs / "overture", "--version", cwd=tmp_path, env=env).strip() == VERSION
    call(programs / "overture", "db", "upgrade", cwd=tmp_path, env=env)
    assert (tmp_path / "instance" / "overture.db").is_file()
    migrate = (programs / "python", "-m", "flask", "--app", "wsgi", "db", "current")
    assert "(head)" in call(*migrate, cwd=tmp_path, env=env)
    address = f"http://127.0.0.1:{(port := processes.free_port())}"
    command = (str(programs / "overture"), "serve", "--port", str(port))
    with processes.Running(env | {"OVERTURE_INSTANCE": str(tmp_path / "instance")}, *command) as server:
        check_pages(address, VERSION)
        server.signal()
        assert server.ended() == 0
