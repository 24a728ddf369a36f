"""The gate in a workspace: whose rules hold, and the same answer at enrolment, at the draft and at the send."""

from datetime import timedelta
from typing import Any

import pytest

from app.core.db import transaction
from app.domain.campaigns import exclusion_preview
from app.domain.engine.manual import compose
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.people.exclusions import gate
from app.domain.rules.contact_rules import ContactRules
from app.domain.senders import accounts
from app.models.accounts import Account
from app.models.campaigns import Campaign, LeadState
from app.models.people import Person
from app.models.workspaces import Workspace
from tests.domain.outreach import (
    INVITE,
    VIEW,
    a_campaign,
    a_list,
    acts,
    begun,
    email,
    everyone,
    forward,
    only,
    person_id,
)

pytestmark = pytest.mark.usefixtures("clock")


def ruled(workspace: Workspace, rules: dict[str, Any] | None = None, caps: dict[str, Any] | None = None) -> None:
    with transaction() as current:
        found = current.merge(workspace)
        found.contact_rules, found.contact_caps = rules, caps


def answered(workspace: Workspace, handle: str, **columns: Any) -> int:
    found = person_id(workspace, handle)
    usual = {"answer": "positive", "replied_at": workspace.now() - timedelta(days=180)}
    with transaction() as current:
        for name, value in (usual | columns).items():
            setattr(current.get_one(Person, found), name, value)
    return found


def code(campaign: Campaign, person: int, **given: Any) -> str:
    """The code of the gate's answer for the person, '' when they may be contacted."""
    with transaction() as current:
        at = current.get_one(Workspace, campaign.workspace_id).now()
        found = gate.ask(campaign, [person], at, **given)[person].verdict
    return found.code if found else ""


def test_a_campaign_has_the_workspaces_rules_but_for_what_differs(acme: Workspace) -> None:
    campaign = a_campaign(acme, start=False)
    ruled(acme, {"contacted_days": 30, "said_no": False})
    with transaction() as current:
        campaign.contact_rules = {"contacted_days": 0, "tags": ["vip"]}
        rules = gate.rules_of(current.merge(acme), campaign)
    assert rules == ContactRules(contacted_days=0, said_no=False, tags=("vip",))


def test_ours_hold_where_nothing_was_said(acme: Workspace, rival: Workspace) -> None:
    ruled(acme)
    campaign, theirs = a_campaign(acme, start=False), a_campaign(rival, start=False)
    assert code(campaign, answered(acme, "ada")) == "replied_before"
    assert code(theirs, answered(rival, "ada")) == ""  # the rival asks for nothing


def test_the_order_is_kept_and_what_an_owner_set_aside_leads_to_the_next(acme: Workspace) -> None:
    ruled(acme)
    campaign, ada = a_campaign(acme, start=False), answered(acme, "ada", answer="negative")
    assert code(campaign, ada) == "said_no"
    assert code(campaign, ada, let_in={ada: {"codes": ["said_no"]}}) == "replied_before"
    assert code(campaign, ada, let_in={ada: {"codes": ["said_no", "replied_before"]}}) == ""


def test_who_is_left_out_stands_in_the_campaign_with_the_reason(acme: Workspace) -> None:
    ruled(acme)
    answered(acme, "accepts-ada")
    campaign = a_campaign(acme, ["accepts-ada", "accepts-bob"])
    found = everyone(campaign)
    assert (found["accepts-ada"].state, found["accepts-ada"].reason) == (LeadState.EXCLUDED, "replied_before")
    forward(acme, days=1)
    assert {who for _, who in acts(acme)} == {"accepts-bob"}


def test_who_answers_before_the_send_is_left_out_then(acme: Workspace) -> None:
    ruled(acme)
    campaign = a_campaign(acme, ["ignores-ada"], [VIEW, {**INVITE, "delay": {"value": 2, "unit": "days"}}])
    forward(acme, days=1)
    answered(acme, "ignores-ada")
    forward(acme, days=3)
    assert acts(acme) == [("view_profile", "ignores-ada")]
    assert (only(campaign).state, only(campaign).reason) == (LeadState.EXCLUDED, "replied_before")


def test_who_got_a_message_by_hand_gets_no_cold_first_one(acme: Workspace, rival: Workspace) -> None:
    """At enrolment, before the first step of those who were enrolled already, and in what a draft says."""
    for workspace in (acme, rival):
        ruled(workspace)
    joined = a_campaign(acme, ["ignores-bob"], [VIEW, {**INVITE, "delay": {"value": 2, "unit": "days"}}], name="Later")
    mailbox, met = accounts.every(acme)[2], a_list(acme, ["ignores-ada"], "Met")
    compose.begin(acme, person_id(acme, "ignores-ada"), mailbox.id, "We met at the fair.", "The fair")
    compose.begin(acme, person_id(acme, "ignores-bob"), mailbox.id, "We met at the fair.", "The fair")
    forward(acme, days=1)
    campaign_leads.resume(acme, joined.id, only(joined).id)
    new, theirs = a_campaign(acme, ["ignores-ada"], [INVITE], name="New"), a_campaign(rival, ["ignores-ada"], [INVITE])
    forward(acme, days=3)
    drafted = a_campaign(acme, ["ignores-ada"], [INVITE], name="Drafted", start=False)
    assert exclusion_preview.of_list(acme, drafted.id, met, most=10).reasons == {"contacted_lately": 1}
    for campaign in (new, joined):
        assert (only(campaign).state, only(campaign).reason) == (LeadState.EXCLUDED, "contacted_lately")
    assert "connection_request" not in {kind for kind, _ in acts(acme)}
    assert code(theirs, person_id(rival, "ignores-ada")) == ""


def test_no_one_is_contacted_twice_a_day_over_two_channels(acme: Workspace) -> None:
    ruled(acme)
    campaign = a_campaign(acme, ["ignores-ada"], [INVITE, email()], senders=3)
    forward(acme, hours=12)
    assert [kind for kind, _ in acts(acme)] == ["connection_request"]
    assert only(campaign).reason == "touch_cap_day"
    forward(acme, days=1)
    assert [kind for kind, _ in acts(acme)] == ["connection_request", "email"]


def test_senders_who_act_at_once_contact_no_one_too_many_of_a_company(acme: Workspace) -> None:
    """One sender's contact counts for the next before anyone knows what became of it."""
    ruled(acme, None, {"company_people": 1})
    people = [
        {"publicId": f"ignores-{name}", "companyName": "Acorn", "companyUrl": "https://acorn.example"}
        for name in ("ada", "bob", "cyd", "dee")
    ]
    campaign = a_campaign(acme, people, [INVITE], senders=2)
    with transaction() as current:
        for account in accounts.every(acme):
            current.get_one(Account, account.id).turn_at = acme.now()
    assert len(begun(acme).intended) == 1
    others = [person.reason for person in everyone(campaign).values() if person.reason != "in_flight"]
    assert others.count("company_full") == 1


def test_rules_made_looser_while_it_runs_hold_from_the_next_send_on(acme: Workspace) -> None:
    ruled(acme, {"contacted_days": 0})
    campaign = a_campaign(acme, ["ignores-ada"], [VIEW, {**INVITE, "delay": {"value": 2, "unit": "days"}}])
    forward(acme, days=1)
    answered(acme, "ignores-ada")
    with transaction() as current:
        current.merge(campaign).contact_rules = {"replied": False}
    forward(acme, days=3)
    assert [kind for kind, _ in acts(acme)] == ["view_profile", "connection_request"]
