"""Turns: what is done to whom, in which order, and what is never done."""

from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import end_read, session, transaction
from app.domain.campaigns import preview
from app.domain.engine import turns
from app.domain.leads import leads
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.senders import accounts
from app.models.campaigns import Campaign, CampaignLead, LeadState
from app.models.leads import Lead
from app.models.workspaces import Workspace
from tests.domain.outreach import (
    INVITE,
    VIEW,
    a_campaign,
    acts,
    assert_counters_hold,
    email,
    events,
    everyone,
    forward,
    fresh,
    ledger,
    message,
    only,
    revise,
    the_account,
    told,
)
from tests.support.movable import Movable

pytestmark = pytest.mark.usefixtures("clock")


def done_for(workspace: Workspace, handle: str) -> list[str]:
    return [kind for kind, person in acts(workspace) if person == handle]


def test_a_lead_is_invited_accepts_gets_a_message_and_stops_at_the_reply(acme: Workspace, rival: Workspace) -> None:
    theirs = a_campaign(rival, ["replies-positive-ada"], [INVITE, message()])
    campaign = a_campaign(acme, ["replies-positive-ada"], [INVITE, message(), message("Again", days=3)])
    forward(acme, days=10)
    person = only(campaign)
    assert acts(acme) == [("connection_request", "replies-positive-ada"), ("message", "replies-positive-ada")]
    assert (person.state, person.connection, person.replied) == (LeadState.FINISHED, "accepted", True)
    assert (person.messages_sent, person.sentiment, person.reason) == (1, "positive", "replied")
    assert fresh(campaign).status == "finished"
    assert events(acme) == {
        "campaign_started": 1,
        "invite_sent": 1,
        "invite_accepted": 1,
        "message_sent": 1,
        "message_reply": 1,
        "every_reply": 1,
        "lead_auto_tagged_positive": 1,
        "lead_tag_updated": 1,
        "campaign_completed": 1,
    }
    stats = assert_counters_hold(campaign)
    assert (stats.leads, stats.finished, stats.invites_sent, stats.accepted) == (1, 1, 1, 1)
    assert (stats.messages_sent, stats.replies, stats.positive) == (1, 1, 1)
    assert (acts(rival), only(theirs).state, events(rival)) == ([], LeadState.PENDING, {"campaign_started": 1})


def test_a_text_of_two_parts_is_two_messages_in_order(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["accepts-ada", "accepts-bob"], [INVITE, message("One\n---\nTwo"), message("Three", 1)])
    forward(acme, days=4)
    texts = [
        action.text for action in ledger(acme) if action.kind == "message" and action.person.handle == "accepts-ada"
    ]
    assert texts == ["One", "Two", "Three"]
    order = [action.person.handle for action in ledger(acme) if action.kind == "message"][:4]
    assert order in (["accepts-ada"] * 2 + ["accepts-bob"] * 2, ["accepts-bob"] * 2 + ["accepts-ada"] * 2)
    assert everyone(campaign)["accepts-ada"].messages_sent == 3


def test_an_invitation_that_is_not_accepted_is_withdrawn_after_21_days(acme: Workspace) -> None:
    """Steps that need no connection follow."""
    campaign = a_campaign(acme, ["ignores-ada"], [INVITE, message()])
    a_campaign(acme, ["ignores-bob"], [INVITE, message(), email(days=1)], name="Second")
    forward(acme, days=20)
    assert only(campaign).state == LeadState.AWAITING_ACCEPT
    forward(acme, days=5)
    assert done_for(acme, "ignores-ada") == ["connection_request", "withdraw"]
    assert done_for(acme, "ignores-bob") == ["connection_request", "withdraw", "email"]
    person = only(campaign)
    assert (person.state, person.reason) == (LeadState.FINISHED, "not_accepted")
    assert events(acme)["lead_finished_without_reply"] == 1
    assert_counters_hold(campaign)


