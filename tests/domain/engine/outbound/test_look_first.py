"""A restored copy after its release: what the original did after the backup is found at the provider, not repeated."""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from app.core.db import end_read, session
from app.core.errors import Conflict
from app.domain.engine import manual_send, turns
from app.domain.engine.inbound import poll
from app.domain.engine.manual import compose
from app.domain.installation import backup, restore
from app.domain.platform import restore_hold
from app.domain.workspace import workspaces
from app.models.campaigns import Campaign, LeadState
from app.models.conversations import Conversation, Message, MessageStatus
from app.models.ledger import ActionState
from app.models.workspaces import Workspace
from tests.conftest import PASSWORD
from tests.domain.engine.test_mailbox_campaign import connected, post, started
from tests.domain.engine.test_unipile_campaign import live
from tests.domain.outreach import INVITE, VIEW, a_campaign, everyone, ledger, message
from tests.providers.mail.mailservers import Post
from tests.providers.unipile.unipile_server import UnipileServer
from tests.support.movable import Movable
from tests.support.networked import pass_time
from tests.support.processes import SECRET
from tests.support.unruled import unruled

__all__ = ["live", "post"]
Rewind = Callable[[], None]
NOTE = {**INVITE, "message": "Hello {{first_name}}"}


@pytest.fixture
def back_up(app: Flask, tmp_path: Path) -> Callable[[], Rewind]:
    """Makes a backup, and answers with what makes a copy of it take the place of the original, held."""
    plan = backup.Plan(app.config["DATABASE_URL"], tmp_path / "backups", "on", 7, SECRET)

    def now() -> Rewind:
        file = backup.make(plan)

        def rewind() -> None:
            end_read()
            session().expire_all()
            restore.restore(file, restore.Target(plan.url, tmp_path / "copy", SECRET), replace=True)

        return rewind

    return now


def released(clock: Movable) -> None:
    assert restore_hold.release("a test")
    clock.forward(minutes=restore_hold.LISTEN / timedelta(minutes=1))


def reached(there: UnipileServer) -> Counter[tuple[str, str, str]]:
    """How often each person was told what, by the network's own log."""
    return Counter((one.kind, one.person, one.text) for one in there.world.log if one.kind in ("invite", "message"))


def assert_all_once(there: UnipileServer, workspace: Workspace) -> None:
    """Each person was told everything once, and the ledger says when the network does."""
    assert set(reached(there).values()) == {1}
    done = {
        action for action in ledger(workspace) if action.state == ActionState.SENT and action.kind != "view_profile"
    }
    kinds = {"invite": "connection_request", "message": "message"}
    said = sorted((kinds[one.kind], one.person) for one in there.world.log if one.kind in kinds)
    assert sorted((action.kind, action.person.handle) for action in done) == said
    assert not [action for action in ledger(workspace) if action.check_at]


def campaign(workspace: Workspace) -> Campaign:
    return session().query(Campaign).filter_by(workspace_id=workspace.id).one()


def test_a_held_copy_begins_nothing(
    live: Workspace, there: UnipileServer, back_up: Callable[[], Rewind], clock: Movable
) -> None:
    """Nothing for people while it listens; those who came after the release are in no doubt."""
    a_campaign(live, ["connected-ada"], [INVITE, message("Hello.")])
    back_up()()
    with pytest.raises(Conflict, match="Nothing is sent until you allow it"):
        turns.run_due()
    restore_hold.release("a test")
    clock.forward(minutes=1)
    with pytest.raises(Conflict, match="It is reading inboxes first"):
        turns.run_due()
    assert reached(there) == {}
    clock.forward(minutes=restore_hold.LISTEN / timedelta(minutes=1))
    a_campaign(live, ["connected-bob"], [INVITE, message("Hello.")], name="After")
    pass_time(clock, live, 1)
    assert reached(there).total() == 2


