"""One more entry in STEPS is all that a new step type takes."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.domain.rules.step_kinds import STEPS, action_words, is_action
from app.pages.framework.words import step_word
from app.resources.subjects import TimelineEntry

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


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a copy of the application says whose table has one more entry, and nothing else that differs."""
    folder = tmp_path_factory.mktemp("added")
    shutil.copytree(ROOT / "app", folder / "app", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("tests", "migrations", "templates", "static"):
        (folder / name).symlink_to(ROOT / name)
    table = folder / "app/domain/rules/step_kinds.py"
    before, begin, after = table.read_text().partition("    for step in (\n")
    table.write_text(before + begin + ENTRY + after)
    (folder / "instance").mkdir()
    command = [sys.executable, "-m", "tests.support.added_step", str(folder / "instance")]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
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


@pytest.mark.parametrize("name", STEPS)
def test_every_step_type_has_its_words_and_no_two_share_a_label(name: str) -> None:
    step = STEPS[name]
    assert step_word(name).label == step.label
    assert (step_word(name).icon, is_action(name)) == (action_words(name).icon, True)
    assert all((step.words.icon, step.words.noun, step.words.done, step.words.did, step.words.do))
    assert [other.name for other in STEPS.values() if other.label == step.label] == [name]


@pytest.mark.parametrize("name", [*STEPS, "withdraw"])
def test_the_timeline_of_the_interface_documents_every_kind(name: str) -> None:
    assert f"`{name}`" in str(TimelineEntry.model_fields["kind"].description)