def test_a_text_that_cannot_be_written_is_held_until_it_can(acme: Workspace) -> None:
    """A value is missing, the text grew too long, or it is broken. Values are never read as variables."""
    missing = a_campaign(acme, [{"publicId": "accepts-ada"}], [INVITE, message("Hello {{first_name}}")])
    wide = {"publicId": "accepts-bob", "companyName": "x" * 290}
    long = a_campaign(acme, [wide], [{**INVITE, "message": "Hello from the team at {{company_name}}"}], name="Long")
    odd = {"publicId": "accepts-cy", "firstName": "{{company_name}}", "companyName": "Secret"}
    a_campaign(acme, [odd], [INVITE, message("Hi {{first_name}}")], name="Odd")
    broken = a_campaign(acme, ["accepts-dan"], [INVITE, message("Hello")], name="Broken")
    with transaction():
        found = session().get_one(Campaign, broken.id)
        found.sequence = [found.sequence[0], {**found.sequence[1], "message": "Hello {a|b"}]
    forward(acme, days=2)
    assert [action.text for action in ledger(acme) if action.kind == "message"] == ["Hi {{company_name}}"]
    assert (only(missing).reason, only(broken).reason) == ("missing_value", "broken_text")
    assert "first_name" in only(missing).error
    assert "A { is not closed" in only(broken).error
    assert (done_for(acme, "accepts-bob"), only(long).reason) == ([], "too_long")
    leads.add(acme, missing.list_id or 0, [{"publicId": "accepts-ada", "firstName": "Ada"}])
    revise(acme, broken.id, [broken.sequence[0], message("Hello {a|a}")], "all")
    forward(acme, days=1)
    assert {action.text for action in ledger(acme)[-2:]} == {"Hello Ada", "Hello a"}


def test_what_the_network_refuses_or_loses_ends_where_it_should_for_each_person(acme: Workspace) -> None:
    """A lost answer is asked after and never repeated; a lost request is tried again under the same key."""
    inmail = {"type": "inmail", "message": "Hello"}
    cases: dict[str, tuple[list[dict[str, Any]], list[str], str, str]] = {
        "refuses-ada": ([INVITE, message()], [], LeadState.FAILED, "refused"),
        "accepts-bob": ([INVITE, message()], ["connection_request", "message"], LeadState.ACTIVE, ""),
        "closed-cy": ([inmail, email()], ["email"], LeadState.ACTIVE, ""),
        "ignores-dan": ([VIEW, email()], ["view_profile"], LeadState.FINISHED, "no_reply"),
        "lost-answer-eve": ([INVITE], ["connection_request"], LeadState.ACTIVE, ""),
        "lost-request-finn": ([INVITE], ["connection_request"], LeadState.ACTIVE, ""),
        "unreachable-gus": ([INVITE], ["connection_request"], LeadState.ACTIVE, ""),
    }
    found = {}
    for who, (steps, *_) in cases.items():
        people: list[Any] = [{"publicId": who}] if who == "ignores-dan" else [who]
        found[who] = a_campaign(acme, people, steps, name=who)
    forward(acme, days=3)
    for who, (_, done, state, reason) in cases.items():
        person = only(found[who])
        assert (done_for(acme, who), person.state) == (done, state), who
        assert not reason or person.reason == reason
        assert_counters_hold(found[who])
    assert only(found["refuses-ada"]).error
    states = {action.person.handle: (action.state, action.attempts) for action in ledger(acme)}
    assert states["lost-answer-eve"][0] == "sent"
    assert states["lost-request-finn"] == ("sent", 2)


def test_what_no_one_can_tell_counts_as_sent_and_waits_for_a_human(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["cannot-tell-ada"], [INVITE, message()])
    forward(acme, days=2)
    person = only(campaign)
    assert (person.state, person.reason) == (LeadState.PAUSED, "unknown_outcome")
    assert [action.state for action in ledger(acme)] == ["unknown"]
    assert assert_counters_hold(campaign).invites_sent == 1
    campaign_leads.resume(acme, campaign.id, person.id)
    forward(acme, days=2)
    assert len([kind for kind, _ in acts(acme) if kind == "connection_request"]) == 1


def test_a_limit_of_the_network_rests_that_kind_of_action_only(acme: Workspace) -> None:
    a_campaign(acme, ["limits-ada"], [INVITE])
    a_campaign(acme, ["accepts-bob"], [VIEW], name="Second")
    forward(acme, hours=8)
    assert acts(acme) == [("view_profile", "accepts-bob")]
    assert "invite" in the_account(acme).rests
    forward(acme, days=2)
    assert ("connection_request", "limits-ada") in acts(acme)


