"""One more entry in STEPS is all that a new step type takes."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
ENTRY = """
        Step(
            "endorse",
            "Endorse a skill",
            ActionWords("thumbs-up", "Endorsement", "Skill endorsed", "endorsed a skill of", "endorse a skill of"),
            Budget.LIKE,
            "post_liked",
            soft=True,
            repeatable=True,
        ),
"""


@pytest.fixture
def said(tmp_path: Path) -> dict[str, Any]:
    """What a copy of the application says whose table has one more entry, and nothing else that differs."""
    shutil.copytree(ROOT / "app", tmp_path / "app", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("tests", "migrations", "templates", "static"):
        (tmp_path / name).symlink_to(ROOT / name)
    table = tmp_path / "app/domain/rules/step_kinds.py"
    before, begin, after = table.read_text().partition("    for step in (\n")
    table.write_text(before + begin + ENTRY + after)
    (tmp_path / "instance").mkdir()
    command = [sys.executable, "-m", "tests.support.added_step", str(tmp_path / "instance")]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr[-2000:]
    found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return found


def test_an_added_step_type_is_accepted_everywhere(said: dict[str, Any]) -> None:
    assert said == {
        "created": 201,
        "with text": 400,
        "openapi": True,
        "builder": True,
        "forecast": 2,
        "preview": [[]],
        "started": 200,
        "activity": [["endorse", "sent"]] * 2,
        "statistics": [["endorse", 2, 0]],
        "page": [["endorse", 2]],
        "sequence page": True,
        "activity page": True,
        "events": ["post_liked"] * 2,
        "people": 2,
    }
