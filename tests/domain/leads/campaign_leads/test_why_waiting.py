"""Why nothing happens: everyone who waits can say so, with the moment it goes on and who must act."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from app.core.db import session, transaction
from app.domain.campaigns import campaigns
from app.domain.leads.campaign_leads import campaign_leads, filters, why_waiting
from app.domain.rules.reasons import REASONS, WaitReason
from app.domain.senders import accounts
from app.models.accounts import Account
from app.models.campaigns import Campaign, CampaignStatus, LeadState
from app.models.workspaces import Workspace
from tests.domain.outreach import (
    ALWAYS,
    INVITE,
    VIEW,
    a_campaign,
    begun,
    everyone,
    forward,
    fresh,
    message,
    only,
    put,
    the_account,
)
from tests.support.movable import Movable

pytestmark = pytest.mark.usefixtures("clock")
DOMAIN = Path(why_waiting.__file__).parents[2]
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def of_only(workspace: Workspace, campaign: Campaign) -> WaitReason:
    """Why the one person of the campaign waits."""
    person = only(campaign)
    return why_waiting.of_people(workspace, fresh(campaign), [person])[person.id]


def account_is(account: Account, **columns: Any) -> None:
    """The sender has these values."""
    with transaction() as current:
        row = current.get_one(Account, account.id)
        for name, value in columns.items():
            setattr(row, name, value)


def campaign_is(campaign: Campaign, **columns: Any) -> None:
    """The campaign has these values."""
    with transaction() as current:
        row = current.get_one(Campaign, campaign.id)
        for name, value in columns.items():
            setattr(row, name, value)


def test_lead_campaign_and_sender_give_the_same_reason(acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, ["ignores-ada"], [VIEW, {**VIEW, "delay": {"value": 2, "unit": "days"}}])
    assert of_only(acme, campaign).code == "queued"
    forward(acme, hours=1)
    due = only(campaign).due_at
    assert due is not None
    for why in (
        of_only(acme, campaign),
        why_waiting.of_campaign(acme, fresh(campaign)),
        why_waiting.of_account(acme, the_account(acme)),
    ):
        assert (why.code, why.until, why.who) == ("not_due", due, "nobody")
        assert why.sentence == REASONS["not_due"][0]
    assert why_waiting.next_moment([of_only(acme, campaign), WaitReason("idle")]) == due


OF_PEOPLE: tuple[tuple[dict[str, Any], str, Any, str], ...] = (
    ({"state": "finished", "reason": "replied"}, "replied", None, "nobody"),
    ({"state": "stopped", "reason": ""}, "campaign_ended", None, "nobody"),
    ({"state": "paused", "reason": "paused_by_you"}, "paused_by_you", None, "you"),
    ({"state": "paused", "reason": "unknown_outcome"}, "unknown_outcome", None, "you"),
    ({"state": "paused", "reason": "out_of_office", "due_at": DAY}, "out_of_office", DAY, "them"),
    ({"reason": "missing_value", "due_at": DAY}, "missing_value", DAY, "you"),
    ({"reason": "too_long", "due_at": DAY}, "too_long", DAY, "you"),
    ({"reason": "in_flight", "due_at": None}, "in_flight", None, "nobody"),
    ({"state": "active", "next_budget": "end", "due_at": DAY, "sender_id": None}, "awaiting_reply", DAY, "them"),
    ({"state": "awaiting_accept", "next_budget": "withdraw", "due_at": DAY}, "awaiting_accept", DAY, "them"),
    ({"sender_id": None}, "no_account", None, "you"),
    ({"due_at": DAY}, "not_due", DAY, "nobody"),
    ({}, "queued", timedelta(0), "nobody"),
    ({"state": "active"}, "ready", timedelta(0), "nobody"),
)


def test_a_person_says_why(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["ignores-ada"], [INVITE, message()])
    names = ("state", "reason", "due_at", "next_budget", "sender_id")
    usual = {name: getattr(only(campaign), name) for name in names}
    for columns, code, until, who in OF_PEOPLE:
        put(campaign, **(usual | moved(acme, columns)))
        why = of_only(acme, campaign)
        assert (why.code, why.until, why.who) == (code, None if until is None else acme.now() + until, who), columns
        assert why.sentence


def moved(workspace: Workspace, columns: dict[str, Any]) -> dict[str, Any]:
    """The columns, with moments instead of spans."""
    return {name: workspace.now() + value if isinstance(value, timedelta) else value for name, value in columns.items()}


OF_SENDERS: tuple[tuple[dict[str, Any], str, Any, str], ...] = (
    ({"active": False}, "account_inactive", None, "you"),
    ({"status": "disconnected"}, "account_disconnected", None, "you"),
    ({"status": "challenged"}, "account_challenged", None, "you"),
    ({"status": "connecting"}, "account_connecting", None, "nobody"),
    ({"free_at": HOUR}, "gap", HOUR, "nobody"),
    ({"work_start": "11:00"}, "sender_hours", 2 * HOUR, "nobody"),
    ({"work_days": []}, "never_open", None, "you"),
    ({"limits": {"invite": 0}}, "limit_zero", None, "you"),
    ({"rests": {"invite": DAY}}, "network_limit", DAY, "network"),
    ({"health": {"decided": 30, "accepted": 1}}, "low_acceptance", DAY, "you"),
    ({"health": {"pending": 500}}, "pending_invites", DAY, "nobody"),
)


def test_a_sender_that_cannot_act_is_the_reason_of_its_people(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["ignores-ada"], [INVITE], schedule=ALWAYS)
    at, sender = acme.now(), the_account(acme)
    names = ("active", "status", "free_at", "limits", "rests", "health")
    usual = {name: getattr(sender, name) for name in names}
    usual |= {"work_start": "00:00", "work_end": "23:59", "work_days": [1, 2, 3, 4, 5, 6, 7]}
    for columns, code, until, who in OF_SENDERS:
        changed = usual | moved(acme, columns)
        if "rests" in columns:
            changed["rests"] = {"invite": (at + DAY).isoformat()}
        account_is(sender, **changed)
        expected = None if until is None else at + until
        if code in ("low_acceptance", "pending_invites"):
            expected = at.replace(hour=0) + DAY  # measured anew on the next local day
        whys = [of_only(acme, campaign), why_waiting.of_campaign(acme, fresh(campaign))]
        for why in (*whys, why_waiting.of_account(acme, the_account(acme))):
            assert (why.code, why.who, why.until) == (code, who, expected)


def test_who_waits_for_others_at_the_company_is_told_so_until_they_are_contacted(acme: Workspace) -> None:
    """Before the time at which the check asks again, and also after it, while the sender does not get to them."""
    with transaction() as current:
        current.merge(acme).contact_caps = {"company_people": 1}
    people = [{"publicId": f"ignores-{name}", "companyName": "Acorn"} for name in ("ada", "bob")]
    campaign = a_campaign(acme, people, [INVITE])
    forward(acme, hours=12)
    groups = filters.position_counts(acme, fresh(campaign))
    whys = [why for standing in groups for why, _ in standing.whys if standing.state == LeadState.PENDING]
    assert [why.code for why in whys] == ["company_full"]
    assert "per company" in whys[0].sentence
    (waits,) = (person for person in everyone(campaign).values() if person.state == LeadState.PENDING)
    waits.due_at = acme.now()
    account_is(the_account(acme), free_at=acme.now() + HOUR)
    assert why_waiting.of_people(acme, fresh(campaign), [waits])[waits.id].code == "company_full"


def test_a_campaign_that_does_not_run_is_the_reason_of_its_people(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["ignores-ada"], [INVITE])
    for status in CampaignStatus:
        campaign_is(campaign, status=status, error="It was like that." if status == "failed" else "")
        for why in (why_waiting.of_campaign(acme, fresh(campaign)), of_only(acme, campaign)):
            expected = ("ready", "queued") if status == "running" else (f"campaign_{status}", "campaign_ended")
            assert why.code in expected
            assert why.code in REASONS
        if status == "failed":
            assert why_waiting.of_campaign(acme, fresh(campaign)).sentence == "It was like that."


def test_hours_dates_and_limits_of_the_campaign_are_named(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["ignores-ada"], [INVITE])
    at = acme.now()
    campaign_is(campaign, start_time="12:00")
    assert (of_only(acme, campaign).code, of_only(acme, campaign).until) == ("campaign_hours", at + 3 * HOUR)
    campaign_is(campaign, start_time="00:00", start_date=at + HOUR)
    assert (of_only(acme, campaign).code, of_only(acme, campaign).until) == ("before_start", at + HOUR)
    campaign_is(campaign, start_date=None, start_time="12:00", end_date=at + HOUR)
    assert (of_only(acme, campaign).code, of_only(acme, campaign).until) == ("ends_before", at + HOUR)
    campaign_is(campaign, end_date=at)
    assert of_only(acme, campaign).code == "campaign_ended"


def test_why_someone_waits_follows_their_sender_and_campaign(acme: Workspace, rival: Workspace) -> None:
    """A moment in the past is now; a stranger's senders say nothing."""
    campaign = a_campaign(acme, ["ignores-ada"], [INVITE, message()])
    person = only(campaign)
    assert why_waiting.of_campaign(rival, campaign).code == "no_account"
    assert why_waiting.of_account(rival, the_account(acme)).code == "idle"
    assert why_waiting.of_people(rival, campaign, [person])[person.id].code == "no_account"
    account_is(the_account(acme), turn_at=datetime(2000, 1, 1, tzinfo=acme.now().tzinfo))
    assert of_only(acme, campaign).until == acme.now()
    begun(acme)
    assert of_only(acme, campaign).code == "in_flight"
    account_is(the_account(acme), status="disconnected")
    assert (of_only(acme, campaign).code, of_only(acme, campaign).who) == ("account_disconnected", "you")
    account_is(the_account(acme), status="connected")
    put(campaign, state="awaiting_accept", next_budget="withdraw", due_at=acme.now() + DAY, reason="")
    campaigns.pause(acme, campaign.id)
    assert of_only(acme, campaign).code == "campaign_paused"


