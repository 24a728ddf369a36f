"""`kill -9` of the worker at every stage of the autopilot: it goes on, and nothing is there twice."""

import random
import sys
from pathlib import Path

import pytest

from tests.kills.trials import PARTS, Trial
from tests.support.size import sized


@pytest.mark.parametrize("part", PARTS)
def test_a_killed_stage_of_the_autopilot_is_finished_by_the_next_worker(
    url: str, tmp_path: Path, chance: random.Random, part: str
) -> None:
    """After kills at random moments of the stage everything else is done, up to a launched play."""
    moments = sized(1)
    with Trial(url, tmp_path, chance).begun() as trial:
        trial.reach(part)
        trial.kill(part, moments)
        trial.finish()
        trial.complete(part)
        trial.hold()
        sys.stdout.write(f"killed while it showed: {dict(trial.hit)}\n")
        assert trial.hit[part] == moments
