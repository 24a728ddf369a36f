"""What a campaign does when a reply has a tone: once, and never a message."""

import json
from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import end_read, session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.campaigns import campaigns, reply_actions
from app.domain.engine.inbound import reclassify
from app.domain.leads import lists
from app.domain.ledger import activity
from app.domain.ledger.activity import Filter
from app.domain.notifications import alerts, destinations
from app.domain.tasks import tasks
from app.models.campaigns import Campaign, ReplyAction
from app.models.conversations import Conversation
from app.models.leads import Lead
from app.models.workspaces import Workspace
from app.ports import Received
from tests.domain.autopilot.steering import work
from tests.domain.outreach import INVITE, a_campaign, acts, forward, message, only, takes_in, the_account
from tests.support.receivers import Receiver

HOT = {"sentiment": "positive", "do": "tag", "value": "hot"}
CALL = {"sentiment": "positive", "do": "task", "value": "Call them"}
COLD = {"sentiment": "negative", "do": "tag", "value": "cold"}
TELL = {"sentiment": "positive", "do": "alert", "value": "Call them today"}


def replied(workspace: Workspace, tone: str, *rules: dict[str, Any]) -> Campaign:
    campaign = a_campaign(workspace, [f"replies-{tone}-ada"], [INVITE, message()])
    campaigns.change_reply_rules(workspace, campaign.id, rules)
    forward(workspace, days=5)
    return campaign


def the_tags(campaign: Campaign) -> list[str]:
    found = session().get_one(Lead, only(campaign).lead_id, populate_existing=True).tags
    end_read()
    return list(found)


def done(workspace: Workspace) -> list[tuple[str, str, str]]:
    rows = session().scalars(sa.select(ReplyAction).where(ReplyAction.workspace_id == workspace.id))
    found = [(row.do, row.value, row.error) for row in rows]
    end_read()
    return found


def test_each_rule_of_the_tone_is_done_once_and_no_message_follows(acme: Workspace) -> None:
    into = lists.create_list(acme, "Warm")
    campaign = replied(acme, "positive", HOT, CALL, COLD, {"sentiment": "positive", "do": "list", "listId": into.id})
    assert {"hot", "positive"} == {*the_tags(campaign)}
    assert [(entry.task.text, entry.task.kind) for entry in tasks.due(acme)] == [("Call them", "reply")]
    assert lists.get_list(acme, into.id).lead_count == 1
    assert [kind for kind, _ in acts(acme)] == ["connection_request", "message"]
    assert done(acme) == [("tag", "hot", ""), ("task", "Call them", ""), ("list", "Warm", "")]
    entries, _ = activity.page(acme, campaign, Filter("replies"))
    assert {entry.kind for entry in entries} == {"received", "after_reply_tag", "after_reply_task", "after_reply_list"}


def test_a_correction_takes_the_tag_back_and_does_what_the_right_tone_asks(acme: Workspace) -> None:
    """And correcting it back does not do the task again."""
    campaign = replied(acme, "positive", HOT, CALL, COLD)
    thread = session().scalars(sa.select(Conversation)).one()
    reclassify.classify(acme, thread.id, "negative")
    assert {*the_tags(campaign)} == {"cold", "negative"}
    reclassify.classify(acme, thread.id, "positive")
    assert {*the_tags(campaign)} == {"hot", "positive"}
    assert len(tasks.due(acme)) == 1


def test_a_tag_that_they_had_before_is_not_taken_back(acme: Workspace) -> None:
    """Each reply counts, and the same reply heard twice does not."""
    campaign = replied(acme, "positive", {**HOT, "value": "Positive"}, CALL)
    assert done(acme) == [("tag", "Positive", reply_actions.HAD_TAG), ("task", "Call them", "")]
    again = Received("replies-positive-ada", "message", "Sounds great, let's talk!", acme.now(), "again")
    for _ in range(2):
        takes_in(acme, the_account(acme), again)
    assert (len(tasks.due(acme)), len(done(acme)), only(campaign).replied) == (2, 4, True)
    thread = session().scalars(sa.select(Conversation)).one()
    reclassify.classify(acme, thread.id, "negative")
    assert the_tags(campaign) == ["negative"]  # the tag of the tone itself is exchanged as ever


def test_not_now_has_rules_of_its_own(acme: Workspace) -> None:
    rule = {"sentiment": "not_now", "do": "tag", "value": "later"}
    campaign = a_campaign(acme, ["accepts-ada"], [INVITE, message()])
    campaigns.change_reply_rules(acme, campaign.id, [rule])
    forward(acme, days=3)
    words = "Not right now. Please write to me again in three months."
    takes_in(acme, the_account(acme), Received("accepts-ada", "message", words, acme.now(), "later"))
    assert "later" in the_tags(campaign)


def test_what_cannot_be_done_says_why_and_loses_no_reply(acme: Workspace) -> None:
    into = lists.create_list(acme, "Warm")
    campaign = a_campaign(acme, ["replies-positive-ada"], [INVITE, message()])
    campaigns.change_reply_rules(acme, campaign.id, [{"sentiment": "positive", "do": "list", "listId": into.id}, HOT])
    lists.delete_list(acme, into.id)
    forward(acme, days=5)
    assert done(acme) == [("list", "", "The list was deleted."), ("tag", "hot", "")]
    assert only(campaign).replied


def test_an_alert_is_told_once(acme: Workspace, receiver: Receiver) -> None:
    destinations.set_destination(acme, "chat", receiver.url, replies=False)
    campaign = replied(acme, "positive", TELL)
    for _ in range(2):
        alerts.run_due()
        work()
        told = [json.loads(request.body)["text"] for request in receiver.requests]
        assert sum("Ada replied: Call them today" in text for text in told) == 1
        takes_in(acme, the_account(acme), Received("replies-positive-ada", "message", "Ok.", acme.now(), "ok"))
    assert only(campaign).replied


def test_rules_are_checked_each_at_its_place(acme: Workspace, rival: Workspace) -> None:
    campaign = a_campaign(acme, start=False)
    foreign = lists.create_list(rival, "Theirs").id
    wrong: list[dict[str, Any]] = [
        {"sentiment": "angry", "do": "tag", "value": "a;b"},
        {"sentiment": "positive", "do": "message", "value": "Hi"},
        {"sentiment": "positive", "do": "list", "listId": foreign},
        {"sentiment": "positive", "do": "task", "value": " "},
        HOT,
        HOT,
    ]
    with pytest.raises(InvalidRequest) as refused:
        campaigns.change_reply_rules(acme, campaign.id, wrong)
    assert [problem.path for problem in refused.value.fields] == [
        "onReply[0].sentiment",
        "onReply[0].value",
        "onReply[1].do",
        "onReply[2].listId",
        "onReply[3].value",
        "onReply[5]",
    ]
    campaigns.change_reply_rules(acme, campaign.id, [TELL | {"value": ""}])
    with transaction():
        campaigns.cancel(acme, campaign.id)
    with pytest.raises(Conflict):
        campaigns.change_reply_rules(acme, campaign.id, [])
