"""`kill -9` of the worker at every stage of the autopilot: it goes on, and nothing is there twice."""

import random
import sys
from pathlib import Path

import pytest

from tests.kills.trials import PARTS, Trial

MOMENTS = 3


@pytest.mark.parametrize("part", PARTS)
def test_each_part_of_the_setup_survives_kills_at_random_moments(
    url: str, tmp_path: Path, chance: random.Random, part: str
) -> None:
    """At several random moments, one after the other; then everything else is done, up to a launched play."""
    with Trial(url, tmp_path, chance).begun() as trial:
        trial.reach(part)
        trial.kill(part, MOMENTS)
        trial.finish()
        trial.complete(part)
        trial.hold()
        sys.stdout.write(f"killed while it showed: {dict(trial.hit)}\n")
        assert trial.hit[part] == MOMENTS
