"""An integrator's first hour with docs/api.md alone: every command and every program in it, as they stand there."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes import OVERTURE, environment, free_port, run, serve
from tests.support.waiting import until

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs/api.md").read_text()
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
# What only fetches and builds: here it is there already, in this environment.
READY = re.compile(r"^(make clients|python3 -m venv try .*)\n", re.MULTILINE)


def section(title: str) -> str:
    """The text under that heading."""
    return PAGE.split(f"## {title}\n")[1].split("\n## ")[0]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkout with the two environments of the page, which are ours."""
    for name in (".venv", "try"):
        (tmp_path / name).symlink_to(Path(OVERTURE).parent.parent)
    return tmp_path


@pytest.fixture
def env(folder: Path) -> Iterator[dict[str, str]]:
    """A fresh installation on SQLite, with the server of the first command."""
    start, _ = BLOCK.findall(section("The first hour"))[0][1].split("make run")
    settings = dict(word.split("=") for word in start.split())
    made = environment(f"sqlite:///{folder / 'overture.db'}", folder, PORT=str(free_port()), **settings)
    made["PYTHONPATH"] = str(ROOT / "clients/python")
    assert run(made, "db", "upgrade").returncode == 0
    with serve(made, int(made["PORT"])):
        yield made


def shell(text: str, env: dict[str, str], folder: Path) -> str:
    """What the commands print; one that fails ends it."""
    command = ["bash", "-e", "-o", "pipefail", "-c", text]
    done = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_key_a_client_a_campaign_a_webhook_and_an_assistant(folder: Path, env: dict[str, str]) -> None:
    """Nothing has to be guessed: the first events and the campaign arrive."""
    port = str(free_port())
    own = {"8000": env["PORT"], "5055": port}
    hour = re.sub("8000|5055", lambda found: own[found[0]], section("The first hour"))
    programs = dict(re.findall(r"`(\w+\.py)`:\n\n```python\n(.*?)^```", hour, re.MULTILINE | re.DOTALL))
    ((_, programs["receiver.py"]),) = BLOCK.findall(section("Webhooks").partition("### ")[0])
    for name, text in programs.items():
        (folder / name).write_text(text)
    _, set_up, start, move, ask = [text for kind, text in BLOCK.findall(hour) if kind == "sh"]
    assert len(READY.findall(set_up)) == 2

    *made, exports = READY.sub("", set_up).splitlines()
    first, *others = made
    workspace = str(json.loads(shell(first, env, folder))["workspaceId"])
    key = shell("\n".join(others).replace("ID", workspace), env, folder).splitlines()[-1]
    env |= dict(word.split("=") for word in exports.replace("ovt_test_…", key).split()[1:])
    printed = shell(start, env, folder)
    assert "# Hello Ada, your engines caught my eye." in printed
    secret = re.search(r"^export (WEBHOOK_SECRET)=(\S+)$", printed, re.MULTILINE)
    assert secret
    env[secret[1]] = secret[2]

    receive, advance = move.splitlines()
    words = receive.removesuffix(" &")
    with subprocess.Popen(["bash", "-c", f"exec {words} 2>/dev/null"], env=env, cwd=folder) as receiver:
        shell(advance.replace("ID", workspace), env, folder)
        events = folder / "events.txt"
        until(lambda: "invite_accepted" in events.read_text() or receiver.poll() is not None, seconds=120)
        receiver.terminate()
    assert {"invite_sent", "invite_accepted"} <= set(events.read_text().split())

    tools, campaigns = shell(ask, env, folder).splitlines()
    assert {"find_people", "start_campaign"} <= set(tools.split())
    assert "In spring" in campaigns