def test_a_sender_without_people_is_idle(acme: Workspace) -> None:
    assert why_waiting.of_account(acme, the_account(acme)).code == "idle"
    campaign = a_campaign(acme, ["accepts-ada"], [INVITE, message()])
    forward(acme, days=2)
    why = why_waiting.of_campaign(acme, fresh(campaign))
    assert (why.code, why.until) == ("awaiting_reply", only(campaign).due_at)


def test_a_campaign_goes_on_with_its_soonest_sender(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["ignores-ada", "ignores-bob"], [INVITE], senders=2)
    account_is(the_account(acme), status="disconnected")
    why = why_waiting.of_campaign(acme, fresh(campaign))
    assert (why.code, why.sender) == ("ready", accounts.every(acme)[1].name)
    with transaction() as current:
        current.execute(session().get_bind() and accounts.Account.__table__.delete())
    session().expire_all()
    assert why_waiting.of_campaign(acme, fresh(campaign)).code == "no_account"


def test_a_person_who_waits_always_has_a_reason(acme: Workspace) -> None:
    people_of_all_kinds = (
        "accepts-ada ignores-bob away-cleo refuses-dan lost-answer-eve cannot-tell-finn never-reachable-gus"
        " replies-positive-hal bounces-ida"
    ).split()
    campaign = a_campaign(acme, people_of_all_kinds, [INVITE, message("One\n---\nTwo"), message(days=3)])
    campaign_leads.pause(acme, campaign.id, everyone(campaign)["accepts-ada"].id)
    for _ in range(8):
        forward(acme, hours=9)
        found = list(everyone(campaign).values())
        for why in why_waiting.of_people(acme, fresh(campaign), found).values():
            assert why.code in REASONS
            assert why.sentence
            assert why.who in ("nobody", "you", "them", "network")
        for person in found:
            assert person.reason in (*REASONS, "")
            assert person.state not in (LeadState.FAILED, LeadState.STOPPED, LeadState.EXCLUDED) or person.reason


FORMER = {"colleague_replied", "same_person"}  # of rows that older versions and migrations wrote


def test_every_reason_of_the_table_is_used() -> None:
    written = "\n".join(file.read_text() for file in DOMAIN.rglob("*.py") if file.name != "reasons.py")
    dynamic = {f"campaign_{status}" for status in CampaignStatus} | FORMER
    assert [code for code in REASONS if f'"{code}"' not in written and code not in dynamic] == []