def test_what_the_original_did_is_found_step_by_step(
    live: Workspace, there: UnipileServer, back_up: Callable[[], Rewind], clock: Movable
) -> None:
    """An invitation that was accepted, both parts of a text and what came a day later: once, at their own moments."""
    steps = [VIEW, NOTE, message("Thank you.\n---\nOne question."), message("Still curious.", days=1)]
    a_campaign(live, ["accepts-ada", "accepts-bob"], steps)
    rewind = back_up()
    pass_time(clock, live, 40)
    before = reached(there)
    moments = {(one.person, one.text): one.at for one in there.world.log}
    assert before.total() == 8
    rewind()
    released(clock)
    pass_time(clock, live, 48)
    assert reached(there) == before
    assert_all_once(there, live)
    assert {one.state for one in everyone(campaign(live)).values()} <= {LeadState.ACTIVE, LeadState.FINISHED}
    for action in ledger(live):
        if action.kind == "message":
            assert abs(action.at - moments[action.person.handle, action.text]) < timedelta(seconds=2)


def test_what_the_original_did_not_do_is_done_after_the_release(
    live: Workspace, there: UnipileServer, back_up: Callable[[], Rewind], clock: Movable
) -> None:
    a_campaign(live, ["connected-ada"], [INVITE, message("Hello."), message("Still curious.", days=1)])
    rewind = back_up()
    pass_time(clock, live, 2)
    assert reached(there).total() == 1
    rewind()
    released(clock)
    pass_time(clock, live, 48)
    assert reached(there).total() == 2
    assert_all_once(there, live)


def test_an_invitation_the_network_told_of_first_counts_once(
    live: Workspace, there: UnipileServer, back_up: Callable[[], Rewind], clock: Movable
) -> None:
    """What the inbox calls done by hand is ours once it was looked up."""
    a_campaign(live, ["silent-ada"], [NOTE, message("Thank you.")])
    poll.poll_due()
    rewind = back_up()
    clock.forward(minutes=1)
    pass_time(clock, live, 1)
    rewind()
    assert restore_hold.release("a test")
    clock.forward(hours=8)
    poll.poll_due()
    assert [action.token[:5] for action in ledger(live)] == ["hand:"]
    pass_time(clock, live, 4)
    assert_all_once(there, live)


def test_a_step_that_cannot_be_proved_is_left_for_a_person(
    live: Workspace, there: UnipileServer, back_up: Callable[[], Rewind], clock: Movable
) -> None:
    a_campaign(live, ["connected-ada"], [INVITE, message("Hello.")])
    rewind = back_up()
    rewind()
    clock.forward(minutes=5)
    account = there.world.accounts["acc_ines"]
    there.world.say(account, "connected-ada", "Good day.", mine=True)
    released(clock)
    pass_time(clock, live, 24)
    (person,) = everyone(campaign(live)).values()
    assert (person.state, person.reason) == (LeadState.PAUSED, "unknown_outcome")
    assert reached(there) == {}


def test_a_message_by_hand_that_was_sent_is_not_repeated(
    live: Workspace, there: UnipileServer, back_up: Callable[[], Rewind], clock: Movable
) -> None:
    """It waited at the backup; the original sent it."""
    a_campaign(live, ["connected-ada"], [INVITE, message("Hello.")])
    pass_time(clock, live, 1)
    talk = session().query(Conversation).one()
    compose.write(live, talk.id, "By hand.")
    rewind = back_up()
    manual_send.run_due()
    assert reached(there)["message", "connected-ada", "By hand."] == 1
    rewind()
    released(clock)
    manual_send.run_due()
    assert reached(there)["message", "connected-ada", "By hand."] == 1
    sent = session().query(Message).filter_by(text="By hand.").one()
    assert sent.status == MessageStatus.SENT


def test_an_email_is_found_among_those_sent(
    app: Flask, clock: Movable, servers: Any, post: Post, back_up: Callable[[], Rewind]
) -> None:
    """By its name, which is the same in every copy of the installation."""
    workspace = unruled(workspaces.create("Live", "ada@live.example", PASSWORD))
    people = started(workspace, connected(workspace, servers), "ada", "bob")
    rewind = back_up()
    pass_time(clock, workspace, 12)
    assert len(post.taken) == 2
    rewind()
    released(clock)
    pass_time(clock, workspace, 12)
    assert len(post.taken) == 2
    assert Counter(action.state for action in ledger(workspace)) == {ActionState.SENT: 2}
    pass_time(clock, workspace, 96)
    assert len(post.taken) == 4
    assert {one.state for one in everyone(people).values()} == {LeadState.ACTIVE}
