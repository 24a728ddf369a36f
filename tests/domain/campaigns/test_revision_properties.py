"""Steps that change at any moment, in a workspace in which anything may happen: what always holds, still holds."""

import random
from contextlib import suppress

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule, run_state_machine_as_test

from app.core.clock import Movable
from app.core.db import end_read
from app.core.errors import Conflict, InvalidRequest
from app.domain.campaigns import revisions
from app.models.workspaces import Workspace
from tests.domain.campaigns.test_revisions import any_change
from tests.domain.engine.test_engine_properties import STORIES, Engine


class Revising(Engine):
    """The same, and someone keeps changing the steps."""

    @precondition(lambda self: any(one.status in ("running", "paused") for one in self.campaigns()))
    @rule(draw=st.integers(0, 10**6), apply_to=st.sampled_from(["new", "all"]))
    def change_the_steps(self, draw: int, apply_to: str) -> None:
        possible = [one for one in self.campaigns() if one.status in ("running", "paused")]
        campaign = possible[draw % len(possible)]
        wanted = any_change(campaign, revisions.steps_had(campaign, apply_to), random.Random(draw))
        # What cannot be sent by anyone, or is still being checked, is refused and leaves everything as it is.
        with suppress(InvalidRequest, Conflict):
            revisions.revise(self.workspace, campaign.id, wanted, apply_to)
        end_read()


@pytest.fixture
def engine(acme: Workspace, clock: Movable) -> type[Revising]:
    """The machine, in this test's database and on its clock."""
    Revising.clock = clock
    return Revising


def test_revised_campaigns_repeat_nothing_and_reach_an_end(engine: type[Revising]) -> None:
    """Nothing is done twice, counters and reasons hold, no one waits for nothing, and everyone reaches an end."""
    run_state_machine_as_test(engine, settings=settings(STORIES, max_examples=6, stateful_step_count=16))
