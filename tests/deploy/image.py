"""The steps of deploy/Dockerfile, performed in a folder that stands for `/`, where no container daemon is needed.

What a daemon adds is left out: layers, namespaces, and the base image, whose Python is the one of the tests here.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from string import Template
from typing import IO

ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "deploy" / "Dockerfile"
IGNORE = ROOT / "deploy" / "Dockerfile.dockerignore"
OURS = re.compile(r"(?<![\w./-])/(?=(?:opt|run|src|var)\b)")  # folders of the image, in any text
NOT_OURS = ("PYTHON", "OVERTURE_", "UV_PROJECT", "VIRTUAL_ENV", "COV_")


@dataclass(frozen=True)
class Instruction:
    """One instruction of a Dockerfile, its lines joined."""

    word: str
    text: str


def instructions(text: str) -> list[Instruction]:
    """Return what a Dockerfile says."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ").splitlines()
    return [Instruction(*line.split(maxsplit=1)) for line in joined]


def stages(found: Sequence[Instruction]) -> list[list[Instruction]]:
    """Return the instructions of each stage, which begins with FROM."""
    begins = [number for number, each in enumerate(found) if each.word == "FROM"]
    return [list(found[one:end]) for one, end in zip(begins, [*begins[1:], len(found)], strict=True)]


def context() -> list[str]:
    """Return the names at the root of the checkout that `.dockerignore` lets into the build."""
    lines = [line for line in IGNORE.read_text().splitlines() if line and not line.startswith("#")]
    assert lines[0] == "*", "All is left out but what is named."
    return [line.removeprefix("!") for line in lines if line.startswith("!")]


@dataclass
class Image:
    """What the steps have made in `folder`, and how the Dockerfile runs it."""

    folder: Path
    python: Path
    env: dict[str, str] = field(default_factory=dict)
    arguments: dict[str, str] = field(default_factory=dict)
    where: str = "/"
    user: str = ""
    healthcheck: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)

    def build(self) -> None:
        """Perform every step, then take away the right to write what only the build writes."""
        for stage in stages(instructions(DOCKERFILE.read_text())):
            for each in stage:
                getattr(self, f"_{each.word.lower()}")(each.text)
        self._set_writable(False)

    def remove(self) -> None:
        """The folder is gone."""
        self._set_writable(True)
        shutil.rmtree(self.folder)

    def inside(self, text: str) -> str:
        """Return the text with the image's folders as they are called here."""
        return OURS.sub(f"{self.folder}/", text)

    def path(self, name: str) -> Path:
        """Return where a path of the image is."""
        return self.folder / name.lstrip("/")

    def called(self, words: Sequence[str]) -> tuple[list[str], int | None]:
        """Return the command, and the user it runs as: the image's where this process may become another."""
        program, *rest = words
        found = shutil.which(program, path=self.env["PATH"])
        assert found, f"The image has no {program}."
        number = int(self.user.partition(":")[0])
        return [found, *rest], number if os.geteuid() == 0 and _may_read(found, number) else None

    def run(self, words: Sequence[str], settings: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        """Run a command of the image until it has ended."""
        command, user = self.called(words)
        env = self.env | settings
        return subprocess.run(command, cwd=self.folder, env=env, user=user, capture_output=True, text=True, timeout=300)

    @contextmanager
    def running(
        self, words: Sequence[str], settings: Mapping[str, str], log: IO[str]
    ) -> Iterator[subprocess.Popen[bytes]]:
        """Run a command of the image meanwhile."""
        command, user = self.called(words)
        env = self.env | settings
        with subprocess.Popen(command, cwd=self.folder, env=env, user=user, stdout=log, stderr=log) as process:
            try:
                yield process
            finally:
                process.kill()

    def _from(self, text: str) -> None:
        own = {name: value for name, value in os.environ.items() if not name.startswith(NOT_OURS)}
        self.env = own | {"PATH": f"{self.python.parent}:/usr/bin:/bin", "HOME": "/", "UV_SYSTEM_CERTS": "true"}
        if caches := os.environ.get("HOME"):
            self.env.setdefault("UV_CACHE_DIR", f"{caches}/.cache/uv")
        self.where = "/"

    def _arg(self, text: str) -> None:
        name, _, default = text.partition("=")
        self.env[name] = self.arguments.get(name, default)

    def _env(self, text: str) -> None:
        for word in shlex.split(self.inside(text)):
            name, _, value = word.partition("=")
            self.env[name] = Template(value).substitute(self.env)

    def _workdir(self, text: str) -> None:
        self.where = text
        self.path(text).mkdir(parents=True)

    def _run(self, text: str) -> None:
        done = subprocess.run(
            ["sh", "-euc", self.inside(text)],
            cwd=self.path(self.where),
            env=self.env,
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, f"{text}\n{done.stdout}{done.stderr}"

    def _copy(self, text: str) -> None:
        *names, target = text.split()
        if names[0].startswith("--from="):
            assert names[1:] == [target], "Both stages are one folder here, so it has to stay where it is."
            return
        for name in context() if names == ["."] else names:
            assert name in context(), f"{name} does not come into the build."
            source, copy = ROOT / name, self.path(self.where) / name
            if source.is_dir():
                shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copyfile(source, copy)

    def _user(self, text: str) -> None:
        self.user = Template(text).substitute(self.env)

    def _expose(self, text: str) -> None:
        pass

    def _healthcheck(self, text: str) -> None:
        self.healthcheck = json.loads(text.partition("CMD ")[2])

    def _cmd(self, text: str) -> None:
        self.command = json.loads(text)

    def _set_writable(self, writable: bool) -> None:
        kept = self.path("/var/lib/overture")
        for folder, _, files in os.walk(self.folder):
            if Path(folder) == kept:
                continue
            for path in (Path(folder), *(Path(folder) / name for name in files)):
                if not path.is_symlink():
                    mode = path.stat().st_mode
                    path.chmod(mode | 0o200 if writable else mode & ~0o222)


def _may_read(program: str, user: int) -> bool:
    """Return whether that user may run it: a checkout's Python can lie in a folder that is private."""
    try:
        return subprocess.run([program, "--version"], user=user, cwd="/", capture_output=True).returncode == 0
    except PermissionError:
        return False


def quick_folder() -> str:
    """Return memory instead of a disk, where the system offers it: the image is ten thousand small files."""
    memory = Path("/dev/shm")
    if memory.is_dir() and os.access(memory, os.W_OK):
        place = os.statvfs(memory)
        if place.f_bavail * place.f_frsize > 2**30 and not place.f_flag & os.ST_NOEXEC:
            return str(memory)
    return "/tmp"  # not TMPDIR, which may be private: a user of its own has to reach it


def base_python() -> str:
    """Return a Python like that of the tests which other users may run, too, where there is one."""
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    found = [Path(folder) / name for folder in (f"{sys.base_prefix}/bin", "/usr/local/bin", "/usr/bin")]
    there = [path for path in found if path.exists()]
    return str(next((path for path in there if _is_public(path.resolve())), there[0]))


def _is_public(path: Path) -> bool:
    return all(each.stat().st_mode & 0o001 for each in (path, *path.parents))
