"""The first days in the sandbox: time moves to the first reply, stands still for drafts, and can be stopped."""

from datetime import timedelta

import pytest

from app.core.db import session, transaction
from app.domain.approvals import reading
from app.domain.autopilot import setup_state
from app.domain.conversations import threads
from app.domain.installation.sandbox import first_days, sandbox_clock
from app.domain.platform import jobs
from app.models.autopilot import Play, PlayStatus
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace
from tests.domain.outreach import a_campaign, email
from tests.domain.reviewing import held


@pytest.fixture
def launched(clock: object, acme: Workspace) -> Workspace:
    with transaction():
        setup_state.locked(acme).started_at = acme.now()
    return acme


def of_a_play(workspace: Workspace, campaign: Campaign) -> Campaign:
    with transaction() as current:
        play = Play(workspace_id=workspace.id, rank=1, angle="growth", created_at=workspace.now(), name="Growth")
        play.steps, play.status, play.audience, play.campaign_id = [], PlayStatus.RUNNING, 1, campaign.id
        current.add(play)
    return campaign


def goes_by(workspace: Workspace, clock: object, most: int = 60) -> int:
    """Let the watched days go by; return in how many turns."""
    turns = 0
    while turns < most and (found := sandbox_clock.latest_skip(workspace)) and found.running:
        clock.forward(seconds=2)  # type: ignore[attr-defined]
        jobs.run_due()
        session().refresh(workspace)
        turns += 1
    return turns


def test_time_moves_in_strides_to_the_first_reply(launched: Workspace, clock: object) -> None:
    a_campaign(launched, ["replies-positive-ada"])
    assert first_days.is_under_way(launched)
    sandbox_clock.start_skip(launched, sandbox_clock.WATCHED_HOURS, watched=True)
    began = launched.now()
    goes_by(launched, clock)
    found = first_days.view(launched)
    assert found.reply
    assert found.reply.text
    assert launched.now() - began < timedelta(hours=sandbox_clock.WATCHED_HOURS)
    assert threads.waiting(launched) == 1
    assert not first_days.is_under_way(launched)


def test_time_stands_still_while_a_text_waits_that_was_never_approved(launched: Workspace, clock: object) -> None:
    """It moves on once some of the text were approved, also while others of the same text wait."""
    of_a_play(launched, held(launched, ["accepts-ada", "accepts-bob", "replies-positive-cleo"]))
    sandbox_clock.start_skip(launched, sandbox_clock.WATCHED_HOURS, watched=True)
    began = launched.now()
    goes_by(launched, clock)
    found = first_days.view(launched)
    assert found.waits
    assert found.drafts >= 1
    assert (found.sent, found.reply) == (0, None)
    assert launched.now() - began < timedelta(days=10)
    (group,) = reading.look(launched, first_days.launched_campaigns(launched)).groups
    cleo = next((one for one in group.drafts if "Cleo" in one.lead.name), group.drafts[0])
    reading.approve(launched, {cleo.id: cleo.mark})
    assert not first_days.is_over(launched)
    sandbox_clock.start_skip(launched, sandbox_clock.WATCHED_HOURS, watched=True)
    goes_by(launched, clock)
    found = first_days.view(launched)
    assert found.reply
    assert found.sent == 1


def test_time_stands_still_at_once_when_everyone_waits_for_a_decision(launched: Workspace, clock: object) -> None:
    campaign = of_a_play(launched, held(launched, ["accepts-ada"], [email()]))
    assert campaign.approval
    assert first_days.is_over(launched)
    sandbox_clock.start_skip(launched, sandbox_clock.WATCHED_HOURS, watched=True)
    began = launched.now()
    goes_by(launched, clock)
    assert launched.now() - began < timedelta(minutes=1)


def test_a_member_stops_it_where_it_is(launched: Workspace, clock: object) -> None:
    a_campaign(launched, ["ignores-ada"])
    sandbox_clock.start_skip(launched, sandbox_clock.WATCHED_HOURS, watched=True)
    jobs.run_due()
    session().refresh(launched)
    sandbox_clock.stop_skip(launched)
    stopped_at = launched.now()
    assert goes_by(launched, clock) <= 2
    assert sandbox_clock.latest_skip(launched).stopped
    assert launched.now() - stopped_at < timedelta(minutes=1)


def test_a_live_workspace_has_no_such_days(rival: Workspace) -> None:
    with transaction() as current:
        current.get_one(Workspace, rival.id).sandbox = False
    assert first_days.view(rival) is None
    assert not first_days.is_under_way(rival)
