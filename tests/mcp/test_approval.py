"""What contacts people waits for a member, unless the key was made to act without approval."""

import pytest
import sqlalchemy as sa

from app.core.db import session, transaction
from app.core.errors import InvalidRequest
from app.domain.approvals import approvals, bulk
from app.domain.campaigns import campaigns
from app.domain.engine import manual_send
from app.domain.workspace import api_keys
from app.models.ledger import Action
from app.models.workspaces import Membership, Role, User, Workspace
from tests.domain.engine.manual.test_compose import a_talk, written
from tests.domain.outreach import INVITE, a_campaign, forward, message
from tests.mcp.conftest import Ask
from tests.mcp.test_calls import refusal
from tests.support.movable import Movable

NOTED = {**INVITE, "message": "Hi {{first_name|there}}, we both work in logistics."}


def reached(workspace: Workspace) -> list[str]:
    """What was done to people that they hear of."""
    query = sa.select(Action.kind).where(Action.workspace_id == workspace.id, Action.kind != "view_profile")
    return list(session().scalars(query.order_by(Action.id)))


def newest(ask: Ask) -> tuple[int, str]:
    """The conversation, and its newest message."""
    (row,) = ask("list_conversations")["data"]
    return row["id"], row["lastMessage"]["id"]


def test_a_campaign_that_an_assistant_starts_waits_for_approval(acme: Workspace, ask: Ask, clock: Movable) -> None:
    """Nothing reaches anyone until a member has approved, whatever the draft said."""
    draft = a_campaign(acme, sequence=[{"type": "view_profile"}, NOTED, message()], start=False)
    assert not draft.approval
    told = ask("start_campaign", campaignId=draft.id)
    assert (told["approval"], told["approveAt"]) == (True, "http://localhost/approvals")
    forward(acme, days=3)
    assert reached(acme) == []
    (waiting,) = ask("list_drafts")["data"]
    assert waiting["text"].startswith("Hi Ada")
    bulk.bulk(acme, [waiting["id"]], "approve")
    forward(acme, days=1)
    assert reached(acme) == ["connection_request"]


def test_an_invitation_without_a_note_has_nothing_to_approve_so_a_member_starts_it(
    acme: Workspace, ask: Ask, alone: Ask
) -> None:
    """Also where the note can be empty for some people."""
    for silent in (INVITE, {**INVITE, "message": "{{#if company_name}}Hello{{/if}}"}):
        draft = a_campaign(acme, sequence=[silent, message()], start=False, name=str(silent))
        error = refusal(ask, "start_campaign", campaignId=draft.id)
        assert error["code"] == "forbidden"
        assert "Step 1" in error["message"]
        assert campaigns.get(acme, draft.id).status == "draft"
        assert not campaigns.get(acme, draft.id).approval
    assert alone("start_campaign", campaignId=draft.id)["approval"] is False


def test_a_campaign_that_is_resumed_waits_for_approval_too(acme: Workspace, ask: Ask) -> None:
    running = a_campaign(acme, sequence=[NOTED, message()])
    assert ask("pause_campaign", campaignId=running.id)["status"] == "paused"
    assert ask("start_campaign", campaignId=running.id)["approval"] is True


def test_an_answer_stands_as_the_suggested_reply_or_is_sent_by_a_key_without_approval(
    acme: Workspace, ask: Ask, alone: Ask, clock: Movable
) -> None:
    """A member sees who wrote it. An answer to an older message is refused."""
    talk = a_talk(acme)
    number, last = newest(ask)
    older = str(ask("read_conversation", conversationId=number)["data"][-1]["id"])
    for either in (ask, alone):
        error = refusal(either, "answer_conversation", conversationId=number, text="Yes.", lastMessageId=older)
        assert error["code"] == "conversation_changed"
    told = ask("answer_conversation", conversationId=number, text="Tuesday suits me.", lastMessageId=last)
    assert (told["status"], told["approveAt"]) == ("waits for a member", f"http://localhost/conversations/{talk.id}")
    manual_send.run_due()
    assert written(acme) == []
    assert ask("read_conversation", conversationId=number)["suggested"] == {
        "text": "Tuesday suits me.",
        "by": "API key “Claude”",
    }
    told = alone("answer_conversation", conversationId=number, text="Tuesday suits me.", lastMessageId=last)
    assert told["status"] == "queued"
    manual_send.run_due()
    assert [one.text for one in written(acme)] == ["Tuesday suits me."]


def test_only_a_key_without_approval_approves(acme: Workspace, ask: Ask, alone: Ask) -> None:
    """Any may skip: nothing is sent then."""
    draft = a_campaign(acme, ["accepts-ada", "accepts-bo"], [NOTED, message()], start=False)
    ask("start_campaign", campaignId=draft.id)
    first, second = (one["id"] for one in ask("list_drafts")["data"])
    assert refusal(ask, "decide_drafts", ids=[first], action="approve")["code"] == "forbidden"
    assert ask("decide_drafts", ids=[first], action="skip")["results"][0]["outcome"] == "skipped"
    assert alone("decide_drafts", ids=[second], action="approve")["results"][0]["outcome"] == "approved"
    assert approvals.count(acme) == 0


def test_a_key_acts_without_approval_only_as_long_as_it_may_approve(acme: Workspace) -> None:
    """It is made by those who may let keys approve, and follows their rights, also once it is rotated."""
    with pytest.raises(InvalidRequest) as refused:
        api_keys.create(acme, "Claude", ["campaigns:run"], without_approval=True)
    assert refused.value.fields[0].path == "withoutApproval"
    owner = session().scalars(sa.select(User).join(Membership, Membership.user_id == User.id)).first()
    _, plain = api_keys.create(acme, "Claude", ["all"], created_by=owner, without_approval=True)
    assert api_keys.authenticate(f"Bearer {plain}").without_approval
    with transaction() as current:
        current.execute(sa.update(Membership).where(Membership.workspace_id == acme.id).values(role=Role.INTEGRATOR))
    assert not api_keys.authenticate(f"Bearer {plain}").without_approval
    key, _ = api_keys.create(acme, "Claude", ["all"], without_approval=True)
    assert api_keys.authenticate(f"Bearer {api_keys.roll(acme, key.id)[1]}").without_approval
