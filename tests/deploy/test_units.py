"""The systemd units of deploy: what they start exists, and each has as few rights as it can."""

import shlex
import subprocess
from configparser import RawConfigParser
from pathlib import Path

from app.cli import overture
from tests.deploy.image import ROOT, Image
from tests.deploy.programs import Programs
from tests.deploy.test_compose import SERVICES

UNITS = {path.name: path for path in sorted((ROOT / "deploy" / "systemd").glob("*.service"))}
EXPOSURE = 15  # tenths, of at most 100: below 20 is "safe" in the words of systemd


class Unit(RawConfigParser):
    """A unit file; of a key that stands there twice, both values count."""

    def __init__(self, path: Path) -> None:
        super().__init__(strict=False, delimiters=("=",), comment_prefixes=("#",), interpolation=None)
        self.optionxform = str  # type: ignore[assignment,method-assign]
        self.read(path)


def start(name: str) -> list[str]:
    """The command that the unit starts."""
    return shlex.split(Unit(UNITS[name])["Service"]["ExecStart"])


def test_there_is_one_process_for_all_and_web_and_workers_apart() -> None:
    """Web processes start alike under systemd and compose."""
    assert set(UNITS) == {"overture.service", "overture-web.service", "overture-worker@.service"}
    assert start("overture.service")[1:] == ["serve"]
    assert start("overture-worker@.service")[1:] == ["worker"]
    assert {"serve", "worker"} <= set(overture.commands)
    here, there = start("overture-web.service")[1:], SERVICES["web"]["command"][1:]
    assert [word.replace("127.0.0.1", "0.0.0.0") for word in here] == there


def test_a_unit_restarts_and_can_write_only_its_own_folder() -> None:
    """Units differ only in what they start."""
    own = {"Type", "ExecStart", "TimeoutStopSec", "Environment"}
    services = [dict(Unit(path)["Service"]) for path in UNITS.values()]
    rest = [{key: value for key, value in service.items() if key not in own} for service in services]
    assert rest[0] == rest[1] == rest[2]
    wanted = {"Restart": "always", "ProtectSystem": "strict", "NoNewPrivileges": "yes", "StateDirectory": "overture"}
    wanted |= {"User": "overture"}
    assert services[0] | wanted == services[0]
    assert "ReadWritePaths" not in services[0]
    assert all("OVERTURE_INSTANCE=/var/lib/overture" in service["Environment"].split() for service in services)


def test_systemd_understands_the_units_and_finds_little_that_they_expose(
    programs: Programs, image: Image, tmp_path: Path
) -> None:
    """With the programs of the image, which are installed in the same folder."""
    analyze = programs.find("systemd-analyze")
    ask = [analyze, "security", "--offline=yes", f"--threshold={EXPOSURE}", "--no-pager"]
    for name, path in UNITS.items():
        unit = tmp_path / name
        unit.write_text(path.read_text().replace("/opt/overture/", f"{image.path('/opt/overture')}/"))
        done = subprocess.run([analyze, "verify", "--man=no", unit], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        done = subprocess.run([*ask, path], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout


def test_the_command_has_the_user_the_settings_and_the_folder_of_the_service(tmp_path: Path) -> None:
    """With a `systemd-run` that prints what it was asked."""
    asked = tmp_path / "systemd-run"
    asked.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    asked.chmod(0o755)
    env = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    command = [ROOT / "deploy" / "systemd" / "overture", "key", "create", "--name", "two words"]
    done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    words = done.stdout.splitlines()
    service = Unit(UNITS["overture.service"])["Service"]
    assert words[-5:] == [start("overture.service")[0], "key", "create", "--name", "two words"]
    assert {f"--uid={service['User']}", f"--gid={service['Group']}", f"--setenv={service['Environment']}"} <= set(words)
    same = ("EnvironmentFile", "StateDirectory", "StateDirectoryMode", "UMask")
    assert {f"--property={key}={service[key]}" for key in same} <= set(words)
    assert "--pipe" in words
