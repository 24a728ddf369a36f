"""The image of `deploy/Dockerfile`: small, without root or secrets, and it works on a file system that is read-only."""

import json
import os
import re
import subprocess
import tomllib
import urllib.request
from pathlib import Path

import pytest

from app.core.installation import VERSION
from tests.deploy.image import DOCKERFILE, ROOT, Image, context, instructions, stages, until_it_answers
from tests.deploy.programs import Programs
from tests.support.processes import free_port

STAGES = stages(instructions(DOCKERFILE.read_text()))
LAST = STAGES[-1]


def said(word: str) -> list[str]:
    """What the last stage says with that word."""
    return [each.text for each in LAST if each.word == word]


def test_every_stage_begins_with_the_same_pinned_python() -> None:
    bases = {each.text.split()[0] for stage in STAGES for each in stage if each.word == "FROM"}
    assert len(STAGES) == 2
    assert len(bases) == 1
    assert re.fullmatch(r"python:3\.\d+-slim-[a-z]+", bases.pop())


def test_the_last_stage_has_only_what_was_installed() -> None:
    assert said("COPY") == ["--from=build /opt/overture /opt/overture"]
    assert len(said("RUN")) == 1
    assert said("RUN")[0].startswith("install -d -m 700")


def test_the_image_runs_as_a_user_without_rights() -> None:
    user = LAST[[each.word for each in LAST].index("USER")].text
    defaults = dict(text.split("=") for text in said("ARG"))
    assert user == "${USER_ID}:${GROUP_ID}"
    assert all(int(number) >= 10000 for number in defaults.values())


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
        until_it_answers(image, healthcheck, process, log)
        page = read(f"http://127.0.0.1:{port}/")
        style = re.search(r'<link rel="stylesheet" href="([^"]+)"', page)
        assert style
        assert "{" in read(f"http://127.0.0.1:{port}{style[1]}")
        assert f'"version":"{VERSION}"' in read(f"http://127.0.0.1:{port}/healthz")
        process.terminate()
        assert process.wait(timeout=300) == 0
    assert files(image) == before, "It writes only below /var/lib/overture."
    kept = image.path("/var/lib/overture")
    _, user = image.called(image.command)
    assert {path.stat().st_uid for path in kept.iterdir()} == {os.geteuid() if user is None else user}
    assert {"overture.db", "secret_key"} <= {path.name for path in kept.iterdir()}


def test_the_image_brings_the_servers_of_the_extra_scale(image: Image) -> None:
    scale = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["scale"]
    names = [re.split(r"[\s\[<>=]", each)[0] for each in scale]
    ask = "import importlib.metadata as m, json, sys; print(json.dumps([m.version(name) for name in sys.argv[1:]]))"
    assert len(json.loads(image.run(["python", "-c", ask, *names], {}).stdout)) == len(names) > 0


def test_the_image_brings_nothing_that_only_tests_need(image: Image) -> None:
    ask = "import importlib.metadata as m; print(*sorted(one.name.lower() for one in m.distributions()))"
    found = image.run(["python", "-c", ask], {}).stdout.split()
    assert "flask" in found
    assert not {"pytest", "playwright", "ruff", "mypy", "hatchling", "uv", "pip"} & set(found)


def read(url: str) -> str:
    """The body of what is there."""
    with urllib.request.urlopen(url, timeout=120) as answer:
        return str(answer.read().decode())


def files(image: Image) -> dict[str, int]:
    """Every file of the image outside what it keeps, and when it was changed."""
    kept = image.path("/var/lib/overture")
    return {
        str(path): path.lstat().st_mtime_ns
        for path in image.folder.rglob("*")
        if path != kept and kept not in path.parents
    }


@pytest.mark.parametrize("word", ["EXPOSE", "HEALTHCHECK"])
def test_the_image_is_asked_where_it_listens(word: str) -> None:
    (text,) = said(word)
    assert "8000" in text
