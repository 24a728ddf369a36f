"""Where Overture goes when strangers and members name the host, seen from a network in which everything leads to us."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.attack.closed_world import WAYS
from tests.conftest import HERE

ALONE = ("unshare", "--user", "--map-root-user", "--net", "--mount")


@cache
def able() -> bool:
    """Whether this system lets its users have namespaces, and has `ip`."""
    try:
        return subprocess.run([*ALONE, "ip", "link"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


pytestmark = pytest.mark.skipif(not able(), reason="This system lets no one have a network of their own.")


def told(folder: Path, private: str) -> dict[str, Any]:
    """What the closed world wrote down."""
    command = [*ALONE, sys.executable, "-m", "tests.attack.closed_world", str(folder), private]
    ended = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True, timeout=600)
    assert ended.returncode == 0, ended.stderr
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def test_no_way_leads_inside(tmp_path: Path) -> None:
    """Whatever is named: a literal in any spelling, a name, one that turns, a trick of spelling, a redirect."""
    found = told(tmp_path, "0")
    assert found["inside"] == {}
    assert found["odd"] == {}, "neither refused nor unreachable"
    assert set(found["public"]) == set(WAYS), "every way leads to what is public"
    assert found["tried"] > 2000


def test_what_is_written_down_is_what_was_reached(tmp_path: Path) -> None:
    """Where the operator allows private networks, every way leads there, and to nothing that is never allowed."""
    found = told(tmp_path, "1")
    assert set(found["inside"]) == set(WAYS)
    assert found["odd"] == {}
    reached = {place for some in found["inside"].values() for _, _, places in some for place, _ in places}
    assert "127.0.0.1" in reached
    assert not reached & {"169.254.169.254", "168.63.129.16", "100.100.100.200", "fd00:ec2::254"}