def test_a_challenged_account_waits_for_a_human_and_others_go_on(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["challenges-ada", "accepts-bob"], [INVITE], senders=2)
    forward(acme, days=1)
    assert ("connection_request", "accepts-bob") in acts(acme)
    account = the_account(acme)
    assert account.status == "challenged"
    (data,) = told(acme, "account_disconnected")
    assert data["account"]["id"] == account.id
    assert data["reason"] == account.status_reason != ""
    assert everyone(campaign)["challenges-ada"].state == LeadState.PENDING
    accounts.reconnect(acme, account.id)
    forward(acme, days=2)
    assert ("connection_request", "challenges-ada") in acts(acme)


def test_follow_ups_go_before_openers(acme: Workspace) -> None:
    a_campaign(acme, ["accepts-ada"], [INVITE, message(days=1)])
    forward(acme, hours=23)
    a_campaign(acme, [f"ignores-{number}" for number in range(40)], [VIEW], name="Second")
    forward(acme, hours=4)
    done = acts(acme)
    position = done.index(("message", "accepts-ada"))
    assert len([kind for kind, _ in done[position:] if kind == "view_profile"]) > 5


def test_campaigns_share_a_sender_fairly(acme: Workspace) -> None:
    a_campaign(acme, [f"ignores-a{number}" for number in range(20)], [VIEW])
    a_campaign(acme, [f"ignores-b{number}" for number in range(20)], [VIEW], name="Second")
    forward(acme, hours=2)
    done = [person[:9] for _, person in acts(acme)]
    first = done.count("ignores-a")
    assert len(done) >= 10
    assert abs(first - (len(done) - first)) <= 1


def test_limits_and_pauses_hold_in_every_24_hours(acme: Workspace) -> None:
    a_campaign(acme, [f"ignores-{number}" for number in range(50)], [INVITE])
    forward(acme, days=3)
    moments = [action.at for action in ledger(acme)]
    assert len(moments) > 30
    assert min(later - earlier for earlier, later in pairwise(moments)) >= timedelta(minutes=3)
    for start in moments:
        assert len([at for at in moments if start <= at < start + timedelta(hours=24)]) <= 15


def test_turns_in_real_time_leave_moved_workspaces_on_their_own_clock(
    acme: Workspace, rival: Workspace, clock: Movable
) -> None:
    a_campaign(acme, ["accepts-ada"], [INVITE])
    with transaction() as current:
        current.merge(acme).clock_offset = -3600 * 24
    a_campaign(rival, ["accepts-bob"], [INVITE])
    clock.to("2026-03-02 10:00")
    turns.run_due()
    assert acts(rival) == [("connection_request", "accepts-bob")]
    assert acts(acme) == []


def test_the_wish_to_hear_nothing_more_is_kept_for_good(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["replies-unsubscribe-ada"], [INVITE, message()])
    forward(acme, days=5)
    assert only(campaign).sentiment == "negative"
    second = a_campaign(acme, ["replies-unsubscribe-ada", "accepts-bob"], [VIEW], name="Second")
    assert set(everyone(second)) == {"accepts-bob"}


def test_each_person_gets_their_own_draw_and_part_after_part_the_same_steps(acme: Workspace) -> None:
    """Spintax and conditions in notes and messages; what a value holds goes out as it stands."""
    options = "|".join("abcdefgh")
    note = {**INVITE, "message": f"{{{options}}}{{{options}}} {{{{first_name}}}}"}
    text = f"{{{{#if company_name}}}}at {{{{company_name}}}}{{{{else}}}}{{{options}}}{{{{/if}}}}"
    steps = [note, message(f"{text}\n---\nBye")]
    names = [f"accepts-{name}" for name in ("ada", "bob", "cleo")]
    people = [{"publicId": name, "firstName": "{x|y}"} for name in names]
    people[0]["companyName"] = "{{A}}"
    campaign = a_campaign(acme, people, steps)
    found = session().scalars(sa.select(Lead).join(CampaignLead, CampaignLead.lead_id == Lead.id))
    leads_by_name = {lead.public_id: lead for lead in found}
    shown = {name: preview.preview(campaign.sequence, leads_by_name[name], accounts.every(acme)) for name in names}
    end_read()
    forward(acme, days=4)
    sent = [(row.kind, row.text) for row in ledger(acme) if row.kind in ("connection_request", "message")]
    for name in names:
        assert ("connection_request", shown[name][0].parts[0]) in sent
        assert all(("message", part) in sent for part in shown[name][1].parts)
    assert ("message", "at {{A}}") in sent
    assert all("{x|y}" in text for kind, text in sent if kind == "connection_request")
