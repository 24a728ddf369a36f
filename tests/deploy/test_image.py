"""The image of `deploy/Dockerfile`: small, without root or secrets, and it works on a file system that is read-only."""

import os
import re
import subprocess
import tomllib
from pathlib import Path

from app.core.installation import VERSION
from tests.deploy.image import DOCKERFILE, ROOT, Image, context, instructions, stages
from tests.deploy.programs import Programs, check_pages, until
from tests.support.processes import free_port

STAGES = stages(instructions(DOCKERFILE.read_text()))
LAST = STAGES[-1]


def said(word: str) -> list[str]:
    """What the last stage says with that word."""
    return [each.text for each in LAST if each.word == word]


def test_the_image_has_only_what_was_installed_and_runs_without_rights() -> None:
    """Both stages begin with the same pinned Python; health is asked for where it listens."""
    bases = {each.text.split()[0] for stage in STAGES for each in stage if each.word == "FROM"}
    assert (len(STAGES), len(bases)) == (2, 1)
    assert re.fullmatch(r"python:3\.\d+-slim-[a-z]+", bases.pop())
    assert said("COPY") == ["--from=build /opt/overture /opt/overture"]
    (run,) = said("RUN")
    assert run.startswith("install -d -m 700")
    assert said("USER") == ["${USER_ID}:${GROUP_ID}"]
    assert all(int(text.partition("=")[2]) >= 10000 for text in said("ARG"))
    assert ["8000" in text for word in ("EXPOSE", "HEALTHCHECK") for text in said(word)] == [True, True]


def test_no_secret_can_come_into_a_layer() -> None:
    """None is handed to the build, and the build sees only what the wheel is made of."""
    named = [each.text for stage in STAGES for each in stage if each.word in ("ARG", "ENV")]
    assert not re.search(r"SECRET|PASSWORD|TOKEN|DATABASE_URL|(?<!GROUP_ID )KEY", " ".join(named))
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheel = settings["tool"]["hatch"]["build"]["targets"]["wheel"]
    project = settings["project"]
    parts = {*wheel["packages"], *wheel["force-include"], *project["license-files"], project["readme"]}
    assert {name for name in context() if "*" not in name} == {"pyproject.toml", "uv.lock", *parts}


def test_hadolint_finds_nothing(programs: Programs) -> None:
    done = subprocess.run([programs.find("hadolint"), DOCKERFILE], capture_output=True, text=True)
    assert done.stdout + done.stderr == ""
    assert done.returncode == 0


def test_the_image_works_for_a_user_without_rights_on_a_read_only_file_system(image: Image, tmp_path: Path) -> None:
    port = str(free_port())
    healthcheck = [word.replace("8000", port) for word in image.healthcheck]
    settings = {"PORT": port}
    assert image.run(healthcheck, settings).returncode != 0, "Nothing answers yet."
    migrated = image.run(["overture", "db", "upgrade"], settings)
    assert migrated.returncode == 0, migrated.stderr
    before = files(image)
    log = tmp_path / "log"
    with log.open("w") as output, image.running(image.command, settings, output) as process:
        until(lambda: image.run(healthcheck, {}).returncode == 0, process, log)
        check_pages(f"http://127.0.0.1:{port}", VERSION)
        process.terminate()
        assert process.wait(timeout=300) == 0
    assert files(image) == before, "It writes only below /var/lib/overture."
    kept = image.path("/var/lib/overture")
    _, user = image.called(image.command)
    assert {path.stat().st_uid for path in kept.iterdir()} == {os.geteuid() if user is None else user}
    assert {"overture.db", "secret_key"} <= {path.name for path in kept.iterdir()}


def test_the_image_brings_the_extra_scale_and_nothing_that_only_tests_need(image: Image) -> None:
    scale = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["scale"]
    ask = "import importlib.metadata as m; print(*(one.name.lower() for one in m.distributions()))"
    found = set(image.run(["python", "-c", ask], {}).stdout.split())
    assert {"flask", *(re.split(r"[\s\[<>=]", each)[0].lower() for each in scale)} <= found
    assert not {"pytest", "playwright", "ruff", "mypy", "hatchling", "uv", "pip"} & found


def files(image: Image) -> dict[str, int]:
    """Every file of the image outside what it keeps, and when it was changed."""
    kept = image.path("/var/lib/overture")
    return {
        str(path): path.lstat().st_mtime_ns
        for path in image.folder.rglob("*")
        if path != kept and kept not in path.parents
    }
