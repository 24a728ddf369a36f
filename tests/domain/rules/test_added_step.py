"""One more entry in STEPS is all that a new step type takes."""

import json
import subprocess
import sys
from pathlib import Path

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


def linked(original: Path, copy: Path, apart: Path) -> None:
    """A folder whose files are those of the original, but for one that is a copy's own."""
    copy.mkdir()
    for path in original.iterdir():
        if path in apart.parents:
            linked(path, copy / path.name, apart)
        elif path != apart and path.name != "__pycache__":
            (copy / path.name).symlink_to(path)


def test_an_added_step_type_is_accepted_everywhere(migrated: str, tmp_path: Path) -> None:
    """In an application whose table has one more entry, and nothing else that differs."""
    table = ROOT / "app/domain/rules/step_kinds.py"
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    linked(ROOT / "app", checkout / "app", table)
    for name in ("tests", "migrations", "templates", "static"):
        (checkout / name).symlink_to(ROOT / name)
    before, begin, after = table.read_text().partition("    for step in (\n")
    (checkout / table.relative_to(ROOT)).write_text(before + begin + ENTRY + after)
    (tmp_path / "instance").mkdir()
    command = [sys.executable, "-m", "tests.support.added_step", str(tmp_path / "instance"), migrated]
    run = subprocess.run(command, cwd=checkout, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr[-2000:]
    said = json.loads(run.stdout.splitlines()[-1])
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
